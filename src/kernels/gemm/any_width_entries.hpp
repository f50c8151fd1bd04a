// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of tiles of any width (any_width.hpp), and what these share with other entries for Hopper.
// For catalogue.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/gemm/any_width.hpp"
#include "kernels/gemm/catalogue.hpp"

namespace tilewise::kernels {

inline constexpr int kHopperBK = 64;
inline constexpr std::int64_t kMostExtent =
    (std::int64_t{1} << 31) - 512;  // a tile beyond it is still counted

// Rings of stages, what results go through (result.cuh), and barriers.
constexpr int shared_bytes(int stages, int stage_bytes, int bm) {
  constexpr int kStagingBytes = 2 * 64 * 128, kUnit = 1024;
  const int bytes = stages * (stage_bytes + 16) + bm / 64 * kStagingBytes + 16;
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

// A tile of f16 or bf16 for Hopper (warpgroup_16bit.cuh). `down`: of its clusters, 0 where the launch says.
constexpr GemmKernel warpgroup(std::string_view name,
                               std::array<std::array<std::string_view, 2>, 2> entries,
                               Dtype operand, Dtype result, int bm, int bn, int stages,
                               unsigned short down, double efficiency) {
  return {.name = name,
          .unit = entries[0][1].substr(5),  // gemm_UNIT
          .entries = entries,
          .operand = operand,
          .result = result,
          .compute_major = 9,
          .bm = bm,
          .bn = bn,
          .bk = kHopperBK,
          .stages = stages,
          .threads = bm * 2 + 128,
          .dynamic_shared_bytes = shared_bytes(stages, (bm + bn) * kHopperBK * 2, bm),
          .cluster = down == 0 ? TileCluster{} : TileCluster{down, 1},
          .takes_clusters = down == 0,
          .persistent = true,
          .keeps_rounds = true,
          .most_parts_in_cluster = down <= 1 ? kMostClusterTiles : 1,
          .most_extent = kMostExtent,
          .takes_pointers = false,
          .alignment = 16,
          .preparation = Preparation::kRestride,
          .box_a = {bm, kHopperBK},
          .box_b = {bn, kHopperBK},
          .overlaps_previous = true,
          .pipe = operand == Dtype::kF16 ? Pipe::kTensorF16 : Pipe::kTensorBF16,
          .efficiency = efficiency,
          .efficiency_alone = efficiency,
          .overhead = bm >= 128 && bn >= 128 ? 1.5 : 0};  // as measured beside the smaller tiles
}

// The same that has a kernel for all of C in boxes, of up to so many stages: more for C in f32 alone, as they gain nothing else
// (docs/lab/gpu_gemm.md).
constexpr GemmKernel in_boxes(GemmKernel kernel, std::string_view entry, int most_stages) {
  kernel.boxes_entry = entry;
  if (most_stages == kernel.stages) return kernel;
  if (kernel.result == Dtype::kF32) kernel.boxes_stages = most_stages;
  const int stage_bytes = (kernel.bm + kernel.bn) * kHopperBK * 2;
  kernel.dynamic_shared_bytes =
      std::max(kernel.dynamic_shared_bytes, shared_bytes(most_stages, stage_bytes, kernel.bm / 2));
  return kernel;
}

// The same where warpgroups take turns.
constexpr GemmKernel in_turns(GemmKernel kernel) {
  kernel.splits = false;
  kernel.most_parts_in_cluster = 1;
  kernel.hides_result = true;
  return kernel;
}

// k from which on those of one kernel for all widths, of C and of Cᵀ in f32, are ahead of others: of shorter ones they lost,
// measured, whatever tiles they made, as each jump of the switch between widths waits for code (docs/lab/gpu_gemm.md).
inline constexpr std::int64_t kLeastDeepK = 2048;
inline constexpr std::int64_t kLeastTurnsK = 512;  // the same of those of Cᵀ in turns

// Whose kernels a width's are: of one for all widths, or its own, by warpgroups that share tiles or by some in turns.
enum class Widths { kInOne, kOwn, kInTurns };

// Tiles of any width (any_width.hpp), with C in f32 or in the type of A and B.
struct AnyWidth {
  std::string_view type, suffix;
  Dtype operand;
  int bm, most;
  Widths kind;
  bool transposes;

  [[nodiscard]] constexpr bool has(int columns) const {
    switch (kind) {
      case Widths::kInTurns: return has_width_in_turns(columns);
      case Widths::kOwn: return has_own_width(columns);
      case Widths::kInOne: break;
    }
    return transposes ? has_width(columns, most) : has_width_of_c(columns, most);
  }
  // Whether B may lie across k.
  [[nodiscard]] constexpr bool reads_across(int columns) const {
    return kind == Widths::kOwn && has_own_width_across(columns);
  }
};
#define TILEWISE_ANY_WIDTHS(type, dtype)                                                     \
  AnyWidth{type, "_swapped", dtype, 128, 256, Widths::kInOne, true},                         \
      AnyWidth{type, "_swapped", dtype, 192, widest_in_one(192, 192), Widths::kInOne, true}, \
      AnyWidth{type, "_swapped", dtype, kOwnRows, kMostOwnWidth, Widths::kOwn, true},        \
      AnyWidth{type, "_swapped", dtype, 256, 128, Widths::kInOne, true},                     \
      AnyWidth{type, "", dtype, 128, 256, Widths::kInOne, false}, AnyWidth {                 \
    type, "_turns_swapped", dtype, 128, kMostTurnsWidth, Widths::kInTurns, true              \
  }
inline constexpr std::array kAnyWidths{TILEWISE_ANY_WIDTHS("bf16", Dtype::kBF16),
                                       TILEWISE_ANY_WIDTHS("f16", Dtype::kF16)};

// Calls `with` with the kernel, the width, the next narrower one or 0, and whether C is f32, for each width that
// `has(kernel, width)` and for each of `kernels`.
template <class Kernels, class Has, class With>
constexpr void for_all_widths(const Kernels& kernels, const Has& has, const With& with) {
  constexpr int kMost = 256;  // columns of wgmma
  for (const auto& kernel : kernels) {
    for (const bool to_f32 : {false, true}) {
      int narrower = 0;
      for (int columns = 8; columns <= kMost; columns += 8) {
        if (!has(kernel, columns)) continue;
        with(kernel, columns, narrower, to_f32);
        narrower = columns;
      }
    }
  }
}
template <class With> constexpr void for_all_widths(const With& with) {
  for_all_widths(
      kAnyWidths, [](const AnyWidth& kernel, int columns) { return kernel.has(columns); }, with);
}
inline constexpr std::size_t kAnyWidthEntries = [] {
  std::size_t count = 0;
  for_all_widths([&](const AnyWidth&, int, int, bool) { ++count; });
  return count;
}();

// "warpgroup_bf16_128x136_swapped": rows by columns of the tile, "swapped" of Cᵀ.
struct KernelName {
  std::array<char, 64> characters{};
  std::size_t length = 0;

  constexpr void add(std::string_view text) {
    for (const char c : text) characters.at(length++) = c;
  }
  constexpr void add(int number) {
    int power = 1;
    while (number / power >= 10) power *= 10;
    for (; power > 0; power /= 10)
      characters.at(length++) = static_cast<char>('0' + number / power % 10);
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), length}; }
};
// The file that a width's kernels are in, and these by the orders of A and B, as in GemmKernel: "warpgroup_bf16_192xany_swapped"
// and "gemm_warpgroup_bf16_192xany_swapped".
struct WidthImage {
  KernelName unit;
  std::array<std::array<KernelName, 2>, 2> entries;
};
constexpr std::string_view file_of_width(Widths kind, int columns) {
  switch (kind) {
    case Widths::kInTurns: return columns <= 128 ? "80_to_128" : "144_to_192";
    case Widths::kOwn: return "96_to_192";
    case Widths::kInOne: break;
  }
  return "any";
}
inline constexpr std::array<WidthImage, kAnyWidthEntries> kWidthImages = [] {
  std::array<WidthImage, kAnyWidthEntries> images;
  std::size_t i = 0;
  for_all_widths([&](const AnyWidth& of, int columns, int, bool) {
    WidthImage& image = images.at(i++);
    const auto begin = [&](KernelName& name) {
      name.add("warpgroup_"), name.add(of.type), name.add("_"), name.add(of.bm), name.add("x");
    };
    const std::string_view file = file_of_width(of.kind, columns);
    begin(image.unit), image.unit.add(file), image.unit.add(of.suffix);
    const auto add = [&](std::size_t a, std::size_t b, std::string_view order) {
      KernelName& entry = image.entries.at(a).at(b);
      entry.add("gemm_"), begin(entry);
      if (of.kind == Widths::kInOne) entry.add(file);
      else entry.add(columns);
      entry.add(of.suffix), entry.add(order);
    };
    add(0, 1, ""), add(1, 1, "");
    if (of.reads_across(columns)) add(0, 0, "_across");
  });
  return images;
}();
inline constexpr std::array<KernelName, kAnyWidthEntries> kAnyWidthNames = [] {
  std::array<KernelName, kAnyWidthEntries> names;
  std::size_t i = 0;
  for_all_widths([&](const AnyWidth& kernel, int columns, int, bool to_f32) {
    KernelName& name = names.at(i++);
    name.add("warpgroup_"), name.add(kernel.type), name.add("_"), name.add(kernel.bm);
    name.add("x"), name.add(columns), name.add(kernel.suffix);
    if (to_f32) name.add("_to_f32");
  });
  return names;
}();

