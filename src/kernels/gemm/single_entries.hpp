// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of single tiles (single.cuh). For catalogue.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/gemm/any_width_entries.hpp"
#include "kernels/gemm/four_orders.hpp"
#include "kernels/gemm/single.hpp"
#include "kernels/gemm/single_f64.hpp"

namespace tilewise::kernels {

// Kernels of the image by the orders of A and B, and of these an entry for each width.
struct SingleTile {
  std::string_view type, unit;
  std::array<std::array<std::string_view, 2>, 2> entries;
  Dtype operand;
  int bm;
  bool is_swapped;
};
// Swapped ones come first: where both would do as well, they are the faster.
#define TILEWISE_SINGLE_TILES(type, dtype, bm)                                                \
  SingleTile{type,                                                                            \
             "single_" type "_" #bm,                                                          \
             {{{"", "gemm_single_" type "_" #bm "_swapped"},                                  \
               {"", "gemm_single_" type "_" #bm "_swapped"}}},                                \
             dtype,                                                                           \
             bm,                                                                              \
             true},                                                                           \
      SingleTile {                                                                            \
    type, "single_" type "_" #bm, TILEWISE_ANY_ORDER("gemm_single_" type "_" #bm), dtype, bm, \
        false                                                                                 \
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
    kernel.narrower_across = columns > kSinglePanel ? kSinglePanel : 0;
    kernel.persistent = kernel.keeps_rounds = kernel.streams = false;
    kernel.is_single = true;
    kernel.most_parts_in_cluster = 1;
    kernel.overhead = 0;
    all.at(i++) = kernel;
  });
  return all;
}();

// The same for f64 (single_f64.cuh): kernels for each order, and entries for each number of rows and columns. Calls `with`
// with rows, columns, the next narrower, whether of Cᵀ, and whether of any alignment.
template <class With> constexpr void for_all_single_f64(const With& with) {
  constexpr int kMostColumns = 256;  // lines of a tensor map's box
  constexpr int kMostColumnsOfAny =
      128;  // more lines than a stage needs stay in no cache for the next
  for (const bool is_any : {false, true}) {
    for (const bool is_swapped : {false, true}) {
      for (const int rows : {128, 64, 32}) {  // of tiles as large the first is the faster
        int narrower = 0;
        const int most = is_any ? kMostColumnsOfAny : kMostColumns;
        for (int columns = kSingleF64Unit; columns <= most; columns += kSingleF64Unit) {
          if (!has_single_f64_tile(rows, columns)) continue;
          with(rows, columns, narrower, is_swapped, is_any);
          narrower = columns;
        }
      }
    }
  }
}
inline constexpr std::size_t kSingleF64Entries = [] {
  std::size_t count = 0;
  for_all_single_f64([&](int, int, int, bool, bool) { ++count; });
  return count;
}();
inline constexpr std::array<KernelName, kSingleF64Entries> kSingleF64Names = [] {
  std::array<KernelName, kSingleF64Entries> names;
  std::size_t i = 0;
  for_all_single_f64([&](int rows, int columns, int, bool is_swapped, bool is_any) {
    KernelName& name = names.at(i++);
    name.add("single_f64_"), name.add(rows), name.add("x"), name.add(columns);
    if (is_swapped) name.add("_swapped");
    if (is_any) name.add("_any");
  });
  return names;
}();
struct SingleF64Image {
  std::string_view unit;
  std::array<std::array<std::string_view, 2>, 2> entries;
};
#define TILEWISE_SINGLE_F64_IMAGE(unit)                                                      \
  SingleF64Image {                                                                           \
    unit, {                                                                                  \
      {                                                                                      \
        {"gemm_" unit "_xx", "gemm_" unit "_xk"}, { "gemm_" unit "_kx", "gemm_" unit "_kk" } \
      }                                                                                      \
    }                                                                                        \
  }
inline constexpr std::array<std::array<SingleF64Image, 2>, 2> kSingleF64Images{
    // [swapped][any]
    {{TILEWISE_SINGLE_F64_IMAGE("single_f64"), TILEWISE_SINGLE_F64_IMAGE("single_f64_any")},
     {TILEWISE_SINGLE_F64_IMAGE("single_f64_swapped"),
      TILEWISE_SINGLE_F64_IMAGE("single_f64_swapped_any")}}};
inline constexpr std::array<GemmKernel, kSingleF64Entries> kSingleF64Kernels = [] {
  std::array<GemmKernel, kSingleF64Entries> all;
  std::size_t i = 0;
  for_all_single_f64([&](int rows, int columns, int narrower, bool is_swapped, bool is_any) {
    const SingleF64Image& image = kSingleF64Images.at(is_swapped).at(is_any);
    GemmKernel kernel;
    kernel.name = kSingleF64Names.at(i).view();
    kernel.unit = image.unit;
    kernel.entries = image.entries;
    kernel.operand = kernel.result = Dtype::kF64;
    kernel.compute_major = 9;
    kernel.bm = rows, kernel.bn = columns, kernel.bk = kSingleF64BK;
    kernel.steps_together = single_f64_groups(rows, columns);
    kernel.stages = single_f64_stages(rows, columns, is_any ? kSingleF64RingOfAny : kSingleF64Ring);
    kernel.threads = kSingleF64Warps * 32 + 128;
    kernel.dynamic_shared_bytes = single_f64_shared_bytes(rows, columns, kernel.stages);
    kernel.is_single = true;
    kernel.streams = false;
    kernel.most_extent = kMostExtent;
    kernel.narrower = kernel.narrower_across = narrower;
    kernel.transposes_result = is_swapped;
    kernel.overlaps_previous = true;
    kernel.pipe = Pipe::kTensorF64;
    if (!is_any) {
      kernel.takes_pointers = false;
      kernel.alignment = 16;
      kernel.preparation = Preparation::kRestride;
      kernel.box_a = {rows, kSingleF64BK};
      kernel.box_b = {std::max(columns, kSingleF64Box), kSingleF64BK};
    }
    all.at(i++) = kernel;
  });
  return all;
}();

}  // namespace tilewise::kernels
