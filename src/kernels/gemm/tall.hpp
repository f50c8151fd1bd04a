// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device share about tall products (tall.cuh).
#pragma once

namespace tilewise::kernels {

inline constexpr int kTallPieceBytes = 2048;  ///< of A, that a warp brings at a time
/// Rows of A of a warp's unit, where A and C lie by rows, and by columns.
inline constexpr int kTallRows = 32, kTallColumns = 64;

inline constexpr int kTallThreads = 256;
inline constexpr int kTallMostK = 256;  ///< of which a block holds B

/// The same of A of any alignment (tall_any.cuh), for up to 32 and up to 64 columns.
inline constexpr int kTallAny32Threads = 512, kTallAny64Threads = 256;
inline constexpr int kTallShifts = 8;  ///< places within 16 bytes where a row may begin
/// k of each copy of B, of which those of the one that is shifted most are the product's.
inline constexpr int kTallAnyHeldK = 128, kTallAnyMostK = kTallAnyHeldK - (kTallShifts - 1);

/// Where TMA brings A (tall_boxes.cuh): warpgroups of a block, pieces of 64 rows and 64 k that each has on their way, and columns
/// of B that a block holds where k is short.
inline constexpr int kTallBoxesWarpgroups = 4, kTallBoxesPieces = 4, kTallBoxesMostColumns = 128;

/// Bytes of B that a block holds, in 16 bits.
constexpr int tall_columns_bytes(int copies, int k, int columns) {
  return copies * k * columns * 2;
}

/// Elements of a row of C that a warp stages, at most, where C is not aligned, and bytes of eight such rows.
inline constexpr int kTallPart = 64, kTallStagedBytes = 8 * (kTallPart + 4) * 4;

/// Bytes where a block stages, and before, of A of any alignment, has all pairs of neighbouring k of B.
constexpr int tall_any_spare_bytes(int columns, int threads) {
  const int staged = threads / 32 * kTallStagedBytes,
            pairs = (kTallAnyMostK + 1) * (columns + 1) * 4 / 16 * 16 + 16;
  return pairs > staged ? pairs : staged;
}

/// Of `tiles` of 16 columns those that take turns in C, so that a lane has neighbours: as many as make 16 bytes.
constexpr int tall_together(int tiles, int result_bytes) {
  const int most = result_bytes == 4 ? 2 : 4;
  return tiles < most ? tiles : most;
}

}  // namespace tilewise::kernels
