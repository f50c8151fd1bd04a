// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the first thread of a stencil reads its left neighbour, which is in front of the array.
#include "ptx.cuh"

template <bool kFixed> __global__ void global_before_the_start(const int* in, int* out) {
  const int i = threadIdx.x;
  const int left = kFixed && i == 0 ? 0 : i - 1;
  out[i] = in[left];  // BUG: bounds
}

TILEWISE_TWINS(global_before_the_start, const int* in, int* out);
