// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 02 loop_order: the loop over the columns of C is the innermost
// Why: one element of A times a row of B is added to a row of C. Both rows are neighbours in
// memory, so every byte of a cache line is used, and the hardware sees a stream that it can
// prefetch.
// Loads per FMA: 2 as before, and a store. Bytes from beyond L1 per FMA: 64 before, 4 here (B).
// Limit now: one store a clock. Every row of C reads all of B again: at 1024 that is 4 MiB, which
// L3 holds and delivers fast enough. Next: read B from L2 instead (03 cache_blocks).
// Measured: at 1024×1024×1024: 7.0 GFLOP/s, 11 times 01.
// bench/results/cpu/2026-11-21-ladder-cpu-1024.json
#include "cpu/ladder/rungs.hpp"

namespace tilewise::cpu::ladder {

void loop_order(const Product& p) {
  scale(p);
  for (std::int64_t i = 0; i < p.m; ++i) {
    float* const c = p.c + i * p.c_row;
    for (std::int64_t l = 0; l < p.k; ++l) {
      const float a = p.alpha * p.a[i * p.a_row + l];
      const float* const b = p.b + l * p.b_row;
#pragma GCC unroll 8
      for (std::int64_t j = 0; j < p.n; ++j) c[j] += a * b[j];
    }
  }
}

}  // namespace tilewise::cpu::ladder
