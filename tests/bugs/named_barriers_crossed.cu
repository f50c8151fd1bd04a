// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: two warps take two named barriers in opposite order: each waits for the other.
#include "ptx.cuh"

template <bool kFixed> __global__ void named_barriers_crossed(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (kFixed || threadIdx.x < 32) {
    named_barrier_sync(1, 64);  // BUG: sync
    named_barrier_sync(2, 64);
  } else {
    named_barrier_sync(2, 64);  // BUG: sync
    named_barrier_sync(1, 64);
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

TILEWISE_TWINS(named_barriers_crossed, const int* in, int* out);
