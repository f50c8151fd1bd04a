// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which granules the lanes of an access touch, relative to its first active lane. Kernels repeat the same
// few patterns, so this is worked out once for each.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/exec/warp.hpp"
#include "vgpu/observe/granules.hpp"

namespace tilewise::vgpu {

struct Footprint {
  struct Run {                ///< a row of adjacent bytes
    std::int64_t offset = 0;  ///< from the address of the first active lane
    std::uint32_t bytes = 0;
    std::uint32_t lane = 0;           ///< where its granules begin in `lanes`
    std::uint32_t lane_granules = 0;  ///< of each lane, where one lane follows the other; else 0
  };
  std::vector<Run> runs;
  std::vector<std::uint8_t> lanes;  ///< by granule: who touches it, or kManyLanes
  bool has_overlap = false;         ///< lanes touch the same granule
  /// Of short rows: all granules, in granules from the first lane's. Empty where rows are looked at one
  /// by one.
  std::vector<std::int32_t> scattered;
  std::int64_t lowest = 0, highest = 0;  ///< bytes covered, from the first lane's address
};

/// Of the lanes in `mask`, each of which touches `bytes` bytes at a distance of deltas[lane] bytes from the
/// first; all are multiples of a granule.
Footprint make_footprint(std::uint32_t mask, const std::uint64_t* deltas, std::uint32_t bytes,
                         std::uint32_t granule_bytes);

/// Both sides of a cp.async, and the pattern that they belong to.
struct CopyFootprints {
  Footprint to, from;

  /// Takes up the pattern of the lanes in `mask`, of which those in `reading` read all `bytes`.
  void set(std::uint32_t mask, std::uint32_t reading, const std::uint64_t* to_address,
           const std::uint64_t* from_address, std::uint32_t bytes, std::uint32_t granule_bytes);
  bool matches(std::uint32_t mask, std::uint32_t reading, const std::uint64_t* to_address,
               const std::uint64_t* from_address) const;

 private:
  std::uint32_t mask_ = 0, reading_ = 0;
  std::uint64_t to_deltas_[kLanes] = {}, from_deltas_[kLanes] = {};
};

}  // namespace tilewise::vgpu
