// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/operands.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/elements.hpp"
#include "core/random.hpp"
#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

enum Stream : std::uint64_t {
  kStreamA = 1,
  kStreamB = 2,
  kStreamC = 3,
  kStreamLowBits = 8,
  kStreamInteger = 16
};

// Uniform in [-1, 1). In f64 the same numbers with more bits behind: products of 24-bit numbers, and
// sums of many of them, are exact in f64 and would show no rounding error.
template <class T> T random_element(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const double leading = random_unit(seed, stream, index);
  if (std::is_same_v<T, float>) return static_cast<T>(leading);
  const double unit = (random_unit(seed, kStreamLowBits + stream, index) + 1) / 2;
  return static_cast<T>(leading + unit * 0x1p-23);
}

// Calls element(index) for each element, in parallel: chunks long enough to be worth a thread.
template <class T, class Element>
std::vector<T> fill(std::int64_t rows, std::int64_t columns, const Element& element) {
  constexpr std::uint64_t kChunk = 1 << 16;
  std::vector<T> values(static_cast<std::size_t>(rows * columns));
  const std::uint64_t count = values.size();
  parallel_for((count + kChunk - 1) / kChunk, 0, [&](int, std::uint64_t chunk) {
    const std::uint64_t end = std::min(count, (chunk + 1) * kChunk);
    for (std::uint64_t i = chunk * kChunk; i < end; ++i) values[i] = element(i);
  });
  return values;
}

template <class T>
std::vector<T> random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                             std::uint64_t stream) {
  return fill<T>(rows, columns,
                 [=](std::uint64_t index) { return random_element<T>(seed, stream, index); });
}

template <class T>
std::vector<T> integer_matrix(std::int64_t rows, std::int64_t columns, int largest,
                              std::uint64_t seed, std::uint64_t stream) {
  const auto choices = static_cast<std::uint64_t>(2 * largest + 1);
  return fill<T>(rows, columns, [=](std::uint64_t index) {
    const std::uint64_t bits = mix64(mix64(seed + stream) + index);
    return static_cast<T>(static_cast<int>((bits >> 32) % choices) - largest);
  });
}

// The nearest number that `dtype` has.
double rounded_to(Dtype dtype, double value) {
  std::uint64_t bits = 0;
  write_elements(dtype, &value, 1, &bits);
  read_elements(dtype, &bits, 1, 1, &value);
  return value;
}

template <class T>
std::vector<T> matrix_of(const npy::Array* file, Dtype dtype, std::int64_t rows,
                         std::int64_t columns, std::uint64_t seed, std::uint64_t stream) {
  if (!file && dtype == dtype_of<T>) return random_matrix<T>(rows, columns, seed, stream);
  return fill<T>(rows, columns, [&](std::uint64_t index) {
    const auto i = static_cast<std::int64_t>(index);
    const double value = file ? file->at(i / columns, i % columns)
                              : static_cast<double>(random_element<T>(seed, stream, index));
    return static_cast<T>(rounded_to(dtype, value));
  });
}

// Tile by tile, so that neither side walks a whole row of cache lines at a time.
template <class T>
std::vector<T> transpose(const std::vector<T>& source, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kTile = 32;
  std::vector<T> target(source.size());
  parallel_for(static_cast<std::uint64_t>((rows + kTile - 1) / kTile), 0,
               [&](int, std::uint64_t tile) {
                 const std::int64_t first = static_cast<std::int64_t>(tile) * kTile;
                 const std::int64_t last = std::min(rows, first + kTile);
                 for (std::int64_t left = 0; left < columns; left += kTile) {
                   const std::int64_t right = std::min(columns, left + kTile);
                   for (std::int64_t i = first; i < last; ++i) {
                     for (std::int64_t j = left; j < right; ++j) {
                       target[j * rows + i] = source[i * columns + j];
                     }
                   }
                 }
               });
  return target;
}

// The largest |element| for which alpha·A·B + beta·C0 and all partial sums stay exact in T; 0: none.
template <class T> int largest_exact_integer(std::int64_t k) {
  const double exact = std::ldexp(1.0, std::numeric_limits<T>::digits);
  for (const int largest : {4, 1}) {
    const double sum = 2.0 * largest * largest * static_cast<double>(k) + 3.0 * largest;
    if (sum < exact) return largest;
  }
  return 0;
}

}  // namespace

template <class T>
Operands<T> make_operands(const LadderRequest& request, const Sizes& sizes,
                          kernels::Arithmetic arithmetic) {
  const Dtype dtype = kernels::operand_dtype(arithmetic);
  Operands<T> operands;
  operands.arithmetic = arithmetic;
  operands.alpha = static_cast<T>(request.alpha);
  operands.beta = static_cast<T>(request.beta);
  operands.sizes = sizes;
  const auto& [m, n, k] = sizes;
  if (operands.alpha == 0) operands.sizes.k = 0;
  if (operands.sizes.k > 0) {
    operands.a = matrix_of<T>(request.a, dtype, m, k, request.seed, kStreamA);
    operands.b = matrix_of<T>(request.b, dtype, k, n, request.seed, kStreamB);
  }
  if (operands.beta != 0) operands.c0 = random_matrix<T>(m, n, request.seed, kStreamC);
  return operands;
}

template <class T> Operands<T> make_integer_operands(const Operands<T>& like, std::uint64_t seed) {
  Operands<T> operands;
  const int largest = largest_exact_integer<T>(like.sizes.k);
  if (largest == 0) return operands;
  operands.arithmetic = like.arithmetic;
  operands.sizes = like.sizes;
  operands.alpha = -2;
  operands.beta = like.beta == 0 ? T{0} : T{3};
  const auto& [m, n, k] = like.sizes;
  operands.a = integer_matrix<T>(m, k, largest, seed, kStreamInteger + kStreamA);
  operands.b = integer_matrix<T>(k, n, largest, seed, kStreamInteger + kStreamB);
  if (operands.beta != 0) {
    operands.c0 = integer_matrix<T>(m, n, largest, seed, kStreamInteger + kStreamC);
  }
  return operands;
}

template <class T>
std::vector<T> to_column_major(const std::vector<T>& row_major, std::int64_t rows,
                               std::int64_t columns) {
  return transpose(row_major, rows, columns);
}

template <class T>
std::vector<T> to_row_major(const std::vector<T>& column_major, std::int64_t rows,
                            std::int64_t columns) {
  return transpose(column_major, columns, rows);  // column-major is the transpose in row-major
}

template Operands<float> make_operands(const LadderRequest&, const Sizes&, kernels::Arithmetic);
template Operands<double> make_operands(const LadderRequest&, const Sizes&, kernels::Arithmetic);
template Operands<float> make_integer_operands(const Operands<float>&, std::uint64_t);
template Operands<double> make_integer_operands(const Operands<double>&, std::uint64_t);
template std::vector<float> to_column_major(const std::vector<float>&, std::int64_t, std::int64_t);
template std::vector<double> to_column_major(const std::vector<double>&, std::int64_t,
                                             std::int64_t);
template std::vector<float> to_row_major(const std::vector<float>&, std::int64_t, std::int64_t);
template std::vector<double> to_row_major(const std::vector<double>&, std::int64_t, std::int64_t);

}  // namespace tilewise::bench
