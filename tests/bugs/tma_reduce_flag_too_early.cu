// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a block adds its tile to sums in global memory with a bulk reduction and lets another block read them as soon
// as the reduction has read its source; it may not have added anything yet.
#include "ptx.cuh"

template <bool kFixed>
__global__ void tma_reduce_flag_too_early(const int* in, int* flag, int* sums, int* out) {
  __shared__ alignas(128) int tile[64];
  if (blockIdx.x == 0) {
    tile[threadIdx.x] = in[threadIdx.x];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_add(sums, tile, sizeof tile);  // BUG: races
      bulk_commit();
      if (kFixed) bulk_wait<0>();
      else bulk_wait_read<0>();
      store_release(flag, 1);
    }
  } else {
    while (load_acquire(flag) == 0) {
    }
    out[threadIdx.x] = sums[63 - threadIdx.x];  // BUG: races
  }
}

TILEWISE_TWINS(tma_reduce_flag_too_early, const int* in, int* flag, int* sums, int* out);
