// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sampled_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <set>
#include <vector>

#include "bench/sample.hpp"
#include "core/elements.hpp"
#include "core/random.hpp"
#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

constexpr std::int64_t kBlock = 64;  // elements of one line that are summed side by side

// Both factors of C = L·R, seen from the sampled rows: L is op(A), R op(B); or from the sampled columns,
// transposed: L is op(B)ᵀ, R op(A)ᵀ.
struct Factor {
  const ReadElements& read;
  std::int64_t along = 0, across = 0;  // elements from (i, l) to (i, l + 1), and to (i + 1, l)
};

std::vector<std::int64_t> chosen_lines(std::int64_t count, int wanted, std::uint64_t seed) {
  const std::set<std::int64_t> lines = sample_of(count, wanted, seed);
  return {lines.begin(), lines.end()};
}

// Sums and magnitudes of sampled lines: element (r, j) at r·length + j.
struct Lines {
  std::vector<std::int64_t> lines;
  std::int64_t length = 0;
  std::vector<double> low, sums, magnitudes;  // a sum is sums + low: more bits than f64 has
};

/// Lines of alpha·left·right + beta·added: left has its rows sampled, right has `length` columns.
template <class Sum> class LineSums {
 public:
  LineSums(const Scaling& scaling, const Factor& left, const Factor& right, const Factor& added,
           std::int64_t k, Lines& to)
      : scaling_(scaling),
        right_(right),
        added_(added),
        k_(k),
        to_(to),
        count_(static_cast<std::int64_t>(to.lines.size())) {
    left_.resize(static_cast<std::size_t>(count_ * k));
    for (std::int64_t r = 0; r < count_; ++r) {
      left.read(to.lines[static_cast<std::size_t>(r)] * left.across, left.along, k,
                &left_[static_cast<std::size_t>(r * k)]);
    }
    const auto size = static_cast<std::size_t>(count_ * to.length);
    to_.sums.resize(size), to_.low.resize(size), to_.magnitudes.resize(size);
  }

  void run() {
    const auto blocks = static_cast<std::uint64_t>((to_.length + kBlock - 1) / kBlock);
    parallel_for(blocks, 0, [this](int, std::uint64_t block) {
      sum_block(static_cast<std::int64_t>(block) * kBlock);
    });
  }

 private:
  // Columns [first, first + kBlock) of right, a strip of k at a time that stays in the cache.
  void sum_block(std::int64_t first) {
    constexpr std::int64_t kStrip = 128;
    const std::int64_t width = std::min(kBlock, to_.length - first);
    std::vector<double> strip(static_cast<std::size_t>(kStrip * kBlock));
    std::vector<Sum> sums(static_cast<std::size_t>(count_ * kBlock), Sum{0});
    std::vector<double> magnitudes(sums.size(), 0.0);
    for (std::int64_t l = 0; l < k_; l += kStrip) {
      const std::int64_t depth = std::min(kStrip, k_ - l);
      read_strip(first, width, l, depth, strip);
      for (std::int64_t r = 0; r < count_; ++r) {
        add(&left_[static_cast<std::size_t>(r * k_ + l)], depth, strip.data(),
            &sums[static_cast<std::size_t>(r * kBlock)],
            &magnitudes[static_cast<std::size_t>(r * kBlock)]);
      }
    }
    store(first, width, sums, magnitudes);
  }

  // Row l of the strip holds right(l, first …), zeros behind.
  void read_strip(std::int64_t first, std::int64_t width, std::int64_t l, std::int64_t depth,
                  std::vector<double>& strip) const {
    if (right_.across == 1) {  // columns are neighbours in memory
      for (std::int64_t i = 0; i < depth; ++i) {
        right_.read((l + i) * right_.along + first, 1, width,
                    &strip[static_cast<std::size_t>(i * kBlock)]);
      }
      return;
    }
    std::vector<double> column(static_cast<std::size_t>(depth));
    for (std::int64_t j = 0; j < width; ++j) {
      right_.read((first + j) * right_.across + l * right_.along, right_.along, depth,
                  column.data());
      for (std::int64_t i = 0; i < depth; ++i) {
        strip[static_cast<std::size_t>(i * kBlock + j)] = column[static_cast<std::size_t>(i)];
      }
    }
  }

  static void add(const double* left, std::int64_t depth, const double* strip, Sum* sums,
                  double* magnitudes) {
    for (std::int64_t i = 0; i < depth; ++i) {
      const double factor = left[i];
      const double* row = strip + i * kBlock;
      for (std::int64_t j = 0; j < kBlock; ++j) {
        sums[j] += static_cast<Sum>(factor) * static_cast<Sum>(row[j]);
        magnitudes[j] += std::abs(factor * row[j]);
      }
    }
  }

  void store(std::int64_t first, std::int64_t width, const std::vector<Sum>& sums,
             const std::vector<double>& magnitudes) {
    const auto alpha = static_cast<Sum>(scaling_.alpha), beta = static_cast<Sum>(scaling_.beta);
    std::vector<double> added(static_cast<std::size_t>(kBlock), 0.0);
    for (std::int64_t r = 0; r < count_; ++r) {
      if (scaling_.beta != 0) {
        added_.read(to_.lines[static_cast<std::size_t>(r)] * added_.across + first * added_.along,
                    added_.along, width, added.data());
      }
      for (std::int64_t j = 0; j < width; ++j) {
        const auto to = static_cast<std::size_t>(r * to_.length + first + j);
        const auto from = static_cast<std::size_t>(r * kBlock + j);
        const Sum more = beta * static_cast<Sum>(added[static_cast<std::size_t>(j)]);
        const Sum sum = alpha * sums[from] + more;
        to_.sums[to] = static_cast<double>(sum);
        to_.low[to] = static_cast<double>(sum - static_cast<Sum>(to_.sums[to]));
        to_.magnitudes[to] =
            std::abs(scaling_.alpha) * magnitudes[from] + static_cast<double>(std::abs(more));
      }
    }
  }

  const Scaling& scaling_;
  const Factor &right_, &added_;
  std::int64_t k_;
  Lines& to_;
  std::int64_t count_;
  std::vector<double> left_;
};

