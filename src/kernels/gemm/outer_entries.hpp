// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of sums of few outer products (outer.cuh). For catalogue.cpp.
#pragma once

#include <string_view>

#include "kernels/gemm/catalogue.hpp"
#include "kernels/gemm/outer.hpp"

namespace tilewise::kernels {

// A and B may begin anywhere. Kernels differ by how A lies.
constexpr GemmKernel outer(std::string_view name, std::string_view unit, std::string_view along,
                           std::string_view across, Dtype operand, Dtype result, int most_k,
                           int shared_bytes, int blocks_per_sm, Pipe pipe) {
  return {.name = name,
          .unit = unit,
          .entries = {{{across, across}, {along, along}}},
          .operand = operand,
          .result = result,
          .bm = kOuterWarps * kOuterRows,
          .bn = kOuterColumns,
          .bk = size_of(operand) == 2 ? 16 : 8,
          .stages = 1,
          .threads = kOuterThreads,
          .dynamic_shared_bytes = shared_bytes,
          .blocks_per_sm = blocks_per_sm,
          .goes_by_rounds = true,
          .most_held_k = most_k,
          .splits = false,
          .overlaps_previous = true,
          .pipe = pipe};
}
// Of halves those that add to C are kernels of their own.
constexpr GemmKernel adding(GemmKernel kernel, std::string_view along, std::string_view across) {
  kernel.adding_entries = {{{across, across}, {along, along}}};
  return kernel;
}
#define TILEWISE_OUTER_OF_HALVES_TO(type, suffix, operand, result, pipe)             \
  adding(outer("outer_" type suffix, "outer_" type, "gemm_outer_" type suffix "_k",  \
               "gemm_outer_" type suffix "_x", operand, result, OuterHalves::kMostK, \
               OuterHalves::bytes(result == Dtype::kF32 ? 4 : 2), 2, pipe),          \
         "gemm_outer_" type suffix "_k_adding", "gemm_outer_" type suffix "_x_adding")
#define TILEWISE_OUTERS                                                                          \
  outer("outer_f32", "outer_f32", "gemm_outer_f32_k", "gemm_outer_f32_x", Dtype::kF32,           \
        Dtype::kF32, kOuterMostK, OuterLines<float>::kBytes, 3, Pipe::kF32),                     \
      outer("outer_f64", "outer_f64", "gemm_outer_f64_k", "gemm_outer_f64_x", Dtype::kF64,       \
            Dtype::kF64, kOuterMostK, OuterLines<double>::kBytes, 2, Pipe::kF64),                \
      TILEWISE_OUTER_OF_HALVES_TO("bf16", "", Dtype::kBF16, Dtype::kBF16, Pipe::kMmaBF16),       \
      TILEWISE_OUTER_OF_HALVES_TO("bf16", "_to_f32", Dtype::kBF16, Dtype::kF32, Pipe::kMmaBF16), \
      TILEWISE_OUTER_OF_HALVES_TO("f16", "", Dtype::kF16, Dtype::kF16, Pipe::kMmaF16),           \
      TILEWISE_OUTER_OF_HALVES_TO("f16", "_to_f32", Dtype::kF16, Dtype::kF32, Pipe::kMmaF16)

}  // namespace tilewise::kernels
