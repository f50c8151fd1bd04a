// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 11 float4: every access moves four floats, and A is transposed on its way into shared memory
// Why: one 128-bit instruction replaces four 32-bit ones, for the same bytes. A thread's 8 values of
// A lie in one column of its tile, so the tile is kept as [k][row]; there they are two quads.
// Shared reads per FMA: 1/4, in a quarter of the instructions: 4 for 64 FMAs.
// Bank conflicts: two-way on the stores of A (a thread holds four k of one row and stores them one
// by one; rows of 128 words put k and k + 4 in one bank), two-way on the loads of B (a thread's 8
// columns are neighbours, so 8 lanes span 64 banks' worth).
// Limit now: bank conflicts on every load of B. Next: where they come from (12 warp_2x16).
// Measured: 34.4 TFLOP/s at 4096³ on an H200, 67% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/quad.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 8, kTM = 8, kTN = 8;
constexpr int kColumns = kBN / kTN;  // threads in x: 16, and as many in y
constexpr int kThreads = kBM / kTM * kColumns;

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) float tile_a[kBK][kBM];  // [k][row of A]
  __shared__ __align__(16) float tile_b[kBK][kBN];
  const int x = threadIdx.x, y = threadIdx.y;
  const int thread = y * kColumns + x;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  // 256 threads fetch 128×8 elements of A and 8×128 of B: one quad of each a thread.
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
      for (int i = 0; i < kTM; i += 4) read_quad(&a[i], &tile_a[p][y * kTM + i]);
      for (int j = 0; j < kTN; j += 4) read_quad(&b[j], &tile_b[p][x * kTN + j]);
      for (int i = 0; i < kTM; ++i)
        for (int j = 0; j < kTN; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kTM; ++i)
    for (int j = 0; j < kTN; j += 4)
      store_quad<kVector>(C, row0 + y * kTM + i, column0 + x * kTN + j, m, n, alpha, &sum[i][j],
                          beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_float4(int m, int n, int k, float alpha, const float* __restrict__ A,
                  const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_float4_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                      const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
