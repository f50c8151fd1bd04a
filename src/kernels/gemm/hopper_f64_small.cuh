// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f64 on Hopper where all sizes are small, so that latencies are all that counts: the warps of a block divide k
// among themselves, 16 at a time, and load what they multiply straight into registers, of any alignment. Their
// sums meet in shared memory, in their order.
#pragma once

#include "kernels/gemm/hopper_f64_result.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/mma.cuh"

namespace gemm::f64 {

constexpr int kSmallWarps = 8;

// 16 k of eight lines (rows of A, columns of B): the lane's share, 0 outside the matrix.
template <bool kAlongK> struct Lines {
  const double* from;
  long long leading;
  bool is_there;

  __device__ __forceinline__ Lines(const double* matrix, long long leading_dimension,
                                   long long line, long long lines)
      : from(matrix + line * (kAlongK ? leading_dimension : 1)),
        leading(kAlongK ? 1 : leading_dimension),
        is_there(line < lines) {}
  __device__ __forceinline__ double read(long long k, long long depth) const {
    return is_there && k < depth ? from[k * leading] : 0.0;
  }
};

template <bool kAlongA, bool kAlongB, int kBM, int kBN>
__device__ __forceinline__ void multiply_small(const GemmArguments& g) {
  __shared__ double2 parts[kSmallWarps][kBM * kBN / 2];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const TilePlace tile = place_of_tile<kBM, kBN>(blockIdx.x, g.m, g.n);
  const int warp = threadIdx.x / 32, eighth = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const double alpha = value_of<double>(g.alpha);
  const long long depth = alpha == 0 ? 0 : g.k;
  double sums[kBM / 16][kBN / 8][4] = {};
#pragma unroll 2
  for (long long k = warp * 16; k < depth; k += kSmallWarps * 16) {
    double a[kBM / 16][8], b[kBN / 8][4];
#pragma unroll
    for (int i = 0; i < kBM / 8; ++i) {
      const Lines<kAlongA> rows(matrix_of<double>(g.a), g.a.leading_dimension,
                                tile.row + i * 8 + eighth, g.m);
#pragma unroll
      for (int e = 0; e < 4; ++e) a[i / 2][e * 2 + i % 2] = rows.read(k + e * 4 + t, depth);
    }
#pragma unroll
    for (int j = 0; j < kBN / 8; ++j) {
      const Lines<kAlongB> columns(matrix_of<double>(g.b), g.b.leading_dimension,
                                   tile.column + j * 8 + eighth, g.n);
#pragma unroll
      for (int e = 0; e < 4; ++e) b[j][e] = columns.read(k + e * 4 + t, depth);
    }
#pragma unroll
    for (int i = 0; i < kBM / 16; ++i)
#pragma unroll
      for (int j = 0; j < kBN / 8; ++j) ptx::mma_f64_k16(sums[i][j], a[i], b[j]);
  }
#pragma unroll
  for (int i = 0; i < kBM / 8; ++i)
#pragma unroll
    for (int j = 0; j < kBN / 8; ++j) {
      const double* const pair = &sums[i / 2][j][i % 2 * 2];
      parts[warp][(i * 8 + eighth) * (kBN / 2) + j * 4 + t] = make_double2(pair[0], pair[1]);
    }
  __syncthreads();
  const Result to = result_of<kBM, kBN>(g, static_cast<int>(blockIdx.z), 0, tile.row, tile.column,
                                        alpha, value_of<double>(g.beta));
#pragma unroll
  for (int i = threadIdx.x; i < kBM * kBN / 2; i += kSmallWarps * 32) {
    double2 sum = parts[0][i];
#pragma unroll
    for (int part = 1; part < kSmallWarps; ++part) {
      sum.x += parts[part][i].x;
      sum.y += parts[part][i].y;
    }
    const long long row = to.row + i / (kBN / 2), column = to.column + i % (kBN / 2) * 2;
    if (row < g.m) store_pair(to.c + row * to.leading + column, g.n - column, to, sum.x, sum.y);
  }
}

}  // namespace gemm::f64

// The kernels of one tile, one for each order of A and B: k ("along k") or x ("across k"). `blocks`: of a
// multiprocessor.
#define TILEWISE_HOPPER_F64_SMALL(name, blocks, along_a, along_b, bm, bn)           \
  extern "C" __global__ void __launch_bounds__(gemm::f64::kSmallWarps * 32, blocks) \
      name(const __grid_constant__ tilewise::kernels::GemmArguments g) {            \
    gemm::f64::multiply_small<along_a, along_b, bm, bn>(g);                         \
  }
#define TILEWISE_HOPPER_F64_SMALL_ORDERS(name, blocks, bm, bn)      \
  TILEWISE_HOPPER_F64_SMALL(name##_kk, blocks, true, true, bm, bn)  \
  TILEWISE_HOPPER_F64_SMALL(name##_kx, blocks, true, false, bm, bn) \
  TILEWISE_HOPPER_F64_SMALL(name##_xk, blocks, false, true, bm, bn) \
  TILEWISE_HOPPER_F64_SMALL(name##_xx, blocks, false, false, bm, bn)
