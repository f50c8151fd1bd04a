// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels have in common that multiply by mma.sync: how fragments are read by ldmatrix, and the way from a block's
// tile to C.
#pragma once

#include "kernels/gemm/mma_result.cuh"
#include "kernels/gemm/mma_stages.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// Where a lane's rows for ldmatrix are, of kCount times 16 lines and two pieces of k. `half_line`: which eight lines the
// lane points at; `half_k`: which piece. kAlongK = false: of f16 and bf16 alone, which ldmatrix can turn.
template <class Slab, bool kAlongK, int kCount> struct MatrixReader {
  static constexpr int kRowBytes = Slab::kPieces * kPiece;
  int at[kAlongK ? 1 : kCount];  // bytes in a slab

  __device__ __forceinline__ MatrixReader(int first_line, int half_line, int half_k) {
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
        load_matrices<false>(to[i], slab + (at[0] ^ k / Slab::kEach * kPiece) + i * 16 * kRowBytes);
      else load_matrices<true>(to[i], slab + at[i] + k * kRowBytes);
    }
  }
};

// Math::settle(), where Math::kSettles, does what sums of products still ask for when all k are added up. Type: how sums
// become elements of C (strip_element.cuh); those of f16 and bf16 may be f32, too.
template <class Math, class Type>
__device__ __forceinline__ void mma_product(const GemmArguments& g) {
  using Tile = typename Math::Tile;
  using Room = MmaRoom<Tile::kWM, Tile::kWN>;
  static_assert(Tile::kThreads / 32 * Room::kBytes <= Tile::kStages * Tile::kStageBytes);
  extern __shared__ __align__(128) unsigned char shared[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const TilePlace tile = place_of_tile<Tile::kBM, Tile::kBN, Tile::kGroup>(blockIdx.x, g.m, g.n);
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const Depth depth = depth_of_block(g, alpha == 0);

  float sums[Tile::kWM / 16][Tile::kWN / 8][4] = {};
  const int steps = static_cast<int>((depth.end - depth.begin + Tile::kBK - 1) / Tile::kBK);
  const int warp = threadIdx.x / 32;
  const long long row = tile.row + warp / Tile::kWarpsAcross * Tile::kWM,
                  column = tile.column + warp % Tile::kWarpsAcross * Tile::kWN;
  if (steps > 0) {
    MmaLoop<Math>::run(sums, shared, g, tile, depth, steps);
    if constexpr (requires { Math::kSettles; })
      Math::settle(sums, shared, g, tile, depth, row, column);
  }
  __syncthreads();  // nobody reads stages any more, which now hold results
  unsigned char* const room = shared + warp * Room::kBytes;
  store_mma_sums<Type, Tile::kWM, Tile::kWN>(sums, room, g, row, column, alpha, beta);
}

}  // namespace gemm
