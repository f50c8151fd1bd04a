// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 04 registers: a tile of kRows×kColumns sums stays in registers for a whole block of k
// Why: an element of A serves kColumns products, one of B kRows, and C is loaded and stored once a
// block.
// Loads per FMA: 2 and a store before; (kRows + kColumns) / (kRows·kColumns) = 0.67 here.
// Limit now: one product an instruction. Where n is a multiple of 1024, as here, also the cache: a
// tile reads a narrow strip of B whose rows are 4 KiB apart and share one set of L1. Next: 16
// products an instruction (05 simd).
// Measured: at 1024×1024×1024: 9.2 GFLOP/s, 1.3 times 03.
// bench/results/cpu/2026-11-21-ladder-cpu-1024.json
#include <algorithm>

#include "cpu/ladder/rungs.hpp"

namespace tilewise::cpu::ladder {
namespace {

constexpr std::int64_t kBlockK = 128, kBlockN = 1024;
constexpr int kRows = 6, kColumns = 2;

// Adds the products of `first` <= l < `last` to the kR×kC elements of C from (i, j) on.
template <int kR, int kC>
void tile(const Product& p, std::int64_t i, std::int64_t j, std::int64_t first, std::int64_t last) {
  const float* const a = p.a + i * p.a_row;
  const float* const b = p.b + j;
  float sums[kR][kC] = {};
  for (std::int64_t l = first; l < last; ++l) {
#pragma GCC unroll 8
    for (int r = 0; r < kR; ++r) {
#pragma GCC unroll 8
      for (int c = 0; c < kC; ++c) sums[r][c] += a[r * p.a_row + l] * b[l * p.b_row + c];
    }
  }
  for (int r = 0; r < kR; ++r) {
    for (int c = 0; c < kC; ++c) p.c[(i + r) * p.c_row + j + c] += p.alpha * sums[r][c];
  }
}

// A tile at the edge, where fewer rows or columns are left: element by element.
void edge(const Product& p, std::int64_t i, std::int64_t j, std::int64_t right, std::int64_t first,
          std::int64_t last) {
  for (std::int64_t r = i; r < std::min(p.m, i + kRows); ++r) {
    for (std::int64_t c = j; c < std::min(right, j + kColumns); ++c)
      tile<1, 1>(p, r, c, first, last);
  }
}

}  // namespace

void registers(const Product& p) {
  scale(p);
  for (std::int64_t left = 0; left < p.n; left += kBlockN) {
    const std::int64_t right = std::min(p.n, left + kBlockN);
    for (std::int64_t first = 0; first < p.k; first += kBlockK) {
      const std::int64_t last = std::min(p.k, first + kBlockK);
      for (std::int64_t i = 0; i < p.m; i += kRows) {
        for (std::int64_t j = left; j < right; j += kColumns) {
          if (i + kRows <= p.m && j + kColumns <= right) {
            tile<kRows, kColumns>(p, i, j, first, last);
          } else {
            edge(p, i, j, right, first, last);
          }
        }
      }
    }
  }
}

}  // namespace tilewise::cpu::ladder
