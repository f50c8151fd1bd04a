// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a named barrier counts 64 threads, but one of the two warps has returned before it.
#include "ptx.cuh"

template <bool kFixed> __global__ void barrier_of_a_gone_warp(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (!kFixed && threadIdx.x >= 32) return;
  out[threadIdx.x] = tile[63 - threadIdx.x];
  named_barrier_sync(1, 64);  // BUG: sync
  if (threadIdx.x < 32) out[threadIdx.x] += 1;
}

TILEWISE_TWINS(barrier_of_a_gone_warp, const int* in, int* out);
