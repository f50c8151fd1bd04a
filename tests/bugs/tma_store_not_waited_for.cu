// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the block ends while the bulk copy out of its shared memory may still be reading.
#include "ptx.cuh"

template <bool kFixed> __global__ void tma_store_not_waited_for(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);  // BUG: sync
    bulk_commit();
    if (kFixed) bulk_wait_read<0>();
  }
}

TILEWISE_TWINS(tma_store_not_waited_for, const int* in, int* out);
