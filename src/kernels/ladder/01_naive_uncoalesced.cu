// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 01 naive_uncoalesced: a thread an element of C, neighbouring threads on neighbouring rows
// Why: it is the triple loop with its two outer loops handed to threads, and the easiest mistake:
// threadIdx.x, which tells the lanes of a warp apart, walks down the rows of A and C.
// Global reads: 2·m·n·k. One load of A by a warp touches 32 rows, so up to 32 sectors; a sector of
// 32 bytes gives each warp 4 useful bytes, and so does every store to C.
// Limit now: sectors. Next: exchange x and y (02 naive).
// Measured: 0.50 TFLOP/s at 4096³ on an H200, 1% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

extern "C" __global__ void __launch_bounds__(1024)
    ladder_naive_uncoalesced(int m, int n, int k, float alpha, const float* __restrict__ A,
                             const float* __restrict__ B, float beta, float* __restrict__ C) {
  const unsigned row = blockIdx.x * 32 + threadIdx.x;
  const unsigned column = block_y() * 32 + threadIdx.y;
  if (row >= m || column >= n) return;

  float sum = 0;
  for (int p = 0; p < k; ++p) sum += A[size_t{row} * k + p] * B[size_t(p) * n + column];
  store_result(&C[size_t{row} * n + column], alpha, sum, beta);
}
