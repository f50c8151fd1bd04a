// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tile, part of k and matrix a block of an f64 kernel for Hopper has next.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/cluster.cuh"

namespace gemm::f64 {

// One piece of work: a tile of C, or with a divided k a part of its sum.
struct Unit {
  int row, column;     // the tile's first
  int part, matrix;    // of the sum; of the batch
  long long tile;      // number within all matrices
  int first_k, steps;  // of the sum over k
};

// With k undivided, blocks (clusters of kCluster, whose tiles lie one below the other) stay for one unit
// after the other. With k divided, a block has one part of one tile, and the parts of a tile are the blocks of
// one or several clusters. Units are numbered so that those at work at one time lie in kGroup rows of tiles:
// nearly a square of C, whose rows of A and columns of B stay in the second-level cache.
template <int kBM, int kBN, int kBK, int kCluster> class Units {
  static constexpr unsigned kGroup = 2048 / kBM / kCluster > 0 ? 2048 / kBM / kCluster : 1;

 public:
  __device__ __forceinline__ Units(const GemmArguments& g, bool adds_nothing)
      : down_(static_cast<unsigned>((g.m - 1) / (kCluster * kBM)) + 1),
        across_(static_cast<unsigned>((g.n - 1) / kBN) + 1),
        k_(adds_nothing ? 0 : static_cast<int>(g.k)),
        k_each_(static_cast<int>(g.split.parts > 1 ? g.split.k_each : g.k)) {
    const bool divided = kCluster == 1 && g.split.parts > 1;
    blocks_ = divided ? ptx::cluster_blocks() : kCluster;
    clusters_ = divided ? g.split.parts / blocks_ : 1;
    rank_ = blocks_ > 1 ? ptx::cluster_rank() : 0;
    next_ = blockIdx.x / blocks_;
    count_ = static_cast<long long>(down_) * across_ * clusters_ * g.matrices;
    stride_ = divided ? count_ : gridDim.x / kCluster;
    part_ = divided ? static_cast<int>(rank_) : 0;
  }

  __device__ __forceinline__ bool more() const { return next_ < count_; }
  __device__ __forceinline__ void advance() { next_ += stride_; }

  __device__ __forceinline__ Unit get() const {
    const long long tiles = static_cast<long long>(down_) * across_;
    const auto slab = static_cast<unsigned>(next_ / tiles);
    const auto place = static_cast<unsigned>(next_ % tiles);
    const unsigned group_tiles = kGroup * across_;
    const unsigned first_down = place / group_tiles * kGroup, in_group = place % group_tiles;
    const unsigned rows = min(kGroup, down_ - first_down);
    const unsigned down = (first_down + in_group % rows) * kCluster + (kCluster > 1 ? rank_ : 0);
    const unsigned across = in_group / rows;
    Unit unit;
    unit.row = static_cast<int>(down * kBM), unit.column = static_cast<int>(across * kBN);
    unit.matrix = static_cast<int>(slab / clusters_);
    unit.part = static_cast<int>(slab % clusters_ * blocks_) + part_;
    unit.tile = (static_cast<long long>(unit.matrix) * down_ * kCluster + down) * across_ + across;
    unit.first_k = unit.part * k_each_;
    unit.steps = max(0, (min(k_each_, k_ - unit.first_k) + kBK - 1) / kBK);
    return unit;
  }

 private:
  unsigned down_, across_;
  int k_, k_each_;
  unsigned blocks_, clusters_, rank_;  // of a cluster; clusters of a tile
  int part_;                           // in the cluster
  long long next_, count_, stride_;
};

}  // namespace gemm::f64
