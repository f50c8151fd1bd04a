// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/small.hpp"

#include <algorithm>
#include <cassert>

#include "cpu/dot.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/tiles.hpp"
#include "cpu/turned.hpp"

namespace tilewise::cpu {

namespace {

template <class T> void multiply_few_dots(const Product<T>& problem) {
  // As dot_buffer_bytes() counts them: copies of the few vectors, and sums that they would keep between blocks of k.
  constexpr std::int64_t kGap = 32, kMostLanes = 64 / sizeof(T);
  constexpr std::int64_t kElementsOfOne =
      kLongestDots + kGap + Kernels<T>::kMostDotColumns * kMostLanes;
  alignas(64) std::byte buffer[kFewDots * kElementsOfOne * sizeof(T)];
  Plan plan;
  plan.path = Path::kDot;
  plan.kc = problem.k;
  const Part all{0, problem.m, 0, problem.n};
  assert(dot_buffer_bytes(problem, plan, all) <= sizeof buffer);
  multiply_dots(problem, plan, all, buffer);
}

}  // namespace

template <class T> void multiply_small(const Product<T>& problem) {
  if (is_few_dots(problem)) return multiply_few_dots(problem);
  if (problem.b.column_stride != 1)
    return multiply_turned_tiles(problem, {0, problem.m, 0, problem.n});
  const Kernels<T>& set = kernels<T>();
  const bool by_rows = problem.a.column_stride == 1;
  Tile<T> tile;
  tile.k = problem.k;
  tile.a_step = by_rows ? problem.a.row_stride : problem.a.column_stride;
  tile.b_step = problem.b.row_stride;
  tile.c_step = problem.c_stride;
  tile.alpha = problem.alpha;
  tile.beta = problem.beta;
  tile.c_is_near = true;
  for (std::int64_t j = 0, columns = 0; j < problem.n; j += columns) {
    const std::int64_t left = problem.n - j;
    const std::int64_t vectors = left <= set.lanes ? 1 : quotient(left + set.lanes - 1, set.lanes);
    const int width = next_width(vectors, set.best_vectors, set.most_vectors);
    columns = std::min<std::int64_t>(width * set.lanes, problem.n - j);
    tile.b = problem.b.data + j;
    tile.last_lanes = columns - (width - 1) * set.lanes;
    const auto* const functions = by_rows ? set.by_rows[width] : set.by_columns[width];
    const Heights heights(problem.m, set.rows_of[width]);
    for (std::int64_t t = 0, i = 0; t < heights.tiles; i += heights.of(t++)) {
      tile.a = problem.a.data + i * problem.a.row_stride;
      tile.c = problem.c + i * problem.c_stride + j;
      functions[heights.of(t)](tile);
    }
  }
}

template void multiply_small(const ProblemF32&);
template void multiply_small(const ProblemF64&);

}  // namespace tilewise::cpu
