// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tilewise {

/// Extents of a grid (in blocks) or of a block (in threads).
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace tilewise
