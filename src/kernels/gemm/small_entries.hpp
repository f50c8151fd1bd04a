// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of small sizes (small.cuh). For catalogue.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/gemm/any_width_entries.hpp"
#include "kernels/gemm/catalogue.hpp"

namespace tilewise::kernels {

// `depth`: k of a warp at a time. `efficiency_alone`: with one block on a multiprocessor, not two.
constexpr GemmKernel small(std::string_view name, std::string_view unit,
                           std::array<std::array<std::string_view, 2>, 2> entries, Dtype operand,
                           Dtype result, int bm, int bn, int depth, int alignment,
                           double efficiency, double efficiency_alone, double overhead) {
  constexpr int kWarps = 8, kStages = 2;
  const bool is_f32 = operand == Dtype::kF32;
  // Lines of f32 along k are four words longer than k, rows of the sums of others eight longer than the tile's.
  const int lines = kStages * (bm + bn) * (is_f32 ? (depth + 4) * 4 : depth * 2);
  const int sums = is_f32 ? 0 : bm * (bn + 8) * 4;
  return {
      .name = name,
      .unit = unit,
      .entries = entries,
      .operand = operand,
      .result = result,
      .bm = bm,
      .bn = bn,
      .bk = depth,
      .steps_together = kWarps * (is_f32 ? kStages : 1),  // with fewer it is as slow, as was seen
      .stages = kStages,
      .threads = kWarps * 32,
      .dynamic_shared_bytes = kWarps * std::max(lines, sums),
      .blocks_per_sm = 2,
      .splits = false,
      .most_extent = kMostExtent,
      .most_k = 1024,  // measured no further
      .alignment = alignment,
      .preparation = alignment > 0 ? Preparation::kRestride : Preparation::kNone,
      .overlaps_previous = true,
      .pipe = is_f32                   ? Pipe::kF32
              : operand == Dtype::kF16 ? Pipe::kMmaF16
                                       : Pipe::kMmaBF16,
      .efficiency = efficiency,
      .efficiency_alone = efficiency_alone,
      .overhead = overhead};
}

constexpr GemmKernel small_f32(std::string_view name,
                               std::array<std::array<std::string_view, 2>, 2> entries, int bm,
                               int bn, int alignment, double efficiency, double efficiency_alone) {
  return small(name, "simt_f32_small", entries, Dtype::kF32, Dtype::kF32, bm, bn, 16, alignment,
               efficiency, efficiency_alone, 0.9);
}

// Of 16×32 those for B along k are entries of their own: they are slower.
inline constexpr std::array<std::array<std::string_view, 2>, 2> kSmallAcross{
    {{"gemm_simt_f32_small_16x32_aligned_xx", ""}, {"gemm_simt_f32_small_16x32_aligned_kx", ""}}};
inline constexpr std::array<std::array<std::string_view, 2>, 2> kSmallAlong{
    {{"", "gemm_simt_f32_small_16x32_aligned_xk"}, {"", "gemm_simt_f32_small_16x32_aligned_kk"}}};

// The same of f16 and bf16 (mma_16bit_small.cuh), for other GPUs than Hopper (single.cuh), of as many rows and columns as were measured.
constexpr GemmKernel small_16bit(std::string_view name, std::string_view unit,
                                 std::array<std::array<std::string_view, 2>, 2> entries,
                                 Dtype operand, Dtype result) {
  GemmKernel kernel = small(name, unit, entries, operand, result, 16, 32, 32, 16, 0.155, 0.13, 0.5);
  kernel.most_rows = kernel.most_columns = 512;
  kernel.yields_to_hopper = true;
  return kernel;
}

}  // namespace tilewise::kernels
