// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device have to agree on of single tiles of f64 (single_f64.cuh).
#pragma once

namespace tilewise::kernels {

inline constexpr int kSingleF64Warps = 8;  ///< that multiply
/// What a warp multiplies: so many rows, and units of columns up to as many.
inline constexpr int kSingleF64WarpRows = 32, kSingleF64Unit = 8, kSingleF64MostUnits = 8;
inline constexpr int kSingleF64BK = 16;  ///< of a stage
inline constexpr int kSingleF64MostStages = 16;
inline constexpr int kSingleF64Box =
    16;  ///< columns of B that one copy brings where it lies across k, and at least

/// Warps side by side: as few as have the registers.
constexpr int single_f64_across(int columns) {
  constexpr int kMost = kSingleF64Unit * kSingleF64MostUnits;
  return columns <= kMost ? 1 : columns <= 2 * kMost ? 2 : 4;
}
/// Warps that share a part of the tile, each with every so manieth stage.
constexpr int single_f64_groups(int rows, int columns) {
  return kSingleF64Warps / (rows / kSingleF64WarpRows * single_f64_across(columns));
}

/// Whether there are tiles of `rows`×`columns`.
constexpr bool has_single_f64_tile(int rows, int columns) {
  const int across = single_f64_across(columns);
  return columns >= kSingleF64Unit && columns % (kSingleF64Unit * across) == 0 &&
         columns <= across * kSingleF64Unit * kSingleF64MostUnits &&
         rows / kSingleF64WarpRows * across <= kSingleF64Warps;
}

/// Bytes of a stage. Where B lies across k, boxes of 16 columns make it up.
constexpr int single_f64_stage_bytes(int rows, int columns) {
  return (rows + (columns + kSingleF64Box - 1) / kSingleF64Box * kSingleF64Box) * kSingleF64BK * 8;
}
/// Bytes of shared memory for all stages. What is left is the first-level cache, through which factors of any alignment come:
/// of those along k what a stage does not need of a line is there for the next one.
inline constexpr int kSingleF64Ring = 216 * 1024, kSingleF64RingOfAny = 162 * 1024;

inline constexpr int kSingleF64Producers =
    4;  ///< warps that ask for every fourth stage, or bring all together

/// As many stages as fit, of which each group and each producer has as many of its own. (If they took turns at a stage, one that
/// is ahead by a whole ring would take the phase before for its own: neither copies nor groups wait for each other.)
constexpr int single_f64_stages(int rows, int columns, int ring) {
  const int fit = ring / single_f64_stage_bytes(rows, columns);
  const int groups = single_f64_groups(rows, columns);
  const int together = groups > kSingleF64Producers ? groups : kSingleF64Producers;
  return (fit < kSingleF64MostStages ? fit : kSingleF64MostStages) / together * together;
}

inline constexpr int kSingleF64BarrierBytes =
    1024;  ///< before the stages, which begin at multiples of as much

/// Elements from one line of C's tile to the next, in shared memory, such that hardly any bank is met twice. There the groups
/// of warps leave their sums, where stages were.
constexpr int single_f64_pitch(int width, bool transposes) {
  return transposes ? width + 2 : width + (width % 16 == 0 ? 8 : 0);
}
constexpr int single_f64_shared_bytes(int rows, int columns, int stages) {
  const int plain = rows * single_f64_pitch(columns, false),
            transposed = columns * single_f64_pitch(rows, true);
  const int sums = (plain > transposed ? plain : transposed) * single_f64_groups(rows, columns) * 8;
  const int ring = stages * single_f64_stage_bytes(rows, columns);
  return kSingleF64BarrierBytes + (ring > sums ? ring : sums);
}

}  // namespace tilewise::kernels
