// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: what a bulk copy brings is read without waiting for its mbarrier.
#include "ptx.cuh"

template <bool kFixed> __global__ void tma_load_read_early(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    fence_async();
    barrier_arrive_expect(&full, sizeof tile);
    bulk_load(tile, in, sizeof tile, &full);  // BUG: races
  }
  __syncthreads();
  if (kFixed) barrier_wait(&full, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];  // BUG: races, uninitialized
  if (!kFixed) barrier_wait(&full, 0);
}

TILEWISE_TWINS(tma_load_read_early, const int* in, int* out);
