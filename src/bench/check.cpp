// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

template <class T> constexpr double kUnitRoundoff = std::numeric_limits<T>::epsilon() / 2.0;

// What one row adds to the verdict; rows are checked in parallel and added up in order.
struct RowFinding {
  double squared_difference = 0, squared_reference = 0, largest_error = 0;
  std::int64_t wrong_column = -1;
};

bool on_tensor_cores(kernels::Arithmetic arithmetic) {
  using enum kernels::Arithmetic;
  return arithmetic == kF16 || arithmetic == kBF16 || arithmetic == kTF32;
}

// What a product can cost whose factor is subnormal in its own type: tensor cores align by such a
// factor's nominal exponent, the type's least, and cut off more than its size tells; and rounding to
// tf32 takes more of it.
template <class T> double subnormal_cost(const Operands<T>& operands) {
  if (!on_tensor_cores(operands.arithmetic)) return 0;
  const double least = operands.arithmetic == kernels::Arithmetic::kF16
                           ? 0x1p-14
                           : static_cast<double>(std::numeric_limits<float>::min()) * 0x1p+13;
  double largest = 0;
  for (const std::vector<T>* matrix : {&operands.a, &operands.b}) {
    for (const T value : *matrix) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
  }
  return std::abs(static_cast<double>(operands.alpha)) * least * largest * 0x1p-24;
}

// Bounds of one problem, the same for all elements.
template <class T> struct Limits {
  double relative;                                  // of an element's magnitude
  double absolute;                                  // products and sums that underflow
  double overflow = std::numeric_limits<T>::max();  // magnitude beyond which T may overflow

  explicit Limits(const Operands<T>& operands)
      : relative(error_bound<T>(operands.sizes.k, operands.arithmetic)),
        absolute(static_cast<double>(operands.sizes.k + 4) * std::numeric_limits<T>::denorm_min() +
                 static_cast<double>(operands.sizes.k + 16) * subnormal_cost(operands)) {}

  bool pass(double actual, double expected, double magnitude) const {
    if (std::isnan(expected)) return std::isnan(actual);
    if (std::isinf(expected)) return actual == expected;
    if (magnitude > overflow && std::isinf(actual)) return true;
    return std::abs(actual - expected) <= relative * magnitude + absolute;
  }
};

template <class T>
RowFinding check_row(const Limits<T>& limits, const double* expected, const double* magnitudes,
                     const T* actual, std::int64_t columns) {
  RowFinding finding;
  for (std::int64_t j = 0; j < columns; ++j) {
    const double value = actual[j];
    if (!limits.pass(value, expected[j], magnitudes[j]) && finding.wrong_column < 0) {
      finding.wrong_column = j;
    }
    if (!std::isfinite(expected[j])) continue;
    const double difference =
        std::isfinite(value) ? std::abs(value - expected[j]) : std::abs(expected[j]);
    finding.squared_difference += difference * difference;
    finding.squared_reference += expected[j] * expected[j];
    if (difference > 0) {
      finding.largest_error = std::max(finding.largest_error, difference / magnitudes[j]);
    }
  }
  return finding;
}

double relative_norm(double squared_difference, double squared_reference) {
  if (squared_difference == 0) return 0;
  return squared_reference > 0 ? std::sqrt(squared_difference / squared_reference)
                               : std::sqrt(squared_difference);
}

// One random sign, as a double, for each column.
std::vector<double> random_signs(std::int64_t count, std::uint64_t seed) {
  std::vector<double> signs(static_cast<std::size_t>(count));
  for (std::size_t j = 0; j < signs.size(); ++j) {
    signs[j] = (mix64(seed + j) & 1u) != 0 ? 1.0 : -1.0;
  }
  return signs;
}

// Calls body(row) for every row, some rows a task.
template <class Body> void for_rows(std::int64_t rows, const Body& body) {
  constexpr std::int64_t kRows = 16;
  parallel_for(static_cast<std::uint64_t>((rows + kRows - 1) / kRows), 0,
               [&](int, std::uint64_t task) {
                 const std::int64_t first = static_cast<std::int64_t>(task) * kRows;
                 for (std::int64_t i = first; i < std::min(rows, first + kRows); ++i) body(i);
               });
}

