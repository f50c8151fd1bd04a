// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 09 engine: the library's own engine, as tilewise::gemm() calls it
// Why: the ideas of this ladder with what was left out of it: tiles of every shape for the edges,
// paths that do not pack where packing does not pay, block sizes from the cache sizes of the
// machine, threads that wait for the next product instead of being started for it. See
// src/cpu/engine.hpp.
// Measured: at 1024×1024×1024 on two threads: 213 GFLOP/s, 91% of the two cores' FMA peak; 1.08 times 08.
// bench/results/cpu/2026-11-21-ladder-cpu-1024.json
#include <memory>
#include <mutex>

#include "cpu/engine.hpp"
#include "cpu/ladder/rungs.hpp"

namespace tilewise::cpu::ladder {
namespace {

// Kept from call to call, with its threads and buffers, as a context keeps it.
std::shared_ptr<Engine> engine_with(int threads) {
  static std::mutex mutex;
  static std::shared_ptr<Engine> kept;
  const std::lock_guard lock(mutex);
  if (!kept || kept->threads() != threads) kept = std::make_shared<Engine>(threads);
  return kept;
}

}  // namespace

void engine(const Product& p) {
  const std::shared_ptr<Engine> engine = engine_with(p.threads);
  gemm(*engine, ProblemF32{.m = p.m,
                           .n = p.n,
                           .k = p.k,
                           .alpha = p.alpha,
                           .a = {p.a, p.a_row, 1},
                           .b = {p.b, p.b_row, 1},
                           .beta = p.beta,
                           .c = p.c,
                           .c_stride = p.c_row});
}

}  // namespace tilewise::cpu::ladder
