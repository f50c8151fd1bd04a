// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: expect_tx announces more bytes than the bulk copy brings: the wait never ends.
#include "ptx.cuh"

template <bool kFixed> __global__ void expect_too_many_bytes(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    fence_async();
    barrier_arrive_expect(&full, kFixed ? 256 : 512);
    bulk_load(tile, in, 256, &full);
  }
  __syncthreads();
  barrier_wait(&full, 0);  // BUG: sync
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TILEWISE_TWINS(expect_too_many_bytes, const int* in, int* out);
