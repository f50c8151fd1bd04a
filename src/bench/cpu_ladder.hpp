// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Climbs the CPU's ladder (src/cpu/ladder/): its rungs described and its results given as those of
// the GPU's ladder are.
#pragma once

#include <functional>
#include <span>

#include "bench/ladder.hpp"
#include "cpu/ladder/product.hpp"

namespace tilewise::bench {

/// The CPU's rungs in the order of the ladder: f32, row-major, on_cpu.
std::span<const kernels::Rung> cpu_ladder();

/// Runs rungs of cpu_ladder(), the threaded ones on every core that this process may run on. C is
/// NaN before each run (or C0), the first run is checked, and each timed one gives the same bits.
/// Rungs that would take minutes compute the first rows only. Throws Error for bad sizes, too
/// little memory, and of cpu::instruction_set(); a wrong product is a row with `verified == false`.
LadderResult run_cpu_ladder(const LadderRequest& request, const LadderProgress& progress = {});

/// What computes a product with the rung of that name; tests put in their own.
using CpuMultiply = std::function<void(const kernels::Rung&, const cpu::ladder::Product&)>;

/// run_cpu_ladder() with products from `multiply`.
LadderResult climb_cpu_ladder(const LadderRequest& request, const LadderProgress& progress,
                              const CpuMultiply& multiply);

}  // namespace tilewise::bench
