// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which granules of memory an access covers. A granule is the smallest element that the kernel accesses
// (LaunchChecker::granule_bytes).
#pragma once

#include <cstdint>
#include <span>

namespace tilewise::vgpu {

/// The lane of a record when several lanes, or all, made the access.
inline constexpr std::uint8_t kManyLanes = 32;

/// A row of them.
struct Granules {
  std::uint32_t begin = 0, count = 0;
  const std::uint8_t* lanes = nullptr;  ///< one a granule; nullptr: the whole warp
};

/// Granules here and there, each once.
struct ScatteredGranules {
  std::uint64_t first = 0;                ///< granules from the beginning of memory
  std::span<const std::int32_t> offsets;  ///< from there
  const std::uint8_t* lanes = nullptr;    ///< one a granule
};

}  // namespace tilewise::vgpu
