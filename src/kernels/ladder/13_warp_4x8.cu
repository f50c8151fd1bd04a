// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 13 warp_4x8: a warp is 4 threads high and 8 wide, counted down its columns
// Why: the warp computes 32×64 elements instead of 16×128, so it reads 96 values for each k instead
// of 144. And the banks: consecutive lanes walk down four groups of rows, 8 words apart, which fills
// the 32 banks exactly once; 16 consecutive lanes meet only four groups of columns, as far apart.
// A's tile is [k][row] again, as in 11.
// Shared reads per FMA: 1/4. Bank conflicts: none on loads; the stores of A are two-way as in 11.
// Limit now: a block waits twice for each step of 8 k, and computes nothing while it fetches. Next:
// the other cure of the conflicts (14 thread_tile_split), then overlap (15 double_buffer).
// Measured: 37.0 TFLOP/s at 4096³ on an H200, 72% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/quad.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 8, kWM = 32, kWN = 64, kTM = 8, kTN = 8;
constexpr int kThreads = kBM / kTM * kBN / kTN;

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) float tile_a[kBK][kBM];  // [k][row of A]
  __shared__ __align__(16) float tile_b[kBK][kBN];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  const int a_row = thread / 2, a_k = thread % 2 * 4;
  const int b_k = thread / 32, b_column = thread % 32 * 4;
  const int row = warp / 2 * kWM + lane % 4 * kTM;
  const int column = warp % 2 * kWN + lane / 4 * kTN;

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
      for (int i = 0; i < kTM; i += 4) read_quad(&a[i], &tile_a[p][row + i]);
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
    ladder_warp_4x8(int m, int n, int k, float alpha, const float* __restrict__ A,
                    const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_warp_4x8_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                        const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
