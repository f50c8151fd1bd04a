// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: other warps use the mbarrier without a barrier behind its initialisation.
#include "ptx.cuh"

template <bool kFixed> __global__ void mbarrier_made_too_late(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ uint64_t written;
  if (threadIdx.x == 0) barrier_init(&written, 64);  // BUG: races
  if (kFixed) __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  barrier_arrive(&written);   // BUG: races, sync, uninitialized
  barrier_wait(&written, 0);  // also: races, sync, uninitialized
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TILEWISE_TWINS(mbarrier_made_too_late, const int* in, int* out);
