// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 08 tile_1d: every thread computes TM = 8 consecutive rows of one column of C
// Why: a value of B read from shared memory now serves 8 multiplications instead of 2, and the block
// tile grows to 64×64 without more threads.
// Shared reads per FMA: 3/2 before, (TM + 1)/TM = 9/8 here. Global reads: m·n·k·(1/64 + 1/64).
// Registers grow by TM sums.
// Limit now: shared-memory wavefronts: A is still read once for each FMA. Next: tile both ways
// (09 tile_2d).
// Measured: 16.1 TFLOP/s at 4096³ on an H200, 31% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kBM = 64, kBN = 64, kBK = 8, kTM = 8;

extern "C" __global__ void __launch_bounds__(kBN* kBM / kTM)
    ladder_tile_1d(int m, int n, int k, float alpha, const float* __restrict__ A,
                   const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ float tile_a[kBM][kBK];
  __shared__ float tile_b[kBK][kBN];
  const int x = threadIdx.x, y = threadIdx.y;
  const int thread = y * kBN + x;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  // 512 threads fetch 64×8 elements of A and 8×64 of B: one of each a thread.
  const int a_row = thread / kBK, a_k = thread % kBK;

  float sum[kTM] = {};
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    tile_a[a_row][a_k] = load_or_zero(A, row0 + a_row, k0 + a_k, m, k);
    tile_b[y][x] = load_or_zero(B, k0 + y, column0 + x, k, n);
    __syncthreads();
    for (int p = 0; p < kBK; ++p) {
      const float b = tile_b[p][x];
      for (int i = 0; i < kTM; ++i) sum[i] += tile_a[y * kTM + i][p] * b;
    }
    __syncthreads();
  }
  const unsigned column = column0 + x;
  for (int i = 0; i < kTM; ++i) {
    const unsigned row = row0 + y * kTM + i;
    if (row < m && column < n) store_result(&C[size_t{row} * n + column], alpha, sum[i], beta);
  }
}
