// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: threads clear the tile with ordinary stores, and the bulk copy that fills it is not ordered behind
// them: fence.proxy.async is missing.
#include "ptx.cuh"

template <bool kFixed> __global__ void tma_load_over_stores(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  tile[threadIdx.x] = 0;  // BUG: races
  if (threadIdx.x == 0) barrier_init(&full, 1);
  if (kFixed) fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (!kFixed) fence_barrier_init();
    barrier_arrive_expect(&full, 128);
    bulk_load(tile, in, 128, &full);  // BUG: races
  }
  barrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

TILEWISE_TWINS(tma_load_over_stores, const int* in, int* out);
