// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 20 f64_column_major: column-major matrices, tiles padded by one column
// Why: in column-major storage (Fortran's and cuBLAS's) neighbours in memory are neighbours in a
// column, so threadIdx.x walks down the rows of A and C to stay coalesced, and down k in B. Each
// thread then finds its row of A as a row of shared memory, and the lanes read across rows: the
// padding to 17 doubles moves every row by two banks, so that 16 lanes cover all 32 banks.
// Global reads: m·n·k·(1/16 + 1/16). Shared reads per FMA: 2. Bank conflicts: none.
// Limit now: shared-memory wavefronts. Next: the register tiles of 09 to 18, in double precision.
// Measured: 4.6 TFLOP/s at 4096³ on an H200, 7% of cuBLAS DGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kTile = 16;

extern "C" __global__ void __launch_bounds__(kTile* kTile)
    ladder_f64_column_major(int m, int n, int k, double alpha, const double* __restrict__ A,
                            const double* __restrict__ B, double beta, double* __restrict__ C) {
  __shared__ double tile_a[kTile][kTile + 1];  // [row of A][k], padded
  __shared__ double tile_b[kTile][kTile + 1];  // [column of B][k], padded
  const int x = threadIdx.x, y = threadIdx.y;
  const unsigned row = blockIdx.x * kTile + x;
  const unsigned column = block_y() * kTile + y;

  double sum = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kTile) {
    // A column-major matrix is the row-major storage of its transpose.
    tile_a[x][y] = load_or_zero(A, k0 + y, row, k, m);
    tile_b[y][x] = load_or_zero(B, column, k0 + x, n, k);
    __syncthreads();
    for (int p = 0; p < kTile; ++p) sum += tile_a[x][p] * tile_b[y][p];
    __syncthreads();
  }
  if (row < m && column < n) store_result(&C[size_t{column} * m + row], alpha, sum, beta);
}
