// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the bulk copy of the last tile brings 64 elements where the array has 32 left.
#include "ptx.cuh"

template <bool kFixed> __global__ void bulk_copy_past_the_end(const int* in, int* out, int n) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  const int first = 64 * blockIdx.x;
  const uint32_t bytes = 4 * (kFixed && n - first < 64 ? n - first : 64);
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    fence_async();
    barrier_arrive_expect(&full, bytes);
    bulk_load(tile, in + first, bytes, &full);  // BUG: bounds
  }
  __syncthreads();
  barrier_wait(&full, 0);
  if (first + threadIdx.x < n) out[first + threadIdx.x] = tile[threadIdx.x];
}

TILEWISE_TWINS(bulk_copy_past_the_end, const int* in, int* out, int n);
