// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 06 packing: a block of B and a panel of A are copied into the order in which tiles read them
// Why: the copies are contiguous, whatever n and k are: no two lines compete for a set, every load
// is aligned with the stream that the hardware prefetches, and a panel lies in few pages. A block
// of B is copied once and read m / kTileRows times; a panel of A is copied once and read kBlockN /
// kTileColumns times.
// Edges: the copies are filled up with zeros, so the loop over k knows whole tiles only.
// Loads per FMA of a vector: 0.46 as before. Copied elements per FMA: 1/m (B) + 1/kBlockN (A).
// Limit now: lines of C and of packed B that are not yet in L1 when they are needed. Next: ask for
// them earlier (07 prefetch).
// Measured: at 1024×1024×1024 with AVX-512: 95 GFLOP/s, 1.08 times 05 (bench/results/cpu/2026-11-21-ladder-cpu-1024.json);
// with AVX2 83, 1.66 times (…-1024-avx2.json); at 1023×1023×1023, where no row begins on a cache line, 91
// against 83, 1.10 times (…-1023.json).
#include <algorithm>
#include <memory>

#include "cpu/ladder/product.hpp"
#include "cpu/ladder/vectors.hpp"

namespace tilewise::cpu::ladder::TILEWISE_LADDER_SET {
namespace {

// A block of B (768 KiB) stays in L2, a panel of A (8 KiB) in L1.
constexpr std::int64_t kBlockK = 256, kBlockN = 768;
static_assert(kBlockN % kTileColumns == 0);

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

// Adds `k` products of two panels to `rows`×`columns` elements of C.
void tile(const Product& p, std::int64_t k, const float* a, const float* b, float* c,
          std::int64_t rows, std::int64_t columns) {
  Vector sums[kTileRows][kTileVectors] = {};
  for (std::int64_t l = 0; l < k; ++l, a += kTileRows, b += kTileColumns) {
    Vector row[kTileVectors];
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

void packing(const Product& p) {
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
