// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Strips whose factors begin anywhere and have rows of any length. To copy the large factor to aligned rows first would take
// longer than the product does, whose time is that of reading it once. Elements are read one by one, which hides behind
// memory.
#pragma once

#include "kernels/gemm/raw_halves.cuh"
#include "kernels/gemm/strip_16bit.cuh"
#include "kernels/gemm/strip_f32.cuh"

namespace gemm {

template <class T, bool kAlongK, int kLines, int kBK, int kStride> class RawFeeder {
  RawCourier<T, kAlongK, kLines, kBK, 32, kStride> courier_;
  long long k_left_;

 public:
  static constexpr int kBytes = RawSlab<T, kAlongK, kLines, kBK>::kBytes;

  __device__ __forceinline__ RawFeeder(const T* matrix, long long leading_dimension,
                                       long long first_line, long long lines, long long first_k,
                                       long long end_k)
      : courier_(matrix, leading_dimension, first_line, lines, first_k), k_left_(end_k - first_k) {}

  __device__ __forceinline__ void copy(unsigned char* stage) {
    courier_.copy(stage, static_cast<int>(min(k_left_, static_cast<long long>(kBK))));
    k_left_ -= kStride;
  }

  __device__ __forceinline__ RawView<T, kAlongK> view(const unsigned char* stage) const {
    return courier_.view(stage);
  }
};

template <class S> struct MultiplyRawHalves : MultiplyHalves<S> {
  static constexpr int kTiles = S::kN / 8;
  // Where cuBLAS computes these, it is not by tensor cores, which truncate where they add.
  static constexpr bool kInTwoLevels = S::kSlots <= 8;

  // A step.
  static __device__ __forceinline__ void add(float (&sums)[S::kSlots][4],
                                             const RawView<Half, S::kAlongA>& a,
                                             const RawView<Half, S::kAlongB>& b) {
#pragma unroll 1
    for (int k = 0; k < S::kBK; k += 16) {
      unsigned of_b[kTiles][2];
#pragma unroll
      for (int j = 0; j < kTiles; ++j) read_raw(of_b[j], b, j * 8, k);
#pragma unroll
      for (int i = 0; i < S::kLines / 16; ++i) {
        unsigned of_a[4];
        read_raw(of_a, a, i * 16, k);
#pragma unroll
        for (int j = 0; j < kTiles; ++j)
          add_product<typename S::T::Element>(sums[i * kTiles + j], of_a, of_b[j][0], of_b[j][1]);
      }
    }
  }
};

template <class S> struct MultiplyRawFloats : MultiplyFloats<S> {
  static constexpr int kRows = S::kLines / 8, kColumns = S::kN / 4;

  // A step.
  static __device__ __forceinline__ void add(float (&sums)[S::kSlots][4],
                                             const RawView<float, S::kAlongA>& a,
                                             const RawView<float, S::kAlongB>& b) {
    const int lane = threadIdx.x % 32;
#pragma unroll 2
    for (int k = 0; k < S::kBK; ++k) {
      float of_a[kRows], of_b[kColumns];
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        of_a[i] = a.at(line_of_lane<S::kAlongA, 8, kRows>(lane % 8, i), k);
#pragma unroll
      for (int j = 0; j < kColumns; ++j)
        of_b[j] = b.at(line_of_lane<S::kAlongB, 4, kColumns>(lane / 8, j), k);
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
          float& sum = sums[(i * kColumns + j) / 4][(i * kColumns + j) % 4];
          sum = fmaf(of_a[i], of_b[j], sum);
        }
    }
  }
};

template <template <class> class Multiply_> struct RawWay {
  template <class S> using Multiply = Multiply_<S>;
  template <class T, bool kAlongK, int kLines, int kBK, int kStride>
  using Feeder = RawFeeder<T, kAlongK, kLines, kBK, kStride>;
};
using RawHalvesWay = RawWay<MultiplyRawHalves>;
using RawFloatsWay = RawWay<MultiplyRawFloats>;

}  // namespace gemm

// Lines and columns of a warp, k of a step, stages, warps side by side and along k.
#define TILEWISE_STRIPS_ANY(name, T)                                                  \
  TILEWISE_STRIP_ORDERS(name##_32x16_any, gemm::RawHalvesWay, T, 32, 16, 64, 3, 1, 6) \
  TILEWISE_STRIP_ORDERS(name##_32x32_any, gemm::RawHalvesWay, T, 32, 32, 64, 3, 1, 5) \
  TILEWISE_STRIP_ORDERS(name##_32x64_any, gemm::RawHalvesWay, T, 32, 64, 64, 3, 1, 4)
