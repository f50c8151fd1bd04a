// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: what a bulk copy writes to global memory is read back behind cp.async.bulk.wait_group.read, which only says
// that the copy has read its source.
#include "ptx.cuh"

template <bool kFixed> __global__ void tma_store_read_back(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(out, tile, sizeof tile);  // BUG: races
    bulk_commit();
    if (kFixed) bulk_wait<0>();
    else bulk_wait_read<0>();
  }
  __syncthreads();
  out[64 + threadIdx.x] = out[63 - threadIdx.x];  // BUG: races
}

TILEWISE_TWINS(tma_store_read_back, const int* in, int* out);
