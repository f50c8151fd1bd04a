// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device share about tall products (tall.cuh).
#pragma once

namespace tilewise::kernels {

inline constexpr int kTallThreads = 256;
inline constexpr int kTallMostK = 256;  ///< of which a block holds B
/// Rows of A of a warp's unit, where A and C lie by rows, and by columns.
inline constexpr int kTallRows = 32, kTallColumns = 64;

/// Elements of a row of C that a warp stages at a time, where C is not aligned, and what eight such rows take.
inline constexpr int kTallPart = 64, kTallStagedBytes = 8 * (kTallPart + 4) * 4;

/// kTallMostK k of so many columns of B, in 16 bits.
constexpr int tall_columns_bytes(int columns) { return kTallMostK * columns * 2; }

/// Of `tiles` of 16 columns those that take turns in C, so that a lane has neighbours: as many as make 16 bytes.
constexpr int tall_together(int tiles, int result_bytes) {
  const int most = result_bytes == 4 ? 2 : 4;
  return tiles < most ? tiles : most;
}

}  // namespace tilewise::kernels
