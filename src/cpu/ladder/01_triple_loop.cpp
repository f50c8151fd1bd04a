// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 01 triple_loop: the definition of the product, one element of C at a time
// Why it is slow: the inner loop walks down a column of B. Each step is another row, so a cache
// line of 64 bytes is fetched for 4 of them, and at n = 1024 the rows of a column all fall into the
// same few sets of the cache and evict each other.
// Loads per FMA: 2. Bytes from beyond L1 per FMA: 64.
// Limit now: the latency of L2 and L3. Next: exchange the two inner loops (02 loop_order).
// Rungs 01 to 04 are compiled with the compiler's vectoriser off: vectors are the idea of 05 simd.
// Measured: at 1024×1024×1024 on one core of a Zen 4 server: 0.64 GFLOP/s.
// bench/results/cpu/2026-11-21-ladder-cpu-1024.json
#include "cpu/ladder/rungs.hpp"

namespace tilewise::cpu::ladder {

void triple_loop(const Product& p) {
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      float sum = 0;
      for (std::int64_t l = 0; l < p.k; ++l) sum += p.a[i * p.a_row + l] * p.b[l * p.b_row + j];
      float& c = p.c[i * p.c_row + j];
      c = p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * c;
    }
  }
}

}  // namespace tilewise::cpu::ladder
