// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a pipeline of two stages waits with one group still under way, also for the last tile.
#include "ptx.cuh"

template <bool kFixed> __global__ void cp_async_wait_one_too_few(const int* in, int* out) {
  __shared__ alignas(16) int tile[2][256];
  copy_async_16(tile[0] + 4 * threadIdx.x, in + 4 * threadIdx.x);
  copy_async_commit();
  copy_async_16(tile[1] + 4 * threadIdx.x, in + 256 + 4 * threadIdx.x);  // BUG: races
  copy_async_commit();
  copy_async_wait<1>();
  __syncthreads();
  int sum = tile[0][255 - threadIdx.x];
  if (kFixed) copy_async_wait<0>();
  __syncthreads();
  sum += tile[1][255 - threadIdx.x];  // BUG: races, uninitialized
  out[threadIdx.x] = sum;
}

TILEWISE_TWINS(cp_async_wait_one_too_few, const int* in, int* out);
