// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/product_vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

// Rows that one task takes: of a column-major matrix, as many neighbours a column.
constexpr std::int64_t kTaskRows = 512;
// Columns of a row-major matrix that are converted to f64 at a time.
constexpr std::int64_t kChunk = 512;

template <class Number>
void add_row_chunk(const double* elements, const Number* x, const Number* x_magnitudes,
                   std::int64_t count, Number& value, Number& magnitude) {
  for (std::int64_t j = 0; j < count; ++j) {
    const Number element = number_of(elements[j], Number{});
    value += element * x[j];
    if constexpr (std::is_same_v<Number, double>) magnitude += std::abs(element) * x_magnitudes[j];
  }
}

template <class Number>
void add_column(const double* elements, Number x, Number x_magnitude, std::int64_t count,
                Number* values, Number* magnitudes) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Number element = number_of(elements[i], Number{});
    values[i] += element * x;
    if constexpr (std::is_same_v<Number, double>) magnitudes[i] += std::abs(element) * x_magnitude;
  }
}

// Rows [first, first + count) of M·x and, in f64, |M|·|x|. Both orders are read along their memory.
template <class Number>
void multiply_rows(const TypedMatrix& matrix, const Sums<Number>& x, std::int64_t first,
                   std::int64_t count, Sums<Number>& sums) {
  std::array<double, std::max(kTaskRows, kChunk)> elements;
  const std::int64_t columns = matrix.columns;
  if (matrix.order == Order::kColumnMajor) {
    for (std::int64_t j = 0; j < columns; ++j) {
      read_elements(matrix.dtype, matrix.at(first, j), 1, count, elements.data());
      add_column(elements.data(), x.values[j], x.magnitudes[j], count, &sums.values[first],
                 &sums.magnitudes[first]);
    }
    return;
  }
  for (std::int64_t i = first; i < first + count; ++i) {
    for (std::int64_t j = 0; j < columns; j += kChunk) {
      const std::int64_t width = std::min(kChunk, columns - j);
      read_elements(matrix.dtype, matrix.at(i, j), 1, width, elements.data());
      add_row_chunk(elements.data(), &x.values[j], &x.magnitudes[j], width, sums.values[i],
                    sums.magnitudes[i]);
    }
  }
}

template <class Number> Sums<Number> multiply(const TypedMatrix& matrix, const Sums<Number>& x) {
  const std::int64_t rows = matrix.rows;
  const std::vector<Number> zeros(static_cast<std::size_t>(rows));
  Sums<Number> sums{zeros, zeros};
  parallel_for(static_cast<std::uint64_t>((rows + kTaskRows - 1) / kTaskRows), 0,
               [&](int, std::uint64_t task) {
                 const std::int64_t first = static_cast<std::int64_t>(task) * kTaskRows;
                 multiply_rows(matrix, x, first, std::min(kTaskRows, rows - first), sums);
               });
  return sums;
}

}  // namespace

template <class Number>
TwoWays<Number> compute_two_ways(const Product& product, const Sums<Number>& t) {
  TwoWays<Number> result;
  result.actual = multiply(product.c, t).values;
  result.expected.resize(result.actual.size());
  result.magnitudes.resize(result.actual.size());
  const auto add = [&](double scale, const Sums<Number>& sums) {
    const Number factor = number_of(scale, Number{}), size = number_of(std::abs(scale), Number{});
    for (std::size_t i = 0; i < result.expected.size(); ++i) {
      result.expected[i] += factor * sums.values[i];
      result.magnitudes[i] += size * sums.magnitudes[i];
    }
  };
  if (product.alpha != 0) add(product.alpha, multiply(product.a, multiply(product.b, t)));
  if (product.beta != 0) add(product.beta, multiply(product.c0, t));
  return result;
}

template TwoWays<double> compute_two_ways(const Product&, const Sums<double>&);
template TwoWays<std::uint32_t> compute_two_ways(const Product&, const Sums<std::uint32_t>&);

}  // namespace tilewise::bench
