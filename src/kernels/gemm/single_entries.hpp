// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of single tiles (single.cuh). For catalogue.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/gemm/any_width_entries.hpp"
#include "kernels/gemm/single.hpp"

namespace tilewise::kernels {

// A kernel of the image for each order, and of these an entry for each width.
struct SingleTile {
  std::string_view type, unit;
  std::array<std::array<std::string_view, 2>, 2> entries;
  Dtype operand;
  int bm;
  bool is_swapped;
};
// Swapped ones come first: where both would do as well, they are the faster.
#define TILEWISE_SINGLE_TILES(type, dtype, bm)                                      \
  SingleTile{type,                                                                  \
             "single_" type "_" #bm,                                                \
             {{{"", "gemm_single_" type "_" #bm "_swapped_xk"},                     \
               {"", "gemm_single_" type "_" #bm "_swapped_kk"}}},                   \
             dtype,                                                                 \
             bm,                                                                    \
             true},                                                                 \
      SingleTile {                                                                  \
    type, "single_" type "_" #bm,                                                   \
        {{{"gemm_single_" type "_" #bm "_xx", "gemm_single_" type "_" #bm "_xk"},   \
          {"gemm_single_" type "_" #bm "_kx", "gemm_single_" type "_" #bm "_kk"}}}, \
        dtype, bm, false                                                            \
  }
inline constexpr std::array kSingleTiles{TILEWISE_SINGLE_TILES("bf16", Dtype::kBF16, 64),
                                         TILEWISE_SINGLE_TILES("bf16", Dtype::kBF16, 128),
                                         TILEWISE_SINGLE_TILES("f16", Dtype::kF16, 64),
                                         TILEWISE_SINGLE_TILES("f16", Dtype::kF16, 128)};

template <class With> constexpr void for_all_single_widths(const With& with) {
  for_all_widths(
      kSingleTiles, [](const SingleTile&, int columns) { return has_single_width(columns, true); },
      with);
}
inline constexpr std::size_t kSingleEntries = [] {
  std::size_t count = 0;
  for_all_single_widths([&](const SingleTile&, int, int, bool) { ++count; });
  return count;
}();

// "single_bf16_64x32_swapped": rows by columns of the tile, where swapped of Cᵀ.
inline constexpr std::array<KernelName, kSingleEntries> kSingleNames = [] {
  std::array<KernelName, kSingleEntries> names;
  std::size_t i = 0;
  for_all_single_widths([&](const SingleTile& kernel, int columns, int, bool to_f32) {
    KernelName& name = names.at(i++);
    name.add("single_"), name.add(kernel.type), name.add("_"), name.add(kernel.bm);
    name.add("x"), name.add(columns);
    if (kernel.is_swapped) name.add("_swapped");
    if (to_f32) name.add("_to_f32");
  });
  return names;
}();

inline constexpr std::array<GemmKernel, kSingleEntries> kSingleKernels = [] {
  std::array<GemmKernel, kSingleEntries> all;
  std::size_t i = 0;
  for_all_single_widths([&](const SingleTile& of, int columns, int narrower, bool to_f32) {
    GemmKernel kernel = warpgroup(kSingleNames.at(i).view(), of.entries, of.operand,
                                  to_f32 ? Dtype::kF32 : of.operand, of.bm, columns,
                                  stages_of_width(of.bm, columns), 1, 1);
    kernel.unit = of.unit;
    kernel.threads = of.bm * 2 + 32;
    kernel.dynamic_shared_bytes = shared_bytes(0, 0, of.bm) + ring_halves(of.bm) * 2;
    if (columns % kSinglePanel != 0) kernel.entries[0][0] = kernel.entries[1][0] = "";
    kernel.transposes_result = of.is_swapped;
    kernel.narrower = narrower;
    kernel.persistent = kernel.keeps_rounds = kernel.streams = false;
    kernel.is_single = true;
    kernel.most_parts_in_cluster = 1;
    kernel.overhead = 0;
    all.at(i++) = kernel;
  });
  return all;
}();

}  // namespace tilewise::kernels
