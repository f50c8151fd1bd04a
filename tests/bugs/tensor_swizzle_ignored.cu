// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the tensor map swizzles rows of 128 bytes, the kernel reads the tile as if it did not: only the
// numbers are wrong.
#include "ptx.cuh"

template <bool kFixed>
__global__ void tensor_swizzle_ignored(const __grid_constant__ TensorMap map, int* out) {
  __shared__ alignas(1024) int tile[8][32];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    fence_async();
    barrier_arrive_expect(&full, sizeof tile);
    tensor_load_2d(tile, map, 0, 0, &full);
  }
  __syncthreads();
  barrier_wait(&full, 0);
  const int x = threadIdx.x;
  for (int y = 0; y < 8; ++y) {
    out[32 * y + x] = tile[y][kFixed ? x ^ y * 4 : x];  // BUG: numerics
  }
}

TILEWISE_TWINS(tensor_swizzle_ignored, const __grid_constant__ TensorMap map, int* out);
