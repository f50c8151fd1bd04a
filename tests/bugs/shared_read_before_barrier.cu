// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a thread reads what a thread of the other warp writes, with no barrier in between.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_read_before_barrier(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];  // BUG: races
  if (kFixed) __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // BUG: races, uninitialized
}

TILEWISE_TWINS(shared_read_before_barrier, const int* in, int* out);
