// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the tile is written again while the bulk copy may still be reading it: a bulk wait is missing.
#include "ptx.cuh"

template <bool kFixed> __global__ void tma_store_source_overwritten(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    tile[threadIdx.x] = in[64 * k + threadIdx.x];  // BUG: races
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_store(out + 64 * k, tile, sizeof tile);  // BUG: races
      bulk_commit();
      if (kFixed) bulk_wait_read<0>();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) bulk_wait<0>();
}

TILEWISE_TWINS(tma_store_source_overwritten, const int* in, int* out);
