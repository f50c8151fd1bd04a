// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products whose factors and results begin anywhere and have rows of any length, A by rows or by columns, C by rows or (as
// Cᵀ) by columns. (tall_long.cuh is for a longer k.)
//
// Each warp has units of lines (rows of A) of its own, with all of their k, which go through shared memory as they lie in memory
// (tall_spans.cuh).
//
// What is the same for all warps the host works out (TallAny), and of what is done once there is little code: a product of
// 10 MB takes three times as long as memory does, most of it for code that is met for the first time (docs/lab/gpu_gemm.md).
#pragma once

#include "kernels/gemm/tall_spans.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm::tall_any {

// 32 columns of B, in steps of 16 k, as mma.sync takes them: of each tile of 16 columns the four words of each lane. A thread
// brings pairs of k of one column.
struct Columns {
  static constexpr int kTiles = 2, kN = kTiles * 16, kTileWords = 32 * 4,
                       kStepWords = kTileWords * kTiles;
  // So many warps bring kBatch k. The others meet less code.
  static constexpr int kWarps = 8, kPairs = 8, kBatch = kPairs * kWarps * 2;
  static_assert(kWarps * 32 <= kTallAnyThreads && kN == 32);

  Half low[kPairs], high[kPairs];

  // Asks for those from `column` and from `first_k` on.
  __device__ __forceinline__ void ask(const GemmArguments& g, int k, long long column,
                                      int first_k) {
    const long long own = column + lane(), leading = g.b.leading_dimension,
                    along = g.b_across_k ? leading : 1;
    const bool is_there = own < g.n;
    int at = first_k + static_cast<int>(threadIdx.x) / kN * 2;
    const Half* from = matrix_of<Half>(g.b) + own * (g.b_across_k ? 1 : leading) + at * along;
#pragma unroll
    for (int i = 0; i < kPairs; ++i, at += kWarps * 2, from += kWarps * 2 * along) {
      low[i] = high[i] = 0;
      if (is_there && at < k) low[i] = from[0];
      if (is_there && at + 1 < k) high[i] = from[along];
    }
  }
  __device__ __forceinline__ void put(unsigned* to, int steps, int first_k) const {
    const int column = lane(), pair = first_k / 2 + static_cast<int>(threadIdx.x) / kN;
    to += pair / 8 * kStepWords + column / 16 * kTileWords + (column % 8 * 4 + pair % 4) * 4 +
          pair % 8 / 4 * 2 + column % 16 / 8;
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
      if (pair + i * kWarps < steps * 8)
        to[i * kStepWords] = low[i] | static_cast<unsigned>(high[i]) << 16;
  }
};

