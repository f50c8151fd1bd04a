// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a histogram in shared memory adds with a load and a store instead of an atomic.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_histogram(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  const int bin = in[threadIdx.x] % 8;
  if (kFixed) {
    atomicAdd(&bins[bin], 1);
  } else {
    bins[bin] += 1;  // BUG: races
  }
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

TILEWISE_TWINS(shared_histogram, const int* in, int* out);
