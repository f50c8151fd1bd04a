// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: both warps leave their values in the same 32 words of shared memory, nothing decides who is last.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_two_writers(const int* in, int* out) {
  __shared__ int tile[64];
  const int lane = threadIdx.x % 32;
  const int second = kFixed ? 32 : 0;
  if (threadIdx.x < 32) tile[lane] = in[lane];  // BUG: races
  __syncwarp();
  if (threadIdx.x >= 32) tile[second + lane] = in[32 + lane];  // BUG: races
  __syncthreads();
  if (threadIdx.x < 32) out[lane] = tile[lane];
}

TILEWISE_TWINS(shared_two_writers, const int* in, int* out);