template <class Type, class C, bool kByRows, bool kAcross>
__device__ __forceinline__ void run_to(const GemmArguments& g, const TallAny& t, char* shared) {
  constexpr int kEach = static_cast<int>(sizeof(C)), kLines = kLinesOf<kByRows, kAcross>;
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  // Nothing is to be added where alpha is 0: then A and B are not read.
  const int k = alpha == 0 ? 0 : static_cast<int>(g.k), steps = (k + 15) / 16;
  const auto* const a = reinterpret_cast<const char*>(matrix_of<Half>(g.a));
  const long long unit_of_a = kLines * (kAcross ? kHalf : t.a.apart);
  const Extent extent_of_a{a,
                           a + ((kAcross ? k : g.m) - 1) * t.a.apart + (kAcross ? g.m : k) * kHalf};
  auto* const c = reinterpret_cast<char*>(matrix_of<C>(g.c));
  const long long unit_of_c = kLines * (kByRows ? t.c.apart : kEach);
  const Spans spans_of_a(t.a), spans_of_c(t.c);

  // Shared memory: B, and of each warp a ring of units of A, and what is staged of C.
  const int warp = static_cast<int>(threadIdx.x / 32);
  auto* const columns = reinterpret_cast<unsigned*>(shared);
  char* const ring = shared + t.columns_bytes + warp * (t.stages * t.stage_bytes + t.staged_bytes);
  char* const staged = ring + t.stages * t.stage_bytes;
  // Warps of the same number have neighbours, so that few units are dealt out evenly.
  const long long units = (g.m + kLines - 1) / kLines,
                  stride = t.warps * static_cast<long long>(gridDim.x),
                  own = warp < t.warps ? warp * static_cast<long long>(gridDim.x) + blockIdx.x
                                       : units;
  const Lines<kAcross, kLines> lines(a, spans_of_a);

#pragma unroll 1
  for (long long column = 0; column < g.n; column += kTallAnyColumns) {
    if (column > 0) __syncthreads();  // all have read the columns before
    const int columns_there =
        static_cast<int>(min(g.n - column, static_cast<long long>(kTallAnyColumns)));
    const bool brings = warp < Columns::kWarps,
               brings_second = brings && columns_there > Columns::kN;
    Columns first, second;
    if (brings) first.ask(g, k, column, 0);
    if (brings_second) second.ask(g, k, column + Columns::kN, 0);
    char* const c_of_columns = c + column * (kByRows ? kEach : t.c.apart);
    // What is asked for is as many ahead as there are stages, the first before B is there.
    long long next = own;
    int asked = 0, to_stage = 0, stage = 0;
#pragma unroll 1
    for (long long unit = own;;) {
      if (next < units && k > 0)
        ask_for(ring + to_stage * t.stage_bytes, a + next * unit_of_a, spans_of_a, extent_of_a);
      ptx::cp_async_commit();
      next += stride;
      to_stage = to_stage + 1 == t.stages ? 0 : to_stage + 1;
      if (++asked < t.stages) continue;
      if (asked == t.stages) {
        if (brings) first.put(columns, steps, 0);
        if (brings_second) second.put(columns + t.columns_words, steps, 0);
#pragma unroll 1
        for (int from = Columns::kBatch; from < k && brings; from += Columns::kBatch)
#pragma unroll 1
          for (int i = 0; i * Columns::kN < columns_there; ++i) {
            Columns rest;
            rest.ask(g, k, column + i * Columns::kN, from);
            rest.put(columns + i * t.columns_words, steps, from);
          }
        __syncthreads();
      }
      if (unit >= units) break;
      wait_for_oldest_of(t.stages);
      char* const from = ring + stage * t.stage_bytes;
      // Pieces reach less than the next unit beyond their own.
      if (k > 0 && (unit == 0 || unit + 2 >= units)) [[unlikely]]
        bring_ends(from, a + unit * unit_of_a, spans_of_a, extent_of_a);
      __syncwarp();
      stage = stage + 1 == t.stages ? 0 : stage + 1;
      char* const to = c_of_columns + unit * unit_of_c;
      const int lines_there =
          static_cast<int>(min(g.m - unit * kLines, static_cast<long long>(kLines)));
      const StagedResult<C> result(staged, to, spans_of_c, kByRows, lines_there, columns_there);
      if (beta != 0) result.bring();
      const Places<Type, C, kByRows, kLines, Columns::kN> places(c_of_columns, spans_of_c);
#pragma unroll 1
      for (int i = 0; i < columns_there; i += Columns::kN) {
        Sums<Columns::kTiles, kLines> sums;
        clear(sums);
        const unsigned* of_step = columns + i / Columns::kN * t.columns_words;
        lines.each_step(from, k, [&](const auto& pairs) {
#pragma unroll
          for (int tile = 0; tile < Columns::kTiles; ++tile)
            add_step<typename Type::Element>(sums[tile], pairs,
                                             of_step + tile * Columns::kTileWords);
          of_step += Columns::kStepWords;
        });
        if (beta == 0) places.template put<false>(staged, sums, i, kLines, columns_there, alpha, 0);
        else places.template put<true>(staged, sums, i, lines_there, columns_there, alpha, beta);
      }
      result.store();
      unit += stride;
    }
    ptx::cp_async_wait<0>();
  }
}

template <class Type, class C, bool kByRows>
__device__ __forceinline__ void run_of(const GemmArguments& g, const TallAny& t, char* shared) {
  if (g.a_across_k) run_to<Type, C, kByRows, true>(g, t, shared);
  else run_to<Type, C, kByRows, false>(g, t, shared);
}

template <class Type, bool kByRows>
__device__ __forceinline__ void run(const GemmArguments& g, const TallAny& t) {
  extern __shared__ __align__(16) char bytes[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  if (g.result_bytes == 4) run_of<Type, float, kByRows>(g, t, bytes);
  else run_of<Type, Half, kByRows>(g, t, bytes);
}

}  // namespace gemm::tall_any

// The kernel `name`, of C by rows or by columns.
#define TILEWISE_TALL_ANY(name, Type, by_rows)                                        \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kTallAnyThreads, 1) \
      name(const __grid_constant__ gemm::GemmArguments g,                             \
           const __grid_constant__ tilewise::kernels::TallAny t) {                    \
    gemm::tall_any::run<Type, by_rows>(g, t);                                         \
  }
#define TILEWISE_TALL_ANY_OF(name, Type)    \
  TILEWISE_TALL_ANY(name##_any, Type, true) \
  TILEWISE_TALL_ANY(name##_any_swapped, Type, false)
