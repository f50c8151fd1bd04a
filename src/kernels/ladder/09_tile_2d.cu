// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 09 tile_2d: every thread computes TM×TN = 8×8 elements of C, an outer product at each step of k
// Why: with k outermost, one column of A's tile and one row of B's make a whole 128×128 update, and
// the big block tile means few global reads: m·n·k·(1/128 + 1/128).
// Shared reads per FMA: 2 again, because both operands are read where they are used. The tiles are
// volatile to show exactly that: otherwise the compiler sees that the reads repeat, keeps the values
// in registers, and makes rung 10 of this one.
// A thread's elements are 16 apart, so the lanes of a warp read 16 consecutive words of B.
// Limit now: shared-memory wavefronts. Next: read each operand once (10 tile_2d_registers).
// Measured: 7.6 TFLOP/s at 4096³ on an H200, 15% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 8, kTM = 8, kTN = 8;
constexpr int kRows = kBM / kTM, kColumns = kBN / kTN;  // threads in y and x: 16×16
constexpr int kThreads = kRows * kColumns;

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_tile_2d(int m, int n, int k, float alpha, const float* __restrict__ A,
                   const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ volatile float tile_a[kBM][kBK];
  __shared__ volatile float tile_b[kBK][kBN];
  const int x = threadIdx.x, y = threadIdx.y;
  const int thread = y * kColumns + x;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;

  float sum[kTM][kTN] = {};
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    for (int i = 0; i < kBM * kBK / kThreads; ++i) {
      const int e = i * kThreads + thread;  // an element of each tile
      tile_a[e / kBK][e % kBK] = load_or_zero(A, row0 + e / kBK, k0 + e % kBK, m, k);
      tile_b[e / kBN][e % kBN] = load_or_zero(B, k0 + e / kBN, column0 + e % kBN, k, n);
    }
    __syncthreads();
#pragma unroll 1
    for (int p = 0; p < kBK; ++p) {
      for (int i = 0; i < kTM; ++i)
        for (int j = 0; j < kTN; ++j)
          sum[i][j] += tile_a[y + i * kRows][p] * tile_b[p][x + j * kColumns];
    }
    __syncthreads();
  }
  for (int i = 0; i < kTM; ++i) {
    const unsigned row = row0 + y + i * kRows;
    if (row >= m) return;
    for (int j = 0; j < kTN; ++j) {
      const unsigned column = column0 + x + j * kColumns;
      if (column >= n) break;
      store_result(&C[size_t{row} * n + column], alpha, sum[i][j], beta);
    }
  }
}
