// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: A is overwritten for the next step while the tensor cores may still be reading it.
#include "matrix.cuh"

template <bool kFixed> __global__ void wgmma_operand_overwritten(float* out) {
  __shared__ alignas(128) uint16_t a[64 * 16], b[8 * 16];
  fill_operands(a, b);
  fence_async();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  wgmma_m64n8k16(d, descriptor(a), descriptor(b));  // BUG: races
  wgmma_commit();
  if (kFixed) wgmma_wait<0>();
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 16; i += 128) a[i] = 0;  // BUG: races
  wgmma_wait<0>();
  store_accumulators(out, d);
}

TILEWISE_TWINS(wgmma_operand_overwritten, float* out);
