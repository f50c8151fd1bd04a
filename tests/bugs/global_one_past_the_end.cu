// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the guard against threads behind the end says <= where < is meant.
#include "ptx.cuh"

template <bool kFixed> __global__ void global_one_past_the_end(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kFixed ? i < n : i <= n) {
    const int value = i < n ? in[i] : 0;
    out[i] = value + 1;  // BUG: bounds
  }
}

TILEWISE_TWINS(global_one_past_the_end, const int* in, int* out, int n);
