// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Theoretical occupancy: how many warps of a kernel an SM holds at once, and what stops it at that.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/gpu.hpp"

namespace tilewise::model {

enum class OccupancyLimit { kWarps, kBlocks, kRegisters, kSharedMemory };

/// "warps", "blocks", "registers", "shared memory".
std::string_view name_of(OccupancyLimit limit);

/// What one block asks for.
struct BlockResources {
  int threads = 0;
  int registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;  ///< static plus dynamic
};

struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  double fraction = 0;  ///< warps_per_sm / the most the SM can hold
  OccupancyLimit limit = OccupancyLimit::kWarps;
};

/// Throws Error{kInvalidArgument} when one block alone does not fit on an SM, naming what does not.
Occupancy occupancy(const Gpu& gpu, const BlockResources& block);

}  // namespace tilewise::model
