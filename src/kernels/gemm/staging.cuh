// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The shared memory by whose way a warpgroup's sums become C (result.cuh), and where they go.
#pragma once

namespace gemm {

// Of a warpgroup. The memory takes 256 bytes of each of two rows at a time a tenth faster than 128 of four.
struct alignas(1024) Staging {
  static constexpr int kRows = 8, kRowBytes = 256;
  unsigned char warps[4][2][kRows * kRowBytes];
};

// Where a warpgroup's sums go.
struct Place {
  int matrix, row, column;  // of C; the first row and column
  int above = 0;            // rows from there on that others store
  int part = 0;             // of k
};

// Piece number `piece` of kPieces, which `stage(i)` stages.
template <int kPieces, class Stage>
__device__ __forceinline__ void stage_piece(int piece, const Stage& stage) {
#pragma unroll
  for (int i = 0; i < kPieces; ++i)
    if (i == piece) stage(i);
}

}  // namespace gemm