// C·t against alpha·A·(B·t) + beta·C0·t for each row of C, relative to the row's magnitudes.
template <class T>
std::vector<double> vector_gaps(const Operands<T>& operands, std::span<const T> c,
                                std::uint64_t seed) {
  const auto& [m, n, k] = operands.sizes;
  const std::int64_t columns = n, depth = k;
  const std::vector<double> t = random_signs(n, seed);
  std::vector<double> b_t(static_cast<std::size_t>(k)), b_magnitude(static_cast<std::size_t>(k));
  for_rows(k, [&](std::int64_t p) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const double value = operands.b[p * columns + j];
      b_t[p] += value * t[j];
      b_magnitude[p] += std::abs(value);
    }
  });
  std::vector<double> gaps(static_cast<std::size_t>(m));
  for_rows(m, [&](std::int64_t i) {
    double product = 0, magnitude = 0, scaled = 0, scaled_magnitude = 0, actual = 0;
    for (std::int64_t p = 0; p < depth; ++p) {
      const double value = operands.a[i * depth + p];
      product += value * b_t[p];
      magnitude += std::abs(value) * b_magnitude[p];
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      actual += static_cast<double>(c[i * columns + j]) * t[j];
      if (operands.beta == 0) continue;
      const double c0 = operands.c0[i * columns + j];
      scaled += c0 * t[j];
      scaled_magnitude += std::abs(c0);
    }
    const double alpha = operands.alpha, beta = operands.beta;
    const double difference = std::abs(actual - (alpha * product + beta * scaled));
    const double size = std::abs(alpha) * magnitude + std::abs(beta) * scaled_magnitude;
    gaps[i] = difference == 0 ? 0 : difference / size;
  });
  return gaps;
}

// Rows whose gap stands out from those of the sampled rows, the worst first. A NaN stands out most.
template <class T>
std::vector<std::int64_t> suspicious_rows(const Operands<T>& operands, const Reference& sample,
                                          const std::vector<double>& gaps) {
  // The sampled rows have been found right: their gaps are what rounding does to rows of this
  // problem. Eight times the largest of them, and what f64 itself rounds in these sums.
  constexpr double kStandsOut = 8;
  constexpr std::size_t kMostRows = 64;
  double usual = 0;
  for (const std::int64_t row : sample.rows) {
    if (std::isfinite(gaps[row])) usual = std::max(usual, gaps[row]);
  }
  const double own =
      static_cast<double>(operands.sizes.n + operands.sizes.k + 8) * kUnitRoundoff<double>;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < operands.sizes.m; ++i) {
    if (!(gaps[i] <= kStandsOut * usual + own)) rows.push_back(i);
  }
  const auto badness = [&](std::int64_t row) {
    return std::isnan(gaps[row]) ? std::numeric_limits<double>::infinity() : gaps[row];
  };
  std::ranges::stable_sort(rows, std::ranges::greater{}, badness);
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  std::ranges::sort(rows);
  return rows;
}

// An element that is not an integer below 2^53 is wrong; its bits then stand for it.
template <class T> std::uint64_t as_integer(T value, bool& is_integer) {
  const double wide = value;
  is_integer = std::abs(wide) < 0x1p53 && std::trunc(wide) == wide;
  return is_integer ? static_cast<std::uint64_t>(static_cast<std::int64_t>(wide)) : 0;
}

template <class T> std::uint64_t as_integer(T value) {
  bool ignored = false;
  return as_integer(value, ignored);
}

}  // namespace

template <class T> double error_bound(std::int64_t k, kernels::Arithmetic arithmetic) {
  const bool cut = on_tensor_cores(arithmetic);
  const double roundings = static_cast<double>(cut ? 2 * (k + 16) + 4 : k + 4);
  double rounded = roundings * (kUnitRoundoff<T> + kUnitRoundoff<double>);
  if (arithmetic == kernels::Arithmetic::kTF32) rounded += 2 * 0x1p-11;
  // From here on the bound says nothing; the exact run still does.
  return rounded < 0.5 ? rounded / (1 - rounded) : 1.0;
}

