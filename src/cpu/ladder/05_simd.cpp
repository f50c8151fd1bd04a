// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 05 simd: the sums of a tile are vectors of 16 floats (AVX-512; 8 in AVX2, else 4)
// Why: one fused multiply-add does 16 products. A row of B is loaded as vectors, an element of A is
// copied into all lanes of one. Columns that do not fill a vector are masked: nothing is copied for
// them, and nothing beyond the matrices is touched.
// Loads per FMA of a vector: (kTileRows + kTileVectors) / (kTileRows·kTileVectors) = 0.46 at 8×3.
// Limit now: where the rows of B and A are far apart, each line that a tile reads is in another
// page and, at powers of two, in the same set of L1. Next: put them side by side (06 packing).
// Measured: at 1024×1024×1024 with AVX-512: 88 GFLOP/s, 9.6 times 04 (bench/results/cpu/2026-11-21-ladder-cpu-1024.json);
// with AVX2 50 (…-1024-avx2.json), with neither 25 (…-1024-portable.json).
#include <algorithm>

#include "cpu/ladder/product.hpp"
#include "cpu/ladder/vectors.hpp"

namespace tilewise::cpu::ladder::TILEWISE_LADDER_SET {
namespace {

constexpr std::int64_t kBlockK = 128, kBlockN = 1024;

// Adds `k` products to kR rows and `columns` columns of C, as many as kTileColumns: a, b and c
// point to their first elements. kWhole: exactly as many.
template <int kR, bool kWhole>
void tile(const Product& p, std::int64_t k, const float* a, const float* b, float* c,
          std::int64_t columns) {
  Mask mask[kTileVectors];
  for (int v = 0; v < kTileVectors; ++v) mask[v] = first_lanes(columns - v * kLanes);
  const auto read = [&](const float* from, int v) {
    return kWhole ? load(from + v * kLanes) : load(from + v * kLanes, mask[v]);
  };

  Vector sums[kR][kTileVectors] = {};
  for (std::int64_t l = 0; l < k; ++l) {
    Vector row[kTileVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) row[v] = read(b + l * p.b_row, v);
#pragma GCC unroll 8
    for (int r = 0; r < kR; ++r) {
      const Vector element = all(a[r * p.a_row + l]);
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) sums[r][v] = multiply_add(element, row[v], sums[r][v]);
    }
  }
  for (int r = 0; r < kR; ++r) {
    float* const to = c + r * p.c_row;
    for (int v = 0; v < kTileVectors; ++v) {
      const Vector result = multiply_add(all(p.alpha), sums[r][v], read(to, v));
      kWhole ? store(to + v * kLanes, result) : store(to + v * kLanes, result, mask[v]);
    }
  }
}

// The rows that are left below the last whole tile go one at a time.
template <bool kWhole>
void column_of_tiles(const Product& p, std::int64_t i, std::int64_t k, const float* a,
                     const float* b, float* c, std::int64_t columns) {
  if (i + kTileRows <= p.m) return tile<kTileRows, kWhole>(p, k, a, b, c, columns);
  for (std::int64_t r = 0; r < p.m - i; ++r) {
    tile<1, kWhole>(p, k, a + r * p.a_row, b, c + r * p.c_row, columns);
  }
}

}  // namespace

void simd(const Product& p) {
  scale(p);
  for (std::int64_t left = 0; left < p.n; left += kBlockN) {
    const std::int64_t right = std::min(p.n, left + kBlockN);
    for (std::int64_t first = 0; first < p.k; first += kBlockK) {
      const std::int64_t count = std::min(kBlockK, p.k - first);
      for (std::int64_t i = 0; i < p.m; i += kTileRows) {
        for (std::int64_t j = left; j < right; j += kTileColumns) {
          const float* const a = p.a + i * p.a_row + first;
          const float* const b = p.b + first * p.b_row + j;
          float* const c = p.c + i * p.c_row + j;
          if (j + kTileColumns <= right) {
            column_of_tiles<true>(p, i, count, a, b, c, kTileColumns);
          } else {
            column_of_tiles<false>(p, i, count, a, b, c, right - j);
          }
        }
      }
    }
  }
}

}  // namespace tilewise::cpu::ladder::TILEWISE_LADDER_SET
