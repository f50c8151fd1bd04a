// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the last thread reads its right neighbour's element from the other block's tile, which ends there.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) cluster_one_past_the_end(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  cluster_sync();
  const uint32_t other = map_shared(shared_address(tile), 1 - cluster_rank());
  const int next = kFixed && threadIdx.x == 31 ? 31 : threadIdx.x + 1;
  out[blockIdx.x * 32 + threadIdx.x] = load_cluster(other + 4 * next);  // BUG: bounds
  cluster_sync();
}

TILEWISE_TWINS(cluster_one_past_the_end, const int* in, int* out);
