// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches (batch.cuh) of f32 by fused multiply-adds. The lanes of a warp lie eight below one another, four side by side.
#include "kernels/gemm/batch.cuh"

namespace gemm::batch {

template <class, class Tile, bool kAlongA_, bool kAlongB_> struct Floats {
  using Element = float;
  using Sum = float;
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kExtra = 0;
  static_assert(Tile::kTeam == 1 && Tile::kBM % 8 == 0 && Tile::kBN % 4 == 0);
  using Sums = float[Tile::kBM / 8][Tile::kBN / 4];

  static __device__ __forceinline__ void add(Sums& sums, const RawView<float, kAlongA>& a,
                                             const RawView<float, kAlongB>& b, unsigned char*) {
    const int eighth = threadIdx.x % 32 / 4, quarter = threadIdx.x % 4;
#pragma unroll
    for (int k = 0; k < Tile::kBK; ++k) {
      float of_a[Tile::kBM / 8], of_b[Tile::kBN / 4];
#pragma unroll
      for (int i = 0; i < Tile::kBM / 8; ++i) of_a[i] = a.at(i * 8 + eighth, k);
#pragma unroll
      for (int j = 0; j < Tile::kBN / 4; ++j) of_b[j] = b.at(j * 4 + quarter, k);
#pragma unroll
      for (int i = 0; i < Tile::kBM / 8; ++i)
#pragma unroll
        for (int j = 0; j < Tile::kBN / 4; ++j) sums[i][j] = fmaf(of_a[i], of_b[j], sums[i][j]);
    }
  }

  static __device__ __forceinline__ void leave(const Sums& sums, float* to) {
    const int eighth = threadIdx.x % 32 / 4, quarter = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < Tile::kBM / 8; ++i)
#pragma unroll
      for (int j = 0; j < Tile::kBN / 4; ++j)
        to[(i * 8 + eighth) * Tile::kSumPitch + j * 4 + quarter] = sums[i][j];
  }
};

}  // namespace gemm::batch

TILEWISE_BATCH_ORDERS(gemm_batch_f32_8x8, 8, Floats, gemm::StripF32, 8, 8, 8, 1, 2)
TILEWISE_BATCH_ORDERS(gemm_batch_f32_16x16, 7, Floats, gemm::StripF32, 16, 16, 16, 1, 2)
TILEWISE_BATCH_ORDERS(gemm_batch_f32_32x32, 3, Floats, gemm::StripF32, 32, 32, 16, 1, 2)
TILEWISE_BATCH_ORDERS(gemm_batch_f32_32x8, 4, Floats, gemm::StripF32, 32, 8, 32, 1, 2)
