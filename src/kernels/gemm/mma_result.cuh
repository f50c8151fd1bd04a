// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How sums of mma.sync become C: through shared memory, 32 rows of a warp at a time, so that neighbouring lanes store
// four neighbours each. Every warp has room of its own there.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/strip_element.cuh"

namespace gemm {

// A warp's room: kRows rows of kColumns f32, in pieces of 16 bytes. Pairs of pieces are exchanged so that what half a
// warp writes, four rows of 32 bytes, lies in different banks.
template <int kWM, int kWN> struct MmaRoom {
  static constexpr int kRows = kWM < 32 ? kWM : 32, kPieces = kWN / 4;
  static constexpr int kBytes = kRows * kPieces * 16;
  static_assert(kPieces >= 8);

  static __device__ __forceinline__ int place(int row, int piece) {
    return (row * kPieces + (piece ^ row % 4 * 2)) * 16;
  }
};

// What is in the room, from (row, column) of C on, to C = alpha·sums + beta·C.
template <class Type, class C, class Room>
__device__ __forceinline__ void store_room(const unsigned char* room, const GemmArguments& g,
                                           long long row, long long column, float alpha,
                                           float beta) {
  constexpr int kTogether = 32 / Room::kPieces > 0 ? 32 / Room::kPieces : 1;  // rows at a time
  const int piece = threadIdx.x % 32 % Room::kPieces;
  const int first = threadIdx.x % 32 / Room::kPieces;
  const long long ldc = g.c.leading_dimension, columns_left = g.n - column - piece * 4;
  const auto rows = static_cast<int>(min(g.m - row, static_cast<long long>(Room::kRows)));
  C* const c = matrix_of<C>(g.c) + row * ldc + column + piece * 4;
  const bool is_aligned =
      columns_left >= 4 &&
      (reinterpret_cast<size_t>(c) | static_cast<size_t>(ldc) * sizeof(C)) % (4 * sizeof(C)) == 0;
  const auto sum_at = [&](int r) {
    const float4 four = *reinterpret_cast<const float4*>(room + Room::place(r, piece));
    return make_float4(alpha * four.x, alpha * four.y, alpha * four.z, alpha * four.w);
  };
  if (is_aligned) {
#pragma unroll 4
    for (int r = first; r < Room::kRows; r += kTogether)
      if (r < rows) store_aligned_four<Type>(c + r * ldc, sum_at(r), beta);
  } else {
#pragma unroll 1
    for (int r = first; r < rows; r += kTogether)
      store_four<Type>(c + r * ldc, sum_at(r), columns_left, beta);
  }
}

// A warp's sums, kWM×kWN from (row, column) of C on, to C = alpha·sums + beta·C, which is f32 or of the type of A and B.
template <class Type, int kWM, int kWN>
__device__ __forceinline__ void store_mma_sums(const float (&sums)[kWM / 16][kWN / 8][4],
                                               unsigned char* room, const GemmArguments& g,
                                               long long row, long long column, float alpha,
                                               float beta) {
  using Stored = typename Type::Stored;
  using Room = MmaRoom<kWM, kWN>;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int first = 0; first < kWM; first += Room::kRows) {
    __syncwarp();  // all lanes have read what was there before
#pragma unroll
    for (int i = 0; i < Room::kRows / 16; ++i)
#pragma unroll
      for (int j = 0; j < kWN / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const float(&sum)[4] = sums[first / 16 + i][j];
          const int at = Room::place(i * 16 + half * 8 + lane / 4, j * 2 + lane % 4 / 2);
          *reinterpret_cast<float2*>(room + at + lane % 2 * 8) =
              make_float2(sum[half * 2], sum[half * 2 + 1]);
        }
    __syncwarp();
    if (sizeof(Stored) == 4 || g.result_bytes == 4)
      store_room<Type, float, Room>(room, g, row + first, column, alpha, beta);
    else store_room<Type, Stored, Room>(room, g, row + first, column, alpha, beta);
  }
}

}  // namespace gemm
