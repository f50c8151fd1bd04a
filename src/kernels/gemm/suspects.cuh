// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of C that pairs of f16 do not do for: somewhere along k the pass before found f32 in their rows of A
// or their columns of B that halves cannot hold. The accurate kernel leaves them, and one in f32 arithmetic
// that comes behind it computes just these. Both must agree on what a tile is: kSuspectTile² elements.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/split_f32.hpp"

namespace gemm {

constexpr int kSuspectTile = 128;

// In the tile's lines (rows of A or columns of B), of which there are `lines` in all. The same in all lanes of
// a warp, all of which ask.
__device__ __forceinline__ bool is_suspect(const GemmPairs& pairs, int matrix, int first,
                                           long long lines) {
  constexpr int kWide = kSuspectTile / kSplitX;
  const int across = static_cast<int>((lines - 1) / kSplitX) + 1;
  const int down = pairs.depth;
  const unsigned* const suspects =
      pairs.suspect + (pairs.is_shared ? 0 : static_cast<long long>(matrix) * down * across);
  unsigned any = 0;
  for (int i = static_cast<int>(threadIdx.x % 32); i < down * kWide; i += 32) {
    const int x = first / kSplitX + i % kWide;
    if (x < across) any |= suspects[i / kWide * across + x];
  }
  return __any_sync(0xFFFFFFFF, any != 0);
}

// Of the tile that element (row, column) of C is in.
__device__ __forceinline__ bool is_suspect_tile(const GemmArguments& g, long long row,
                                                long long column, int matrix) {
  const auto begin = [](long long x) { return static_cast<int>(x / kSuspectTile * kSuspectTile); };
  const bool in_a = is_suspect(g.pairs_a, matrix, begin(row), g.m);
  return is_suspect(g.pairs_b, matrix, begin(column), g.n) || in_a;
}

}  // namespace gemm
