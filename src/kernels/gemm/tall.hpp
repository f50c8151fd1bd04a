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

/// Of any alignment (tall_any.cuh): threads, shared memory, k and columns of which a block holds B.
inline constexpr int kTallAnyThreads = 384, kTallAnySharedBytes = 227 * 1024, kTallAnyMostK = 192,
                     kTallAnyColumns = 64;
/// The same of a longer k (tall_long.cuh), of which A comes in chunks, by kernels for few columns, of which a block has more warps,
/// and for more: columns of B that a block holds, of which so many are brought together, and their k, which is as much more as
/// there are fewer columns.
constexpr int tall_long_threads(bool of_few) { return of_few ? 640 : 384; }
constexpr int tall_long_columns(bool of_few) { return of_few ? 16 : 64; }
inline constexpr int kTallLongGroup = 16;
constexpr int tall_long_most_k(bool of_few) { return of_few ? 4096 : 1024; }
/// Lines (rows of A) of a unit, by how A lies; k of a chunk; and pieces of 16 bytes that hold a row of it wherever that begins. Most
/// of 32 lanes have a piece of a row, or of some.
constexpr int tall_long_lines(bool a_across_k) { return a_across_k ? 32 : 16; }
constexpr int tall_long_chunk(bool a_across_k) { return a_across_k ? 48 : 112; }
constexpr int tall_long_pieces(bool a_across_k) {
  constexpr int kPiece = 16, kElement = 2;
  const int elements = a_across_k ? tall_long_lines(a_across_k) : tall_long_chunk(a_across_k);
  return (elements * kElement + kPiece - kElement + kPiece - 1) / kPiece;
}
/// Lines (rows of A) of a warp's unit, by how C and A lie: more where spans of memory are the longer for it.
constexpr int tall_any_lines(bool result_by_rows, bool a_across_k) {
  return result_by_rows && !a_across_k ? 16 : 32;
}
inline constexpr int kTallAnyMostStages = 4;  ///< of a warp's ring

/// Of a matrix that begins anywhere, what a unit of lines has: spans of memory, and where they stand in shared memory. Or, where
/// gaps between them are small, or there are none, one span with all.
struct TallSpans {
  long long apart;  ///< bytes from one to the next in memory
  int pitch;        ///< and in shared memory
  int count;        ///< at most
  int pieces;       ///< of 16 bytes of each, or of the one, wherever it begins
  int at_a_time;  ///< that a warp's lanes have a piece of, of each so many lanes one; 0 of the one
  long long to_next;    ///< bytes from a lane's piece to its next in memory
  int next;             ///< and in shared memory
  unsigned reciprocal;  ///< of `pieces`, times 2^16, rounded up
};

/// Such a product: the same of all its matrices.
struct TallAny {
  TallSpans a, c;                         ///< of A: of a long k of a chunk
  int columns_words;                      ///< of 32 columns of B, of a long k of 16
  int columns_bytes;                      ///< of all that a block holds
  int stage_bytes, staged_bytes, stages;  ///< of a warp: units of A, and what of C is staged
  int warps;                              ///< for which there is room
  int team;                               ///< of these that share a unit, of a long k
};

/// Where TMA brings A (tall_boxes.cuh): warpgroups of a block, pieces of 64 rows and 64 k that each has on their way, and columns
/// of B that a block holds where k is short.
inline constexpr int kTallBoxesWarpgroups = 4, kTallBoxesPieces = 4, kTallBoxesMostColumns = 128;

/// Bytes of B that a block holds, in 16 bits.
constexpr int tall_columns_bytes(int k, int columns) { return k * columns * 2; }

/// Elements of a row of C that a warp stages, at most, where C is not aligned, and bytes of eight such rows.
inline constexpr int kTallPart = 64, kTallStagedBytes = 8 * (kTallPart + 4) * 4;

/// Of `tiles` of 16 columns those that take turns in C, so that a lane has neighbours: as many as make 16 bytes.
constexpr int tall_together(int tiles, int result_bytes) {
  const int most = result_bytes == 4 ? 2 : 4;
  return tiles < most ? tiles : most;
}

}  // namespace tilewise::kernels
