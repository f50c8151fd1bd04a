// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 03 shared: the block keeps a 32×32 tile of A and of B in shared memory
// Why: all 32 threads of a tile's row need the same row of A, and all 32 of its column the same
// column of B. k is split into steps of 32; at each, the block fetches both tiles once and every
// element serves 32 threads.
// Global reads: m·n·k·(1/32 + 1/32), 32 times fewer. Shared reads per FMA: 2 (the compiler makes one
// 128-bit load of four neighbouring reads of A).
// Bank conflicts: none. The lanes of a warp read one element of A (a broadcast) and 32 consecutive
// elements of B (one a bank).
// Limit now: shared-memory wavefronts, more than one for each FMA of a warp. Next: what the other
// ways to lay the tiles out cost (04 shared_columns), then fewer reads per FMA (07 ilp2).
// Measured: 8.4 TFLOP/s at 4096³ on an H200, 16% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kTile = 32;

extern "C" __global__ void __launch_bounds__(1024)
    ladder_shared(int m, int n, int k, float alpha, const float* __restrict__ A,
                  const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const unsigned row = block_y() * kTile + y;
  const unsigned column = blockIdx.x * kTile + x;

  float sum = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = load_or_zero(A, row, k0 + x, m, k);
    tile_b[y][x] = load_or_zero(B, k0 + y, column, k, n);
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < kTile; ++p) sum += tile_a[y][p] * tile_b[p][x];
    __syncthreads();  // everyone has read them
  }
  if (row < m && column < n) store_result(&C[size_t{row} * n + column], alpha, sum, beta);
}
