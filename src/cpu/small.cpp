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

constexpr std::int64_t kFewColumns = 8;

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

template <class T> void multiply_tiles(const Product<T>& problem) {
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
  const int best = set.best_in_place(problem.m);
  for (std::int64_t j = 0, columns = 0; j < problem.n; j += columns) {
    const std::int64_t left = problem.n - j;
    const std::int64_t vectors = left <= set.lanes ? 1 : quotient(left + set.lanes - 1, set.lanes);
    const int width = next_width(vectors, best, set.most_vectors);
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

// A's columns and B's rows, of which there are few: a tile would be of few lanes. In the other order vectors lie along
// A's columns, and what comes out is turned.
template <class T> bool has_few_columns(const Product<T>& problem) {
  constexpr std::int64_t kLeastDepth = 16;
  if (problem.k < kLeastDepth || problem.n >= kernels<T>().lanes) return false;
  return problem.a.column_stride != 1 && problem.b.column_stride == 1 && problem.n <= kFewColumns &&
         problem.m >= kernels<T>().lanes;
}

template <class T> void multiply_few_columns(const Product<T>& problem) {
  alignas(64) T turned[kFewColumns * kMostSmall];
  Product<T> other = exchanged(problem);
  other.beta = 0;
  other.c = turned;
  other.c_stride = kMostSmall;
  multiply_tiles(other);
  T* c = problem.c;
  for (std::int64_t i = 0; i < problem.m; ++i, c += problem.c_stride) {
    const T* const column = turned + i;
    if (problem.beta == 0) {
      for (std::int64_t j = 0; j < problem.n; ++j) c[j] = column[j * kMostSmall];
    } else {
      for (std::int64_t j = 0; j < problem.n; ++j)
        c[j] = column[j * kMostSmall] + problem.beta * c[j];
    }
  }
}

}  // namespace

template <class T> void multiply_small(const Product<T>& problem) {
  if (is_few_dots(problem)) return multiply_few_dots(problem);
  if (problem.b.column_stride != 1)
    return multiply_turned_tiles(problem, {0, problem.m, 0, problem.n});
  if (has_few_columns(problem)) return multiply_few_columns(problem);
  multiply_tiles(problem);
}

template void multiply_small(const ProblemF32&);
template void multiply_small(const ProblemF64&);

}  // namespace tilewise::cpu
