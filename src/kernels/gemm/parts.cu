// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds up parts of k: each is a matrix of C's shape, which the kernel before has left (GemmResult::part_stride). Where C
// is small and parts are many, several threads have some of the parts each, and the first of them adds up theirs. The
// order of a sum depends on the sizes alone.
#include "kernels/gemm/add_parts.cuh"
#include "kernels/gemm/block.cuh"
#include "kernels/gemm/hopper_f64_result.cuh"
#include "kernels/gemm/parts.hpp"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/ptx/grid.cuh"

namespace {

using namespace tilewise::kernels;

// sum + beta·C at the neighbours that are there, `left` from the first on.
template <class Type> struct Halves {
  using Sums = float4;
  using Scalar = float;
  using Element = typename Type::Stored;
  static __device__ __forceinline__ void store(Element* c, const Sums& sum, long long left,
                                               float beta) {
    gemm::store_four<Type>(c, sum, left, beta);
  }
};
struct Doubles {
  using Sums = double2;
  using Scalar = double;
  using Element = double;
  static __device__ __forceinline__ void store(double* c, const Sums& sum, long long left,
                                               double beta) {
    gemm::f64::Result to{};
    to.alpha = 1, to.beta = beta;
    to.is_aligned = reinterpret_cast<size_t>(c) % sizeof(Sums) == 0;
    gemm::f64::store_pair(c, left, to, sum.x, sum.y);
  }
};

template <class Type> __device__ __forceinline__ void add_parts(const PartsArguments& p) {
  using Sums = typename Type::Sums;
  using Scalar = typename Type::Scalar;
  constexpr int kEach = sizeof(Sums) / sizeof(Scalar);
  __shared__ Sums of_groups[kPartsThreads];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int groups = 1 << p.groups_log2, lanes = kPartsThreads >> p.groups_log2;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int group = static_cast<int>(threadIdx.x) >> (8 - p.groups_log2);
  static_assert(kPartsThreads == 1 << 8);
  const long long in_row = p.pitch / kEach, pieces = p.m * in_row;
  const long long piece = static_cast<long long>(blockIdx.x) * lanes + lane;
  const bool is_there = piece < pieces;
  const Sums* const from = static_cast<const Sums*>(p.partials) +
                           static_cast<long long>(blockIdx.z) * p.parts * pieces + piece;
  Sums sum{};
  const auto column_of = [&] { return (piece - piece / in_row * in_row) * kEach; };
  // Behind the end of a row nothing has been written.
  if (p.n != p.pitch && is_there && p.n - column_of() < kEach) {
    const long long count = p.n - column_of();
#pragma unroll 1
    for (int part = group; part < p.parts; part += groups)
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        if (i < count)
          reinterpret_cast<Scalar*>(&sum)[i] +=
              __ldcg(reinterpret_cast<const Scalar*>(from + part * pieces) + i);
  } else if (is_there) {
    gemm::add_every(sum, from, pieces, group, groups, p.parts);
  }
  if (groups > 1) {
    of_groups[threadIdx.x] = sum;
    __syncthreads();
    if (group > 0) return;
#pragma unroll 1
    for (int other = 1; other < groups; ++other) gemm::add(sum, of_groups[other * lanes + lane]);
  }
  if (!is_there) return;
  const long long row = piece / in_row, column = column_of();
  Type::store(gemm::matrix_of<typename Type::Element>(p.c) + row * p.c.leading_dimension + column,
              sum, p.n - column, gemm::value_of<Scalar>(p.beta));
}

}  // namespace

// Blocks in x: of the pieces of a matrix. In z the matrices of a batch.
#define TILEWISE_PARTS(name, type)                                               \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kPartsThreads) \
      name(const __grid_constant__ tilewise::kernels::PartsArguments p) {        \
    add_parts<type>(p);                                                          \
  }
TILEWISE_PARTS(gemm_parts_f32, Halves<gemm::StripF32>)
TILEWISE_PARTS(gemm_parts_f64, Doubles)
TILEWISE_PARTS(gemm_parts_f16, Halves<gemm::StripF16>)
TILEWISE_PARTS(gemm_parts_bf16, Halves<gemm::StripBF16>)
