// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the arrival at the cluster's barrier is relaxed and no fence stands in front of it, so it does not
// hand over what the block has written.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) cluster_arrive_relaxed(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[32 * blockIdx.x + threadIdx.x];  // BUG: races
  if (kFixed) fence_cluster();
  cluster_arrive_relaxed();
  cluster_wait();
  const uint32_t there = map_shared(shared_address(tile + threadIdx.x), cluster_rank() ^ 1);
  out[32 * blockIdx.x + threadIdx.x] = load_cluster(there);  // BUG: races
  cluster_sync();
}

TILEWISE_TWINS(cluster_arrive_relaxed, const int* in, int* out);
