// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 of small sizes (small.cuh) on the FMA pipes. A lane has 4×4 of the tile; where that leaves half of a warp's lanes
// over, those have the other half of its k.
#pragma once

#include "kernels/gemm/small.cuh"

namespace gemm::small {

// kLines rows of A or columns of B and kDepth k in shared memory.
template <bool kAlongK, int kLines, int kDepth> struct Lines {
  // Four words more than k, so that four neighbours along k of eight lines are in banks of their own.
  static constexpr int kPitch = kAlongK ? kDepth + 4 : kLines;
  static constexpr int kBytes = kPitch * (kAlongK ? kLines : kDepth) * 4;
  static __device__ __forceinline__ int place(int row, int at) { return (row * kPitch + at) * 4; }

  // Number `i` of the four lines that a lane has, `which` of those whose lines differ.
  static __device__ __forceinline__ int line(int which, int i) {
    return kAlongK ? which + i * (kLines / 4) : which * 4 + i;
  }
  // Four neighbouring k, from `k` on, of a lane's four lines: [k][line].
  static __device__ __forceinline__ void read(float (&to)[4][4], const unsigned char* lines,
                                              int which, int k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float4 four = *reinterpret_cast<const float4*>(
          lines + (kAlongK ? place(line(which, i), k) : place(k + i, line(which, 0))));
      const float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) (kAlongK ? to[j][i] : to[i][j]) = values[j];
    }
  }
};

template <bool kAlongA_, bool kAlongB_, int kVector_, int kBM_, int kBN_> struct Floats {
  using Type = StripF32;
  using Element = float;
  using Sums = float[4][4];
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kVector = kVector_, kBM = kBM_, kBN = kBN_, kDepth = 16, kPitch = kBN;
  using LayoutA = Lines<kAlongA, kBM, kDepth>;
  using LayoutB = Lines<kAlongB, kBN, kDepth>;
  static constexpr int kDown = kBM / 4, kAcross = kBN / 4;  // lanes
  static constexpr int kShares = 32 / (kDown * kAcross), kSharesDepth = kDepth / kShares;
  static_assert(kShares >= 1 && kSharesDepth % 4 == 0);

  static __device__ __forceinline__ int across() { return threadIdx.x % kAcross; }
  static __device__ __forceinline__ int down() { return threadIdx.x % 32 / kAcross % kDown; }
  static __device__ __forceinline__ int share() { return threadIdx.x % 32 / (kAcross * kDown); }

  static __device__ __forceinline__ void add(Sums& sums, const Stage<Floats>& stage) {
#pragma unroll
    for (int p = 0; p < kSharesDepth; p += 4) {
      float a[4][4], b[4][4];
      LayoutA::read(a, stage.a, down(), share() * kSharesDepth + p);
      LayoutB::read(b, stage.b, across(), share() * kSharesDepth + p);
#pragma unroll
      for (int k = 0; k < 4; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(a[k][i], b[k][j], sums[i][j]);
    }
  }

  static __device__ __forceinline__ void leave(Place<Floats>& place, const Sums& sums) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float* const row = place.sums[share()] + LayoutA::line(down(), i) * kPitch;
      if constexpr (kAlongB) {
#pragma unroll
        for (int j = 0; j < 4; ++j) row[LayoutB::line(across(), j)] = sums[i][j];
      } else {
        *reinterpret_cast<float4*>(row + across() * 4) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
      }
    }
  }
};

}  // namespace gemm::small