double roundoff_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64: return 0x1p-53;
    case Dtype::kF16: return 0x1p-11;
    case Dtype::kBF16: return 0x1p-8;
    default: return 0x1p-24;
  }
}

// Products a sample may cost: about a second on a large machine; long double has no vectors.
int lines_within(std::int64_t n, std::int64_t k, Dtype dtype, int most) {
  const double budget = dtype == Dtype::kF64 ? 0x1p28 : 0x1p30;
  const double each = static_cast<double>(n) * static_cast<double>(k);
  return static_cast<int>(std::clamp(budget / each, 4.0, static_cast<double>(most)));
}

}  // namespace

double error_bound(const GpuProblem& problem) {
  const Dtype sums = problem.dtype == Dtype::kF64 ? Dtype::kF64 : Dtype::kF32;
  double bound = 2 * static_cast<double>(problem.shape.k + 4) * roundoff_of(sums);
  if (problem.mode == ComputeMode::kTf32) bound += 0x1p-9;  // each factor within 2^-10, if cut off
  const int roundings = problem.scaling.beta == 0 ? 1 : 2;
  if (size_of(problem.result) == 2) bound += roundings * 1.01 * roundoff_of(problem.result);
  return bound;
}

/// The reference. Signs are divided by the powers of two of the columns, so that every column counts alike.
struct SampledReference::Sample {
  GpuProblem problem;
  Lines rows, columns;
  std::vector<double> signs;          // t, an element a column of C
  std::vector<long double> row_sums;  // alpha·A·(B·t) + beta·C·t
  std::vector<double> row_magnitudes;
  double spread =
      0;  // root of squares of the columns' magnitudes over their sum: 1/√n if all alike

  void sum_signs(const ReadElements& a, const ReadElements& b, const ReadElements& c);
  double element(std::span<const std::byte> c, std::int64_t i, std::int64_t j) const {
    double value = 0;
    read_elements(problem.result,
                  &c[static_cast<std::size_t>(i * problem.ldc + j) * size_of(problem.result)], 1, 1,
                  &value);
    return value;
  }
};

namespace {

/// Errors of the sample, added up.
struct Errors {
  double error_square = 0, reference_square = 0, relative_square = 0, largest = 0;
  std::int64_t count = 0;
  std::string wrong;
  double largest_number = HUGE_VAL;  // of the result's dtype

