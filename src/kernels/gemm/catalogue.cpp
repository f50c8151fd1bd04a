// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/catalogue.hpp"

#include <algorithm>

#include "kernels/gemm/any_width_entries.hpp"
#include "kernels/gemm/batch_entries.hpp"
#include "kernels/gemm/four_orders.hpp"
#include "kernels/gemm/outer_entries.hpp"
#include "kernels/gemm/single_entries.hpp"
#include "kernels/gemm/small_entries.hpp"
#include "kernels/gemm/strip_entries.hpp"
#include "kernels/gemm/tall_entries.hpp"

namespace tilewise::kernels {
namespace {

#define TILEWISE_WARPGROUP_NAMED(type, dtype, name, suffix, result, ...) \
  warpgroup("warpgroup_" type "_" name suffix,                           \
            TILEWISE_ANY_ORDER("gemm_warpgroup_" type "_" name), dtype, result, __VA_ARGS__)
#define TILEWISE_WARPGROUP(type, dtype, suffix, result, bm, bn, stages, down, efficiency)  \
  TILEWISE_WARPGROUP_NAMED(type, dtype, #bm "x" #bn, suffix, result, bm, bn, stages, down, \
                           efficiency)
#define TILEWISE_WARPGROUP_TURNS(type, dtype, suffix, result, bm, bn, stages, most_stages, down, \
                                 efficiency)                                                     \
  in_turns(in_boxes(TILEWISE_WARPGROUP_NAMED(type, dtype, #bm "x" #bn "_turns", suffix, result,  \
                                             bm, bn, stages, down, efficiency),                  \
                    "gemm_warpgroup_" type "_" #bm "x" #bn "_turns_boxes", most_stages))
// With C in f32 or in the type of A and B.
#define TILEWISE_WARPGROUP_TILES(type, dtype, suffix, result)                          \
  TILEWISE_WARPGROUP(type, dtype, suffix, result, 128, 256, 4, 2, 0.785),              \
      TILEWISE_WARPGROUP(type, dtype, suffix, result, 128, 192, 4, 1, 0.78),           \
      TILEWISE_WARPGROUP(type, dtype, suffix, result, 192, 128, 4, 2, 0.78),           \
      TILEWISE_WARPGROUP_TURNS(type, dtype, suffix, result, 128, 128, 6, 6, 1, 0.815), \
      TILEWISE_WARPGROUP_TURNS(type, dtype, suffix, result, 128, 192, 4, 5, 1, 0.81),  \
      TILEWISE_WARPGROUP(type, dtype, suffix, result, 128, 128, 6, 0, 0.76),           \
      TILEWISE_WARPGROUP(type, dtype, suffix, result, 64, 128, 8, 0, 0.55),            \
      TILEWISE_WARPGROUP(type, dtype, suffix, result, 128, 64, 8, 0, 0.63),            \
      TILEWISE_WARPGROUP(type, dtype, suffix, result, 64, 64, 12, 0, 0.40)

// A tile for every GPU from sm_80 on, of f16 or bf16 (mma_16bit.cuh) or f32 in tf32 (mma_tf32.cuh).
struct MmaShape {
  int bm, bn, bk, stages, threads, blocks_per_sm;
  double efficiency, efficiency_alone;
};
constexpr GemmKernel mma(std::string_view name,
                         std::array<std::array<std::string_view, 2>, 2> entries, Dtype operand,
                         Dtype result, const MmaShape& shape) {
  const bool is_f32 = operand == Dtype::kF32;
  return {
      .name = name,
      .unit = entries[0][0].substr(5, entries[0][0].size() - 8),  // gemm_UNIT_xx
      .entries = entries,
      .operand = operand,
      .result = result,
      .mode = is_f32 ? ComputeMode::kTf32 : ComputeMode::kIeee,
      .bm = shape.bm,
      .bn = shape.bn,
      .bk = shape.bk,
      .stages = shape.stages,
      .threads = shape.threads,
      .dynamic_shared_bytes = shape.stages * (shape.bm + shape.bn) * shape.bk * (is_f32 ? 4 : 2),
      .blocks_per_sm = shape.blocks_per_sm,
      .yields_to_hopper = !is_f32,
      .alignment = 16,
      .preparation = Preparation::kRestride,
      .overlaps_previous = true,
      .pipe = is_f32                   ? Pipe::kMmaTF32
              : operand == Dtype::kF16 ? Pipe::kMmaF16
                                       : Pipe::kMmaBF16,
      .efficiency = shape.efficiency,
      .efficiency_alone = shape.efficiency_alone};
}
// Efficiencies are those on an H200. The largest tile of f16 and bf16 needs more shared memory than GPUs have that hold
// 100 KB a multiprocessor; those reach their slower tensor cores' peak with smaller ones.
constexpr MmaShape kMma128x256{128, 256, 64, 3, 256, 1, 0.70, 0.70},
    kMma128x128{128, 128, 32, 4, 128, 2, 0.65, 0.52}, kMma64x64{64, 64, 64, 3, 128, 4, 0.46, 0.25};
constexpr MmaShape kMmaTf32128x256{128, 256, 32, 2, 256, 1, 0.55, 0.55},
    kMmaTf3264x64{64, 64, 32, 3, 128, 4, 0.36, 0.24};
constexpr MmaShape kMmaAccurate128x128{128, 128, 32, 3, 256, 1, 0.60, 0.60},
    kMmaAccurate64x64{64, 64, 32, 3, 128, 3, 0.59, 0.30};
#define TILEWISE_MMA(type, tile, suffix, operand, result, shape)                             \
  mma("mma_" type "_" tile suffix, TILEWISE_FOUR_ORDERS("gemm_mma_" type "_" tile), operand, \
      result, shape)
#define TILEWISE_MMA_TILES(type, suffix, operand, result)                  \
  TILEWISE_MMA(type, "128x256", suffix, operand, result, kMma128x256),     \
      TILEWISE_MMA(type, "128x128", suffix, operand, result, kMma128x128), \
      TILEWISE_MMA(type, "64x64", suffix, operand, result, kMma64x64)

// A tile of accurate f32 for Hopper (warpgroup_accurate.cuh).
constexpr GemmKernel accurate(std::string_view name, std::string_view entry, int bm, int bn,
                              int stages, unsigned short down, double efficiency) {
  return {.name = name,
          .unit = "warpgroup_accurate_f32",
          .entries = {{{entry, entry}, {entry, entry}}},
          .mode = ComputeMode::kAccurate,
          .compute_major = 9,
          .bm = bm,
          .bn = bn,
          .bk = kHopperBK,
          .stages = stages,
          .threads = bm * 2 + 128,
          .dynamic_shared_bytes = shared_bytes(stages, (bm + bn) * kHopperBK * 4, bm),
          .cluster = {down, 1},
          .persistent = true,
          .keeps_rounds = true,
          .most_parts_in_cluster = down == 1 ? kMostClusterTiles : 1,
          .most_extent = kMostExtent,
          .preparation = Preparation::kPairs,
          .box_a = {bm, kHopperBK},
          .box_b = {bn, kHopperBK},
          .overlaps_previous = true,
          .pipe = Pipe::kTensorF16,
          .products = 3,
          .efficiency = efficiency,
          .efficiency_alone = efficiency};
}

// The same where A is large and read as it is or, exchanged, B (warpgroup_raw.cuh).
constexpr GemmKernel raw(std::string_view name, std::string_view along, std::string_view across,
                         int bn, int stages, bool exchanges, double efficiency) {
  GemmKernel kernel = accurate(name, along, 128, bn, stages, 1, efficiency);
  kernel.unit = along.substr(5, along.size() - 7);  // gemm_UNIT_k
  kernel.entries = {{{across, across}, {along, along}}};
  kernel.alignment = 16;
  kernel.preparation = Preparation::kPairsOfB;
  kernel.transposes_result = exchanges;
  kernel.overhead = 2;
  return kernel;
}
#define TILEWISE_RAW(bn, stages, efficiency)                                        \
  raw("accurate_f32_128x" #bn "_raw_a", "gemm_warpgroup_raw_f32_128x" #bn "_k",     \
      "gemm_warpgroup_raw_f32_128x" #bn "_x", bn, stages, false, efficiency),       \
      raw("accurate_f32_128x" #bn "_raw_b", "gemm_warpgroup_raw_f32_128x" #bn "_k", \
          "gemm_warpgroup_raw_f32_128x" #bn "_x", bn, stages, true, efficiency)

// A tile of accurate f32 without a pass before (warpgroup_pairs.cuh).
constexpr GemmKernel pairs_of_tf32(std::string_view name, std::string_view unit,
                                   std::array<std::array<std::string_view, 2>, 2> entries, int bn,
                                   bool transposed, double efficiency) {
  constexpr int kBM = 64, kBK = 32, kTeams = 4, kStages = 12, kLine = kBK * 4;
  constexpr int kRoom = 16384, kBarriers = 1024;  // PairsRoom, and what else PairsShared ends with
  return {.name = name,
          .unit = unit,
          .entries = entries,
          .mode = ComputeMode::kAccurate,
          .compute_major = 9,
          .bm = kBM,
          .bn = bn,
          .bk = kBK,
          .steps_together = kTeams,
          .stages = kStages,
          .threads = (kTeams + 1) * 128,
          .dynamic_shared_bytes = kStages * (kBM + bn) * kLine + kTeams * kRoom + kBarriers,
          .persistent = true,
          .streams = false,
          .most_extent = kMostExtent,
          .takes_pointers = false,
          .alignment = 16,
          .preparation = Preparation::kRestride,
          .transposes_result = transposed,
          .box_a = {kBM, kBK},
          .box_b = {bn, kBK},
          .shows_ends = true,
          .overlaps_previous = true,
          .pipe = Pipe::kTensorTF32,
          .products = 3,
          .efficiency = efficiency,
          .efficiency_alone = efficiency,
          .overhead = 1.5};
}
// Of 64×16 only for B along k. Where exchanged ones, which come first, would do as well as others, they are the faster.
constexpr std::array<std::array<std::string_view, 2>, 2> kPairs16{
    {{"", "gemm_warpgroup_pairs_f32_64x16_xk"}, {"", "gemm_warpgroup_pairs_f32_64x16_kk"}}};
#define TILEWISE_PAIRS_OF_TF32(suffix, transposed)                                           \
  pairs_of_tf32("accurate_f32_64x16_tf32" suffix, "warpgroup_pairs_f32_64x16", kPairs16, 16, \
                transposed, 0.2),                                                            \
      pairs_of_tf32("accurate_f32_64x32_tf32" suffix, "warpgroup_pairs_f32_64x32",           \
                    TILEWISE_FOUR_ORDERS("gemm_warpgroup_pairs_f32_64x32"), 32, transposed, 0.325)

// The same for every GPU from sm_80 on (mma_accurate.cuh).
constexpr GemmKernel mma_accurate(std::string_view name, std::string_view entry,
                                  const MmaShape& shape) {
  GemmKernel kernel =
      mma(name, {{{entry, entry}, {entry, entry}}}, Dtype::kF32, Dtype::kF32, shape);
  kernel.unit = entry.substr(5);  // gemm_UNIT
  kernel.mode = ComputeMode::kAccurate;
  kernel.yields_to_hopper = true;
  kernel.most_extent = kMostExtent;
  kernel.alignment = 0;
  kernel.preparation = Preparation::kPairs;
  kernel.pipe = Pipe::kMmaF16;
  kernel.products = 3;
  return kernel;
}
#define TILEWISE_MMA_ACCURATE(tile, shape) \
  mma_accurate("mma_accurate_f32_" tile, "gemm_mma_accurate_f32_" tile, shape)

// A tile of f64 for Hopper (hopper_f64.cuh).
constexpr GemmKernel hopper_f64(std::string_view name,
                                std::array<std::array<std::string_view, 2>, 2> entries, int bm,
                                int bn, int bk, int stages, int threads, int blocks,
                                double efficiency, double efficiency_alone) {
  return {.name = name,
          .unit = name,
          .entries = entries,
          .operand = Dtype::kF64,
          .result = Dtype::kF64,
          .compute_major = 9,
          .bm = bm,
          .bn = bn,
          .bk = bk,
          .stages = stages,
          .threads = threads,
          .dynamic_shared_bytes = stages * (bm + bn) * bk * 8 + 1024,  // barriers behind the stages
          .blocks_per_sm = blocks,
          .persistent = true,
          // Two blocks of a multiprocessor would end their tiles at one time, and store while
          // nobody multiplies.
          .keeps_rounds = blocks == 1,
          .most_parts_in_cluster = kMostClusterTiles,
          .most_extent = kMostExtent,
          .takes_pointers = false,
          .alignment = 16,
          .preparation = Preparation::kRestride,
          .box_a = {bm, bk},
          .box_b = {bn, bk},
          .overlaps_previous = true,
          .pipe = Pipe::kTensorF64,
          .efficiency = efficiency,
          .efficiency_alone = efficiency_alone,
          .overhead = bm < 64 && bn < 64 ? 1.0 : 0};  // all rows of 256 bytes
}
#define TILEWISE_HOPPER_F64(tile, ...) \
  hopper_f64("hopper_f64_" tile, TILEWISE_FOUR_ORDERS("gemm_hopper_f64_" tile), __VA_ARGS__)
// One that reads A and B without tensor maps, so that it takes them as they are.
constexpr GemmKernel of_any_alignment(GemmKernel kernel) {
  kernel.keeps_rounds = false;
  kernel.takes_pointers = true;
  kernel.alignment = 0;
  kernel.preparation = Preparation::kNone;
  kernel.box_a = kernel.box_b = {};
  return kernel;
}

// f64 of small sizes for Hopper (hopper_f64_small.cuh).
constexpr GemmKernel small_f64(std::string_view name,
                               std::array<std::array<std::string_view, 2>, 2> entries, int bm,
                               int bn) {
  return {.name = name,
          .unit = "hopper_f64_small",
          .entries = entries,
          .operand = Dtype::kF64,
          .result = Dtype::kF64,
          .compute_major = 9,
          .bm = bm,
          .bn = bn,
          .bk = 128,
          .stages = 1,
          .threads = 256,
          .blocks_per_sm = bm == 16 ? 2 : 1,
          .splits = false,
          .overlaps_previous = true,
          .pipe = Pipe::kTensorF64,
          .efficiency = 0.2,
          .efficiency_alone = 0.2,
          .overhead = -0.3};  // no maps and no stages
}
#define TILEWISE_SMALL_F64(tile, bm, bn) \
  small_f64("hopper_f64_small_" tile, TILEWISE_FOUR_ORDERS("gemm_hopper_f64_small_" tile), bm, bn)

#define TILEWISE_SMALL_F32(tile, ...) \
  small_f32("simt_f32_small_" tile, TILEWISE_FOUR_ORDERS("gemm_simt_f32_small_" tile), __VA_ARGS__)

// A tile of f32 by teams of warps (simt_f32_teams.cuh), which leave each other all sums but their own share.
constexpr GemmKernel teams(std::string_view name,
                           std::array<std::array<std::string_view, 2>, 2> entries, int bm, int bn,
                           int down, double efficiency, int alignment) {
  return {.name = name,
          .unit = name,
          .entries = entries,
          .bm = bm,
          .bn = bn,
          .bk = 8,
          .steps_together = down,
          .stages = 2,
          .threads = 256,
          .dynamic_shared_bytes = (down - 1) * bm * bn * 4,
          .alignment = alignment,
          .preparation = alignment > 0 ? Preparation::kRestride : Preparation::kNone,
          .overlaps_previous = true,
          .efficiency = efficiency,
          .efficiency_alone = efficiency,
          .overhead = 3};
}
#define TILEWISE_TEAMS(tile, ...) \
  teams("simt_f32_" tile, TILEWISE_FOUR_ORDERS("gemm_simt_f32_" tile), __VA_ARGS__)

// By one team, two blocks a multiprocessor; shared memory is for a tile of C that is not aligned.
constexpr GemmKernel one_team(std::string_view name,
                              std::array<std::array<std::string_view, 2>, 2> entries, int bm,
                              int bn, double efficiency, double efficiency_alone, int alignment) {
  GemmKernel kernel = teams(name, entries, bm, bn, 1, efficiency, alignment);
  kernel.threads = 128;
  kernel.blocks_per_sm = 2;
  kernel.dynamic_shared_bytes = bm * bn * 4;
  kernel.efficiency_alone = efficiency_alone;
  kernel.overhead = 1;
  return kernel;
}
#define TILEWISE_ONE_TEAM(tile, ...) \
  one_team("simt_f32_" tile, TILEWISE_FOUR_ORDERS("gemm_simt_f32_" tile), __VA_ARGS__)

#define TILEWISE_SMALL_16BIT(type, suffix, operand, result)                    \
  small_16bit("mma_" type "_small_16x32_aligned" suffix, "mma_" type "_small", \
              TILEWISE_FOUR_ORDERS("gemm_mma_" type "_small_16x32_aligned"), operand, result)

constexpr std::array kOtherKernels{
    TILEWISE_STRIP_OF_FLOATS("32x8", kStripFloats8, 8, 0.30),
    TILEWISE_STRIP_OF_FLOATS("32x16", kStripFloats16, 16, 0.38),
    TILEWISE_STRIP_OF_FLOATS("64x32", kStripFloats32, 1024, 0.52),
    TILEWISE_STRIP_OF_PAIRS("", false),
    TILEWISE_STRIP_OF_PAIRS("_transposed", true),
    TILEWISE_STRIP_ANY_BOTH_WAYS("f32", "32x16", Dtype::kF32, "", Dtype::kF32, kStripAnyFloats16,
                                 16),
    TILEWISE_STRIPS_ANY("bf16", Dtype::kBF16, "", Dtype::kBF16),
    TILEWISE_STRIPS_ANY("bf16", Dtype::kBF16, "_to_f32", Dtype::kF32),
    TILEWISE_STRIPS_ANY("f16", Dtype::kF16, "", Dtype::kF16),
    TILEWISE_STRIPS_ANY("f16", Dtype::kF16, "_to_f32", Dtype::kF32),
    TILEWISE_STRIPS_OF_HALVES("bf16", Dtype::kBF16, "", Dtype::kBF16),
    TILEWISE_STRIPS_OF_HALVES("bf16", Dtype::kBF16, "_to_f32", Dtype::kF32),
    TILEWISE_STRIPS_OF_HALVES("f16", Dtype::kF16, "", Dtype::kF16),
    TILEWISE_STRIPS_OF_HALVES("f16", Dtype::kF16, "_to_f32", Dtype::kF32),
    TILEWISE_THIN("f32", 1, "", Dtype::kF32, Dtype::kF32),
    TILEWISE_THIN("f32", 4, "", Dtype::kF32, Dtype::kF32),
    TILEWISE_THIN("f32", 8, "", Dtype::kF32, Dtype::kF32),
    TILEWISE_TALL("bf16", "", Dtype::kBF16, Dtype::kBF16),
    TILEWISE_TALL("bf16", "_to_f32", Dtype::kBF16, Dtype::kF32),
    TILEWISE_TALL("f16", "", Dtype::kF16, Dtype::kF16),
    TILEWISE_TALL("f16", "_to_f32", Dtype::kF16, Dtype::kF32),
    TILEWISE_THIN_16BIT("bf16", "", Dtype::kBF16, Dtype::kBF16),
    TILEWISE_THIN_16BIT("bf16", "_to_f32", Dtype::kBF16, Dtype::kF32),
    TILEWISE_THIN_16BIT("f16", "", Dtype::kF16, Dtype::kF16),
    TILEWISE_THIN_16BIT("f16", "_to_f32", Dtype::kF16, Dtype::kF32),
    small_f32("simt_f32_small_16x32_aligned", kSmallAcross, 16, 32, 16, 0.42, 0.40),
    small_f32("simt_f32_small_16x32_aligned_along_k", kSmallAlong, 16, 32, 16, 0.36, 0.34),
    TILEWISE_SMALL_F32("16x16_aligned", 16, 16, 16, 0.30, 0.30),
    TILEWISE_SMALL_F32("16x16", 16, 16, 0, 0.28, 0.19),
    TILEWISE_SMALL_16BIT("bf16", "", Dtype::kBF16, Dtype::kBF16),
    TILEWISE_SMALL_16BIT("bf16", "_to_f32", Dtype::kBF16, Dtype::kF32),
    TILEWISE_SMALL_16BIT("f16", "", Dtype::kF16, Dtype::kF16),
    TILEWISE_SMALL_16BIT("f16", "_to_f32", Dtype::kF16, Dtype::kF32),
    accurate("accurate_f32_128x128", "gemm_accurate_f32_128x128", 128, 128, 3, 2, 0.76),
    accurate("accurate_f32_128x64", "gemm_accurate_f32_128x64", 128, 64, 4, 1, 0.59),
    accurate("accurate_f32_64x80", "gemm_accurate_f32_64x80", 64, 80, 5, 1, 0.45),
    TILEWISE_RAW(16, 5, 0.08),
    TILEWISE_RAW(64, 4, 0.32),
    TILEWISE_RAW(128, 3, 0.51),
    TILEWISE_PAIRS_OF_TF32("_transposed", true),
    TILEWISE_PAIRS_OF_TF32("", false),
    TILEWISE_WARPGROUP_TILES("bf16", Dtype::kBF16, "", Dtype::kBF16),
    TILEWISE_WARPGROUP_TILES("bf16", Dtype::kBF16, "_to_f32", Dtype::kF32),
    TILEWISE_WARPGROUP_TILES("f16", Dtype::kF16, "", Dtype::kF16),
    TILEWISE_WARPGROUP_TILES("f16", Dtype::kF16, "_to_f32", Dtype::kF32),
    TILEWISE_MMA_TILES("bf16", "", Dtype::kBF16, Dtype::kBF16),
    TILEWISE_MMA_TILES("bf16", "_to_f32", Dtype::kBF16, Dtype::kF32),
    TILEWISE_MMA_TILES("f16", "", Dtype::kF16, Dtype::kF16),
    TILEWISE_MMA_TILES("f16", "_to_f32", Dtype::kF16, Dtype::kF32),
    TILEWISE_MMA("tf32", "128x256", "", Dtype::kF32, Dtype::kF32, kMmaTf32128x256),
    TILEWISE_MMA("tf32", "64x64", "", Dtype::kF32, Dtype::kF32, kMmaTf3264x64),
    TILEWISE_MMA_ACCURATE("128x128", kMmaAccurate128x128),
    TILEWISE_MMA_ACCURATE("64x64", kMmaAccurate64x64),
    TILEWISE_ONE_TEAM("128x128_team_aligned", 128, 128, 0.818, 0.74, 16),
    TILEWISE_TEAMS("128x128_aligned", 128, 128, 2, 0.825, 16),
    TILEWISE_TEAMS("64x128_aligned", 64, 128, 4, 0.795, 16),
    TILEWISE_TEAMS("128x64_aligned", 128, 64, 4, 0.772, 16),
    TILEWISE_TEAMS("128x128", 128, 128, 2, 0.74, 0),
    TILEWISE_TEAMS("64x128", 64, 128, 4, 0.70, 0),
    TILEWISE_TEAMS("128x64", 128, 64, 4, 0.70, 0),
    GemmKernel{.name = "simt_f32_64x64",
               .unit = "simt_f32_64x64",
               .entries = TILEWISE_FOUR_ORDERS("gemm_simt_f32_64x64"),
               .bm = 64,
               .bn = 64,
               .bk = 16,
               .stages = 3,
               .threads = 128,
               .blocks_per_sm = 4,
               .overlaps_previous = true,
               .efficiency = 0.55,
               .efficiency_alone = 0.3},
    GemmKernel{.name = "simt_f32_32x32",
               .unit = "simt_f32_32x32",
               .entries = TILEWISE_FOUR_ORDERS("gemm_simt_f32_32x32"),
               .bm = 32,
               .bn = 32,
               .bk = 16,
               .stages = 4,
               .threads = 64,
               .blocks_per_sm = 10,
               .overlaps_previous = true,
               .efficiency = 0.4,
               .efficiency_alone = 0.17,
               .overhead = 1.0},
    // Tile, k a stage, stages, threads, blocks a multiprocessor, efficiency with all of them and with one.
    TILEWISE_HOPPER_F64("128x128", 128, 128, 16, 6, 384, 1, 0.855, 0.855),
    TILEWISE_HOPPER_F64("64x64", 64, 64, 32, 3, 256, 2, 0.825, 0.72),
    TILEWISE_HOPPER_F64("32x32", 32, 32, 32, 6, 160, 2, 0.72, 0.33),
    of_any_alignment(TILEWISE_HOPPER_F64("128x128_any", 128, 128, 16, 6, 384, 1, 0.82, 0.82)),
    TILEWISE_SMALL_F64("16x16", 16, 16),
    TILEWISE_HOPPER_F64("16x64", 16, 64, 32, 5, 160, 2, 0.74, 0.42),
    TILEWISE_HOPPER_F64("64x16", 64, 16, 32, 5, 160, 2, 0.74, 0.42),
    GemmKernel{.name = "mma_f64_64x64",
               .unit = "mma_f64_64x64",
               .entries = TILEWISE_FOUR_ORDERS("gemm_mma_f64_64x64"),
               .operand = Dtype::kF64,
               .result = Dtype::kF64,
               .bm = 64,
               .bn = 64,
               .bk = 16,
               .stages = 3,
               .threads = 128,
               .dynamic_shared_bytes = 49152,
               .blocks_per_sm = 3,
               .pipe = Pipe::kTensorF64,
               .efficiency = 0.5,
               .efficiency_alone = 0.3},
    TILEWISE_BATCH_TILES,
    TILEWISE_OUTERS,
};

constexpr auto kKernels = [] {
  std::array<GemmKernel,
             kOtherKernels.size() + kAnyWidthEntries + kSingleEntries + kSingleF64Entries>
      all;
  auto end = std::ranges::copy(kOtherKernels, all.begin()).out;
  end = std::ranges::copy(kAnyWidthKernels, end).out;
  end = std::ranges::copy(kSingleKernels, end).out;
  std::ranges::copy(kSingleF64Kernels, end);
  return all;
}();

}  // namespace

bool takes(const GemmKernel& kernel, const TileCluster& cluster) {
  if (!kernel.takes_clusters) return cluster == kernel.cluster;
  // Lines along k are shared in eights, as they are swizzled.
  return cluster.blocks() <= kMostClusterTiles && kernel.bn % (8 * cluster.down) == 0 &&
         kernel.bm % (8 * cluster.across) == 0;
}

FactorBox shared_box(const GemmKernel& kernel, const FactorBox& box, bool along_k, int parts) {
  if (kernel.takes_clusters && !along_k) return {box.lines, box.k / parts};
  return {box.lines / parts, box.k};
}

std::span<const GemmKernel> gemm_kernels() { return kKernels; }

const GemmKernel* find_gemm_kernel(std::string_view name) {
  const auto found = std::ranges::find(kKernels, name, &GemmKernel::name);
  return found == kKernels.end() ? nullptr : &*found;
}

}  // namespace tilewise::kernels