template <class T>
Verdict check_rows(const Operands<T>& operands, const Reference& reference, std::span<const T> c,
                   std::size_t row_count) {
  const std::int64_t n = reference.columns;
  if (n == 0) return {};
  const Limits<T> limits(operands);
  std::vector<RowFinding> findings(row_count);
  for_rows(static_cast<std::int64_t>(row_count), [&](std::int64_t i) {
    findings[i] = check_row(limits, &reference.values[i * n], &reference.magnitudes[i * n],
                            &c[reference.rows[i] * n], n);
  });
  RowFinding total;
  Verdict verdict;
  for (std::size_t i = 0; i < row_count; ++i) {
    const RowFinding& finding = findings[i];
    total.squared_difference += finding.squared_difference;
    total.squared_reference += finding.squared_reference;
    verdict.largest_error = std::max(verdict.largest_error, finding.largest_error);
    if (finding.wrong_column < 0 || !verdict.verified) continue;
    const std::int64_t row = reference.rows[i], column = finding.wrong_column;
    const std::size_t index = i * static_cast<std::size_t>(n) + static_cast<std::size_t>(column);
    verdict.verified = false;
    verdict.wrong = fmt::format("C[{}][{}] is {:.9g}, expected {:.9g} ± {:.2g}", row, column,
                                c[row * n + column], reference.values[index],
                                limits.relative * reference.magnitudes[index] + limits.absolute);
  }
  verdict.error = relative_norm(total.squared_difference, total.squared_reference);
  return verdict;
}

template <class T>
Verdict check_result(const Operands<T>& operands, const Reference& reference, std::span<const T> c,
                     std::uint64_t seed) {
  Verdict verdict = check_rows(operands, reference, c, reference.rows.size());
  if (reference.complete || !verdict.verified) return verdict;
  const std::vector<double> gaps = vector_gaps(operands, c, seed);
  const Reference suspects = make_reference(operands, suspicious_rows(operands, reference, gaps));
  const Verdict found = check_rows(operands, suspects, c, suspects.rows.size());
  verdict.verified = found.verified;
  verdict.wrong = found.wrong;
  verdict.largest_error = std::max(verdict.largest_error, found.largest_error);
  return verdict;
}

template <class T> bool needs_exact_run(const Operands<T>& operands, const Reference& reference) {
  const std::int64_t k = operands.sizes.k;
  if (k == 0) return false;
  // With elements of one size, a product is 1/k of the magnitude: it must stand well out of the bound.
  constexpr double kMargin = 16;
  return !reference.complete ||
         kMargin * error_bound<T>(k, operands.arithmetic) > 1 / static_cast<double>(k);
}

template <class T>
std::string check_exact(const Operands<T>& operands, std::span<const T> c, std::uint64_t seed) {
  const std::int64_t m = operands.sizes.m, n = operands.sizes.n, k = operands.sizes.k;
  const auto t = [seed](std::int64_t j) { return mix64(seed + static_cast<std::uint64_t>(j)) | 1; };
  std::vector<std::uint64_t> b_t(static_cast<std::size_t>(k));
  for_rows(k, [&](std::int64_t p) {
    for (std::int64_t j = 0; j < n; ++j) b_t[p] += as_integer(operands.b[p * n + j]) * t(j);
  });
  std::vector<char> wrong(static_cast<std::size_t>(m));
  for_rows(m, [&](std::int64_t i) {
    std::uint64_t product = 0, scaled = 0, actual = 0;
    bool integers = true;
    for (std::int64_t p = 0; p < k; ++p) product += as_integer(operands.a[i * k + p]) * b_t[p];
    for (std::int64_t j = 0; j < n; ++j) {
      bool is_integer = false;
      actual += as_integer(c[i * n + j], is_integer) * t(j);
      integers = integers && is_integer;
      if (operands.beta != 0) scaled += as_integer(operands.c0[i * n + j]) * t(j);
    }
    const std::uint64_t expected =
        as_integer(operands.alpha) * product + as_integer(operands.beta) * scaled;
    wrong[i] = !integers || actual != expected;
  });
  const auto first = std::ranges::find(wrong, 1);
  if (first == wrong.end()) return {};
  return fmt::format("row {} of C is wrong on integer operands, where arithmetic is exact",
                     first - wrong.begin());
}

template double error_bound<float>(std::int64_t, kernels::Arithmetic);
template double error_bound<double>(std::int64_t, kernels::Arithmetic);
template Verdict check_rows(const Operands<float>&, const Reference&, std::span<const float>,
                            std::size_t);
template Verdict check_rows(const Operands<double>&, const Reference&, std::span<const double>,
                            std::size_t);
template Verdict check_result(const Operands<float>&, const Reference&, std::span<const float>,
                              std::uint64_t);
template Verdict check_result(const Operands<double>&, const Reference&, std::span<const double>,
                              std::uint64_t);
template bool needs_exact_run(const Operands<float>&, const Reference&);
template bool needs_exact_run(const Operands<double>&, const Reference&);
template std::string check_exact(const Operands<float>&, std::span<const float>, std::uint64_t);
template std::string check_exact(const Operands<double>&, std::span<const double>, std::uint64_t);

}  // namespace tilewise::bench
