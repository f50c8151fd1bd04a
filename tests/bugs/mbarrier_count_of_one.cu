// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the mbarrier was made for the one thread that is said to arrive, but all 32 of the warp do: the phase is
// over again and again, and whoever waits for its parity goes on, or does not, by luck.
#include "ptx.cuh"

template <bool kFixed> __global__ void mbarrier_count_of_one(const int* in, int* out) {
  __shared__ int tile[32];
  __shared__ uint64_t written;
  if (threadIdx.x == 0) barrier_init(&written, kFixed ? 32 : 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = in[threadIdx.x];
    barrier_arrive(&written);  // BUG: sync
  } else {
    barrier_wait(&written, 0);  // also: sync
    out[threadIdx.x - 32] = tile[threadIdx.x - 32];
  }
}

TILEWISE_TWINS(mbarrier_count_of_one, const int* in, int* out);
