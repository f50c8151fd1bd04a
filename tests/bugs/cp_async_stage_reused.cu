// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the next cp.async into a stage is issued before every thread has read the stage.
#include "ptx.cuh"

template <bool kFixed> __global__ void cp_async_stage_reused(const int* in, int* out) {
  __shared__ alignas(16) int tile[256];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 3; ++k) {
    copy_async_16(tile + 4 * threadIdx.x, in + 256 * k + 4 * threadIdx.x);  // BUG: races
    copy_async_commit();
    copy_async_wait<0>();
    __syncthreads();
    sum += tile[255 - threadIdx.x];  // BUG: races
    if (kFixed) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

TILEWISE_TWINS(cp_async_stage_reused, const int* in, int* out);
