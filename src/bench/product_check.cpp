// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/product_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "bench/check.hpp"
#include "bench/product_vectors.hpp"
#include "core/random.hpp"
#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

using Rows = std::vector<std::int64_t>;
using Vector = std::vector<double>;

// Columns (or k) that are converted to f64 at a time.
constexpr std::int64_t kChunk = 512;
// Rows of the reference that one task computes: they share what it converts of B.
constexpr std::int64_t kGroupRows = 8;

constexpr std::int64_t groups_of(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

// Some rows of A·B in f64, row-major, with the sums of their products' magnitudes.
struct Reference {
  Vector values, magnitudes;
};

// The block of kGroupRows rows and kChunk columns that begins at row_index of `rows` and `column`.
void compute_block(const Product& product, const Rows& rows, std::size_t row_index,
                   std::int64_t column, Reference& reference) {
  const std::int64_t n = product.c.columns, k = product.a.columns;
  const auto count = std::min<std::size_t>(kGroupRows, rows.size() - row_index);
  const std::int64_t width = std::min(kChunk, n - column);
  std::array<std::array<double, kChunk>, kGroupRows> sums{}, magnitudes{}, a;
  std::array<double, kChunk> b;
  for (std::int64_t p0 = 0; p0 < k; p0 += kChunk) {
    const std::int64_t depth = std::min(kChunk, k - p0);
    for (std::size_t r = 0; r < count; ++r) {
      read_elements(product.a.dtype, product.a.at(rows[row_index + r], p0),
                    product.a.column_stride(), depth, a[r].data());
    }
    for (std::int64_t p = 0; p < depth; ++p) {
      read_elements(product.b.dtype, product.b.at(p0 + p, column), product.b.column_stride(), width,
                    b.data());
      for (std::size_t r = 0; r < count; ++r) {
        const double factor = a[r][p], size = std::abs(factor);
        for (std::int64_t j = 0; j < width; ++j) {
          sums[r][j] += factor * b[j];
          magnitudes[r][j] += size * std::abs(b[j]);
        }
      }
    }
  }
  for (std::size_t r = 0; r < count; ++r) {
    const auto start = static_cast<std::int64_t>(row_index + r) * n + column;
    std::copy_n(sums[r].begin(), width, reference.values.begin() + start);
    std::copy_n(magnitudes[r].begin(), width, reference.magnitudes.begin() + start);
  }
}

Reference compute_reference(const Product& product, const Rows& rows) {
  const std::int64_t n = product.c.columns;
  const std::size_t elements = rows.size() * static_cast<std::size_t>(n);
  Reference reference{Vector(elements), Vector(elements)};
  if (product.alpha == 0) return reference;
  const std::int64_t down = groups_of(static_cast<std::int64_t>(rows.size()), kGroupRows);
  const std::int64_t across = groups_of(n, kChunk);
  // Down first: neighbouring tasks share a panel of B in the cache.
  parallel_for(static_cast<std::uint64_t>(down * across), 0, [&](int, std::uint64_t task) {
    const auto block = static_cast<std::int64_t>(task);
    compute_block(product, rows, static_cast<std::size_t>(block % down * kGroupRows),
                  block / down * kChunk, reference);
  });
  return reference;
}

// How far an element may be from the reference.
struct Limits {
  double relative;       // of its magnitude: the sum's rounding
  double absolute;       // products and sums that underflow
  double last_rounding;  // of its value: an f16 C is rounded once more
  double sum_overflow;   // magnitude beyond which the sum may overflow
  double overflow;       // and beyond which C's type may

  Limits(const Product& product, std::int64_t k) {
    const bool wide = product.c.dtype == Dtype::kF64, half = product.c.dtype == Dtype::kF16;
    relative = wide ? error_bound<double>(k) : error_bound<float>(k);
    const double least =
        wide ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<float>::denorm_min();
    absolute = static_cast<double>(k + 4) * least * std::max(1.0, std::abs(product.alpha));
    if (half) absolute += 0x1p-25;
    last_rounding = half ? 0x1p-11 : 0;
    sum_overflow =
        wide ? std::numeric_limits<double>::max() : double{std::numeric_limits<float>::max()};
    overflow = half ? 65504 : sum_overflow;
  }

  double bound(double expected, double magnitude) const {
    return relative * magnitude + last_rounding * (std::abs(expected) + relative * magnitude) +
           absolute;
  }
  bool pass(double actual, double expected, double sum_magnitude, double magnitude) const {
    if (std::isnan(expected)) return std::isnan(actual);
    if (std::isinf(expected)) return actual == expected;
    const bool may_overflow = sum_magnitude > sum_overflow || magnitude > overflow;
    if (may_overflow && !std::isfinite(actual)) return true;
    return std::abs(actual - expected) <= bound(expected, magnitude);
  }
};

// Infinities have met what may have overflowed to the other infinity: NaN is then right too.
bool may_be_nan(const Product& product, const Limits& limits, std::int64_t row,
                std::int64_t column) {
  double finite = 0;
  for (std::int64_t p = 0; p < product.a.columns; ++p) {
    double a = 0, b = 0;
    read_elements(product.a.dtype, product.a.at(row, p), 1, 1, &a);
    read_elements(product.b.dtype, product.b.at(p, column), 1, 1, &b);
    if (std::isfinite(a * b)) finite += std::abs(a * b);
  }
  return finite > limits.sum_overflow;
}

// What the elements of rows add to the verdict.
struct Finding {
  double squared_difference = 0, squared_expected = 0, largest_error = 0;
  std::string wrong;
};

// Row `row` of C against its row of the reference.
Finding check_row(const Product& product, const Limits& limits, std::int64_t row,
                  const double* sums, const double* sum_magnitudes) {
  Finding finding;
  std::array<double, kChunk> actual, c0;
  for (std::int64_t j = 0; j < product.c.columns; ++j) {
    if (j % kChunk == 0) {
      const std::int64_t width = std::min(kChunk, product.c.columns - j);
      read_elements(product.c.dtype, product.c.at(row, j), product.c.column_stride(), width,
                    actual.data());
      if (product.beta != 0) {
        read_elements(product.c0.dtype, product.c0.at(row, j), product.c0.column_stride(), width,
                      c0.data());
      }
    }
    double expected = 0, magnitude = 0;
    if (product.alpha != 0) {
      expected = product.alpha * sums[j];
      magnitude = std::abs(product.alpha) * sum_magnitudes[j];
    }
    if (product.beta != 0) {
      expected += product.beta * c0[j % kChunk];
      magnitude += std::abs(product.beta * c0[j % kChunk]);
    }
    const double value = actual[j % kChunk];
    if (finding.wrong.empty() && !limits.pass(value, expected, sum_magnitudes[j], magnitude) &&
        !(std::isnan(value) && std::isinf(sums[j]) && may_be_nan(product, limits, row, j))) {
      finding.wrong = fmt::format("C[{}][{}] is {:.9g}, expected {:.9g} ± {:.2g}", row, j, value,
                                  expected, limits.bound(expected, magnitude));
    }
    if (!std::isfinite(expected) || !std::isfinite(value)) continue;
    const double difference = std::abs(value - expected);
    finding.squared_difference += difference * difference;
    finding.squared_expected += expected * expected;
    if (difference > 0) {
      finding.largest_error = std::max(finding.largest_error, difference / magnitude);
    }
  }
  return finding;
}

// Holds these rows against the reference, some at a time, and adds what it finds to `total`.
void check_rows(const Product& product, const Rows& rows, Finding& total) {
  constexpr std::int64_t kReferenceElements = 1 << 22;
  const Limits limits(product, product.alpha == 0 ? 0 : product.a.columns);
  const std::int64_t n = product.c.columns;
  if (n == 0) return;
  const std::int64_t fit = std::max<std::int64_t>(1, kReferenceElements / n / kGroupRows);
  const auto step = static_cast<std::size_t>(fit * kGroupRows);
  for (std::size_t first = 0; first < rows.size(); first += step) {
    const Rows part(
        rows.begin() + static_cast<std::ptrdiff_t>(first),
        rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), first + step)));
    const Reference reference = compute_reference(product, part);
    std::vector<Finding> findings(part.size());
    parallel_for(part.size(), 0, [&](int, std::uint64_t i) {
      const auto start = static_cast<std::size_t>(i) * static_cast<std::size_t>(n);
      findings[i] = check_row(product, limits, part[i], &reference.values[start],
                              &reference.magnitudes[start]);
    });
    for (const Finding& finding : findings) {
      total.squared_difference += finding.squared_difference;
      total.squared_expected += finding.squared_expected;
      total.largest_error = std::max(total.largest_error, finding.largest_error);
      if (total.wrong.empty()) total.wrong = finding.wrong;
    }
  }
}

