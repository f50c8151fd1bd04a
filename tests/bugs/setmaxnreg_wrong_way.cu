// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: a warpgroup that gave registers up wants them back with setmaxnreg.dec, which is for giving up more;
// an H200 calls that an illegal instruction.
#include "ptx.cuh"

template <bool kFixed>
__global__ void __launch_bounds__(128, 1) setmaxnreg_wrong_way(const int* in, int* out) {
  registers_decrease<24>();
  const int value = in[threadIdx.x];
  if (kFixed) registers_increase<232>();
  else registers_decrease<232>();  // BUG: sync
  out[threadIdx.x] = value + 1;
}

TILEWISE_TWINS(setmaxnreg_wrong_way, const int* in, int* out);
