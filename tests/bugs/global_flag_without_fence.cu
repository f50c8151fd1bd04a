// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: one block hands values to another through a flag that neither releases nor acquires: the flag
// may arrive before the values.
#include "ptx.cuh"

template <bool kFixed> __global__ void global_flag_without_fence(int* flag, int* values, int* out) {
  if (blockIdx.x == 0) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;  // BUG: races
    __syncwarp();
    if (threadIdx.x == 0) kFixed ? store_release(flag, 1) : store_relaxed(flag, 1);
  } else {
    while ((kFixed ? load_acquire(flag) : load_relaxed(flag)) == 0) {
    }
    out[threadIdx.x] = values[threadIdx.x];  // BUG: races
  }
}

TILEWISE_TWINS(global_flag_without_fence, int* flag, int* values, int* out);
