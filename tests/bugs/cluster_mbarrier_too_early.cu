// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a block arrives at its neighbour's mbarrier without knowing that it has been initialised.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) cluster_mbarrier_too_early(const int* in, int* out) {
  __shared__ uint64_t ready;
  if (threadIdx.x == 0) {
    barrier_init(&ready, 1);  // also: races
    fence_barrier_init();
  }
  kFixed ? cluster_sync() : __syncthreads();
  const uint32_t there = map_shared(shared_address(&ready), cluster_rank() ^ 1);
  if (threadIdx.x == 0) barrier_arrive_remote(there);  // BUG: races, sync, uninitialized
  barrier_wait(&ready, 0);                             // also: sync
  out[32 * blockIdx.x + threadIdx.x] = in[32 * blockIdx.x + threadIdx.x];
  cluster_sync();
}

TILEWISE_TWINS(cluster_mbarrier_too_early, const int* in, int* out);
