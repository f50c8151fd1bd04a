// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the second wait asks for the parity of the first phase, which is over: it waits for nothing, or, when
// the second phase is over too, forever.
#include "ptx.cuh"

template <bool kFixed> __global__ void wrong_phase_parity(const int* in, int* out) {
  __shared__ alignas(128) int tile[2][64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    fence_async();
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x == 0) {
      barrier_arrive_expect(&full, 256);
      bulk_load(tile[k], in + 64 * k, 256, &full);  // BUG: races, sync
    }
    __syncthreads();
    barrier_wait(&full, kFixed ? k % 2 : 0);                // or: sync
    out[64 * k + threadIdx.x] = tile[k][63 - threadIdx.x];  // BUG: races, uninitialized
    __syncthreads();                                        // also: sync
  }
}

TILEWISE_TWINS(wrong_phase_parity, const int* in, int* out);
