// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/small.hpp"

#include <algorithm>

#include "cpu/kernels/kernels.hpp"
#include "cpu/tiles.hpp"
#include "cpu/turned.hpp"

namespace tilewise::cpu {

namespace {

template <class T> void multiply_few_dots(const Product<T>& problem) {
  const Kernels<T>& set = kernels<T>();
  const Factor<T>&a = problem.a, &b = problem.b;
  const bool b_along_k = b.row_stride == 1;
  const bool rows_are_few = b_along_k && problem.m <= problem.n;
  const std::int64_t few = rows_are_few ? problem.m : problem.n;
  const std::int64_t many = rows_are_few ? problem.n : problem.m;
  DotTile<T> tile;
  tile.k = problem.k;
  tile.a = rows_are_few ? a.data : b.data;
  tile.a_step = rows_are_few ? a.row_stride : b.column_stride;
  tile.b = rows_are_few ? b.data : a.data;
  tile.b_step = rows_are_few ? b.column_stride : a.row_stride;
  tile.c_row_step = rows_are_few ? problem.c_stride : 1;
  tile.c_column_step = rows_are_few ? 1 : problem.c_stride;
  tile.alpha = problem.alpha;
  tile.beta = problem.beta;
  constexpr std::int64_t kRoom = 32;  // whole vectors are written, in cache sets of their own
  alignas(64) T copy[kFewDots * (kLongestDots + kRoom)];
  if (!b_along_k) {
    tile.a = copy;
    tile.a_step = problem.k / 16 * 16 + kRoom;
    if (few == 1) {
      for (std::int64_t p = 0; p < problem.k; ++p) copy[p] = b.data[p * b.row_stride];
    } else {
      set.transpose(few, problem.k, b.data, b.row_stride, copy, tile.a_step);
    }
  }
  const std::int64_t most = few == 1 ? Kernels<T>::kLoneDotColumns : set.dot_columns;
  for (std::int64_t i = 0, rows = 0; i < few; i += rows) {
    rows = std::min<std::int64_t>(set.dot_rows, few - i);
    DotTile<T> part = tile;
    part.a += i * tile.a_step;
    part.c = problem.c + i * tile.c_row_step;
    for (std::int64_t j = 0, columns = 0; j < many; j += columns) {
      columns = std::min(most, many - j);
      set.dot[rows][columns](part);
      part.b += columns * tile.b_step;
      part.c += columns * tile.c_column_step;
    }
  }
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
  const int best = set.best_in_place(problem.m), most = set.most_in_place(problem.m);
  for (std::int64_t j = 0, columns = 0; j < problem.n; j += columns) {
    const std::int64_t left = problem.n - j;
    const std::int64_t vectors = left <= set.lanes ? 1 : quotient(left + set.lanes - 1, set.lanes);
    const int width = next_width(vectors, best, most);
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
// A's columns.
template <class T> bool has_few_columns(const Product<T>& problem) {
  const Kernels<T>& set = kernels<T>();
  return problem.a.column_stride != 1 && problem.b.column_stride == 1 &&
         problem.n <= set.turned_rows &&
         problem.m >= std::max<std::int64_t>(set.lanes, 2 * problem.n);
}

}  // namespace

template <class T> void multiply_small(const Product<T>& problem) {
  if (is_few_dots(problem)) return multiply_few_dots(problem);
  if (problem.b.column_stride != 1 || has_few_columns(problem))
    return multiply_turned_tiles(problem, {0, problem.m, 0, problem.n});
  multiply_tiles(problem);
}

template void multiply_small(const ProblemF32&);
template void multiply_small(const ProblemF64&);

}  // namespace tilewise::cpu
