// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the loop over tiles has one barrier where it needs two: a fast warp overwrites the tile that a
// slow one still reads.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_overwritten_before_read(const int* in, int* out) {
  __shared__ int tile[64];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    tile[threadIdx.x] = in[k * 64 + threadIdx.x];  // BUG: races
    __syncthreads();
    sum += tile[63 - threadIdx.x];  // BUG: races
    if (kFixed) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

TILEWISE_TWINS(shared_overwritten_before_read, const int* in, int* out);
