// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device have to agree on of tiles of any width (warpgroup_16bit.cuh): which widths there are, and how
// many stages of them fit.
#pragma once

namespace tilewise::kernels {

inline constexpr int kMostStages = 12;
inline constexpr int kLeastWidth = 24;         // narrower products are for strips
inline constexpr int kLeastWidthOfPairs = 80;  // narrower ones of pairs of blocks for single blocks

/// 16-bit elements of all stages of tiles of `bm` rows: what results go through (result.cuh) leaves that much.
constexpr int ring_halves(int bm) { return (224 - bm / 64 * 16) * 1024 / 2; }

/// Whether there are tiles of `columns`, of `most` at most, in clusters of so many blocks, each of which fetches an equal
/// share of the columns in eights.
constexpr bool has_width(int columns, int most, int cluster) {
  if (columns > most || columns < (cluster > 1 ? kLeastWidthOfPairs : kLeastWidth)) return false;
  if (columns % (8 * cluster) != 0) return false;
  return columns <= 128 || columns % 16 == 0;
}

/// Of tiles of bm×columns, with 64 k each.
constexpr int stages_of_width(int bm, int columns) {
  const int fit = ring_halves(bm) / ((bm + columns) * 64);
  return fit < kMostStages ? fit : kMostStages;
}

}  // namespace tilewise::kernels
