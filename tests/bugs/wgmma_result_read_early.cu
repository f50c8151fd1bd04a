// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the accumulators are read before wgmma.wait_group.
#include "matrix.cuh"

template <bool kFixed> __global__ void wgmma_result_read_early(float* out) {
  __shared__ alignas(128) uint16_t a[64 * 16], b[8 * 16];
  fill_operands(a, b);
  fence_async();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  wgmma_m64n8k16(d, descriptor(a), descriptor(b));  // BUG: races
  wgmma_commit();
  if (kFixed) wgmma_wait<0>();
  store_accumulators(out, d);  // BUG: races
  wgmma_wait<0>();
}

TILEWISE_TWINS(wgmma_result_read_early, float* out);
