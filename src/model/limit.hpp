// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What limits a kernel: the pipe that its counters keep busy longest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/counters.hpp"
#include "core/dtype.hpp"
#include "model/gpu.hpp"
#include "model/occupancy.hpp"

namespace tilewise::model {

/// The time one pipe needs for its share of a launch, were it the only one.
struct PipeTime {
  std::string pipe;  ///< "FMA", "issue", "shared memory", "global memory (L1)", "DRAM"
  double microseconds = 0;
};

inline constexpr std::string_view kTooFewBlocks = "too few blocks to fill the GPU";
inline constexpr std::string_view kTooFewWarps = "too few warps to hide latency";

struct Limit {
  std::string summary;  ///< the busiest pipe in words, e.g. "shared-memory wavefronts"
  /// Why no pipe is busy all the time: kTooFewBlocks, kTooFewWarps, or empty.
  std::string caveat;
  std::vector<PipeTime> pipes;  ///< longest first
};

/// Holds the counters of a launch against the rates of `gpu`. `dtype` chooses the FMA rate;
/// `compulsory_bytes` is what the launch must move through DRAM at least (each operand once).
Limit find_limit(const Gpu& gpu, const Counters& counters, Dtype dtype, double compulsory_bytes,
                 const Occupancy& occupancy, std::uint64_t blocks);

}  // namespace tilewise::model
