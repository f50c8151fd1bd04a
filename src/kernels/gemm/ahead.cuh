// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks the second-level cache for where A and B begin (GemmAhead), by the warps that multiply, while nothing has come yet.
//
// A product that is small begins with its factors in memory, and lasts little longer than they take to come. TMA asks for
// a line after the other, and for what every block reads, each of many blocks does. Threads ask for all lines at once, a line
// each. What it gains, and where it loses, was measured (docs/lab/gpu_gemm.md).
#pragma once

#include "kernels/gemm/units.cuh"
#include "kernels/ptx/prefetch.cuh"

namespace gemm {

// By the first kThreads threads of each block.
template <int kThreads> __device__ __forceinline__ void fetch_ahead(const GemmArguments& g) {
  const unsigned of_a = g.ahead_a.lines, all = of_a + g.ahead_b.lines;
#pragma unroll 1
  for (unsigned i = threadIdx.x * gridDim.x + blockIdx.x; i < all; i += kThreads * gridDim.x) {
    const GemmAhead& ahead = i < of_a ? g.ahead_a : g.ahead_b;
    const unsigned line = i < of_a ? i : i - of_a;
    const unsigned row = quotient(line, ahead.by_row), in_row = line - row * ahead.by_row.divisor;
    ptx::prefetch_to_l2(static_cast<const char*>(ahead.from) + row * ahead.pitch +
                        in_row * tilewise::kernels::kAheadLine);
  }
}

}  // namespace gemm
