// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tiles of the kernels by warpgroups (warpgroup.cuh): what a block computes at a time, and by how many threads.
#pragma once

#include "kernels/gemm/units.cuh"

namespace gemm {

constexpr int kWarpgroupM = 64;  // rows that a warpgroup multiplies

// kBM×kBN results of a block, kBK k a step. kDown: of a cluster's tiles (units.cuh).
template <int kBM_, int kBN_, int kBK_, int kStages_, int kDown_> struct Tile {
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_, kStages = kStages_, kDown = kDown_;
  using InCluster = Cluster<kDown>;
  static constexpr int kMultiplying = kBM / kWarpgroupM * 128, kThreads = kMultiplying + 128;
  // Registers are given in eights; those of all threads together must fit into 65536.
  static constexpr int kProducerRegisters = kBM == 64 ? 56 : kBM == 128 ? 40 : 32;
  static constexpr int kMultiplyingRegisters = kBM == 64    ? 240
                                               : kBM == 128 ? 232
                                               : kBM == 192 ? 160
                                                            : 112;
  static constexpr bool kInTurns = false;
  static constexpr int kReaders = kMultiplying / 32;  // warps that read a stage
  static constexpr bool kTransposes = false;          // it computes Cᵀ
  static constexpr bool kStoresDirectly = false;      // as result_direct.cuh has it
  static constexpr bool kStoresBoxes = false;         // whole tiles, where beta is 0, by TMA alone
  static constexpr bool kHasSpareStage = false;       // which the launch may leave out
  // Of this launch.
  static constexpr bool kIsAnyWidth = false;
  static __device__ __forceinline__ int columns(const GemmArguments&) { return kBN; }
  static __device__ __forceinline__ int stages(const GemmArguments&) { return kStages; }
};

// Of as many columns as the launch says, up to kMostBN, of C or of Cᵀ, and as many stages, up to kMostStages, as they leave
// room for.
template <int kBM, int kMostBN, int kBK, int kMostStages, bool kTransposes_>
struct TileOfAnyWidth : Tile<kBM, kMostBN, kBK, kMostStages, kAsLaunched> {
  static constexpr bool kIsAnyWidth = true, kTransposes = kTransposes_;
  static __device__ __forceinline__ int columns(const GemmArguments& g) { return g.tile_columns; }
  static __device__ __forceinline__ int stages(const GemmArguments& g) { return g.tile_stages; }
};

// A Tile of which each of two warpgroups multiplies a whole one, while the other stores the one before. Units
// are neither divided nor streamed.
template <int kBM, int kBN, int kBK, int kStages, int kDown>
struct TileInTurns : Tile<kBM, kBN, kBK, kStages, kDown> {
  static constexpr int kMultiplying = 256, kThreads = kMultiplying + 128;
  static constexpr int kProducerRegisters = kBN > 128 ? 24 : 40;
  static constexpr int kMultiplyingRegisters = kBN > 128 ? 240 : 232;
  static constexpr bool kInTurns = true;
  static constexpr int kReaders = 4;
};
// The same for all of C in boxes (GemmBoxes). What else may have to be done with sums is most of a kernel's code, and stands
// between what is done with every tile: warps wait for that to be fetched, again and again (docs/lab/gpu_gemm.md). Of
// kMostStages the launch may leave one out, whose memory second boxes then have.
template <int kBM, int kBN, int kBK, int kStages, int kMostStages, int kDown>
struct TileInBoxes : TileInTurns<kBM, kBN, kBK, kMostStages, kDown> {
  static constexpr bool kStoresBoxes = true, kHasSpareStage = kMostStages > kStages;
  static __device__ __forceinline__ int stages(const GemmArguments& g) {
    return kHasSpareStage ? g.tile_stages : kStages;
  }
};
// A TileInTurns of Cᵀ.
template <int kBM, int kBN, int kBK, int kStages>
struct TurnedTileInTurns : TileInTurns<kBM, kBN, kBK, kStages, 1> {
  static constexpr bool kTransposes = true, kStoresDirectly = true;
};

}  // namespace gemm
