// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches (batch.cuh) of f16 and bf16 by mma.sync. ldmatrix reads rows that begin at multiples of 16 bytes; of others
// a warp by itself reads single elements, and a team of four moves them to where ldmatrix can read them, as each is
// read by two warps.
#pragma once

#include "kernels/gemm/batch.cuh"
#include "kernels/gemm/mma_16bit.cuh"
#include "kernels/gemm/raw_halves.cuh"

namespace gemm::batch {

// A warp's sums from (row, column) of the tile on.
template <class Tile, int kDown, int kAcross>
__device__ __forceinline__ void leave_tile(const float (&sums)[kDown][kAcross][4], float* to,
                                           int row, int column) {
  const int eighth = threadIdx.x % 32 / 4, two = threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < kDown; ++i)
#pragma unroll
    for (int j = 0; j < kAcross; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<float2*>(to + (row + i * 16 + half * 8 + eighth) * Tile::kSumPitch +
                                   column + j * 8 + two) =
            make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
}

// By one warp.
template <class Type, class Tile, bool kAlongA_, bool kAlongB_> struct Halves {
  using Element = Half;
  using Sum = float;
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kExtra = 0;
  static constexpr int kDown = Tile::kBM / 16, kAcross = Tile::kBN / 8;
  static_assert(Tile::kTeam == 1 && Tile::kBM % 16 == 0 && Tile::kBN % 8 == 0);
  using Sums = float[kDown][kAcross][4];
  using A = RawView<Half, kAlongA>;
  using B = RawView<Half, kAlongB>;

  // 16 rows of 16 k.
  template <bool kAligned>
  static __device__ __forceinline__ void read_a(unsigned (&to)[4], const A& a, int line, int k) {
    const int lane = threadIdx.x % 32, matrix = lane / 8, row = lane % 8;
    if constexpr (kAligned) {
      const int x = line + matrix % 2 * 8, l = k + matrix / 2 * 8;
      load_matrices<!kAlongA>(to, kAlongA ? a.place(x + row, l) : a.place(x, l + row));
    } else {
      read_raw(to, a, line, k);
    }
  }

  // 8 columns, or 16, of 16 k.
  template <bool kAligned>
  static __device__ __forceinline__ void read_b(unsigned (&to)[kAcross][2], const B& b, int k) {
    const int lane = threadIdx.x % 32, matrix = lane / 8, row = lane % 8;
    if constexpr (kAligned) {
#pragma unroll
      for (int j = 0; j < kAcross; j += 2) {
        const bool is_last = j + 1 == kAcross;
        const int x = (j + (is_last ? 0 : matrix / 2)) * 8, l = k + matrix % 2 * 8;
        unsigned both[4];
        load_matrices<!kAlongB>(both, kAlongB ? b.place(x + row, l) : b.place(x, l + row));
        to[j][0] = both[0], to[j][1] = both[1];
        if (!is_last) to[j + 1][0] = both[2], to[j + 1][1] = both[3];
      }
    } else {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) read_raw(to[j], b, j * 8, k);
    }
  }

  template <bool kAligned>
  static __device__ __forceinline__ void add_step(Sums& sums, const A& a, const B& b) {
    constexpr int kUnrolled = kAligned ? Tile::kBK / 16 : 1;  // elements' addresses take registers
#pragma unroll kUnrolled
    for (int k = 0; k < Tile::kBK; k += 16) {
      unsigned of_b[kAcross][2];
      read_b<kAligned>(of_b, b, k);
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
        unsigned of_a[4];
        read_a<kAligned>(of_a, a, i * 16, k);
#pragma unroll
        for (int j = 0; j < kAcross; ++j)
          add_product<typename Type::Element>(sums[i][j], of_a, of_b[j][0], of_b[j][1]);
      }
    }
  }

  static __device__ __forceinline__ void add(Sums& sums, const A& a, const B& b, unsigned char*) {
    if (a.is_aligned && b.is_aligned) add_step<true>(sums, a, b);
    else add_step<false>(sums, a, b);
  }

  static __device__ __forceinline__ void leave(const Sums& sums, float* to) {
    leave_tile<Tile>(sums, to, 0, 0);
  }
};

// The 16 bytes that begin `bytes`, an even number, behind the first of low and then high.
__device__ __forceinline__ uint4 shifted(const uint4& low, const uint4& high, int bytes) {
  const bool by_two = (bytes & 8) != 0, by_one = (bytes & 4) != 0;
  const unsigned w0 = by_two ? low.z : low.x, w1 = by_two ? low.w : low.y,
                 w2 = by_two ? high.x : low.z, w3 = by_two ? high.y : low.w,
                 w4 = by_two ? high.z : high.x, w5 = by_two ? high.w : high.y;
  const unsigned x0 = by_one ? w1 : w0, x1 = by_one ? w2 : w1, x2 = by_one ? w3 : w2,
                 x3 = by_one ? w4 : w3, x4 = by_one ? w5 : w4;
  const int bits = (bytes & 2) * 8;
  return make_uint4(__funnelshift_r(x0, x1, bits), __funnelshift_r(x1, x2, bits),
                    __funnelshift_r(x2, x3, bits), __funnelshift_r(x3, x4, bits));
}

