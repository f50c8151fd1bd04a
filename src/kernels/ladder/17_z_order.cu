// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 17 z_order: the lanes of a warp stand in Z order
// Why: the shared-memory pipe serves a 128-bit load of 32 lanes in four passes, but in two when each
// lane's neighbour (lane ^ 1), or each lane's second neighbour (lane ^ 2), wants the same quad. In a
// Z-shaped walk over 4 rows and 8 columns of threads, lanes 0 and 1 share their rows, 0 and 2 their
// columns:    0  1  4  5 16 17 20 21
//             2  3  6  7 18 19 22 23
//             8  9 12 13 24 25 28 29
//            10 11 14 15 26 27 30 31   so every load of A and of B takes two passes.
// Shared reads per FMA: 1/4; wavefronts for 64 FMAs of a warp: 8 (12 in rung 16).
// Bank conflicts: none, neither on loads nor on stores.
// Limit now: the FMAs wait for the fragments that were read just before them. Next: all of it, and
// the fragments of the next k read ahead (18 final).
// Measured: 45.8 TFLOP/s at 4096³ on an H200, 89% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/stage.cuh"

constexpr int kPitch = kBM + 4;

constexpr int kWM = 32, kWN = 64;

// Bits 1 and 3 of the lane number count rows of threads, bits 0, 2 and 4 columns.
__device__ __forceinline__ int lane_row(int lane) { return lane >> 1 & 1 | lane >> 2 & 2; }
__device__ __forceinline__ int lane_column(int lane) {
  return lane & 1 | lane >> 1 & 2 | lane >> 2 & 4;
}

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) Stage<kPitch> stages[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // A thread's 8 rows are 4 in each half of its warp's 32, its 8 columns 4 in each half of 64.
  const int row = warp / 2 * kWM + lane_row(lane) * 4;
  const int column = warp % 2 * kWN + lane_column(lane) * 4;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;

  float sum[kTM][kTN] = {};
  put(stages[0], fetch<kVector>(A, B, row0, column0, 0, m, n, k));
  __syncthreads();
  int current = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    const bool more = k0 + kBK < k;
    Staged staged;
    if (more) staged = fetch<kVector>(A, B, row0, column0, k0 + kBK, m, n, k);
#pragma unroll
    for (int p = 0; p < kBK; ++p) {
      float a[kTM], b[kTN];
      for (int i = 0; i < 2; ++i) read_quad(&a[i * 4], &stages[current].a[p][row + i * kWM / 2]);
      for (int j = 0; j < 2; ++j) read_quad(&b[j * 4], &stages[current].b[p][column + j * kWN / 2]);
      for (int i = 0; i < kTM; ++i)
        for (int j = 0; j < kTN; ++j) sum[i][j] += a[i] * b[j];
    }
    if (more) put(stages[current ^ 1], staged);
    __syncthreads();
    current ^= 1;
  }
  for (int i = 0; i < kTM; ++i)
    for (int j = 0; j < 2; ++j)
      store_quad<kVector>(C, row0 + row + i / 4 * kWM / 2 + i % 4, column0 + column + j * kWN / 2,
                          m, n, alpha, &sum[i][j * 4], beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_z_order(int m, int n, int k, float alpha, const float* __restrict__ A,
                   const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_z_order_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                       const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
