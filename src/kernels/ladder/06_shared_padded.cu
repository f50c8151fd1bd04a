// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 06 shared_padded: one unused column in A's tile
// Why: rows of 33 words instead of 32 shift every row by one bank, so the 32 lanes that store a
// column of the tile (tile_a[x][y], 33·x + y words from the start) meet 32 different banks. The
// price is 128 bytes of shared memory.
// Shared reads per FMA: 2. Bank conflicts: none, neither on loads nor on stores.
// Limit now: two shared reads for each FMA, of 32 bits each: in rung 03 the compiler could read four
// values of A at once, here they lie in different rows. The layout pays when a thread needs several
// rows of A (11 float4). Next: let a value that was read serve twice (07 ilp2).
// Measured: 6.9 TFLOP/s at 4096³ on an H200, 13% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kTile = 32;

extern "C" __global__ void __launch_bounds__(1024)
    ladder_shared_padded(int m, int n, int k, float alpha, const float* __restrict__ A,
                         const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ float tile_a[kTile][kTile + 1];  // [k][row of A], padded
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const unsigned row = block_y() * kTile + y;
  const unsigned column = blockIdx.x * kTile + x;

  float sum = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kTile) {
    tile_a[x][y] = load_or_zero(A, row, k0 + x, m, k);
    tile_b[y][x] = load_or_zero(B, k0 + y, column, k, n);
    __syncthreads();
    for (int p = 0; p < kTile; ++p) sum += tile_a[p][y] * tile_b[p][x];
    __syncthreads();
  }
  if (row < m && column < n) store_result(&C[size_t{row} * n + column], alpha, sum, beta);
}
