// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches (batch.cuh) of f64 by mma.sync of 8×8×4, which every GPU from sm_80 on has.
#include "kernels/gemm/batch.cuh"
#include "kernels/ptx/mma.cuh"

namespace gemm::batch {

template <class, class Tile, bool kAlongA_, bool kAlongB_> struct Doubles {
  using Element = double;
  using Sum = double;
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kExtra = 0;
  static_assert(Tile::kTeam == 1 && Tile::kBM % 8 == 0 && Tile::kBN % 8 == 0);
  using Sums = double[Tile::kBM / 8][Tile::kBN / 8][2];

  static __device__ __forceinline__ void add(Sums& sums, const RawView<double, kAlongA>& a,
                                             const RawView<double, kAlongB>& b, unsigned char*) {
    const int eighth = threadIdx.x % 32 / 4, quarter = threadIdx.x % 4;
#pragma unroll
    for (int k = 0; k < Tile::kBK; k += 4) {
      double of_a[Tile::kBM / 8], of_b[Tile::kBN / 8];
#pragma unroll
      for (int i = 0; i < Tile::kBM / 8; ++i) of_a[i] = a.at(i * 8 + eighth, k + quarter);
#pragma unroll
      for (int j = 0; j < Tile::kBN / 8; ++j) of_b[j] = b.at(j * 8 + eighth, k + quarter);
#pragma unroll
      for (int i = 0; i < Tile::kBM / 8; ++i)
#pragma unroll
        for (int j = 0; j < Tile::kBN / 8; ++j)
          ptx::mma_f64_k4(sums[i][j][0], sums[i][j][1], of_a[i], of_b[j]);
    }
  }

  static __device__ __forceinline__ void leave(const Sums& sums, double* to) {
    const int eighth = threadIdx.x % 32 / 4, two = threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < Tile::kBM / 8; ++i)
#pragma unroll
      for (int j = 0; j < Tile::kBN / 8; ++j)
        *reinterpret_cast<double2*>(to + (i * 8 + eighth) * Tile::kSumPitch + j * 8 + two) =
            make_double2(sums[i][j][0], sums[i][j][1]);
  }
};

}  // namespace gemm::batch

TILEWISE_BATCH_ORDERS(gemm_batch_f64_8x8, 8, Doubles, void, 8, 8, 8, 1, 2)
TILEWISE_BATCH_ORDERS(gemm_batch_f64_16x16, 6, Doubles, void, 16, 16, 16, 1, 2)
