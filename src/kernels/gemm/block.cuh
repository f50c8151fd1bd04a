// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library's kernels do the same way: which tile, which part of k and which matrices of a batch
// a block has. Grids: x is tiles, y parts of k, z matrices of the batch.
#pragma once

#include "kernels/gemm/arguments.hpp"
#include "kernels/ptx/shared.cuh"

namespace gemm {

using namespace tilewise::kernels;

template <typename T> __device__ __forceinline__ T value_of(const GemmScalar& scalar) {
  return scalar.address ? *static_cast<const T*>(scalar.address) : static_cast<T>(scalar.value);
}

// Whether a scalar is 0. What the arguments say of it is known before earlier kernels have ended, and so takes no time
// behind them; what stands in memory is read where it is asked for.
template <typename T> class ZeroTest {
 public:
  __device__ __forceinline__ explicit ZeroTest(const GemmScalar& scalar)
      : scalar_(scalar),
        is_elsewhere_(ptx::kept(scalar.address != nullptr)),
        is_zero_here_(ptx::kept(static_cast<T>(scalar.value) == 0)) {}

  __device__ __forceinline__ bool is_zero() const {
    if (is_elsewhere_) [[unlikely]]
      return value_of<T>(scalar_) == 0;
    return is_zero_here_ != 0;
  }

 private:
  const GemmScalar& scalar_;
  unsigned is_elsewhere_, is_zero_here_;
};

template <typename T> __device__ __forceinline__ const T* matrix_of(const GemmFactor& factor) {
  if (factor.pointers) return static_cast<const T*>(factor.pointers[blockIdx.z]);
  return static_cast<const T*>(factor.address) + blockIdx.z * factor.stride;
}

template <typename T> __device__ __forceinline__ T* matrix_of(const GemmResult& result) {
  if (result.pointers) return static_cast<T*>(result.pointers[blockIdx.z]);
  return static_cast<T*>(result.address) + blockIdx.z * result.stride +
         blockIdx.y * result.part_stride;
}

struct TilePlace {
  long long row, column;  // of C, where the tile begins
};

// Tiles are numbered down groups of kGroup rows of tiles, so that blocks which run at the same time
// share rows of A and columns of B in the L2 cache.
template <int kBM, int kBN, int kGroup = 8>
__device__ __forceinline__ TilePlace place_of_tile(unsigned tile, long long m, long long n) {
  const unsigned down = static_cast<unsigned>((m + kBM - 1) / kBM);
  const unsigned across = static_cast<unsigned>((n + kBN - 1) / kBN);
  const unsigned group = tile / (kGroup * across), within = tile - group * kGroup * across;
  const unsigned height = min(down - group * kGroup, unsigned{kGroup});
  return {static_cast<long long>(group * kGroup + within % height) * kBM,
          static_cast<long long>(within / height) * kBN};
}

struct Depth {
  long long begin, end;  // of k
};

// This block's part of k. Nothing is to be added where alpha is 0: then A and B are not read.
__device__ __forceinline__ Depth depth_of_block(const GemmArguments& arguments, bool adds_nothing) {
  if (adds_nothing) return {0, 0};
  if (arguments.split.parts == 1) return {0, arguments.k};
  const long long begin = blockIdx.y * arguments.split.k_each;
  return {min(begin, arguments.k), min(begin + arguments.split.k_each, arguments.k)};
}

}  // namespace gemm