// Of the tensor cores' peak, by two warpgroups or three, or by two in turns; between widths that were measured. (Four are
// taken for three.) C in 16 bits is turned round in shared memory, which takes longer at the end of a tile and less beside it.
constexpr double efficiency_of_width(const AnyWidth& of, int columns, bool to_f32) {
  struct Measured {
    int columns;
    double efficiency;
  };
  constexpr std::array kOfTwo{Measured{24, 0.22}, Measured{80, 0.50}, Measured{144, 0.67},
                              Measured{256, 0.70}};
  constexpr std::array kOfTwoToHalves{Measured{24, 0.22}, Measured{80, 0.53}, Measured{144, 0.71},
                                      Measured{256, 0.745}};
  constexpr std::array kOfThree{Measured{64, 0.50}, Measured{112, 0.59}, Measured{144, 0.74},
                                Measured{256, 0.74}};
  constexpr std::array kOwn{Measured{96, 0.70}, Measured{128, 0.75}, Measured{160, 0.77},
                            Measured{192, 0.79}};
  constexpr std::array kInTurns{Measured{80, 0.52}, Measured{112, 0.72}, Measured{144, 0.80},
                                Measured{192, 0.78}};
  constexpr std::array kOfC{Measured{72, 0.61}, Measured{128, 0.73}, Measured{192, 0.765},
                            Measured{256, 0.77}};
  const std::array<Measured, 4>& measured = of.kind == Widths::kInTurns ? kInTurns
                                            : of.kind == Widths::kOwn   ? kOwn
                                            : !of.transposes            ? kOfC
                                            : of.bm > 128               ? kOfThree
                                            : to_f32                    ? kOfTwo
                                                                        : kOfTwoToHalves;
  for (std::size_t i = 1; i < measured.size(); ++i) {
    const Measured &from = measured.at(i - 1), &to = measured.at(i);
    if (columns > to.columns) continue;
    return from.efficiency + (to.efficiency - from.efficiency) * (columns - from.columns) /
                                 (to.columns - from.columns);
  }
  return measured.back().efficiency;
}

