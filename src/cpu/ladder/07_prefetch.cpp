// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 07 prefetch: the lines of C and the next rows of packed B are asked for before they are needed
// Why: a tile touches C after its last product only, kTileRows rows far apart that no hardware
// prefetcher foresees: asked for before the first product, they arrive meanwhile. B's panel streams
// from L2; asked for kAhead rows early, a line is in L1 when its turn comes.
// Loads per FMA of a vector: 0.46 as before, and 3 prefetches for 24 FMAs.
// Limit now: the FMA units of one core. Next: the other cores (08 threads).
// Measured: at 1024×1024×1024 with AVX-512: 95 GFLOP/s, as 06 (bench/results/cpu/2026-11-21-ladder-cpu-1024.json);
// at 128×4096×4096, where B comes from memory, 89 against 87 (…-128x4096x4096.json).
#include <algorithm>
#include <memory>

#include "cpu/ladder/product.hpp"
#include "cpu/ladder/vectors.hpp"

namespace tilewise::cpu::ladder::TILEWISE_LADDER_SET {
namespace {

// A block of B (768 KiB) stays in L2, a panel of A (8 KiB) in L1.
constexpr std::int64_t kBlockK = 256, kBlockN = 768;
static_assert(kBlockN % kTileColumns == 0);
constexpr std::int64_t kAhead = 8;  // rows of packed B

// B's block as panels of kTileColumns columns, one after the other: within a panel, row after row.
// Columns beyond the last are 0.
void pack_b(const Product& p, std::int64_t first, std::int64_t k, std::int64_t left,
            std::int64_t columns, float* to) {
  for (std::int64_t j = 0; j < columns; j += kTileColumns) {
    for (std::int64_t l = 0; l < k; ++l, to += kTileColumns) {
      const float* const from = p.b + (first + l) * p.b_row + left + j;
      for (int v = 0; v < kTileVectors; ++v) {
        store(to + v * kLanes, load(from + v * kLanes, first_lanes(columns - j - v * kLanes)));
      }
    }
  }
}

// kTileRows rows of A's block, column after column; rows beyond the last are 0.
void pack_a(const Product& p, std::int64_t i, std::int64_t first, std::int64_t k, float* to) {
  const std::int64_t rows = std::min<std::int64_t>(kTileRows, p.m - i);
  if (rows < kTileRows) std::fill_n(to, k * kTileRows, 0.0f);
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const from = p.a + (i + r) * p.a_row + first;
    for (std::int64_t l = 0; l < k; ++l) to[l * kTileRows + r] = from[l];
  }
}

// Asks for the tile's lines of C, which it will not touch before its last product.
void ask_for_c(const float* c, std::int64_t c_row, std::int64_t rows) {
  for (std::int64_t r = 0; r < std::min<std::int64_t>(rows, kTileRows); ++r) {
    for (int v = 0; v < kTileVectors; ++v) __builtin_prefetch(c + r * c_row + v * kLanes, 1);
  }
}

// Adds `k` products of two panels to `rows`×`columns` elements of C.
void tile(const Product& p, std::int64_t k, const float* a, const float* b, float* c,
          std::int64_t rows, std::int64_t columns) {
  ask_for_c(c, p.c_row, rows);
  Vector sums[kTileRows][kTileVectors] = {};
  for (std::int64_t l = 0; l < k; ++l, a += kTileRows, b += kTileColumns) {
    Vector row[kTileVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v)
      __builtin_prefetch(b + kAhead * kTileColumns + v * kLanes);
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) row[v] = load(b + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      const Vector element = all(a[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) sums[r][v] = multiply_add(element, row[v], sums[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    if (r == rows) break;
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) {
      float* const to = c + r * p.c_row + v * kLanes;
      const Mask mask = first_lanes(columns - v * kLanes);
      store(to, multiply_add(all(p.alpha), sums[r][v], load(to, mask)), mask);
    }
  }
}

}  // namespace

void prefetch(const Product& p) {
  const auto b_block = std::make_unique_for_overwrite<float[]>(kBlockK * kBlockN);
  const auto a_panel = std::make_unique_for_overwrite<float[]>(kBlockK * kTileRows);
  scale(p);
  for (std::int64_t left = 0; left < p.n; left += kBlockN) {
    const std::int64_t width = std::min(kBlockN, p.n - left);
    for (std::int64_t first = 0; first < p.k; first += kBlockK) {
      const std::int64_t count = std::min(kBlockK, p.k - first);
      pack_b(p, first, count, left, width, b_block.get());
      for (std::int64_t i = 0; i < p.m; i += kTileRows) {
        pack_a(p, i, first, count, a_panel.get());
        for (std::int64_t j = 0; j < width; j += kTileColumns) {
          tile(p, count, a_panel.get(), b_block.get() + j * count, p.c + i * p.c_row + left + j,
               p.m - i, width - j);
        }
      }
    }
  }
}

}  // namespace tilewise::cpu::ladder::TILEWISE_LADDER_SET
