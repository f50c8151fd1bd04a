// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Strips of f16 and bf16: mma.sync, whose operands ldmatrix takes out of a slab in either order.
#pragma once

#include "kernels/gemm/strip.cuh"

namespace gemm {

// Slots are tiles of 16×8, those of one row of tiles after the other.
template <class S> struct MultiplyHalves {
  static constexpr int kTiles = S::kN / 8;
  static constexpr bool kInTwoLevels = false;

  // A step.
  static __device__ __forceinline__ void add(float (&sums)[S::kLines * S::kN / 128][4],
                                             const unsigned char* a, const unsigned char* b) {
    using A = typename S::SlabA;
    using B = typename S::SlabB;
    const int lane = threadIdx.x % 32, matrix = lane / 8, row = lane % 8;
#pragma unroll
    for (int k = 0; k < S::kBK; k += 32) {
      unsigned of_b[kTiles][4];  // k to k + 31, eight a register
#pragma unroll
      for (int j = 0; j < kTiles; ++j)
        load_matrices<!S::kAlongB>(of_b[j], b + (S::kAlongB ? B::place(j * 8 + row, k / 8 + matrix)
                                                            : B::place(k + lane, j)));
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int i = 0; i < S::kLines / 16; ++i) {
          const int lines = i * 16 + matrix % 2 * 8, at = k + half * 16 + matrix / 2 * 8;
          unsigned of_a[4];
          load_matrices<!S::kAlongA>(of_a, a + (S::kAlongA ? A::place(lines + row, at / 8)
                                                           : A::place(at + row, lines / 8)));
#pragma unroll
          for (int j = 0; j < kTiles; ++j)
            add_product<typename S::T::Element>(sums[i * kTiles + j], of_a, of_b[j][half * 2],
                                                of_b[j][half * 2 + 1]);
        }
      }
    }
  }

  static __device__ __forceinline__ SumPlace place(int slot, int i, int lane) {
    return {slot / kTiles * 16 + lane / 4 + i / 2 * 8, slot % kTiles * 8 + lane % 4 * 2 + i % 2};
  }
};

}  // namespace gemm
