// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What reports derive from a rung's counters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ladder.hpp"
#include "model/gpu.hpp"

namespace tilewise::report {

/// The rung's place on its ladder, as its source file's name says it ("09_tile_2d": 9); 0 for the
/// rung of the host on the GPU's ladder, which has none.
int rung_number(const kernels::Rung& rung);

/// Passes through the shared-memory pipe, loads and stores together.
std::uint64_t shared_wavefronts(const Counters& counters);
/// Bank conflicts, loads and stores together.
std::uint64_t shared_conflicts(const Counters& counters);
/// 32-byte sectors of global memory, loads and stores together.
std::uint64_t global_sectors(const Counters& counters);
/// Warp-wide FMAs (32 threads' worth) that one shared-memory wavefront feeds; absent without any.
std::optional<double> fma_per_wavefront(const Counters& counters);

/// Bytes that must move at least once: A, B and C (C twice when beta is not 0).
double compulsory_bytes(const bench::RungResult& rung, double beta);

/// The catalogue's facts of the GPU that ran; nullptr when the catalogue does not know it.
const model::Gpu* gpu_of(const bench::Context& context);

/// "128×128×16", or empty for a rung without block tiles.
std::string tile_text(const kernels::TileShape& tile);

/// "C = 1·A·B + 0·C" with the scalars of the run.
std::string formula_text(const bench::Context& context);

/// "FMA peak, measured: 118 GFLOP/s on 1 thread, 233 on 2"; empty where none was.
std::string peaks_text(const bench::Context& context);

/// What limits a rung: its busiest pipe, and whether too few warps keep that pipe waiting.
std::string limit_text(const model::Limit& limit);

/// A sentence for the whole ladder when rungs have fewer blocks than the GPU has SMs; else empty.
std::string small_grid_note(const bench::LadderResult& result);

/// Whether something was counted, and all of it exactly.
bool all_exact(const bench::LadderResult& result);

/// A line for each distinct reason why counters are approximate, with the rungs it concerns.
std::vector<std::string> fidelity_notes(const bench::LadderResult& result);

/// The rungs whose product was wrong.
std::vector<std::string_view> wrong_rungs(const bench::LadderResult& result);

}  // namespace tilewise::report
