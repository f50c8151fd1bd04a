// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 on tensor cores by mma.sync, which every GPU from sm_80 on has; Hopper's own instructions are faster
// there (warpgroup.cuh). Sums are f32.
//
// A factor stands in shared memory as it lies in global memory, along k or across; ldmatrix turns what is across. No
// read has a bank conflict (slab.cuh). Fragments of the next 16 k are read while the tensor cores multiply these.
#pragma once

#include "kernels/gemm/mma_product.cuh"

namespace gemm {

template <class Type, class Tile_, bool kAlongA_, bool kAlongB_>
struct MmaHalves : MmaAsItLies<Half> {
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  using Tile = Tile_;
  using SlabA = Slab<Half, kAlongA, Tile::kBM, Tile::kBK>;
  using SlabB = Slab<Half, kAlongB, Tile::kBN, Tile::kBK>;
  static constexpr int kK = 16;

  struct Fragment {
    unsigned a[Tile::kWM / 16][4], b[Tile::kWN / 16][4];  // tiles of 16×16
  };

  MatrixReader<SlabA, kAlongA, Tile::kWM / 16> reader_a;
  MatrixReader<SlabB, kAlongB, Tile::kWN / 16> reader_b;

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
        add_product<Type>(sums[i][j], fragment.a[i], b[j % 2 * 2], b[j % 2 * 2 + 1]);
      }
    }
  }
};

}  // namespace gemm

// The kernels of one tile, one for each order of A and B: k ("along k") or x ("across k"). `...`: kBM, kBN, kBK, kWM,
// kWN, stages.
#define TILEWISE_MMA_16BIT(name, suffix, Type, blocks, along_a, along_b, ...)                    \
  extern "C" __global__ void __launch_bounds__(gemm::MmaTile<gemm::Half, __VA_ARGS__>::kThreads, \
                                               blocks)                                           \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments g) {                 \
    using Tile = gemm::MmaTile<gemm::Half, __VA_ARGS__>;                                         \
    gemm::mma_product<gemm::MmaHalves<Type::Element, Tile, along_a, along_b>, Type>(g);          \
  }
#define TILEWISE_MMA_16BIT_ORDERS(name, Type, blocks, ...)              \
  TILEWISE_MMA_16BIT(name, _kk, Type, blocks, true, true, __VA_ARGS__)  \
  TILEWISE_MMA_16BIT(name, _kx, Type, blocks, true, false, __VA_ARGS__) \
  TILEWISE_MMA_16BIT(name, _xk, Type, blocks, false, true, __VA_ARGS__) \
  TILEWISE_MMA_16BIT(name, _xx, Type, blocks, false, false, __VA_ARGS__)
