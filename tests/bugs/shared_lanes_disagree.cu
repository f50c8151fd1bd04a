// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: two neighbouring lanes of one store write different values to the same word; which one stays is
// not defined.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_lanes_disagree(const int* in, int* out) {
  __shared__ int tile[32];
  const bool writes = !kFixed || threadIdx.x % 2 == 0;
  if (writes) tile[threadIdx.x / 2] = in[threadIdx.x];  // BUG: races
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x / 2];
}

TILEWISE_TWINS(shared_lanes_disagree, const int* in, int* out);
