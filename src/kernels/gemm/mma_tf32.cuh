// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 on tensor cores in tf32, 19 bits of each element, rounded to nearest on the way (ladder, rung 25): half the speed
// of f16 and bf16, and their kernel but for how fragments are read. ldmatrix moves 16-bit elements: four f32 are a row
// of its 16 bytes, and along k what a lane gets is the one that mma.sync wants of it. What lies across k it cannot turn:
// lanes read single words, four k of eight lines at a time, in all 32 banks.
#pragma once

#include "kernels/gemm/mma_product.cuh"

namespace gemm {

// Rows of one k. Pairs of pieces, which hold eight lines, are exchanged by fours.
template <int kLines, int kBK> struct WordSlab {
  static constexpr int kK = kBK, kEach = 4, kRows = kBK, kPieces = kLines / 4, kPeriod = 4;
  static constexpr int kRowBytes = kPieces * kPiece;

  static __device__ __forceinline__ int place(int row, int piece) {
    return (row * kPieces + (piece ^ row % 4 * 2)) * kPiece;
  }
};

// Of kCount times 16 lines and 8 k, single words. kLinesFirst: registers go through the lines first, then through k.
template <class Slab, int kCount, bool kLinesFirst> struct WordReader {
  int at
      [4];  // bytes in a slab: of the lane's word in eight lines, which four numbers of eight exchange alike

  __device__ __forceinline__ WordReader(int first_line, int, int) {
    const int line = threadIdx.x % 32 / 4, k = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      at[i] = Slab::place(k, first_line / 4 + i * 2 + line / 4) + line % 4 * 4;
  }

  __device__ __forceinline__ void read(unsigned (&to)[kCount][4], const unsigned char* slab,
                                       int k) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int eight = i * 2 + (kLinesFirst ? e % 2 : e / 2);
        const int on = k + (kLinesFirst ? e / 2 : e % 2) * 4;
        to[i][e] = *reinterpret_cast<const unsigned*>(slab + at[eight % 4] + eight / 4 * 128 +
                                                      on * Slab::kRowBytes);
      }
    }
  }
};

template <class Tile_, bool kAlongA_, bool kAlongB_> struct MmaTf32 : MmaAsItLies<float> {
  using Tile = Tile_;
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  using SlabA = std::conditional_t<kAlongA, Slab<float, true, Tile::kBM, Tile::kBK>,
                                   WordSlab<Tile::kBM, Tile::kBK>>;
  using SlabB = std::conditional_t<kAlongB, Slab<float, true, Tile::kBN, Tile::kBK>,
                                   WordSlab<Tile::kBN, Tile::kBK>>;
  static constexpr int kK = 8, kCountA = Tile::kWM / 16, kCountB = Tile::kWN / 16;
  static_assert(Tile::kWM % 32 == 0 && Tile::kWN % 32 == 0);

  struct Fragment {
    unsigned a[kCountA][4], b[kCountB][4];  // tiles of 16×8
  };
  using ReaderA = std::conditional_t<kAlongA, MatrixReader<SlabA, true, kCountA>,
                                     WordReader<SlabA, kCountA, true>>;
  using ReaderB = std::conditional_t<kAlongB, MatrixReader<SlabB, true, kCountB>,
                                     WordReader<SlabB, kCountB, false>>;
  ReaderA reader_a;
  ReaderB reader_b;

  // mma.sync takes A by eight rows, then by four k; a register of B is eight columns of four k, by k first.
  __device__ __forceinline__ MmaTf32(int row, int column)
      : reader_a(row, threadIdx.x / 8 % 2, threadIdx.x / 16 % 2),
        reader_b(column, threadIdx.x / 16 % 2, threadIdx.x / 8 % 2) {}

  __device__ __forceinline__ void read(Fragment& fragment, const unsigned char* a,
                                       const unsigned char* b, int k) const {
    reader_a.read(fragment.a, a, k);
    reader_b.read(fragment.b, b, k);
  }

  static __device__ __forceinline__ void multiply(float (&sums)[Tile::kWM / 16][Tile::kWN / 8][4],
                                                  Fragment& fragment) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int i = 0; i < kCountA; ++i) fragment.a[i][e] = ptx::round_to_tf32(fragment.a[i][e]);
#pragma unroll
      for (int j = 0; j < kCountB; ++j) fragment.b[j][e] = ptx::round_to_tf32(fragment.b[j][e]);
    }
#pragma unroll
    for (int i = 0; i < kCountA; ++i) {
#pragma unroll
      for (int j = 0; j < kCountB * 2; ++j) {
        const unsigned(&b)[4] = fragment.b[j / 2];
        ptx::mma_tf32(sums[i][j], fragment.a[i], b[j % 2 * 2], b[j % 2 * 2 + 1]);
      }
    }
  }
};

}  // namespace gemm

// As in mma_16bit.cuh.
#define TILEWISE_MMA_TF32(name, suffix, blocks, along_a, along_b, ...)                      \
  extern "C" __global__ void __launch_bounds__(gemm::MmaTile<float, __VA_ARGS__>::kThreads, \
                                               blocks)                                      \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments g) {            \
    using Tile = gemm::MmaTile<float, __VA_ARGS__>;                                         \
    gemm::mma_product<gemm::MmaTf32<Tile, along_a, along_b>, gemm::StripF32>(g);            \
  }
#define TILEWISE_MMA_TF32_ORDERS(name, blocks, ...)              \
  TILEWISE_MMA_TF32(name, _kk, blocks, true, true, __VA_ARGS__)  \
  TILEWISE_MMA_TF32(name, _kx, blocks, true, false, __VA_ARGS__) \
  TILEWISE_MMA_TF32(name, _xk, blocks, false, true, __VA_ARGS__) \
  TILEWISE_MMA_TF32(name, _xx, blocks, false, false, __VA_ARGS__)