Rows all_rows(std::int64_t count) {
  Rows rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

// Groups of neighbours (which share the pages of a column-major matrix): the first, the last and one at
// random out of each of as many equal parts between.
Rows sample_rows(std::int64_t m, std::uint64_t seed) {
  constexpr std::int64_t kGroups = 8;
  if (m <= kGroups * kGroupRows) return all_rows(m);
  Rows rows;
  for (std::int64_t group = 0; group < kGroups; ++group) {
    const std::int64_t begin = m * group / kGroups, end = m * (group + 1) / kGroups - kGroupRows;
    const double unit = (random_unit(seed, 98, static_cast<std::uint64_t>(group)) + 1) / 2;
    std::int64_t first = begin + static_cast<std::int64_t>(unit * static_cast<double>(end - begin));
    if (group == 0) first = 0;
    if (group == kGroups - 1) first = m - kGroupRows;
    for (std::int64_t i = 0; i < kGroupRows; ++i) rows.push_back(first + i);
  }
  return rows;
}

// Rows whose gap stands out from those of the sampled rows, the worst ones. A NaN stands out most.
Rows suspicious_rows(const Product& product, const TwoWays<double>& ways, const Rows& sample) {
  constexpr double kStandsOut = 8, kRoundoff = std::numeric_limits<double>::epsilon() / 2;
  constexpr std::size_t kMostRows = 64;
  const auto gap = [&](std::int64_t row) {
    const double difference = std::abs(ways.actual[row] - ways.expected[row]);
    if (difference == 0) return 0.0;
    const double relative = difference / ways.magnitudes[row];
    return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
  };
  double usual = static_cast<double>(product.c.columns + product.a.columns + 8) * kRoundoff;
  for (const std::int64_t row : sample) {
    if (std::isfinite(gap(row))) usual = std::max(usual, kStandsOut * gap(row));
  }
  Rows rows;
  for (std::int64_t i = 0; i < product.c.rows; ++i) {
    if (gap(i) > usual) rows.push_back(i);
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, gap);
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  std::ranges::sort(rows);
  return rows;
}

ProductVerdict check_floats(const Product& product, std::uint64_t seed, bool complete) {
  const std::int64_t m = product.c.rows;
  Rows rows = complete ? all_rows(m) : sample_rows(m, seed);
  Finding total;
  check_rows(product, rows, total);
  ProductVerdict verdict;
  verdict.complete = static_cast<std::int64_t>(rows.size()) == m;
  if (!verdict.complete && total.wrong.empty()) {
    Sums<double> t{Vector(static_cast<std::size_t>(product.c.columns)),
                   Vector(static_cast<std::size_t>(product.c.columns), 1.0)};
    for (std::size_t j = 0; j < t.values.size(); ++j) {
      t.values[j] = (mix64(seed + j) & 1u) != 0 ? 1.0 : -1.0;
    }
    const Rows suspects = suspicious_rows(product, compute_two_ways(product, t), rows);
    check_rows(product, suspects, total);
    rows.insert(rows.end(), suspects.begin(), suspects.end());
  }
  verdict.rows = static_cast<std::int64_t>(rows.size());
  verdict.wrong = total.wrong;
  verdict.verified = verdict.wrong.empty();
  verdict.largest_error = total.largest_error;
  if (total.squared_difference > 0) {
    verdict.error = std::sqrt(total.squared_difference /
                              (total.squared_expected > 0 ? total.squared_expected : 1));
  }
  return verdict;
}

// The first element of a row of integers that is not what it should be, in words.
std::string wrong_element(const Product& product, std::int64_t row) {
  const auto at = [](const TypedMatrix& matrix, std::int64_t i, std::int64_t j) {
    double value = 0;
    read_elements(matrix.dtype, matrix.at(i, j), 1, 1, &value);
    return number_of(value, std::uint32_t{});
  };
  for (std::int64_t j = 0; j < product.c.columns; ++j) {
    std::uint32_t sum = 0;
    for (std::int64_t p = 0; product.alpha != 0 && p < product.a.columns; ++p) {
      sum += at(product.a, row, p) * at(product.b, p, j);
    }
    std::uint32_t expected = number_of(product.alpha, std::uint32_t{}) * sum;
    if (product.beta != 0) {
      expected += number_of(product.beta, std::uint32_t{}) * at(product.c0, row, j);
    }
    if (const std::uint32_t actual = at(product.c, row, j); actual != expected) {
      return fmt::format("C[{}][{}] is {}, expected {}", row, j, static_cast<std::int32_t>(actual),
                         static_cast<std::int32_t>(expected));
    }
  }
  return fmt::format("row {} of C is wrong", row);
}

ProductVerdict check_integers(const Product& product, std::uint64_t seed) {
  Sums<std::uint32_t> t{std::vector<std::uint32_t>(static_cast<std::size_t>(product.c.columns)),
                        {}};
  t.magnitudes.resize(t.values.size());
  for (std::size_t j = 0; j < t.values.size(); ++j) {
    t.values[j] = static_cast<std::uint32_t>(mix64(seed + j)) | 1u;
  }
  const TwoWays<std::uint32_t> ways = compute_two_ways(product, t);
  ProductVerdict verdict;
  verdict.rows = product.c.rows;
  const auto [actual, expected] = std::ranges::mismatch(ways.actual, ways.expected);
  if (actual == ways.actual.end()) return verdict;
  verdict.verified = false;
  verdict.wrong = wrong_element(product, actual - ways.actual.begin());
  return verdict;
}

}  // namespace

ProductVerdict check_product(const Product& product, std::uint64_t seed,
                             std::int64_t complete_products) {
  if (product.c.rows == 0 || product.c.columns == 0) return {};
  if (product.c.dtype == Dtype::kS32) return check_integers(product, seed);
  const double products = static_cast<double>(product.c.rows) *
                          static_cast<double>(product.c.columns) *
                          static_cast<double>(std::max<std::int64_t>(product.a.columns, 1));
  return check_floats(product, seed, products <= static_cast<double>(complete_products));
}

}  // namespace tilewise::bench
