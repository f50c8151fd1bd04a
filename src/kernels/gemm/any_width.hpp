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

/// Of tiles of bm×columns, with 64 k each.
constexpr int stages_of_width(int bm, int columns) {
  const int fit = ring_halves(bm) / ((bm + columns) * 64);
  return fit < kMostStages ? fit : kMostStages;
}

}  // namespace tilewise::kernels
