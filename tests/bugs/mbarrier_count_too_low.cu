// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: three warps announce their part of the tile, but the mbarrier was made for two arrivals: whoever
// waits goes on without the third.
#include "ptx.cuh"

template <bool kFixed> __global__ void mbarrier_count_too_low(const int* in, int* out) {
  __shared__ int tile[96];
  __shared__ uint64_t written;
  if (threadIdx.x == 0) barrier_init(&written, kFixed ? 3 : 2);
  __syncthreads();
  if (threadIdx.x < 96) {
    tile[threadIdx.x] = in[threadIdx.x];  // BUG: races
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier_arrive(&written);
  } else {
    barrier_wait(&written, 0);
    const int i = threadIdx.x - 96;
    out[i] = tile[i] + tile[i + 32] + tile[i + 64];  // BUG: races, uninitialized
  }
}

TILEWISE_TWINS(mbarrier_count_too_low, const int* in, int* out);
