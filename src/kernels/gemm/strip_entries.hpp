// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of thin products: a handful of rows (thin.cuh), and strips (strip.cuh). For catalogue.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "kernels/gemm/catalogue.hpp"
#include "kernels/gemm/four_orders.hpp"
#include "kernels/gemm/raw_slab.hpp"
#include "kernels/gemm/thin.hpp"

namespace tilewise::kernels {

// A handful of rows (thin.cuh), or of columns.
constexpr GemmKernel thin(std::string_view name, std::string_view unit,
                          std::array<std::array<std::string_view, 2>, 2> entries, Dtype operand,
                          Dtype result, int rows, bool transposed) {
  const int element = static_cast<int>(size_of(operand));
  return {.name = name,
          .unit = unit,
          .entries = entries,
          .operand = operand,
          .result = result,
          .bm = rows,
          .bn = kThinColumns,
          .bk = 64,
          .stages = 1,
          .threads = kThinThreads,
          .dynamic_shared_bytes = thin_shared_bytes(rows, element),
          .blocks_per_sm = rows == 1 ? 2 : 1,
          .reads_pieces = true,
          .most_rows = rows,
          .transposes_result = transposed,
          .overlaps_previous = true};
}
#define TILEWISE_THIN_NAMED(type, rows, suffix, operand, result, transposed) \
  thin("thin_" type "_" #rows suffix, "thin_" type,                          \
       TILEWISE_FOUR_ORDERS("gemm_thin_" type "_" #rows), operand, result, rows, transposed)
#define TILEWISE_THIN(type, rows, suffix, operand, result)         \
  TILEWISE_THIN_NAMED(type, rows, suffix, operand, result, false), \
      TILEWISE_THIN_NAMED(type, rows, suffix "_transposed", operand, result, true)
#define TILEWISE_THIN_16BIT(type, suffix, operand, result) \
  TILEWISE_THIN(type, 1, suffix, operand, result), TILEWISE_THIN(type, 4, suffix, operand, result)

// Strips (strip.cuh): `lines` × `n` a warp, `across` warps side by side and `down` along k, each with a ring of its own.
struct StripWarps {
  int lines, n, bk, stages, across, down;
  int compute_major = 9;
};
constexpr GemmKernel strip(std::string_view name,
                           std::array<std::array<std::string_view, 2>, 2> entries,
                           std::array<std::array<std::string_view, 2>, 2> part_entries,
                           Dtype operand, Dtype result, const StripWarps& w, bool transposed,
                           int most_columns, int blocks_per_sm, double efficiency) {
  const int element = operand == Dtype::kF32 ? 4 : 2, warps = w.across * w.down;
  const int ring = w.stages * (w.lines + w.n) * w.bk * element;
  return {.name = name,
          .unit = operand == Dtype::kF32    ? "strip_f32"
                  : operand == Dtype::kBF16 ? "strip_bf16"
                                            : "strip_f16",
          .entries = entries,
          .part_entries = part_entries,
          .operand = operand,
          .result = result,
          .compute_major = w.compute_major,
          .bm = w.lines * w.across,
          .bn = w.n,
          .bk = w.bk,
          .steps_together = w.down,
          .stages = w.stages,
          .threads = warps * 32,
          .dynamic_shared_bytes = warps * ring + (w.down > 1 ? w.lines * w.across * w.n * 4 : 0),
          .blocks_per_sm = blocks_per_sm,
          .copies_partly = true,
          .most_columns = most_columns,
          .alignment = 16,
          .preparation = Preparation::kRestride,
          .transposes_result = transposed,
          .overlaps_previous = true,
          .pipe = operand == Dtype::kF32   ? Pipe::kF32
                  : operand == Dtype::kF16 ? Pipe::kTensorF16
                                           : Pipe::kTensorBF16,
          .efficiency = efficiency,
          .efficiency_alone = efficiency / blocks_per_sm,
          .overhead = w.down > 1 && operand != Dtype::kF32 ? (w.n <= 16 ? 0.8 : 1.5) : 0.9};
}
#define TILEWISE_STRIP_PARTS(name)                                                 \
  {                                                                                \
    {                                                                              \
      {name "_xx_parts", name "_xk_parts"}, { name "_kx_parts", name "_kk_parts" } \
    }                                                                              \
  }
// `tile` columns of C at a time of as many as there are, or rows of it. bench/results/h200: what they reach.
#define TILEWISE_STRIP(name, entry, operand, result, warps, most, together, efficiency)            \
  strip(name, TILEWISE_FOUR_ORDERS(entry), TILEWISE_STRIP_PARTS(entry), operand, result, warps,    \
        false, most, together, efficiency),                                                        \
      strip(name "_transposed", TILEWISE_FOUR_ORDERS(entry), TILEWISE_STRIP_PARTS(entry), operand, \
            result, warps, true, most, together, efficiency)
constexpr StripWarps kStripHalves8{32, 8, 64, 5, 1, 8}, kStripHalves16{32, 16, 64, 4, 1, 4, 8},
    kStripHalvesTall16{64, 16, 64, 2, 1, 4}, kStripHalves32{64, 32, 64, 4, 1, 4},
    kStripHalves64{32, 64, 64, 4, 1, 4}, kStripHalvesTall64{64, 64, 64, 3, 1, 4},
    kStripHalvesShort{32, 32, 64, 2, 2, 1};
constexpr StripWarps kStripFloats8{32, 8, 32, 3, 1, 12}, kStripFloats16{32, 16, 32, 2, 1, 16},
    kStripFloats32{64, 32, 32, 2, 1, 8};
#define TILEWISE_STRIP_OF_HALVES(type, tile, dtype, suffix, result, warps, most, together,         \
                                 efficiency)                                                       \
  TILEWISE_STRIP("strip_" type "_" tile suffix, "gemm_strip_" type "_" tile, dtype, result, warps, \
                 most, together, efficiency)
// Of factors of any alignment (strip_any.cuh).
constexpr GemmKernel strip_any(GemmKernel kernel, std::string_view unit, const StripWarps& w) {
  const int element = static_cast<int>(size_of(kernel.operand));
  const auto slab = [&](int lines) {
    return std::max(raw_slab_bytes(lines, w.bk * element), raw_slab_bytes(w.bk, lines * element));
  };
  kernel.unit = unit;
  kernel.dynamic_shared_bytes = w.across * w.down * w.stages * (slab(w.lines) + slab(w.n)) +
                                (w.down > 1 ? w.lines * w.across * w.n * 4 : 0);
  kernel.reads_pieces = true;
  kernel.alignment = 0;
  kernel.preparation = Preparation::kNone;
  return kernel;
}
constexpr StripWarps kStripAny16{32, 16, 64, 3, 1, 6}, kStripAny32{32, 32, 64, 3, 1, 5},
    kStripAny64{32, 64, 64, 3, 1, 4}, kStripAnyFloats16{32, 16, 32, 2, 1, 12};
#define TILEWISE_STRIP_ANY(type, tile, transposed, dtype, suffix, result, warps, most)            \
  strip_any(strip("strip_" type "_" tile "_any" suffix,                                           \
                  TILEWISE_FOUR_ORDERS("gemm_strip_" type "_" tile "_any"),                       \
                  TILEWISE_STRIP_PARTS("gemm_strip_" type "_" tile "_any"), dtype, result, warps, \
                  transposed, most, 1, 0.2),                                                      \
            "strip_" type "_any", warps)
#define TILEWISE_STRIP_ANY_BOTH_WAYS(type, tile, dtype, suffix, result, warps, most) \
  TILEWISE_STRIP_ANY(type, tile, false, dtype, suffix, result, warps, most),         \
      TILEWISE_STRIP_ANY(type, tile, true, dtype, suffix "_transposed", result, warps, most)
#define TILEWISE_STRIPS_ANY(type, dtype, suffix, result)                                   \
  TILEWISE_STRIP_ANY_BOTH_WAYS(type, "32x16", dtype, suffix, result, kStripAny16, 16),     \
      TILEWISE_STRIP_ANY_BOTH_WAYS(type, "32x32", dtype, suffix, result, kStripAny32, 32), \
      TILEWISE_STRIP_ANY_BOTH_WAYS(type, "32x64", dtype, suffix, result, kStripAny64, 128)
#define TILEWISE_STRIPS_OF_HALVES(type, dtype, suffix, result)                                     \
  TILEWISE_STRIP_OF_HALVES(type, "32x8", dtype, suffix, result, kStripHalves8, 8, 1, 0.2),         \
      TILEWISE_STRIP_OF_HALVES(type, "32x16", dtype, suffix, result, kStripHalves16, 16, 2, 0.2),  \
      TILEWISE_STRIP_OF_HALVES(type, "64x16", dtype, suffix, result, kStripHalvesTall16, 16, 2,    \
                               0.2),                                                               \
      TILEWISE_STRIP_OF_HALVES(type, "64x32", dtype, suffix, result, kStripHalves32, 32, 1, 0.2),  \
      TILEWISE_STRIP_OF_HALVES(type, "32x64", dtype, suffix, result, kStripHalves64, 128, 1, 0.2), \
      TILEWISE_STRIP_OF_HALVES(type, "64x64", dtype, suffix, result, kStripHalvesTall64, 128, 1,   \
                               0.2),                                                               \
      TILEWISE_STRIP_OF_HALVES(type, "64x32_short", dtype, suffix, result, kStripHalvesShort, 64,  \
                               7, 0.065)
// The same on tensor cores (strip_pairs.cuh).
constexpr GemmKernel of_pairs(GemmKernel kernel) {
  kernel.unit = "strip_accurate_f32";
  kernel.least_k = 1024;
  kernel.mode = ComputeMode::kAccurate;
  kernel.pipe = Pipe::kMmaTF32;
  kernel.products = 3;
  return kernel;
}
#define TILEWISE_STRIP_OF_PAIRS(suffix, transposed)                                               \
  of_pairs(strip("strip_accurate_f32_64x32" suffix,                                               \
                 TILEWISE_FOUR_ORDERS("gemm_strip_accurate_f32_64x32"),                           \
                 TILEWISE_STRIP_PARTS("gemm_strip_accurate_f32_64x32"), Dtype::kF32, Dtype::kF32, \
                 kStripFloats32, transposed, 1024, 1, 0.40))
#define TILEWISE_STRIP_OF_FLOATS(tile, warps, most, efficiency)                                    \
  TILEWISE_STRIP("strip_f32_" tile, "gemm_strip_f32_" tile, Dtype::kF32, Dtype::kF32, warps, most, \
                 1, efficiency)

}  // namespace tilewise::kernels