// Rows of a step to a slab that ldmatrix reads.
template <class To, int kThreads, bool kAlongK>
__device__ __forceinline__ void straighten(unsigned char* to, const RawView<Half, kAlongK>& from) {
  constexpr int kTogether =
      kThreads / To::kPieces;  // rows, which begin at the same place in a piece
  static_assert(kTogether * sizeof(Half) % kPiece == 0 && kTogether % To::kPeriod == 0);
  const int row = static_cast<int>(threadIdx.x) / To::kPieces,
            piece = static_cast<int>(threadIdx.x) % To::kPieces;
  const unsigned char* at = from.first + row * from.pitch + piece * kPiece;
  const int bytes = static_cast<int>(reinterpret_cast<size_t>(at) % kPiece);
  at -= bytes;
  to += To::place(row, piece);
  if (from.is_aligned) {
#pragma unroll
    for (int i = 0; i < To::kRows / kTogether; ++i)
      *reinterpret_cast<uint4*>(to + i * kTogether * To::kPieces * kPiece) =
          *reinterpret_cast<const uint4*>(at + i * kTogether * from.pitch);
  } else {
#pragma unroll
    for (int i = 0; i < To::kRows / kTogether; ++i) {
      const uint4* const two = reinterpret_cast<const uint4*>(at + i * kTogether * from.pitch);
      *reinterpret_cast<uint4*>(to + i * kTogether * To::kPieces * kPiece) =
          shifted(two[0], two[1], bytes);
    }
  }
}

// By four warps, two by two, or eight, four by two.
template <class Type, class Tile, bool kAlongA_, bool kAlongB_> struct TeamOfHalves {
  using Element = Half;
  using Sum = float;
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kWM = Tile::kBM / (Tile::kTeam / 2), kWN = Tile::kBN / 2;
  static_assert(Tile::kTeam == 4 || Tile::kTeam == 8);
  using Math =
      MmaHalves<typename Type::Element, MmaTile<Half, Tile::kBM, Tile::kBN, Tile::kBK, kWM, kWN, 2>,
                kAlongA, kAlongB>;
  using SlabA = typename Math::SlabA;
  using SlabB = typename Math::SlabB;
  static constexpr int kExtra = SlabA::kBytes + SlabB::kBytes;
  using Sums = float[kWM / 16][kWN / 8][4];

  static __device__ __forceinline__ int first_row() {
    return static_cast<int>(threadIdx.x) / 64 * kWM;
  }
  static __device__ __forceinline__ int first_column() {
    return static_cast<int>(threadIdx.x) / 32 % 2 * kWN;
  }

  static __device__ __forceinline__ void add(Sums& sums, const RawView<Half, kAlongA>& a,
                                             const RawView<Half, kAlongB>& b,
                                             unsigned char* extra) {
    straighten<SlabA, Tile::kThreads>(extra, a);
    straighten<SlabB, Tile::kThreads>(extra + SlabA::kBytes, b);
    __syncthreads();
    const Math math(first_row(), first_column());
#pragma unroll
    for (int k = 0; k < Tile::kBK; k += 16) {
      typename Math::Fragment fragment;
      math.read(fragment, extra, extra + SlabA::kBytes, k);
      math.multiply(sums, fragment);
    }
  }

  static __device__ __forceinline__ void leave(const Sums& sums, float* to) {
    leave_tile<Tile>(sums, to, first_row(), first_column());
  }
};

}  // namespace gemm::batch

// Lines and columns of a tile, k of a step, warps of a team, stages.
#define TILEWISE_BATCH_16BIT(type, Type)                                                        \
  TILEWISE_BATCH_ORDERS(gemm_batch_##type##_16x16, 7, Halves, Type, 16, 16, 32, 1, 2)           \
  TILEWISE_BATCH_ORDERS(gemm_batch_##type##_32x32, 3, Halves, Type, 32, 32, 32, 1, 2)           \
  TILEWISE_BATCH_ORDERS(gemm_batch_##type##_64x64, 4, TeamOfHalves, Type, 64, 64, 32, 4, 4)     \
  TILEWISE_BATCH_ORDERS(gemm_batch_##type##_128x128, 2, TeamOfHalves, Type, 128, 128, 64, 8, 2) \
  TILEWISE_BATCH_ORDERS(gemm_batch_##type##_64x8, 2, Halves, Type, 64, 8, 64, 1, 2)
