// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the accumulators are set by ordinary instructions and wgmma.fence is missing before the first wgmma.
#include "matrix.cuh"

template <bool kFixed> __global__ void wgmma_registers_not_fenced(float* out) {
  __shared__ alignas(128) uint16_t a[64 * 16], b[8 * 16];
  fill_operands(a, b);
  fence_async();
  __syncthreads();
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = static_cast<float>(threadIdx.x / blockDim.x);
  if (kFixed) wgmma_fence();
  wgmma_m64n8k16(d, descriptor(a), descriptor(b));  // BUG: sync, races
  wgmma_commit();
  wgmma_wait<0>();
  store_accumulators(out, d);
}

TILEWISE_TWINS(wgmma_registers_not_fenced, float* out);
