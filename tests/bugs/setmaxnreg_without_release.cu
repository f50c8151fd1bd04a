// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: two warpgroups ask for more registers and the third, which should give some up, does not: the
// pool of the block is empty and the second waits forever.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __launch_bounds__(384, 1) setmaxnreg_without_release(const int* in, int* out) {
  if (threadIdx.x < 256) {
    registers_increase<240>();  // BUG: sync
    out[threadIdx.x] = in[threadIdx.x] + 1;
  } else {
    if (kFixed) registers_decrease<24>();
    out[threadIdx.x] = in[threadIdx.x];
  }
  __syncthreads();  // also: sync
}

TILEWISE_TWINS(setmaxnreg_without_release, const int* in, int* out);
