// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a block may end while its neighbour still reads its shared memory: the last cluster barrier is
// missing.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) cluster_block_gone(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[32 * blockIdx.x + threadIdx.x];
  cluster_sync();
  if (cluster_rank() == 0) {
    const uint32_t there = map_shared(shared_address(tile + threadIdx.x), 1);
    out[threadIdx.x] = load_cluster(there);  // BUG: races, sync, bounds
  }
  if (kFixed) cluster_sync();
}

TILEWISE_TWINS(cluster_block_gone, const int* in, int* out);
