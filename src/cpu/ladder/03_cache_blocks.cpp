// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 03 cache_blocks: all rows of C take their share of one block of B before the next block's turn
// Why: a block of kBlockK×kBlockN elements (512 KiB) stays in L2, and is fetched from beyond it
// once for all m rows of C instead of once for each.
// Loads per FMA: 2 and a store, as before. Bytes from beyond L2 per FMA: 4 before, 4/m here (B),
// and C once for each kBlockK products.
// Limit now: one store a clock, as before: at 1024 B fits L3, so this rung gains nothing there. It
// does where B is larger than L3, and every rung from here on is built on it. Next: stop storing
// (04 registers).
// Measured: at 1024×1024×1024: 7.0 GFLOP/s, as 02 (bench/results/cpu/2026-11-21-ladder-cpu-1024.json).
// Where B is 64 MiB (128 rows of 4096×4096): 6.3 GFLOP/s against 4.4, 1.4 times
// (bench/results/cpu/2026-11-21-ladder-cpu-128x4096x4096.json).
#include <algorithm>

#include "cpu/ladder/rungs.hpp"

namespace tilewise::cpu::ladder {
namespace {

constexpr std::int64_t kBlockK = 128, kBlockN = 1024;

}  // namespace

void cache_blocks(const Product& p) {
  scale(p);
  for (std::int64_t left = 0; left < p.n; left += kBlockN) {
    const std::int64_t right = std::min(p.n, left + kBlockN);
    for (std::int64_t first = 0; first < p.k; first += kBlockK) {
      const std::int64_t last = std::min(p.k, first + kBlockK);
      for (std::int64_t i = 0; i < p.m; ++i) {
        float* const c = p.c + i * p.c_row;
        for (std::int64_t l = first; l < last; ++l) {
          const float a = p.alpha * p.a[i * p.a_row + l];
          const float* const b = p.b + l * p.b_row;
#pragma GCC unroll 8
          for (std::int64_t j = left; j < right; ++j) c[j] += a * b[j];
        }
      }
    }
  }
}

}  // namespace tilewise::cpu::ladder
