// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 07 ilp2: every thread computes two elements of C, 16 rows apart
// Why: the two sums do not depend on each other, so while one FMA is under way the next can issue
// (instruction-level parallelism of 2), and a value of B read from shared memory serves both.
// Shared reads per FMA: 2 before, 3/2 here. The block needs half the threads for the same tile.
// Limit now: still more than one shared read per FMA. Next: more outputs a thread (08 tile_1d).
// Measured: 13.7 TFLOP/s at 4096³ on an H200, 27% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/element.cuh"

constexpr int kTile = 32;
constexpr int kHalf = kTile / 2;

extern "C" __global__ void __launch_bounds__(kTile* kHalf)
    ladder_ilp2(int m, int n, int k, float alpha, const float* __restrict__ A,
                const float* __restrict__ B, float beta, float* __restrict__ C) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const unsigned row = block_y() * kTile + y;
  const unsigned column = blockIdx.x * kTile + x;

  float upper = 0, lower = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = load_or_zero(A, row, k0 + x, m, k);
    tile_a[y + kHalf][x] = load_or_zero(A, row + kHalf, k0 + x, m, k);
    tile_b[y][x] = load_or_zero(B, k0 + y, column, k, n);
    tile_b[y + kHalf][x] = load_or_zero(B, k0 + y + kHalf, column, k, n);
    __syncthreads();
    for (int p = 0; p < kTile; ++p) {
      const float b = tile_b[p][x];
      upper += tile_a[y][p] * b;
      lower += tile_a[y + kHalf][p] * b;
    }
    __syncthreads();
  }
  if (column >= n) return;
  if (row < m) store_result(&C[size_t{row} * n + column], alpha, upper, beta);
  if (row + kHalf < m) store_result(&C[size_t{row + kHalf} * n + column], alpha, lower, beta);
}
