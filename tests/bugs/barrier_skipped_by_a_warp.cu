// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the loop's trip count depends on the warp, and so does the number of barriers each warp meets.
#include "ptx.cuh"

template <bool kFixed> __global__ void barrier_skipped_by_a_warp(const int* in, int* out) {
  __shared__ int tile[64];
  const int steps = kFixed || threadIdx.x < 32 ? 3 : 2;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) {
    tile[threadIdx.x] = in[threadIdx.x] + k;
    named_barrier_sync(1, 64);  // BUG: sync
    sum += tile[63 - threadIdx.x];
    named_barrier_sync(2, 64);
  }
  out[threadIdx.x] = sum;
  __syncthreads();  // also: sync
}

TILEWISE_TWINS(barrier_skipped_by_a_warp, const int* in, int* out);
