// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/turned.hpp"

#include <algorithm>

#include "core/divide.hpp"
#include "cpu/tiles.hpp"

namespace tilewise::cpu {
namespace {

constexpr std::int64_t kTogether = 32;  // rows of C that are turned at a time
// Rows of C that are computed at a time: whole panels, so many that to copy B for each of them costs nothing.
constexpr std::int64_t kMostRows = 3072;

// Where the buffer holds what: the rows of C's transpose, rows of C (turning fills them up to whole vectors), and what
// the product needs. Each begins on a cache line's boundary. In elements.
template <class T> struct TurnedLayout {
  std::int64_t step, rows_of_c, row_step, product;

  explicit TurnedLayout(const Product<T>& problem) {
    // No vector is longer.
    constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));
    step = round_up(problem.m, kLine);
    row_step = round_up(problem.n, kLine);
    rows_of_c = problem.n * step;
    product = rows_of_c + std::min(kTogether, problem.m) * row_step;
  }
};

// Some rows alone.
template <class T>
Product<T> of_rows(const Product<T>& problem, std::int64_t row, std::int64_t row_end) {
  Product<T> rows = problem;
  rows.m = row_end - row;
  rows.a.data += row * problem.a.row_stride;
  rows.c += row * problem.c_stride;
  return rows;
}

// BA into rows of its own.
template <class T> Product<T> into_rows(const Product<T>& problem, T* c, std::int64_t c_step) {
  Product<T> other = exchanged(problem);
  other.beta = 0;
  other.c = c, other.c_stride = c_step;
  return other;
}

// C's rows, of which there are kMostRows at most.
template <class T> void multiply_rows(const Product<T>& problem, const Plan& plan, T* buffer) {
  const TurnedLayout<T> layout(problem);
  T* const turned = buffer;
  T* const rows_of_c = turned + layout.rows_of_c;
  multiply_blocked(into_rows(problem, turned, layout.step), plan, {0, problem.n, 0, problem.m},
                   reinterpret_cast<std::byte*>(turned + layout.product));
  for (std::int64_t first = 0; first < problem.m; first += kTogether) {
    const std::int64_t rows = std::min(kTogether, problem.m - first);
    kernels<T>().transpose(rows, problem.n, turned + first, layout.step, rows_of_c,
                           layout.row_step);
    for (std::int64_t i = 0; i < rows; ++i) {
      const T* const from = rows_of_c + i * layout.row_step;
      T* const to = problem.c + (first + i) * problem.c_stride;
      if (problem.beta == 0) {
        std::copy(from, from + problem.n, to);
      } else {
        for (std::int64_t j = 0; j < problem.n; ++j) to[j] = from[j] + problem.beta * to[j];
      }
    }
  }
}

}  // namespace

template <class T> void multiply_turned_tiles(const Product<T>& problem, const Part& part) {
  const Kernels<T>& set = kernels<T>();
  Tile<T> tile;
  tile.k = problem.k;
  const bool b_by_rows = problem.b.column_stride == 1;
  tile.a_step = b_by_rows ? problem.b.row_stride : problem.b.column_stride;
  tile.b_step = problem.a.column_stride;
  tile.c_step = problem.c_stride;
  tile.alpha = problem.alpha;
  tile.beta = problem.beta;
  const Heights heights(part.column_end - part.column, set.turned_rows);
  const int best = set.best_in_place(part.column_end - part.column);
  for (std::int64_t i = part.row, rows = 0; i < part.row_end; i += rows) {
    const std::int64_t vectors = quotient(part.row_end - i + set.lanes - 1, set.lanes);
    const int width = next_width(vectors, best, best);
    rows = std::min<std::int64_t>(width * set.lanes, part.row_end - i);
    tile.b = problem.a.data + i;
    tile.last_lanes = rows - (width - 1) * set.lanes;
    const auto* const functions =
        b_by_rows ? set.turned_by_columns[width] : set.turned_by_rows[width];
    for (std::int64_t t = 0, j = part.column; t < heights.tiles; j += heights.of(t++)) {
      tile.a = problem.b.data + j * problem.b.column_stride;
      tile.c = problem.c + i * problem.c_stride + j;
      functions[heights.of(t)](tile);
    }
  }
}

template <class T>
std::size_t turned_buffer_bytes(const Product<T>& problem, const Plan& plan, const Part& part) {
  const Product<T> rows = of_rows(problem, part.row, std::min(part.row_end, part.row + kMostRows));
  const TurnedLayout<T> layout(rows);
  return static_cast<std::size_t>(layout.product) * sizeof(T) +
         blocked_buffer_bytes(into_rows<T>(rows, nullptr, layout.step), plan,
                              {0, rows.n, 0, rows.m});
}

template <class T>
void multiply_turned(const Product<T>& problem, const Plan& plan, const Part& part,
                     std::byte* buffer) {
  for (std::int64_t row = part.row, end = 0; row < part.row_end; row = end) {
    end = std::min(part.row_end, row + kMostRows);
    multiply_rows(of_rows(problem, row, end), plan, reinterpret_cast<T*>(buffer));
  }
}

template void multiply_turned_tiles(const ProblemF32&, const Part&);
template void multiply_turned_tiles(const ProblemF64&, const Part&);
template std::size_t turned_buffer_bytes(const ProblemF32&, const Plan&, const Part&);
template std::size_t turned_buffer_bytes(const ProblemF64&, const Plan&, const Part&);
template void multiply_turned(const ProblemF32&, const Plan&, const Part&, std::byte*);
template void multiply_turned(const ProblemF64&, const Plan&, const Part&, std::byte*);

}  // namespace tilewise::cpu
