// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a block writes into its neighbour's tile while the neighbour still reads it.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __cluster_dims__(2, 1, 1) cluster_write_before_read(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[32 * blockIdx.x + threadIdx.x];
  cluster_sync();
  const int first = tile[31 - threadIdx.x];  // BUG: races
  if (kFixed) cluster_sync();
  const uint32_t there = map_shared(shared_address(tile + threadIdx.x), cluster_rank() ^ 1);
  store_cluster(there, first);  // BUG: races
  cluster_sync();
  out[32 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
}

TILEWISE_TWINS(cluster_write_before_read, const int* in, int* out);
