// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: one thread stands for its whole warp and arrives 32 times at once, where two arrivals, one a warp, were
// announced: more than the phase still waits for.
#include "ptx.cuh"

template <bool kFixed> __global__ void mbarrier_arrives_too_often(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ uint64_t written;
  if (threadIdx.x == 0) barrier_init(&written, 2);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (threadIdx.x % 32 == 0) barrier_arrive_many(&written, kFixed ? 1 : 32);  // BUG: sync
  barrier_wait(&written, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TILEWISE_TWINS(mbarrier_arrives_too_often, const int* in, int* out);