  // What is too large for the result is infinite with the right sign, and has no error.
  bool overflows_as(double got, double expected) const {
    return std::isinf(got) && std::abs(expected) > 0.999 * largest_number &&
           std::signbit(got) == std::signbit(expected);
  }

  void add(double got, const Lines& lines, std::size_t at, double bound, std::int64_t i,
           std::int64_t j) {
    if (overflows_as(got, lines.sums[at])) return;
    const double error = (got - lines.sums[at]) - lines.low[at];
    const double magnitude = lines.magnitudes[at];
    const double relative = error == 0 ? 0 : std::abs(error) / magnitude;
    if (!(relative <= bound) && wrong.empty()) {
      wrong = fmt::format("C({}, {}) is {}, expected {}", i, j, got, lines.sums[at]);
    }
    error_square += error * error;
    reference_square += lines.sums[at] * lines.sums[at];
    relative_square += relative * relative;
    if (!(relative <= largest)) largest = relative;  // NaN too
    ++count;
  }
};

}  // namespace

// Row by row of B, then of A and C, as they are stored.
void SampledReference::Sample::sum_signs(const ReadElements& a, const ReadElements& b,
                                         const ReadElements& c) {
  const auto [m, n, k] = std::array{problem.shape.m, problem.shape.n, problem.shape.k};
  const bool ta = problem.shape.trans_a, tb = problem.shape.trans_b;
  std::vector<long double> bt(static_cast<std::size_t>(k));
  std::vector<double> b_magnitudes(bt.size());
  parallel_for(static_cast<std::uint64_t>(k), 0, [&](int, std::uint64_t l) {
    std::vector<double> line(static_cast<std::size_t>(n));
    b(static_cast<std::int64_t>(l) * (tb ? 1 : problem.ldb), tb ? problem.ldb : 1, n, line.data());
    for (std::size_t j = 0; j < line.size(); ++j) {
      bt[l] += line[j] * signs[j];
      b_magnitudes[l] += std::abs(line[j] * signs[j]);
    }
  });
  row_sums.assign(static_cast<std::size_t>(m), 0), row_magnitudes.assign(row_sums.size(), 0);
  parallel_for(static_cast<std::uint64_t>(m), 0, [&](int, std::uint64_t i) {
    std::vector<double> line(static_cast<std::size_t>(k));
    a(static_cast<std::int64_t>(i) * (ta ? 1 : problem.lda), ta ? problem.lda : 1, k, line.data());
    for (std::size_t l = 0; l < line.size(); ++l) {
      row_sums[i] += line[l] * bt[l];
      row_magnitudes[i] += std::abs(line[l]) * b_magnitudes[l];
    }
    const auto& [alpha, beta] = problem.scaling;
    row_sums[i] *= alpha, row_magnitudes[i] *= std::abs(alpha);
    if (beta == 0) return;
    line.resize(static_cast<std::size_t>(n));
    c(static_cast<std::int64_t>(i) * problem.ldc, 1, n, line.data());
    for (std::size_t j = 0; j < line.size(); ++j) {
      const double more = beta * line[j] * signs[j];
      row_sums[i] += more;
      row_magnitudes[i] += std::abs(more);
    }
  });
}

