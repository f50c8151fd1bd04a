// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: setmaxnreg is for all four warps of a warpgroup, here one of them executes it.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __launch_bounds__(128, 1) setmaxnreg_by_one_warp(const int* in, int* out) {
  if (kFixed || threadIdx.x < 32) registers_decrease<24>();  // BUG: sync
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

TILEWISE_TWINS(setmaxnreg_by_one_warp, const int* in, int* out);
