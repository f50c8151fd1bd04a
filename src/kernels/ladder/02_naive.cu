// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 02 naive: a thread an element of C, neighbouring threads on neighbouring columns
// Why: x and y changed places. The 32 lanes of a warp now read 32 consecutive elements of B (four
// sectors, all of their bytes used) and all the same element of A (one sector), and store 32
// consecutive elements of C.
// Global reads: still 2·m·n·k, two for each FMA.
// Limit now: every operand of every FMA is fetched through the L1 cache. Next: fetch a tile once and
// share it (03 shared).
// Measured: 6.5 TFLOP/s at 4096³ on an H200, 13% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

extern "C" __global__ void __launch_bounds__(1024)
    ladder_naive(int m, int n, int k, float alpha, const float* __restrict__ A,
                 const float* __restrict__ B, float beta, float* __restrict__ C) {
  const unsigned row = block_y() * 32 + threadIdx.y;
  const unsigned column = blockIdx.x * 32 + threadIdx.x;
  if (row >= m || column >= n) return;

  float sum = 0;
  for (int p = 0; p < k; ++p) sum += A[size_t{row} * k + p] * B[size_t(p) * n + column];
  store_result(&C[size_t{row} * n + column], alpha, sum, beta);
}