inline constexpr std::array<GemmKernel, kAnyWidthEntries> kAnyWidthKernels = [] {
  std::array<GemmKernel, kAnyWidthEntries> all;
  std::size_t i = 0;
  for_all_widths([&](const AnyWidth& of, int columns, int narrower, bool to_f32) {
    const WidthImage& image = kWidthImages.at(i);
    std::array<std::array<std::string_view, 2>, 2> entries;
    for (const std::size_t a : {0, 1})
      for (const std::size_t b : {0, 1}) entries.at(a).at(b) = image.entries.at(a).at(b).view();
    GemmKernel kernel = warpgroup(
        kAnyWidthNames.at(i).view(), entries, of.operand, to_f32 ? Dtype::kF32 : of.operand, of.bm,
        columns, stages_of_width(of.bm, columns), of.kind == Widths::kInTurns ? 1 : 0,
        efficiency_of_width(of, columns, to_f32));
    kernel.unit = image.unit.view();
    const bool is_in_turns = of.kind == Widths::kInTurns;
    if (is_in_turns) kernel = in_turns(kernel);
    else kernel.dynamic_shared_bytes = shared_bytes(0, 0, of.bm) + ring_halves(of.bm) * 2;
    kernel.transposes_result = of.transposes;
    // Of those that have kernels of their own the narrowest is not for what others do in one.
    kernel.narrower = narrower > 0              ? narrower
                      : is_in_turns             ? kLeastTurnsWidth - 8
                      : of.kind == Widths::kOwn ? kLeastOwnWidth - 8
                                                : 0;
    if (of.reads_across(columns) && columns > kLeastOwnWidth)
      kernel.narrower_across = kLeastOwnWidth;
    kernel.overhead = of.bm == 128 && columns > 64 ? 0 : 2;
    // Below zero: fitted together with efficiency_of_width(), to estimates that are else those of code with more jumps.
    if (is_in_turns) kernel.overhead = -1.5, kernel.least_k = kLeastTurnsK;
    else if (of.kind == Widths::kOwn) kernel.overhead = 0;
    else if (!of.transposes) kernel.overhead = 2.5, kernel.least_k = kLeastDeepK;
    else if (!to_f32 && columns > 64) kernel.overhead += of.bm == 128 ? 3.5 : 1.5;
    else if (columns > 64) kernel.least_k = kLeastDeepK;
    kernel.is_planned = of.bm < 256;  // by four warpgroups nothing was seen to be faster
    all.at(i++) = kernel;
  });
  return all;
}();

}  // namespace tilewise::kernels
