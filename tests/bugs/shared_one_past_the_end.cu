// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the last thread reads its right neighbour's element, which is behind the end of the tile.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_one_past_the_end(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int right = kFixed && threadIdx.x == 63 ? 63 : threadIdx.x + 1;
  out[threadIdx.x] = tile[right];  // BUG: bounds
}

TILEWISE_TWINS(shared_one_past_the_end, const int* in, int* out);
