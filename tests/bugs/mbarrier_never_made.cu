// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the thread that should initialise the mbarrier does not exist in a block of 64.
#include "ptx.cuh"

template <bool kFixed> __global__ void mbarrier_never_made(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ uint64_t written;
  if (threadIdx.x == (kFixed ? 0 : 64)) barrier_init(&written, 64);  // also: races
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  barrier_arrive(&written);                   // BUG: sync, uninitialized, races
  barrier_wait(&written, 0);                  // also: sync, uninitialized
  out[threadIdx.x] = tile[63 - threadIdx.x];  // also: races
}

TILEWISE_TWINS(mbarrier_never_made, const int* in, int* out);
