// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: wgmma reads what st.shared wrote; the barrier in between does not order the two proxies, only
// fence.proxy.async does.
#include "matrix.cuh"

template <bool kFixed> __global__ void wgmma_without_fence(float* out) {
  __shared__ alignas(128) uint16_t a[64 * 16], b[8 * 16];
  fill_operands(a, b);  // BUG: races
  if (kFixed) fence_async();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  wgmma_m64n8k16(d, descriptor(a), descriptor(b));  // BUG: races
  wgmma_commit();
  wgmma_wait<0>();
  store_accumulators(out, d);
}

TILEWISE_TWINS(wgmma_without_fence, float* out);
