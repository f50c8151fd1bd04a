// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the operands lie in shared memory with the 128-byte swizzle, the descriptors say 64 bytes. Every
// access is legal and in order: only the numbers are wrong.
#include "matrix.cuh"

template <bool kFixed> __global__ void wgmma_wrong_swizzle(float* out) {
  __shared__ alignas(1024) uint16_t a[64 * 64];
  __shared__ alignas(1024) uint16_t b[8 * 64];
  for (int i = threadIdx.x; i < 64 * 64; i += 128) {
    a[swizzled_place(i / 64, i % 64)] = bf16_bits(a_element(i / 64, i % 64));
  }
  for (int i = threadIdx.x; i < 8 * 64; i += 128) {
    b[swizzled_place(i / 64, i % 64)] = bf16_bits(b_element(i % 64, i / 64));
  }
  fence_async();
  __syncthreads();
  constexpr Swizzle kSwizzle = kFixed ? kSwizzle128 : kSwizzle64;  // BUG: numerics
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 64; k += 16) {
    wgmma_m64n8k16(d, descriptor(a + k, 16, 1024, kSwizzle), descriptor(b + k, 16, 1024, kSwizzle));
  }
  wgmma_commit();
  wgmma_wait<0>();
  store_accumulators(out, d);
}

TILEWISE_TWINS(wgmma_wrong_swizzle, float* out);
