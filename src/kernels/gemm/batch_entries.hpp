// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's entries of batches of small products (batch.cuh). For catalogue.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/gemm/any_width_entries.hpp"
#include "kernels/gemm/catalogue.hpp"
#include "kernels/gemm/raw_slab.hpp"

namespace tilewise::kernels {

// As gemm::batch::Tile has it. `blocks_per_sm`: what launch bounds and shared memory allow.
struct BatchTile {
  int bm, bn, bk, team, stages, blocks_per_sm;
};
inline constexpr int kLeastBatchWarps = 4;  // of a block

// Bytes of a team in shared memory: gemm::batch::Room.
constexpr int batch_team_bytes(const BatchTile& tile, int element, bool a_along_k, bool b_along_k) {
  const auto slab = [&](int lines, bool along_k) {
    const int rows = along_k ? lines : tile.bk, width = along_k ? tile.bk : lines;
    return raw_slab_bytes(rows, width * element);
  };
  const int stages = tile.stages * (slab(tile.bm, a_along_k) + slab(tile.bn, b_along_k));
  const int straight = tile.team > 1 ? (tile.bm + tile.bn) * tile.bk * element : 0;
  return std::max(stages, tile.bm * (tile.bn + 8) * (element == 8 ? 8 : 4)) + straight;
}

constexpr GemmKernel batch(std::string_view name, std::string_view unit,
                           std::array<std::array<std::string_view, 2>, 2> entries, Dtype operand,
                           Dtype result, bool is_swapped, const BatchTile& tile) {
  const int element = operand == Dtype::kF64 ? 8 : operand == Dtype::kF32 ? 4 : 2;
  int team = 0;  // of the order that takes most
  for (const bool a : {false, true})
    for (const bool b : {false, true}) team = std::max(team, batch_team_bytes(tile, element, a, b));
  const int warps = std::max(tile.team, kLeastBatchWarps), teams = warps / tile.team;
  return {.name = name,
          .unit = unit,
          .entries = entries,
          .operand = operand,
          .result = result,
          .bm = tile.bm,
          .bn = tile.bn,
          .bk = tile.bk,
          .stages = tile.stages,
          .threads = warps * 32,
          .dynamic_shared_bytes = teams * team,
          .blocks_per_sm = tile.blocks_per_sm,
          .tiles_of_block = teams,
          .copies_partly = true,
          .splits = false,
          .most_extent = kMostExtent,
          .transposes_result = is_swapped,
          .overlaps_previous = true,
          .pipe = operand == Dtype::kF32   ? Pipe::kF32
                  : operand == Dtype::kF64 ? Pipe::kF64
                  : operand == Dtype::kF16 ? Pipe::kMmaF16
                                           : Pipe::kMmaBF16};
}
#define TILEWISE_BATCH_NAMED(name, type, tile, operand, result, is_swapped, ...)    \
  batch(name, "batch_" type,                                                        \
        {{{"gemm_batch_" type "_" tile "_xx", "gemm_batch_" type "_" tile "_xk"},   \
          {"gemm_batch_" type "_" tile "_kx", "gemm_batch_" type "_" tile "_kk"}}}, \
        operand, result, is_swapped, BatchTile{__VA_ARGS__})
#define TILEWISE_BATCH_TILE(type, tile, suffix, operand, result, ...)                     \
  TILEWISE_BATCH_NAMED("batch_" type "_" tile suffix, type, tile, operand, result, false, \
                       __VA_ARGS__)
// Of few columns of C, and of few rows.
#define TILEWISE_BATCH_BOTH_WAYS(type, tile, suffix, operand, result, ...)                   \
  TILEWISE_BATCH_TILE(type, tile, suffix, operand, result, __VA_ARGS__),                     \
      TILEWISE_BATCH_NAMED("batch_" type "_" tile suffix "_transposed", type, tile, operand, \
                           result, true, __VA_ARGS__)
#define TILEWISE_BATCH_TILES_16BIT(type, suffix, operand, result)                           \
  TILEWISE_BATCH_TILE(type, "16x16", suffix, operand, result, 16, 16, 32, 1, 2, 7),         \
      TILEWISE_BATCH_TILE(type, "32x32", suffix, operand, result, 32, 32, 32, 1, 2, 3),     \
      TILEWISE_BATCH_TILE(type, "64x64", suffix, operand, result, 64, 64, 32, 4, 4, 4),     \
      TILEWISE_BATCH_TILE(type, "128x128", suffix, operand, result, 128, 128, 64, 8, 2, 2), \
      TILEWISE_BATCH_BOTH_WAYS(type, "64x8", suffix, operand, result, 64, 8, 64, 1, 2, 2)
#define TILEWISE_BATCH_TILES                                                                     \
  TILEWISE_BATCH_TILES_16BIT("bf16", "", Dtype::kBF16, Dtype::kBF16),                            \
      TILEWISE_BATCH_TILES_16BIT("bf16", "_to_f32", Dtype::kBF16, Dtype::kF32),                  \
      TILEWISE_BATCH_TILES_16BIT("f16", "", Dtype::kF16, Dtype::kF16),                           \
      TILEWISE_BATCH_TILES_16BIT("f16", "_to_f32", Dtype::kF16, Dtype::kF32),                    \
      TILEWISE_BATCH_TILE("f32", "8x8", "", Dtype::kF32, Dtype::kF32, 8, 8, 8, 1, 2, 8),         \
      TILEWISE_BATCH_TILE("f32", "16x16", "", Dtype::kF32, Dtype::kF32, 16, 16, 16, 1, 2, 7),    \
      TILEWISE_BATCH_TILE("f32", "32x32", "", Dtype::kF32, Dtype::kF32, 32, 32, 16, 1, 2, 3),    \
      TILEWISE_BATCH_BOTH_WAYS("f32", "32x8", "", Dtype::kF32, Dtype::kF32, 32, 8, 32, 1, 2, 4), \
      TILEWISE_BATCH_TILE("f64", "8x8", "", Dtype::kF64, Dtype::kF64, 8, 8, 8, 1, 2, 8),         \
      TILEWISE_BATCH_TILE("f64", "16x16", "", Dtype::kF64, Dtype::kF64, 16, 16, 16, 1, 2, 6)

}  // namespace tilewise::kernels
