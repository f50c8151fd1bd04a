// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the tree of a block's sum has a barrier before the loop but none between its steps.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_reduction_step(const int* in, int* out) {
  __shared__ int sums[128];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // BUG: races
    if (kFixed) __syncthreads();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[0];
}

TILEWISE_TWINS(shared_reduction_step, const int* in, int* out);
