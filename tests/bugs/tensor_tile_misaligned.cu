// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the tile that TMA fills begins behind 16 bytes of something else; it needs a multiple of 128.
#include "ptx.cuh"

template <bool kFixed>
__global__ void tensor_tile_misaligned(const __grid_constant__ TensorMap map, int* out) {
  __shared__ alignas(1024) char memory[2048 + 1024];
  __shared__ uint64_t arrived;
  char* const tile = memory + (kFixed ? 1024 : 16);
  if (threadIdx.x == 0) {
    barrier_init(&arrived, 1);
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_arrive_expect(&arrived, 1024);
    tensor_load_2d(tile, map, 0, 0, &arrived);  // BUG: bounds
  }
  barrier_wait(&arrived, 0);
  for (int i = threadIdx.x; i < 256; i += 32) {
    const int row = i / 32, chunk = i % 32 / 4;
    out[i] = reinterpret_cast<const int*>(tile)[row * 32 + (chunk ^ row) * 4 + i % 4];
  }
}

TILEWISE_TWINS(tensor_tile_misaligned, const __grid_constant__ TensorMap map, int* out);
