// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: rows of 9 elements do not begin at multiples of 16 bytes; four elements are read at once all the same.
#include "ptx.cuh"

template <bool kFixed> __global__ void shared_misaligned(const int* in, int* out) {
  constexpr int kPitch = kFixed ? 12 : 9;
  __shared__ alignas(16) int tile[8 * kPitch];
  if (threadIdx.x < 8) {
    for (int i = 0; i < 8; ++i) tile[threadIdx.x * kPitch + i] = in[threadIdx.x * 8 + i];
  }
  __syncthreads();
  const int row = threadIdx.x / 2, column = threadIdx.x % 2 * 4;
  if (threadIdx.x >= 16) return;
  reinterpret_cast<int4*>(out)[threadIdx.x] =
      *reinterpret_cast<const int4*>(&tile[row * kPitch + column]);  // BUG: bounds
}

TILEWISE_TWINS(shared_misaligned, const int* in, int* out);
