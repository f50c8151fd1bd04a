// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the registers that hold A get the next step's values while the tensor cores may still be reading them.
#include "matrix.cuh"

template <bool kFixed> __global__ void wgmma_register_a_overwritten(float* out) {
  __shared__ alignas(128) uint16_t a[64 * 16], b[8 * 16];
  fill_operands(a, b);
  fence_async();
  __syncthreads();
  float d[4] = {};
  hold_fragment();  // registers with names of their own: a compiler would take others for new values
  wgmma_fence();
  wgmma_m64n8k16_of_held(d, descriptor(b));  // BUG: races
  wgmma_commit();
  if (kFixed) wgmma_wait<0>();
  clear_held();  // BUG: races
  wgmma_wait<0>();
  store_accumulators(out, d);
}

TILEWISE_TWINS(wgmma_register_a_overwritten, float* out);
