// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: 48 of 64 elements of the tile are written, all 64 are read.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_never_written(const int* in, int* out) {
  __shared__ int tile[64];
  if (kFixed || threadIdx.x < 48) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // BUG: uninitialized
}

TILEWISE_TWINS(shared_never_written, const int* in, int* out);
