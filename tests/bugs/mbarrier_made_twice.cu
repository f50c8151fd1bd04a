// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: an mbarrier is initialised a second time, for another count, without mbarrier.inval.
#include "ptx.cuh"

template <bool kFixed> __global__ void mbarrier_made_twice(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ uint64_t written;
  if (threadIdx.x == 0) barrier_init(&written, 64);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  barrier_arrive(&written);
  barrier_wait(&written, 0);
  const int first = tile[63 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    if (kFixed) barrier_invalidate(&written);
    barrier_init(&written, 64);  // BUG: sync
  }
  __syncthreads();
  tile[threadIdx.x] = first;
  barrier_arrive(&written);
  barrier_wait(&written, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TILEWISE_TWINS(mbarrier_made_twice, const int* in, int* out);
