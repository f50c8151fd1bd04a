// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the mbarrier waits for one arrival more than there are threads that arrive.
#include "ptx.cuh"

template <bool kFixed> __global__ void mbarrier_count_too_high(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ uint64_t written;
  if (threadIdx.x == 0) barrier_init(&written, kFixed ? 64 : 65);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  barrier_arrive(&written);
  barrier_wait(&written, 0);  // BUG: sync
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TILEWISE_TWINS(mbarrier_count_too_high, const int* in, int* out);
