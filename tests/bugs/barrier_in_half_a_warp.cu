// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: __syncthreads stands in a branch that half of each warp takes.
#include "ptx.cuh"

template <bool kFixed> __global__ void barrier_in_half_a_warp(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (kFixed) __syncthreads();
  if (threadIdx.x % 32 < 16) {
    if (!kFixed) __syncthreads();  // BUG: sync
    out[threadIdx.x] = tile[63 - threadIdx.x];
  }
}

TILEWISE_TWINS(barrier_in_half_a_warp, const int* in, int* out);
