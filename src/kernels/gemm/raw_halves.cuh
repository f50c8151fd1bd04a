// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Fragments for mma.sync out of slabs of f16 and bf16 whose rows begin anywhere, element by element: ldmatrix asks for
// multiples of 16 bytes.
#pragma once

#include "kernels/gemm/halves.cuh"
#include "kernels/gemm/raw_slab.cuh"

namespace gemm {

// Two neighbours in k.
template <bool kAlongK>
__device__ __forceinline__ unsigned pair_at(const RawView<Half, kAlongK>& x, int line, int k) {
  return x.at(line, k) | static_cast<unsigned>(x.at(line, k + 1)) << 16;
}

// 16 rows of A of 16 k.
template <bool kAlongK>
__device__ __forceinline__ void read_raw(unsigned (&to)[4], const RawView<Half, kAlongK>& a,
                                         int line, int k) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int e = 0; e < 4; ++e)
    to[e] = pair_at(a, line + e % 2 * 8 + lane / 4, k + e / 2 * 8 + lane % 4 * 2);
}

// 8 columns of B of 16 k.
template <bool kAlongK>
__device__ __forceinline__ void read_raw(unsigned (&to)[2], const RawView<Half, kAlongK>& b,
                                         int line, int k) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int e = 0; e < 2; ++e) to[e] = pair_at(b, line + lane / 4, k + e * 8 + lane % 4 * 2);
}

}  // namespace gemm
