// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How rows and columns are divided into tiles.
#pragma once

#include <cstdint>

namespace tilewise::cpu {

/// The width of the next panel, in vectors, when `vectors` are left. Panels of the best width, but never
/// a single vector beside one that could share with it: narrow tiles load more for each product.
inline int next_width(std::int64_t vectors, int best, int most) {
  if (vectors <= most) return static_cast<int>(vectors);
  if (vectors == best + 1) return static_cast<int>((vectors + 1) / 2);
  return best;
}

/// A division of small numbers takes a third of the time in 32 bits.
inline std::int64_t quotient(std::int64_t value, std::int64_t by) {
  const bool small = ((value | by) >> 31) == 0;
  return small ? static_cast<std::uint32_t>(value) / static_cast<std::uint32_t>(by) : value / by;
}

/// Rows, at least one, divided into tiles of at most `most`, their heights as equal as they can be.
struct Heights {
  Heights(std::int64_t all, std::int64_t most)
      : rows(all),
        tiles(all <= most ? 1 : quotient(all + most - 1, most)),
        height(tiles == 1 ? all : quotient(all, tiles)),
        taller(all - height * tiles) {}
  std::int64_t of(std::int64_t tile) const { return tile < taller ? height + 1 : height; }
  std::int64_t rows, tiles, height, taller;
};

}  // namespace tilewise::cpu
