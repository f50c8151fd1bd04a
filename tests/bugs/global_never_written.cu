// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the sum over a scratch array also takes the elements that nobody wrote.
#include "ptx.cuh"

template <bool kFixed> __global__ void global_never_written(const int* in, int* scratch, int* out) {
  const int written = kFixed ? 64 : 48;
  if (threadIdx.x < written) scratch[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = scratch[63 - threadIdx.x];  // BUG: uninitialized
}

TILEWISE_TWINS(global_never_written, const int* in, int* scratch, int* out);
