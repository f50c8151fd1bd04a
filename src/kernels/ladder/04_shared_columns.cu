// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 04 shared_columns: tile B lies in shared memory by columns, and the warp reads across its rows
// Why: a step back, to see what banks are. Storing B's tile so that each thread finds its column of B
// as a row of shared memory looks natural: the inner product then walks both tiles in the same
// direction. But lane x reads tile_b[x][p], and with rows of 32 words all 32 lanes meet in the same
// bank. Each tile's store, tile_b[x][y], collides in the same way: 32 wavefronts.
// Shared reads per FMA: 2, as before. The compiler reads four p in one 128-bit load, which softens
// the blow: in each of its four phases 8 lanes meet, so it takes 32 wavefronts instead of 4. Read
// one by one, the same four values would take 128.
// Limit now: bank conflicts. Next: lay both tiles out along k (05 shared_transposed).
// Measured: 1.7 TFLOP/s at 4096³ on an H200, 3% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kTile = 32;

extern "C" __global__ void __launch_bounds__(1024)
    ladder_shared_columns(int m, int n, int k, float alpha, const float* __restrict__ A,
                          const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];  // [column of B][k]
  const int x = threadIdx.x, y = threadIdx.y;
  const unsigned row = block_y() * kTile + y;
  const unsigned column = blockIdx.x * kTile + x;

  float sum = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = load_or_zero(A, row, k0 + x, m, k);
    tile_b[x][y] = load_or_zero(B, k0 + y, column, k, n);
    __syncthreads();
    for (int p = 0; p < kTile; ++p) sum += tile_a[y][p] * tile_b[x][p];
    __syncthreads();
  }
  if (row < m && column < n) store_result(&C[size_t{row} * n + column], alpha, sum, beta);
}
