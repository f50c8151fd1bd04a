// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which units a block of an f64 kernel for Hopper computes: those of units.cuh, or where k is divided among
// clusters one part of one tile.
#pragma once

#include "kernels/gemm/units.cuh"

namespace gemm::f64 {

// Part p of a tile is block p % blocks of the tile's cluster p / blocks.
template <int kBM, int kBN, int kBK>
__device__ __forceinline__ Unit unit_of_cluster(const GemmArguments& g, bool adds_nothing) {
  const unsigned blocks = ptx::cluster_blocks(), clusters = g.split.parts / blocks;
  const unsigned down = static_cast<unsigned>((g.m - 1) / kBM) + 1;
  const unsigned across = static_cast<unsigned>((g.n - 1) / kBN) + 1;
  const unsigned number = blockIdx.x / blocks, tile = number % (down * across);
  const unsigned slab = number / (down * across);
  Unit unit;
  unit.row = static_cast<int>(tile % down * kBM), unit.column = static_cast<int>(tile / down * kBN);
  unit.matrix = static_cast<int>(slab / clusters);
  unit.part = static_cast<int>(slab % clusters * blocks + ptx::cluster_rank());
  const int k_each = static_cast<int>(g.split.k_each), k = adds_nothing ? 0 : static_cast<int>(g.k);
  unit.first_k = unit.part * k_each;
  unit.steps = max(0, (min(k_each, k - unit.first_k) + kBK - 1) / kBK);
  unit.is_whole = false;
  unit.tile = static_cast<long long>(unit.matrix) * down * across + tile;
  return unit;
}

template <int kBM, int kBN, int kBK> class Work {
 public:
  __device__ __forceinline__ Work(const GemmArguments& g, bool adds_nothing)
      : arguments_(g),
        adds_nothing_(adds_nothing),
        in_cluster_(ptx::cluster_blocks() > 1),
        units_(g, adds_nothing) {}

  __device__ __forceinline__ bool more() const { return in_cluster_ ? !is_done_ : units_.more(); }
  __device__ __forceinline__ void advance() {
    if (in_cluster_) is_done_ = true;
    else units_.advance();
  }
  __device__ __forceinline__ Unit get() const {
    return in_cluster_ ? unit_of_cluster<kBM, kBN, kBK>(arguments_, adds_nothing_) : units_.get();
  }
  __device__ __forceinline__ Parts parts_of(const Unit& unit) const {
    return units_.parts_of(unit);
  }

 private:
  const GemmArguments& arguments_;
  bool adds_nothing_, in_cluster_, is_done_ = false;
  Units<kBM, kBN, kBK, 1> units_;
};

// Of one matrix of a batch.
__device__ __forceinline__ const double* address_of(const GemmFactor& factor, int matrix) {
  if (factor.pointers) return static_cast<const double*>(factor.pointers[matrix]);
  return static_cast<const double*>(factor.address) + matrix * factor.stride;
}
__device__ __forceinline__ double* address_of(const GemmResult& result, int matrix) {
  if (result.pointers) return static_cast<double*>(result.pointers[matrix]);
  return static_cast<double*>(result.address) + matrix * result.stride;
}

}  // namespace gemm::f64
