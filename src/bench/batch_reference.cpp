// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/batch_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "bench/sample.hpp"
#include "core/elements.hpp"
#include "core/thread_pool.hpp"

namespace tilewise::bench {
namespace {

constexpr std::int64_t kProducts = 16;  // that are sampled
constexpr int kLinesOfOne = 24, kLinesOfMany = 6;

ReadElements from(const ReadElements& read, std::int64_t offset) {
  return [&read, offset](std::int64_t first, std::int64_t stride, std::int64_t count, double* to) {
    read(offset + first, stride, count, to);
  };
}

// The number of the first row, counted over all products, that holds a NaN; `rows` where none does.
std::int64_t first_unwritten_row(const GpuProblem& problem, std::span<const std::byte> c) {
  const std::int64_t rows = problem.shape.batch * problem.shape.m;
  constexpr std::int64_t kTogether = 256;
  std::atomic<std::int64_t> found = rows;
  const auto chunks = static_cast<std::uint64_t>((rows + kTogether - 1) / kTogether);
  parallel_for(chunks, 0, [&](int, std::uint64_t chunk) {
    std::vector<double> line(static_cast<std::size_t>(problem.shape.n));
    const std::int64_t begin = static_cast<std::int64_t>(chunk) * kTogether;
    for (std::int64_t row = begin; row < std::min(rows, begin + kTogether); ++row) {
      const auto at = static_cast<std::size_t>(row * problem.ldc) * size_of(problem.result);
      read_elements(problem.result, &c[at], 1, problem.shape.n, line.data());
      if (std::ranges::none_of(line, [](double x) { return std::isnan(x); })) continue;
      std::int64_t before = found;
      while (row < before && !found.compare_exchange_weak(before, row)) {
      }
      return;
    }
  });
  return found;
}

}  // namespace

BatchReference::BatchReference(const GpuProblem& problem, const ReadElements& a,
                               const ReadElements& b, const ReadElements& c, std::uint64_t seed,
                               const std::function<int(std::int64_t)>& column_exponent)
    : problem_(problem) {
  const std::int64_t of_a = problem.rows_of_a() * problem.lda,
                     of_b = problem.rows_of_b() * problem.ldb, of_c = problem.shape.m * problem.ldc;
  GpuProblem one = problem;
  one.shape.batch = 1;
  for (const std::int64_t product : sample_of(problem.shape.batch, kProducts, ~seed)) {
    samples_.emplace_back(
        product, std::make_unique<SampledReference>(
                     one, from(a, product * of_a), from(b, product * of_b), from(c, product * of_c),
                     seed, problem.shape.batch == 1 ? kLinesOfOne : kLinesOfMany, column_exponent));
  }
}

SampledVerdict BatchReference::check(std::span<const std::byte> c) const {
  const std::size_t bytes =
      static_cast<std::size_t>(problem_.shape.m * problem_.ldc) * size_of(problem_.result);
  SampledVerdict all;
  double square = 0;
  for (const auto& [product, reference] : samples_) {
    const SampledVerdict one =
        reference->check(c.subspan(static_cast<std::size_t>(product) * bytes, bytes));
    square += one.error * one.error;
    if (!(one.largest_error <= all.largest_error)) all.largest_error = one.largest_error;
    if (one.verified || !all.verified) continue;
    all.verified = false;
    all.wrong =
        problem_.shape.batch == 1 ? one.wrong : fmt::format("product {}: {}", product, one.wrong);
  }
  all.error = std::sqrt(square / static_cast<double>(samples_.size()));
  if (!all.verified || samples_.size() == static_cast<std::size_t>(problem_.shape.batch))
    return all;
  const std::int64_t row = first_unwritten_row(problem_, c);
  if (row == problem_.shape.batch * problem_.shape.m) return all;
  all.verified = false;
  all.wrong = fmt::format("product {}: row {} of C has elements that are not a number",
                          row / problem_.shape.m, row % problem_.shape.m);
  return all;
}

}  // namespace tilewise::bench
