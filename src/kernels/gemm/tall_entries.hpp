// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of tall products (tall.cuh). For catalogue.cpp.
#pragma once

#include <string_view>

#include "kernels/gemm/any_width_entries.hpp"
#include "kernels/gemm/catalogue.hpp"
#include "kernels/gemm/tall.hpp"

namespace tilewise::kernels {

// One kernel reads B in either order. By columns it is Cᵀ that is computed.
constexpr GemmKernel tall(std::string_view name, std::string_view unit, std::string_view entry,
                          Dtype operand, Dtype result, bool by_rows, int columns, int stages,
                          int blocks_per_sm) {
  constexpr int kWarps = kTallThreads / 32;
  const int lines = by_rows ? kTallRows : kTallColumns;
  GemmKernel kernel{.name = name,
                    .unit = unit,
                    .operand = operand,
                    .result = result,
                    .bm = kWarps * lines,
                    .bn = columns,
                    .bk = kTallPieceBytes / 2 / lines,
                    .stages = stages,
                    .threads = kTallThreads,
                    .dynamic_shared_bytes = tall_columns_bytes(kTallMostK, columns) +
                                            kWarps * (stages * kTallPieceBytes + kTallStagedBytes),
                    .blocks_per_sm = blocks_per_sm,
                    .strides_tiles = true,
                    .most_held_k = kTallMostK,
                    .splits = false,
                    .most_columns = columns,
                    .alignment = 16,
                    .takes_any_b = true,
                    .preparation = Preparation::kRestride,
                    .transposes_result = !by_rows,
                    .overlaps_previous = true,
                    .pipe = operand == Dtype::kF16 ? Pipe::kMmaF16 : Pipe::kMmaBF16};
  kernel.entries[by_rows ? 1 : 0] = {entry, entry};
  return kernel;
}
// Of A that TMA brings (tall_boxes.cuh).
constexpr GemmKernel tall_boxes(std::string_view name, std::string_view unit,
                                std::string_view entry, Dtype operand, Dtype result,
                                bool transposes) {
  constexpr int kLines = 64;
  GemmKernel kernel = warpgroup(name, {{{entry, entry}, {entry, entry}}}, operand, result, kLines,
                                kLines, kTallBoxesPieces, 1, 1);
  kernel.unit = unit;
  kernel.threads = kTallBoxesWarpgroups * 128;
  const int pieces = kTallBoxesWarpgroups * kTallBoxesPieces + kTallMostK / kHopperBK;
  constexpr int kBarriers = 1024;
  kernel.dynamic_shared_bytes =
      pieces * kLines * kHopperBK * 2 + shared_bytes(0, 0, kTallBoxesWarpgroups * 64) + kBarriers;
  kernel.persistent = kernel.keeps_rounds = kernel.streams = kernel.splits = false;
  kernel.strides_tiles = true;
  kernel.most_held_k = kTallMostK;
  kernel.most_columns = kTallBoxesMostColumns;
  kernel.most_parts_in_cluster = 1;
  kernel.overhead = 0;
  kernel.transposes_result = transposes;
  return kernel;
}
// Of any alignment (tall_any.cuh).
constexpr GemmKernel tall_any(std::string_view name, std::string_view unit, std::string_view entry,
                              Dtype operand, Dtype result, bool transposes) {
  GemmKernel kernel = tall(name, unit, entry, operand, result, true, kTallAnyColumns, 1, 1);
  kernel.entries = {{{entry, entry}, {entry, entry}}};
  kernel.compute_major = 9;
  kernel.threads = kTallAnyThreads;
  kernel.bm = tall_any_lines(!transposes, false);
  kernel.bk = 16;
  kernel.dynamic_shared_bytes = kTallAnySharedBytes;
  kernel.most_held_k = kTallAnyMostK;
  kernel.alignment = 0;
  kernel.preparation = Preparation::kNone;
  kernel.transposes_result = transposes;
  return kernel;
}
// The same of a long k (tall_long.cuh), for few columns or for more.
constexpr GemmKernel tall_long(std::string_view name, std::string_view unit, std::string_view entry,
                               Dtype operand, Dtype result, bool transposes, bool of_few) {
  GemmKernel kernel = tall_any(name, unit, entry, operand, result, transposes);
  kernel.threads = tall_long_threads(of_few);
  kernel.bm = tall_long_lines(false);
  kernel.bn = tall_long_columns(of_few);
  kernel.most_columns = kernel.bn;
  kernel.most_held_k = tall_long_most_k(of_few);
  kernel.least_k = kTallAnyMostK + 1;
  return kernel;
}
#define TILEWISE_TALL_NAMED(type, name, suffix, dtype, result, ...)                           \
  tall("tall_" type "_" name suffix, "tall_" type, "gemm_tall_" type "_" name, dtype, result, \
       __VA_ARGS__)
#define TILEWISE_TALL_ANY_NAMED(type, name, suffix, dtype, result, transposes)                   \
  tall_any("tall_" type "_" name suffix, "tall_" type "_any", "gemm_tall_" type "_" name, dtype, \
           result, transposes)
#define TILEWISE_TALL_LONG_NAMED(type, name, suffix, dtype, result, ...)                           \
  tall_long("tall_" type "_" name suffix, "tall_" type "_long", "gemm_tall_" type "_" name, dtype, \
            result, __VA_ARGS__)
#define TILEWISE_TALL(type, suffix, dtype, result)                                                \
  TILEWISE_TALL_NAMED(type, "32_rows", suffix, dtype, result, true, 32, 4, 2),                    \
      TILEWISE_TALL_NAMED(type, "64_rows", suffix, dtype, result, true, 64, 4, 2),                \
      TILEWISE_TALL_NAMED(type, "32_columns", suffix, dtype, result, false, 32, 4, 2),            \
      TILEWISE_TALL_NAMED(type, "64_columns", suffix, dtype, result, false, 64, 6, 1),            \
      TILEWISE_TALL_ANY_NAMED(type, "any", suffix, dtype, result, false),                         \
      TILEWISE_TALL_ANY_NAMED(type, "any_swapped", suffix, dtype, result, true),                  \
      TILEWISE_TALL_LONG_NAMED(type, "long", suffix, dtype, result, false, false),                \
      TILEWISE_TALL_LONG_NAMED(type, "long_swapped", suffix, dtype, result, true, false),         \
      TILEWISE_TALL_LONG_NAMED(type, "long_few", suffix, dtype, result, false, true),             \
      TILEWISE_TALL_LONG_NAMED(type, "long_few_swapped", suffix, dtype, result, true, true),      \
      tall_boxes("tall_" type "_boxes_swapped" suffix, "tall_" type "_boxes",                     \
                 "gemm_tall_" type "_boxes_swapped", dtype, result, true),                        \
      tall_boxes("tall_" type "_boxes" suffix, "tall_" type "_boxes", "gemm_tall_" type "_boxes", \
                 dtype, result, false)

}  // namespace tilewise::kernels
