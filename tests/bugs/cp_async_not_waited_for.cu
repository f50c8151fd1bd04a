// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: what cp.async brings is read with a barrier but without cp.async.wait_group.
#include "ptx.cuh"

template <bool kFixed> __global__ void cp_async_not_waited_for(const int* in, int* out) {
  __shared__ alignas(16) int tile[256];
  copy_async_16(tile + 4 * threadIdx.x, in + 4 * threadIdx.x);  // BUG: races
  copy_async_commit();
  if (kFixed) copy_async_wait<0>();
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < 256; i += 64) out[i] = tile[255 - i];  // BUG: races, uninitialized
}

TILEWISE_TWINS(cp_async_not_waited_for, const int* in, int* out);
