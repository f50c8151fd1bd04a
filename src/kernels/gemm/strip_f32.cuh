// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Strips of f32: fused multiply-adds, on lines that lanes read 16 bytes at a time.
#pragma once

#include "kernels/gemm/strip.cuh"

namespace gemm {

// Which of a slab's lines are a lane's: number `i` of `place`, one of kPlaces. Along k, neighbours in different lanes
// keep to different banks; across k, four neighbours are one load.
template <bool kAlongK, int kPlaces, int kCount>
__device__ __forceinline__ int line_of_lane(int place, int i) {
  constexpr int kGroup = kAlongK ? 1 : kCount < 4 ? kCount : 4;
  return (i / kGroup * kPlaces + place) * kGroup + i % kGroup;
}

// kCount lines of four k, from `k` on.
template <class Slab, bool kAlongK, int kPlaces, int kCount>
__device__ __forceinline__ void read_lines(float (&to)[4][kCount], const unsigned char* slab,
                                           int place, int k) {
  if constexpr (kAlongK) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const float4 four = *reinterpret_cast<const float4*>(
          slab + Slab::place(line_of_lane<true, kPlaces, kCount>(place, i), k / 4));
      to[0][i] = four.x, to[1][i] = four.y, to[2][i] = four.z, to[3][i] = four.w;
    }
  } else {
#pragma unroll
    for (int l = 0; l < 4; ++l) {
      if constexpr (kCount < 4) {
        const int line = line_of_lane<false, kPlaces, kCount>(place, 0);
        const float2 two = *reinterpret_cast<const float2*>(slab + Slab::place(k + l, line / 4) +
                                                            line % 4 * sizeof(float));
        to[l][0] = two.x, to[l][1] = two.y;
      } else {
#pragma unroll
        for (int i = 0; i < kCount; i += 4) {
          const float4 four = *reinterpret_cast<const float4*>(
              slab + Slab::place(k + l, line_of_lane<false, kPlaces, kCount>(place, i) / 4));
          to[l][i] = four.x, to[l][i + 1] = four.y, to[l][i + 2] = four.z, to[l][i + 3] = four.w;
        }
      }
    }
  }
}

// Of a warp's tile each lane has lines at one of eight places and a quarter of the columns. Sums of its first line
// come first.
template <class S> struct MultiplyFloats {
  static constexpr int kRows = S::kLines / 8, kColumns = S::kN / 4;
  static constexpr bool kInTwoLevels = S::kSlots <= 4;

  // A step.
  static __device__ __forceinline__ void add(float (&sums)[kRows * kColumns / 4][4],
                                             const unsigned char* a, const unsigned char* b) {
    const int lane = threadIdx.x % 32;
#pragma unroll 2
    for (int k = 0; k < S::kBK; k += 4) {
      float of_a[4][kRows], of_b[4][kColumns];
      read_lines<typename S::SlabA, S::kAlongA, 8, kRows>(of_a, a, lane % 8, k);
      read_lines<typename S::SlabB, S::kAlongB, 4, kColumns>(of_b, b, lane / 8, k);
#pragma unroll
      for (int l = 0; l < 4; ++l)
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
          for (int j = 0; j < kColumns; ++j) {
            float& sum = sums[(i * kColumns + j) / 4][(i * kColumns + j) % 4];
            sum = fmaf(of_a[l][i], of_b[l][j], sum);
          }
    }
  }

  static __device__ __forceinline__ SumPlace place(int slot, int i, int lane) {
    const int sum = slot * 4 + i;
    return {line_of_lane<S::kAlongA, 8, kRows>(lane % 8, sum / kColumns),
            line_of_lane<S::kAlongB, 4, kColumns>(lane / 8, sum % kColumns)};
  }
};

}  // namespace gemm
