// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: blocks add to one word of global memory with a load and a store instead of an atomic.
#include "ptx.cuh"

template <bool kFixed> __global__ void global_sum_of_blocks(const int* in, int* out) {
  if (threadIdx.x != 0) return;
  if (kFixed) {
    atomicAdd(out, in[blockIdx.x]);
  } else {
    *out += in[blockIdx.x];  // BUG: races
  }
}

TILEWISE_TWINS(global_sum_of_blocks, const int* in, int* out);
