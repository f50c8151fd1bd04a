// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: no fence.proxy.async stands between the stores to shared memory and the bulk copy that reads them.
#include "ptx.cuh"

template <bool kFixed> __global__ void tma_store_without_fence(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];  // BUG: races
  if (kFixed) fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);  // BUG: races
    bulk_commit();
    bulk_wait<0>();
  }
}

TILEWISE_TWINS(tma_store_without_fence, const int* in, int* out);
