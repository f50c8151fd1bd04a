// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the tile is cleared two elements beyond its end, which is where the mbarrier lies.
#include "ptx.cuh"

struct Stage {
  int tile[32];
  uint64_t ready;
};

template <bool kFixed> __global__ void mbarrier_overwritten(const int* in, int* out) {
  __shared__ Stage stage;
  if (threadIdx.x == 0) barrier_init(&stage.ready, 64);
  __syncthreads();
  int* const words = stage.tile;
  if (threadIdx.x < (kFixed ? 32 : 34)) words[threadIdx.x] = 0;
  __syncthreads();
  barrier_arrive(&stage.ready);  // BUG: sync
  barrier_wait(&stage.ready, 0);
  out[threadIdx.x] = in[threadIdx.x] + words[threadIdx.x % 32];
}

TILEWISE_TWINS(mbarrier_overwritten, const int* in, int* out);
