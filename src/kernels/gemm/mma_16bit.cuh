// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 on tensor cores by mma.sync, which every GPU from sm_80 on has; Hopper's own instructions are faster
// there (warpgroup.cuh). Sums are f32.
//
// A factor stands in shared memory as it lies in global memory, along k or across; ldmatrix turns what is across. No
// read has a bank conflict (slab.cuh). Fragments of the next 16 k are read while the tensor cores multiply these.
#pragma once

#include "kernels/gemm/mma_result.cuh"
#include "kernels/gemm/mma_stages.cuh"
#include "kernels/gemm/split.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// Where a lane's rows for ldmatrix are, of kCount times 16 lines and 16 k. `half_line`, `half_k`: which eight of both
// the lane points at.
template <class Slab, bool kAlongK, int kCount> struct HalvesReader {
  static constexpr int kRowBytes = Slab::kPieces * kPiece;
  int at[kAlongK ? 1 : kCount];  // bytes in a slab

  __device__ __forceinline__ HalvesReader(int first_line, int half_line, int half_k) {
    const int row = threadIdx.x % 8;
    if constexpr (kAlongK) {
      at[0] = Slab::place(first_line + half_line * 8 + row, half_k);
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        at[i] = Slab::place(half_k * 8 + row, first_line / 8 + i * 2 + half_line);
    }
  }

  // Rows 16 apart are exchanged the same way; so k is a piece that is exchanged once more, or rows on.
  __device__ __forceinline__ void read(unsigned (&to)[kCount][4], const unsigned char* slab,
                                       int k) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if constexpr (kAlongK)
        load_matrices<false>(to[i], slab + (at[0] ^ k / 8 * kPiece) + i * 16 * kRowBytes);
      else load_matrices<true>(to[i], slab + at[i] + k * kRowBytes);
    }
  }
};

template <class Element, class Tile_, bool kAlongA, bool kAlongB> struct MmaHalves {
  using Tile = Tile_;
  using SlabA = Slab<Half, kAlongA, Tile::kBM, Tile::kBK>;
  using SlabB = Slab<Half, kAlongB, Tile::kBN, Tile::kBK>;
  static constexpr int kK = 16;

  struct Fragment {
    unsigned a[Tile::kWM / 16][4], b[Tile::kWN / 16][4];  // tiles of 16×16
  };

  HalvesReader<SlabA, kAlongA, Tile::kWM / 16> reader_a;
  HalvesReader<SlabB, kAlongB, Tile::kWN / 16> reader_b;

  // mma.sync takes A by eight rows, then by eight k; a register of B is eight columns of eight k, by k first.
  __device__ __forceinline__ MmaHalves(int row, int column)
      : reader_a(row, threadIdx.x / 8 % 2, threadIdx.x / 16 % 2),
        reader_b(column, threadIdx.x / 16 % 2, threadIdx.x / 8 % 2) {}

  __device__ __forceinline__ void read(Fragment& fragment, const unsigned char* a,
                                       const unsigned char* b, int k) const {
    reader_a.read(fragment.a, a, k);
    reader_b.read(fragment.b, b, k);
  }

  static __device__ __forceinline__ void multiply(float (&sums)[Tile::kWM / 16][Tile::kWN / 8][4],
                                                  const Fragment& fragment) {
#pragma unroll
    for (int i = 0; i < Tile::kWM / 16; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kWN / 8; ++j) {
        const unsigned(&b)[4] = fragment.b[j / 2];
        add_product<Element>(sums[i][j], fragment.a[i], b[j % 2 * 2], b[j % 2 * 2 + 1]);
      }
    }
  }
};

// Type: how sums become elements of C that are not f32 (strip_element.cuh).
template <class Type, class Tile, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void mma_16bit(const GemmArguments& g) {
  using Loop = MmaLoop<MmaHalves<typename Type::Element, Tile, kAlongA, kAlongB>, kAlongA, kAlongB>;
  using Room = MmaRoom<Tile::kWM, Tile::kWN>;
  static_assert(Tile::kThreads / 32 * Room::kBytes <= Tile::kStages * Tile::kStageBytes);
  extern __shared__ __align__(128) unsigned char shared[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const TilePlace tile = place_of_tile<Tile::kBM, Tile::kBN>(blockIdx.x, g.m, g.n);
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const Depth depth = depth_of_block(g, alpha == 0);

  float sums[Tile::kWM / 16][Tile::kWN / 8][4] = {};
  const int steps = static_cast<int>((depth.end - depth.begin + Tile::kBK - 1) / Tile::kBK);
  if (steps > 0) Loop::run(sums, shared, g, tile, depth, steps);
  constexpr int kCount = Tile::kWM * Tile::kWN / 32;
  if (g.split.parts > 1 && !join_parts<Tile::kThreads, kCount>(g.split, &sums[0][0][0])) return;
  __syncthreads();  // nobody reads stages any more, which now hold results
  const int warp = threadIdx.x / 32;
  unsigned char* const room = shared + warp * Room::kBytes;
  const long long row = tile.row + warp / Tile::kWarpsAcross * Tile::kWM,
                  column = tile.column + warp % Tile::kWarpsAcross * Tile::kWN;
  if (g.result_bytes == 4)
    store_mma_sums<Type, float, Tile::kWM, Tile::kWN>(sums, room, g, row, column, alpha, beta);
  else store_mma_sums<Type, Half, Tile::kWM, Tile::kWN>(sums, room, g, row, column, alpha, beta);
}

}  // namespace gemm

// The kernels of one tile, one for each order of A and B: k ("along k") or x ("across k"). `...`: kBM, kBN, kBK, kWM,
// kWN, stages.
#define TILEWISE_MMA_16BIT(name, suffix, Type, blocks, along_a, along_b, ...)                    \
  extern "C" __global__ void __launch_bounds__(gemm::MmaTile<gemm::Half, __VA_ARGS__>::kThreads, \
                                               blocks)                                           \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments g) {                 \
    gemm::mma_16bit<Type, gemm::MmaTile<gemm::Half, __VA_ARGS__>, along_a, along_b>(g);          \
  }
#define TILEWISE_MMA_16BIT_ORDERS(name, Type, blocks, ...)              \
  TILEWISE_MMA_16BIT(name, _kk, Type, blocks, true, true, __VA_ARGS__)  \
  TILEWISE_MMA_16BIT(name, _kx, Type, blocks, true, false, __VA_ARGS__) \
  TILEWISE_MMA_16BIT(name, _xk, Type, blocks, false, true, __VA_ARGS__) \
  TILEWISE_MMA_16BIT(name, _xx, Type, blocks, false, false, __VA_ARGS__)
