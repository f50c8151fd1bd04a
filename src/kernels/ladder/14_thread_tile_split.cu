// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 14 thread_tile_split: a thread's 8×8 elements become four pieces of 4×4, 64 apart
// Why: the other cure of rung 12's conflicts, with its thread order kept. When a thread's columns are
// 4 neighbours and another 4 further right, the quads of 8 consecutive lanes are 8 consecutive quads
// of shared memory, 32 words, one for each bank.
// Shared reads per FMA: 1/4. Bank conflicts: none on loads; the stores of A are two-way as in 11.
// It is another way to rung 13's speed, not a step beyond it.
// Limit now: a block waits twice for each step of 8 k, and computes nothing while it fetches. Next:
// overlap (15 double_buffer).
// Measured: 36.7 TFLOP/s at 4096³ on an H200, 71% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/quad.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 8, kTM = 8, kTN = 8;
constexpr int kThreads = kBM / kTM * kBN / kTN;

// Where the i-th row (or column) of thread tile number `thread` lies: 4 in each half of the block.
__device__ __forceinline__ int place(int thread, int i) { return i / 4 * 64 + thread * 4 + i % 4; }

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) float tile_a[kBK][kBM];  // [k][row of A]
  __shared__ __align__(16) float tile_b[kBK][kBN];
  const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  const int a_row = thread / 2, a_k = thread % 2 * 4;
  const int b_k = thread / 32, b_column = thread % 32 * 4;

  float sum[kTM][kTN] = {};
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    const float4 a_quad = load_quad_or_zero<kVector>(A, row0 + a_row, k0 + a_k, m, k);
    const float4 b_quad = load_quad_or_zero<kVector>(B, k0 + b_k, column0 + b_column, k, n);
    tile_a[a_k + 0][a_row] = a_quad.x;
    tile_a[a_k + 1][a_row] = a_quad.y;
    tile_a[a_k + 2][a_row] = a_quad.z;
    tile_a[a_k + 3][a_row] = a_quad.w;
    write_quad(&tile_b[b_k][b_column], b_quad);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kBK; ++p) {
      float a[kTM], b[kTN];
      for (int i = 0; i < kTM; i += 4) read_quad(&a[i], &tile_a[p][place(y, i)]);
      for (int j = 0; j < kTN; j += 4) read_quad(&b[j], &tile_b[p][place(x, j)]);
      for (int i = 0; i < kTM; ++i)
        for (int j = 0; j < kTN; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kTM; ++i)
    for (int j = 0; j < kTN; j += 4)
      store_quad<kVector>(C, row0 + place(y, i), column0 + place(x, j), m, n, alpha, &sum[i][j],
                          beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_thread_tile_split(int m, int n, int k, float alpha, const float* __restrict__ A,
                             const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_thread_tile_split_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                                 const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
