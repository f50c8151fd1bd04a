// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the index into a thread's own array comes from memory and is as large as the array.
#include "ptx.cuh"

template <bool kFixed> __global__ void local_array_overrun(const int* in, int* out) {
  int mine[8];
#pragma unroll 1
  for (int i = 0; i < 8; ++i) mine[i] = in[i + threadIdx.x];
  const int index = in[threadIdx.x] / 4;                // 0 to 8
  out[threadIdx.x] = mine[kFixed ? index % 8 : index];  // BUG: bounds
}

TILEWISE_TWINS(local_array_overrun, const int* in, int* out);
