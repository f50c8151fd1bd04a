// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: 16 bytes are read at an address that is a multiple of four only.
#include "ptx.cuh"

template <bool kFixed> __global__ void misaligned_vector(const int* in, int* out) {
  const int* first = kFixed ? in + 4 * threadIdx.x : in + 4 * threadIdx.x + 1;
  const int4 four = *reinterpret_cast<const int4*>(first);  // BUG: bounds
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

TILEWISE_TWINS(misaligned_vector, const int* in, int* out);
