// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Strips of accurate f32: tensor cores by mma.sync on pairs of tf32, x = upper + lower up to 2^-22 of x, of which upper is
// x rounded to tf32 and lower the rest. lower·upper + upper·lower + upper·upper is the product; what is left out is
// 2^-22 of it. Unlike pairs of f16 (pairs.cuh) these need no scales: tf32 has the exponents of f32. They take two
// instructions an element, so that warps can make them in their registers, where a pass or a warpgroup that splits
// would take longer than such products do. Of exponents so wide that single products make up a sum, the last of x's bits
// are missed: below a k of about a thousand f32 arithmetic is more exact then, and the planner leaves these to it.
//
// Tensor cores truncate where they add: they add up eight k, the small products first, and f32 registers the sums of these.
//
// Where lower halves are near the end of f32's exponents, or a sum is not finite (a lower half of infinity is not a
// number), a warp computes its share once more in f32 arithmetic.
#pragma once

#include "kernels/gemm/strip.cuh"

namespace gemm {

// Which of a slab's lines belongs to place `slot` of a tile of eight, number `tile` of the slab's, and which k to place
// `slot` of its four pairs: so that lanes that read together do so from different banks. Along k a lane reads two k of a
// line, across k four lines of one k.
template <bool kAlongK> __device__ __forceinline__ int line_of_slot(int tile, int slot) {
  if constexpr (kAlongK) return tile * 8 + slot % 4 * 2 + slot / 4;
  else return tile / 4 * 32 + slot * 4 + tile % 4;
}

template <class S> class MultiplyPairs {
  static constexpr int kRowTiles = S::kLines / 16, kColumnTiles = S::kN / 8;
  static_assert(S::kLines % 32 == 0 && S::kN % 32 == 0 && S::kBK % 8 == 0);

 public:
  static constexpr bool kInTwoLevels = false;

  // A step.
  __device__ __forceinline__ void add(float (&sums)[kRowTiles * kColumnTiles][4],
                                      const unsigned char* a, const unsigned char* b) {
#pragma unroll 2
    for (int k = 0; k < S::kBK; k += 8) {
      float of_a[kRowTiles * 2][2], of_b[kColumnTiles][2];
      read<typename S::SlabA, S::kAlongA>(of_a, a, k);
      read<typename S::SlabB, S::kAlongB>(of_b, b, k);
      if (k == 0) largest_a_ = largest(largest_a_, of_a), largest_b_ = largest(largest_b_, of_b);
      unsigned upper_b[kColumnTiles][2], lower_b[kColumnTiles][2];
#pragma unroll
      for (int j = 0; j < kColumnTiles; ++j)
#pragma unroll
        for (int l = 0; l < 2; ++l) split(upper_b[j][l], lower_b[j][l], of_b[j][l]);
#pragma unroll
      for (int i = 0; i < kRowTiles; ++i) {
        unsigned upper[4], lower[4];  // lines of both tiles of eight, then k
#pragma unroll
        for (int e = 0; e < 4; ++e) split(upper[e], lower[e], of_a[i * 2 + e % 2][e / 2]);
        float some[kColumnTiles][4] = {};  // the small products first
#pragma unroll
        for (int j = 0; j < kColumnTiles; ++j)
          ptx::mma_tf32(some[j], lower, upper_b[j][0], upper_b[j][1]);
#pragma unroll
        for (int j = 0; j < kColumnTiles; ++j)
          ptx::mma_tf32(some[j], upper, lower_b[j][0], lower_b[j][1]);
#pragma unroll
        for (int j = 0; j < kColumnTiles; ++j)
          ptx::mma_tf32(some[j], upper, upper_b[j][0], upper_b[j][1]);
        add_to(sums, i * kColumnTiles, some);
      }
    }
  }

  // Whether pairs do not do for what was added up. All lanes ask.
  __device__ __forceinline__ bool is_suspect(
      const float (&sums)[kRowTiles * kColumnTiles][4]) const {
    unsigned most = 0;
#pragma unroll
    for (int i = 0; i < kRowTiles * kColumnTiles * 4; ++i)
      most = max(most, __float_as_uint(sums[i / 4][i % 4]) & 0x7FFFFFFF);
    const unsigned of_a = __reduce_max_sync(~0u, largest_a_),
                   of_b = __reduce_max_sync(~0u, largest_b_);
    return __any_sync(~0u, most >= 0x7F800000) || is_far(of_a) || is_far(of_b);
  }

  // A step in f32 arithmetic, with the same sums in the same places.
  __device__ __forceinline__ void add_in_f32(float (&sums)[kRowTiles * kColumnTiles][4],
                                             const unsigned char* a, const unsigned char* b) const {
    const int lane = threadIdx.x % 32;
    float some[kRowTiles * kColumnTiles][4] = {};
#pragma unroll 1
    for (int k = 0; k < S::kBK; ++k) {
      float of_a[kRowTiles * 2], of_b[kColumnTiles * 2];
#pragma unroll
      for (int i = 0; i < kRowTiles * 2; ++i)
        of_a[i] =
            element<typename S::SlabA, S::kAlongA>(a, line_of_slot<S::kAlongA>(i, lane / 4), k);
#pragma unroll
      for (int j = 0; j < kColumnTiles * 2; ++j)
        of_b[j] = element<typename S::SlabB, S::kAlongB>(
            b, line_of_slot<S::kAlongB>(j / 2, lane % 4 * 2 + j % 2), k);
#pragma unroll
      for (int i = 0; i < kRowTiles * kColumnTiles * 4; ++i) {
        const int tile = i / 4, half = i % 4 / 2, column = i % 2;
        some[tile][i % 4] = fmaf(of_a[tile / kColumnTiles * 2 + half],
                                 of_b[tile % kColumnTiles * 2 + column], some[tile][i % 4]);
      }
    }
    add_to(sums, 0, some);
  }

  static __device__ __forceinline__ SumPlace place(int slot, int i, int lane) {
    return {line_of_slot<S::kAlongA>(slot / kColumnTiles * 2 + i / 2, lane / 4),
            line_of_slot<S::kAlongB>(slot % kColumnTiles, lane % 4 * 2 + i % 2)};
  }

 private:
  template <int kAll, int kCount>
  static __device__ __forceinline__ void add_to(float (&sums)[kAll][4], int first,
                                                const float (&some)[kCount][4]) {
#pragma unroll
    for (int i = 0; i < kCount * 4; ++i) sums[first + i / 4][i % 4] += some[i / 4][i % 4];
  }
  // Of kCount tiles of eight lines: a lane's line of each, two k from k + lane % 4 · 2 on.
  template <class Slab, bool kAlongK, int kCount>
  static __device__ __forceinline__ void read(float (&to)[kCount][2], const unsigned char* slab,
                                              int k) {
    const int slot = threadIdx.x % 32 / 4, first = k + threadIdx.x % 4 * 2;
    if constexpr (kAlongK) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const float2 two = *reinterpret_cast<const float2*>(
            slab + Slab::place(line_of_slot<true>(i, slot), first / 4) + first % 4 * 4);
        to[i][0] = two.x, to[i][1] = two.y;
      }
    } else {
#pragma unroll
      for (int l = 0; l < 2; ++l) {
#pragma unroll
        for (int i = 0; i < kCount; i += 4) {
          const float4 four = *reinterpret_cast<const float4*>(
              slab + Slab::place(first + l, line_of_slot<false>(i, slot) / 4));
          to[i][l] = four.x, to[i + 1][l] = four.y, to[i + 2][l] = four.z, to[i + 3][l] = four.w;
        }
      }
    }
  }
  template <class Slab, bool kAlongK>
  static __device__ __forceinline__ float element(const unsigned char* slab, int line, int k) {
    const int row = kAlongK ? line : k, at = kAlongK ? k : line;
    return *reinterpret_cast<const float*>(slab + Slab::place(row, at / 4) + at % 4 * 4);
  }

  static __device__ __forceinline__ void split(unsigned& upper, unsigned& lower, float x) {
    upper = ptx::round_to_tf32(__float_as_uint(x));
    lower = __float_as_uint(x - __uint_as_float(upper));
  }
  template <int kCount>
  static __device__ __forceinline__ unsigned largest(unsigned most, const float (&of)[kCount][2]) {
#pragma unroll
    for (int i = 0; i < kCount * 2; ++i)
      most = max(most, __float_as_uint(of[i / 2][i % 2]) & 0x7FFFFFFF);
    return most;
  }
  // Beyond 2^±90, where lower halves and sums of products are not sure to be within f32.
  static __device__ __forceinline__ bool is_far(unsigned bits) {
    constexpr unsigned kMostExponent = 90;
    const unsigned exponent = bits >> 23;
    return bits != 0 && (exponent > 127 + kMostExponent || exponent < 127 - kMostExponent);
  }

  unsigned largest_a_ = 0, largest_b_ = 0;  // bits of |x|, of a quarter of what was met
};

}  // namespace gemm
