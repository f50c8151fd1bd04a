// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the scales of pairs of f16 (pairs.cuh) once their products are added up.
#pragma once

#include "kernels/gemm/result.cuh"

namespace gemm {

// Undoes the scales of a warpgroup's sums, kN columns of them: of the fragment's two rows, and of its columns,
// one after the other, so that nothing leaves the range of f32 on the way.
template <int kN>
__device__ __forceinline__ void unscale(float (&sum)[kN / 2], const GemmArguments& g,
                                        const Place& place) {
  const float* const rows = g.pairs_a.unscale + (g.pairs_a.is_shared ? 0 : place.matrix * g.m);
  const float* const columns = g.pairs_b.unscale + (g.pairs_b.is_shared ? 0 : place.matrix * g.n);
  const int m = static_cast<int>(g.m), n = static_cast<int>(g.n), lane = threadIdx.x % 32;
  const int row = place.row + threadIdx.x / 32 % 4 * 16 + lane / 4;
  const int column = place.column + lane % 4 * 2;
  const float upper = row < m ? rows[row] : 0, lower = row + 8 < m ? rows[row + 8] : 0;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    const int c = column + i * 2;
    const float first = c < n ? columns[c] : 0, second = c + 1 < n ? columns[c + 1] : 0;
    sum[i] = sum[i] * upper * first, sum[i + 1] = sum[i + 1] * upper * second;
    sum[i + 2] = sum[i + 2] * lower * first, sum[i + 3] = sum[i + 3] * lower * second;
  }
}

}  // namespace gemm
