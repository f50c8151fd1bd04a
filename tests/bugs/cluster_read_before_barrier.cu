// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a block reads its neighbour's shared memory with a barrier of the block where one of the cluster
// is needed.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) cluster_read_before_barrier(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[32 * blockIdx.x + threadIdx.x];  // BUG: races
  kFixed ? cluster_sync() : __syncthreads();
  const uint32_t there = map_shared(shared_address(tile + threadIdx.x), cluster_rank() ^ 1);
  out[32 * blockIdx.x + threadIdx.x] = load_cluster(there);  // BUG: races, uninitialized
  cluster_sync();
}

TILEWISE_TWINS(cluster_read_before_barrier, const int* in, int* out);
