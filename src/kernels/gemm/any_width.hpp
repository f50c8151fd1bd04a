// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device have to agree on of tiles of any width (warpgroup_16bit.cuh): which widths there are, and how
// many stages of them fit.
#pragma once

namespace tilewise::kernels {

inline constexpr int kMostStages = 12;
inline constexpr int kLeastWidth = 24;  // narrower products are for strips

/// 16-bit elements of all stages of tiles of `bm` rows: what results go through (result.cuh) leaves that much.
constexpr int ring_halves(int bm) { return (224 - bm / 64 * 16) * 1024 / 2; }

/// Whether there are tiles of `columns`, of `most` at most.
constexpr bool has_width(int columns, int most) {
  return columns >= kLeastWidth && columns <= most && columns % (columns <= 128 ? 8 : 16) == 0;
}

/// The same of Cᵀ by 128 rows whose warpgroups take turns: each width is a kernel of its own.
inline constexpr int kLeastTurnsWidth = 80, kMostTurnsWidth = 192;
constexpr bool has_width_in_turns(int columns) {
  return columns >= kLeastTurnsWidth && columns <= kMostTurnsWidth && columns % 16 == 0;
}

/// The same of C, by 128 rows: other widths have kernels of their own, which take B in either order.
inline constexpr int kLeastWidthOfC = 72;
constexpr bool has_width_of_c(int columns, int most) {
  return columns >= kLeastWidthOfC && columns != 128 && columns != 192 && columns != 256 &&
         has_width(columns, most);
}

/// The same of Cᵀ by 192 rows: those of kLeastOwnWidth columns and more are kernels of their own.
inline constexpr int kOwnRows = 192, kLeastOwnWidth = 96, kMostOwnWidth = 192;
constexpr bool has_own_width(int columns) {
  return columns >= kLeastOwnWidth && columns <= kMostOwnWidth && columns % 16 == 0;
}
/// Whether such a width is there for B across k, too: where tiles begin within lines of the cache, each row of a panel is two
/// requests, which takes longer than wider tiles do.
constexpr bool has_own_width_across(int columns) { return columns == 96 || columns == 192; }
/// Of tiles of `bm` rows the widest that is one of a kernel for all widths, which has `most` in registers.
constexpr int widest_in_one(int bm, int most) { return bm == kOwnRows ? kLeastOwnWidth - 8 : most; }

/// Columns of B that are there for tiles of `columns`: across k whole rows of 128 bytes, of the last of which not all count.
constexpr int columns_fetched(int columns, bool along_k) {
  constexpr int kPanel = 64;
  return along_k ? columns : (columns + kPanel - 1) / kPanel * kPanel;
}

/// Of tiles of bm×columns, with 64 k each.
constexpr int stages_of_width(int bm, int columns) {
  const int fit = ring_halves(bm) / ((bm + columns) * 64);
  return fit < kMostStages ? fit : kMostStages;
}

}  // namespace tilewise::kernels
