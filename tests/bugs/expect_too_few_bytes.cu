// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: expect_tx announces one of two bulk copies: the mbarrier's phase is over when either has arrived.
#include "ptx.cuh"

template <bool kFixed> __global__ void expect_too_few_bytes(const int* in, int* out) {
  __shared__ alignas(128) int tile[128];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    fence_async();
    barrier_arrive_expect(&full, kFixed ? 512 : 256);
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      bulk_load(tile + 64 * half, in + 64 * half, 256, &full);  // BUG: races, sync
    }
  }
  __syncthreads();
  barrier_wait(&full, 0);
#pragma unroll 1
  for (int i = threadIdx.x; i < 128; i += 64) out[i] = tile[127 - i];  // BUG: races, uninitialized
}

TILEWISE_TWINS(expect_too_few_bytes, const int* in, int* out);
