// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block of a single tile (single.cuh, single_f64.cuh) has to do: its place in the grid says it.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/units.cuh"

namespace gemm::single {

// The block's tile, or its part of that tile's sum. `above`: of its rows, how many the tile above has, too, as the last row
// of tiles ends with the matrix (end_with_matrix() in warpgroup.cuh says why).
struct Work {
  int row, column, matrix, part;
  int above;
  int beside;  // the same of columns and the tile beside, where GemmSingle::ends_across says so
  int first_k, steps;
};

// Of tiles of `bm` rows, in steps of `bk`.
__device__ __forceinline__ Work work_of(const GemmArguments& g, int bm, int bk) {
  const GemmSingle& single = g.single;
  const unsigned among = blockIdx.x & ((1u << single.group_log2) - 1);
  const unsigned grouped = blockIdx.y << single.group_log2 | among;
  const unsigned other = blockIdx.x >> single.group_log2;
  Work work;
  work.row = static_cast<int>(single.by_columns ? other : grouped) * bm;
  work.column = static_cast<int>(single.by_columns ? grouped : other) * g.tile_columns;
  const unsigned matrix = quotient(blockIdx.z, single.by_parts);
  work.part = static_cast<int>(blockIdx.z - matrix * single.by_parts.divisor);
  work.matrix = static_cast<int>(matrix + single.first_matrix);
  constexpr int kTogether = 8;  // TMA wants 16 bytes, where rows are neighbours in memory
  const int m = static_cast<int>(g.m);
  const int last = max((m - bm + kTogether - 1) / kTogether * kTogether, 0);
  work.above = max(work.row - last, 0);
  work.row -= work.above;
  const int first_of_last = max(static_cast<int>(g.n) - static_cast<int>(g.tile_columns), 0);
  work.beside = single.ends_across ? max(work.column - first_of_last, 0) : 0;
  work.column -= work.beside;
  const int k = static_cast<int>(g.k), k_each = static_cast<int>(g.split.k_each);
  work.first_k = work.part * k_each;
  work.steps = max(0, (min(k_each, k - work.first_k) + bk - 1) / bk);
  return work;
}

}  // namespace gemm::single
