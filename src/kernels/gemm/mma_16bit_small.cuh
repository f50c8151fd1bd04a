// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 of small sizes (small.cuh) by mma.sync.
#pragma once

#include "kernels/gemm/slab.cuh"
#include "kernels/gemm/small.cuh"

namespace gemm::small {

template <bool kAlongA_, bool kAlongB_, class Type_, int kVector_, int kBM_, int kBN_>
struct Halves {
  using Type = Type_;
  using Element = Half;
  using Sums = float[kBM_ / 16][kBN_ / 8][4];
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kVector = kVector_, kBM = kBM_, kBN = kBN_;
  static constexpr int kDepth = 32;  // rows of 64 bytes along k
  static constexpr int kShares = 1;
  static constexpr int kPitch = kBN + 8;  // so that four rows of pairs lie in different banks

  template <bool kAlongK, int kLines> struct Layout : Slab<Half, kAlongK, kLines, kDepth> {
    using Pieces = Slab<Half, kAlongK, kLines, kDepth>;
    static __device__ __forceinline__ int place(int row, int at) {
      return Pieces::place(row, at / Pieces::kEach) + at % Pieces::kEach * 2;
    }
  };
  using LayoutA = Layout<kAlongA, kBM>;
  using LayoutB = Layout<kAlongB, kBN>;

  static __device__ __forceinline__ void add(Sums& sums, const Stage<Halves>& stage) {
    const int lane = threadIdx.x % 32, matrix = lane / 8, row = lane % 8;
    // Of four 8×8 of A lines change first, then k; of B the other way.
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      unsigned a[kBM / 16][4], b[kBN / 16][4];
#pragma unroll
      for (int i = 0; i < kBM / 16; ++i) {
        const int line = i * 16 + matrix % 2 * 8, at = k + matrix / 2 * 8;
        load_matrices<!kAlongA>(a[i], stage.a + (kAlongA ? LayoutA::place(line + row, at)
                                                         : LayoutA::place(at + row, line)));
      }
#pragma unroll
      for (int j = 0; j < kBN / 16; ++j) {
        const int line = j * 16 + matrix / 2 * 8, at = k + matrix % 2 * 8;
        load_matrices<!kAlongB>(b[j], stage.b + (kAlongB ? LayoutB::place(line + row, at)
                                                         : LayoutB::place(at + row, line)));
      }
#pragma unroll
      for (int i = 0; i < kBM / 16; ++i)
#pragma unroll
        for (int j = 0; j < kBN / 8; ++j)
          add_product<typename Type::Element>(sums[i][j], a[i], b[j / 2][j % 2 * 2],
                                              b[j / 2][j % 2 * 2 + 1]);
    }
  }

  static __device__ __forceinline__ void leave(Place<Halves>& place, const Sums& sums) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < kBM / 16; ++i)
#pragma unroll
      for (int j = 0; j < kBN / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          *reinterpret_cast<float2*>(place.sums[0] + (i * 16 + half * 8 + lane / 4) * kPitch +
                                     j * 8 + lane % 4 * 2) =
              make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
  }
};

}  // namespace gemm::small
