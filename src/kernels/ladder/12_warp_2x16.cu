// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 12 warp_2x16: the obvious order of threads makes a warp 2 threads high and 16 wide
// Why: a step aside, to see both conflicts of that shape at once. A's tile is kept as it comes from
// memory, [row][8 k], which saves the transposition.
// Shared reads per FMA: 1/4. The warp computes 16×128 elements: for each k it needs 16 + 128 values,
// 2/(1/16 + 1/128) = 28.4 operations for each; 32×64 would make 42.7.
// Bank conflicts: a read of A's tile has two addresses in a warp, 8 rows of 8 words apart, which is
// the same bank: two-way. A read of B's has 8 lanes 32 bytes apart: two-way in each of its phases.
// The loop over p is not unrolled, because the compiler would turn four reads of A at p … p + 3 into
// one of 128 bits, and hide the first conflict. That costs some speed of its own.
// Limit now: conflicts on every load. Next: another shape (13 warp_4x8), or other columns for each
// thread (14 thread_tile_split).
// Measured: 26.6 TFLOP/s at 4096³ on an H200, 52% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/quad.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 8, kTM = 8, kTN = 8;
constexpr int kThreads = kBM / kTM * kBN / kTN;

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) float tile_a[kBM][kBK];
  __shared__ __align__(16) float tile_b[kBK][kBN];
  const int thread = threadIdx.x;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  const int a_row = thread / 2, a_k = thread % 2 * 4;
  const int b_k = thread / 32, b_column = thread % 32 * 4;
  const int row = thread / 16 * kTM, column = thread % 16 * kTN;

  float sum[kTM][kTN] = {};
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    write_quad(&tile_a[a_row][a_k], load_quad_or_zero<kVector>(A, row0 + a_row, k0 + a_k, m, k));
    write_quad(&tile_b[b_k][b_column],
               load_quad_or_zero<kVector>(B, k0 + b_k, column0 + b_column, k, n));
    __syncthreads();
#pragma unroll 1
    for (int p = 0; p < kBK; ++p) {
      float a[kTM], b[kTN];
      for (int i = 0; i < kTM; ++i) a[i] = tile_a[row + i][p];
      for (int j = 0; j < kTN; j += 4) read_quad(&b[j], &tile_b[p][column + j]);
      for (int i = 0; i < kTM; ++i)
        for (int j = 0; j < kTN; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kTM; ++i)
    for (int j = 0; j < kTN; j += 4)
      store_quad<kVector>(C, row0 + row + i, column0 + column + j, m, n, alpha, &sum[i][j], beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_warp_2x16(int m, int n, int k, float alpha, const float* __restrict__ A,
                     const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_warp_2x16_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                         const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
