// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a bulk copy starts at an address that is a multiple of four only; it needs one of sixteen.
#include "ptx.cuh"

template <bool kFixed> __global__ void misaligned_bulk_copy(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    barrier_init(&full, 1);
    fence_async();
    barrier_arrive_expect(&full, sizeof tile);
    bulk_load(tile, in + (kFixed ? 4 : 1), sizeof tile, &full);  // BUG: bounds
  }
  __syncthreads();
  barrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

TILEWISE_TWINS(misaligned_bulk_copy, const int* in, int* out);
