// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the scales of pairs of f16 (pairs.cuh) once their products are added up.
#pragma once

#include "kernels/gemm/result.cuh"

namespace gemm {

// What a thread's sums of kN columns are to be multiplied with: of the fragment's two rows, and of its columns.
template <int kN> struct Unscales {
  float rows[2], columns[kN / 4];

  __device__ __forceinline__ void load(const GemmArguments& g, const Place& place) {
    const float* const of_rows = g.pairs_a.unscale + (g.pairs_a.is_shared ? 0 : place.matrix * g.m);
    const float* const of_columns =
        g.pairs_b.unscale + (g.pairs_b.is_shared ? 0 : place.matrix * g.n);
    const int m = static_cast<int>(g.m), n = static_cast<int>(g.n), lane = threadIdx.x % 32;
    const int row = place.row + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const int column = place.column + lane % 4 * 2;
    rows[0] = row < m ? of_rows[row] : 0, rows[1] = row + 8 < m ? of_rows[row + 8] : 0;
#pragma unroll
    for (int i = 0; i < kN / 4; ++i) {
      const int c = column + i / 2 * 8 + i % 2;
      columns[i] = c < n ? of_columns[c] : 0;
    }
  }
};

// Undoes the scales of a warpgroup's sums, of rows and columns one after the other, so that nothing leaves the range of
// f32 on the way.
template <int kN>
__device__ __forceinline__ void unscale(float (&sum)[kN / 2], const Unscales<kN>& by) {
#pragma unroll
  for (int i = 0; i < kN / 2; ++i)
    sum[i] = sum[i] * by.rows[i / 2 % 2] * by.columns[i / 4 * 2 + i % 2];
}
template <int kN>
__device__ __forceinline__ void unscale(float (&sum)[kN / 2], const GemmArguments& g,
                                        const Place& place) {
  Unscales<kN> by;
  by.load(g, place);
  unscale<kN>(sum, by);
}

}  // namespace gemm
