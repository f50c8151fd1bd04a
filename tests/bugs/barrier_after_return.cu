// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: threads behind the end return before __syncthreads, which is for all threads of the block.
#include "ptx.cuh"

template <bool kFixed> __global__ void barrier_after_return(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const bool inside = threadIdx.x < n;
  if (!kFixed && !inside) return;
  tile[threadIdx.x] = inside ? in[threadIdx.x] : 0;
  __syncthreads();  // BUG: sync
  if (inside) out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

TILEWISE_TWINS(barrier_after_return, const int* in, int* out, int n);