SampledReference::SampledReference(const GpuProblem& problem, const ReadElements& a,
                                   const ReadElements& b, const ReadElements& c, std::uint64_t seed,
                                   int most,
                                   const std::function<int(std::int64_t)>& column_exponent)
    : sample_(std::make_unique<Sample>()) {
  Sample& s = *sample_;
  s.problem = problem;
  const auto [m, n, k] = std::array{problem.shape.m, problem.shape.n, problem.shape.k};
  s.rows.lines = chosen_lines(m, lines_within(n, k, problem.dtype, most), mix64(seed));
  s.columns.lines = chosen_lines(n, lines_within(m, k, problem.dtype, most), mix64(seed + 1));
  s.rows.length = n, s.columns.length = m;
  const bool ta = problem.shape.trans_a, tb = problem.shape.trans_b;
  const std::int64_t lda = problem.lda, ldb = problem.ldb;
  const Factor a_rows{a, ta ? lda : 1, ta ? 1 : lda}, b_columns{b, tb ? 1 : ldb, tb ? ldb : 1};
  const Factor c_rows{c, 1, problem.ldc}, c_columns{c, problem.ldc, 1};
  const auto sum = [&]<class Sum>(Sum) {
    LineSums<Sum>(problem.scaling, a_rows, b_columns, c_rows, k, s.rows).run();
    LineSums<Sum>(problem.scaling, b_columns, a_rows, c_columns, k, s.columns).run();
  };
  if (problem.dtype == Dtype::kF64) {
    sum(0.0L);
  } else {
    sum(0.0);
  }
  s.signs.resize(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < s.signs.size(); ++j) {
    const double sign = (mix64(~seed + j) & 1) != 0 ? 1 : -1;
    s.signs[j] =
        column_exponent ? std::ldexp(sign, -column_exponent(static_cast<std::int64_t>(j))) : sign;
  }
  s.sum_signs(a, b, c);
  double square = 0, total = 0;  // over the sampled rows: how evenly do columns weigh in?
  for (std::size_t at = 0; at < s.rows.magnitudes.size(); ++at) {
    const double weight = s.rows.magnitudes[at] * std::abs(s.signs[at % s.signs.size()]);
    total += weight;
    square += weight * weight;
    if (at % s.signs.size() + 1 < s.signs.size()) continue;
    s.spread = std::max(s.spread, total > 0 ? std::sqrt(square) / total : 1);
    square = total = 0;
  }
}

SampledReference::~SampledReference() = default;

SampledVerdict SampledReference::check(std::span<const std::byte> c) const {
  const Sample& s = *sample_;
  const auto [m, n] = std::array{s.problem.shape.m, s.problem.shape.n};
  const double bound = error_bound(s.problem);
  Errors errors;
  if (s.problem.result == Dtype::kF16) errors.largest_number = 65504;
  for (std::size_t r = 0; r < s.rows.lines.size(); ++r) {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t i = s.rows.lines[r];
      errors.add(s.element(c, i, j), s.rows,
                 r * static_cast<std::size_t>(n) + static_cast<std::size_t>(j), bound, i, j);
    }
  }
  for (std::size_t r = 0; r < s.columns.lines.size(); ++r) {
    for (std::int64_t i = 0; i < m; ++i) {
      const std::int64_t j = s.columns.lines[r];
      errors.add(s.element(c, i, j), s.columns,
                 r * static_cast<std::size_t>(m) + static_cast<std::size_t>(i), bound, i, j);
    }
  }
  SampledVerdict verdict;
  verdict.error = errors.reference_square > 0
                      ? std::sqrt(errors.error_square / errors.reference_square)
                      : std::sqrt(errors.error_square);
  verdict.largest_error = errors.largest;
  verdict.wrong = std::move(errors.wrong);

  const double typical =
      std::max(std::sqrt(errors.relative_square / std::max(1.0, static_cast<double>(errors.count))),
               roundoff_of(s.problem.dtype == Dtype::kF64 ? Dtype::kF64 : Dtype::kF32));
  const bool may_overflow = s.problem.result == Dtype::kF16;
  std::mutex mutex;
  std::int64_t wrong_row = m;
  double found = 0;
  parallel_for(static_cast<std::uint64_t>(m), 0, [&](int, std::uint64_t row) {
    const auto i = static_cast<std::int64_t>(row);
    std::vector<double> line(static_cast<std::size_t>(n));
    read_elements(s.problem.result,
                  &c[static_cast<std::size_t>(i * s.problem.ldc) * size_of(s.problem.result)], 1, n,
                  line.data());
    long double got = 0;
    for (std::size_t j = 0; j < line.size(); ++j) got += line[j] * s.signs[j];
    // Of a row with infinities, where f16 ends, its sum says nothing.
    if (may_overflow && std::ranges::any_of(line, [](double x) { return std::isinf(x); })) return;
    if (std::abs(got - s.row_sums[row]) <= 32 * typical * s.row_magnitudes[row] * s.spread) return;
    const std::scoped_lock lock(mutex);
    if (i < wrong_row) wrong_row = i, found = static_cast<double>(got);
  });
  if (wrong_row < m && verdict.wrong.empty()) {
    verdict.wrong =
        fmt::format("row {} of C, times a vector of signs, is {}, expected {}", wrong_row, found,
                    static_cast<double>(s.row_sums[static_cast<std::size_t>(wrong_row)]));
  }
  verdict.verified = verdict.wrong.empty();
  return verdict;
}

}  // namespace tilewise::bench
