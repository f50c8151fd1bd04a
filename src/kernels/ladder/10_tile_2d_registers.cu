// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 10 tile_2d_registers: a thread's column of A and row of B are read into registers first
// Why: the outer product of 8 values of A and 8 of B makes 64 FMAs. Reading each value once, into a
// register, takes 16 reads for them instead of 128.
// Shared reads per FMA: 2 before, (TM + TN)/(TM·TN) = 1/4 here.
// Limit now: the number of load instructions, each for one float. Next: four floats an instruction
// (11 float4).
// Measured: 27.2 TFLOP/s at 4096³ on an H200, 53% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 8, kTM = 8, kTN = 8;
constexpr int kRows = kBM / kTM, kColumns = kBN / kTN;  // threads in y and x: 16×16
constexpr int kThreads = kRows * kColumns;

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_tile_2d_registers(int m, int n, int k, float alpha, const float* __restrict__ A,
                             const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ float tile_a[kBM][kBK];
  __shared__ float tile_b[kBK][kBN];
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
#pragma unroll 1  // several p at once, and the compiler would read A four floats at a time
    for (int p = 0; p < kBK; ++p) {
      float a[kTM], b[kTN];
      for (int i = 0; i < kTM; ++i) a[i] = tile_a[y + i * kRows][p];
      for (int j = 0; j < kTN; ++j) b[j] = tile_b[p][x + j * kColumns];
      for (int i = 0; i < kTM; ++i)
        for (int j = 0; j < kTN; ++j) sum[i][j] += a[i] * b[j];
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
