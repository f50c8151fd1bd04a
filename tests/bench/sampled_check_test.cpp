// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sampled_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/elements.hpp"

namespace tilewise::bench {
namespace {

/// Random A and B, and C with errors that are known because they were put there.
class Product {
 public:
  Product(const GpuProblem& problem, std::uint64_t seed) : p(problem) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    a.resize(static_cast<std::size_t>(p.rows_of_a() * p.lda));
    b.resize(static_cast<std::size_t>(p.rows_of_b() * p.ldb));
    for (double& x : a) x = static_cast<float>(normal(random));
    for (double& x : b) x = static_cast<float>(normal(random));
    before.resize(static_cast<std::size_t>(p.shape.m * p.ldc));
    for (double& x : before) x = static_cast<float>(normal(random));
    c.assign(static_cast<std::size_t>(p.shape.m * p.ldc), std::nan(""));
    for (std::int64_t i = 0; i < p.shape.m; ++i) {
      for (std::int64_t j = 0; j < p.shape.n; ++j) compute(i, j, 1e-7 * normal(random));
    }
  }

  double& at(std::int64_t i, std::int64_t j) { return c[static_cast<std::size_t>(i * p.ldc + j)]; }

  SampledVerdict check(int most) const {
    const auto reader = [](const std::vector<double>& matrix) {
      return [&matrix](std::int64_t first, std::int64_t stride, std::int64_t count, double* to) {
        for (std::int64_t i = 0; i < count; ++i) {
          to[i] = matrix.at(static_cast<std::size_t>(first + i * stride));
        }
      };
    };
    std::vector<std::byte> bytes(c.size() * size_of(p.result));
    write_elements(p.result, c.data(), static_cast<std::int64_t>(c.size()), bytes.data());
    const SampledReference reference(p, reader(a), reader(b), reader(before), 7, most);
    return reference.check(bytes);
  }

  GpuProblem p;
  std::vector<double> a, b, before, c;
  long double error_square = 0, reference_square = 0, largest = 0;

 private:
  void compute(std::int64_t i, std::int64_t j, double relative) {
    long double sum = 0, magnitude = 0;
    for (std::int64_t l = 0; l < p.shape.k; ++l) {
      const double x = a[static_cast<std::size_t>(p.shape.trans_a ? l * p.lda + i : i * p.lda + l)];
      const double y = b[static_cast<std::size_t>(p.shape.trans_b ? j * p.ldb + l : l * p.ldb + j)];
      sum += static_cast<long double>(x) * y;
      magnitude += std::abs(static_cast<long double>(x) * y);
    }
    const auto& [alpha, beta] = p.scaling;
    const long double more = beta * before[static_cast<std::size_t>(i * p.ldc + j)];
    sum = alpha * sum + more;
    magnitude = std::abs(alpha) * magnitude + std::abs(more);
    at(i, j) = static_cast<double>(sum + relative * magnitude);
    if (p.result == Dtype::kF32) at(i, j) = static_cast<float>(at(i, j));
    const long double error = at(i, j) - sum;
    error_square += error * error;
    reference_square += sum * sum;
    largest = std::max(largest, std::abs(error) / magnitude);
  }
};

GpuProblem problem_of(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
                      Dtype dtype = Dtype::kF32, std::int64_t gap = 0,
                      const Scaling& scaling = {}) {
  return make_problem({"g", trans_a, trans_b, m, n, k}, dtype, dtype, ComputeMode::kIeee, gap,
                      scaling);
}

// With every row and column in the sample each element counts twice, and the figures are those of all of C.
TEST(SampledCheck, MeasuresErrorsAsTheDefinitionSays) {
  for (const bool trans_a : {false, true}) {
    for (const bool trans_b : {false, true}) {
      for (const std::int64_t gap : {0, 5}) {
        const Scaling scaling{gap == 0 ? 1.0 : -0.3, trans_a ? 7.0 : 0.0};
        const Product product(problem_of(trans_a, trans_b, 19, 23, 150, Dtype::kF32, gap, scaling),
                              3);
        const SampledVerdict verdict = product.check(1000);
        EXPECT_TRUE(verdict.verified) << verdict.wrong;
        const double error =
            static_cast<double>(std::sqrt(product.error_square / product.reference_square));
        EXPECT_NEAR(verdict.error / error, 1, 1e-6);
        EXPECT_NEAR(verdict.largest_error / static_cast<double>(product.largest), 1, 1e-6);
      }
    }
  }
}

TEST(SampledCheck, SumsOfF64HaveMoreBitsThanF64) {
  Product product(problem_of(false, false, 8, 9, 400, Dtype::kF64), 5);
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 9; ++j) {
      long double sum = 0;
      for (std::int64_t l = 0; l < 400; ++l) {
        sum += static_cast<long double>(product.a[static_cast<std::size_t>(i * 400 + l)]) *
               product.b[static_cast<std::size_t>(l * 9 + j)];
      }
      product.at(i, j) = static_cast<double>(sum);  // rounded once: half a unit at most
    }
  }
  const SampledVerdict verdict = product.check(1000);
  EXPECT_TRUE(verdict.verified) << verdict.wrong;
  EXPECT_GT(verdict.error, 0x1p-56);
  EXPECT_LT(verdict.error, 0x1p-53);
}

// Also in a row that is not in the sample, whose elements are wrong where no sampled column is: then by the signs alone.
TEST(SampledCheck, WhatWasInCIsAdded) {
  const Scaling scaling{2, 1};
  Product product(problem_of(false, false, 200, 70, 40, Dtype::kF32, 3, scaling), 13);
  EXPECT_TRUE(product.check(4).verified) << product.check(4).wrong;
  const auto take_away = [&](std::int64_t j) {
    product.at(101, j) -= product.before[static_cast<std::size_t>(101 * 73 + j)];
  };
  for (std::int64_t j = 20; j < 40; ++j) take_away(j);
  SampledVerdict verdict = product.check(4);
  EXPECT_FALSE(verdict.verified);
  EXPECT_NE(verdict.wrong.find("row 101 of C"), std::string::npos) << verdict.wrong;
  take_away(0);
  verdict = product.check(4);
  EXPECT_NE(verdict.wrong.find("C(101, 0)"), std::string::npos) << verdict.wrong;
}

TEST(SampledCheck, ElementsOfTheSampleAreNamed) {
  Product product(problem_of(false, true, 30, 20, 40), 11);
  product.at(29, 0) += 1e-2;
  const SampledVerdict verdict = product.check(4);
  EXPECT_FALSE(verdict.verified);
  EXPECT_NE(verdict.wrong.find("C(29, 0)"), std::string::npos) << verdict.wrong;
}

// Wherever something is wrong, its row does not fit, also where no element of it is in the sample.
TEST(SampledCheck, EveryElementCounts) {
  const Product product(problem_of(true, false, 200, 150, 64), 13);
  ASSERT_TRUE(product.check(4).verified) << product.check(4).wrong;
  for (std::int64_t i = 0; i < 200; i += 13) {
    for (const double value : {0.0, 1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
      Product spoilt = product;
      const std::int64_t j = (7 * i + 3) % 150;
      spoilt.at(i, j) = value;
      EXPECT_FALSE(spoilt.check(4).verified) << i << " " << j << " " << value;
    }
  }
}

TEST(SampledCheck, InfiniteWhereF16EndsIsRight) {
  GpuProblem problem = problem_of(false, false, 20, 20, 4, Dtype::kF16);
  Product product(problem, 17);
  for (double& x : product.a) x = x < 0 ? -200 : 200;
  for (double& x : product.b) x = 150;
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j < 20; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < 4; ++l)
        sum += product.a[static_cast<std::size_t>(i * 4 + l)] * 150;
      product.at(i, j) = sum;  // 0, ±60000, ±120000: the last become infinite
    }
  }
  EXPECT_TRUE(product.check(4).verified) << product.check(4).wrong;
  product.at(0, 0) = product.at(0, 0) > 65504 ? -HUGE_VAL : HUGE_VAL;
  EXPECT_FALSE(product.check(4).verified);
}

TEST(ErrorBound, FollowsTheArithmetic) {
  GpuProblem problem = problem_of(false, false, 8, 8, 1000);
  EXPECT_DOUBLE_EQ(error_bound(problem), 2008 * 0x1p-24);
  problem.mode = ComputeMode::kTf32;
  EXPECT_DOUBLE_EQ(error_bound(problem), 2008 * 0x1p-24 + 0x1p-9);
  problem = problem_of(false, false, 8, 8, 1000, Dtype::kF64);
  EXPECT_DOUBLE_EQ(error_bound(problem), 2008 * 0x1p-53);
  problem = problem_of(false, false, 8, 8, 1000, Dtype::kBF16);
  EXPECT_DOUBLE_EQ(error_bound(problem), 2008 * 0x1p-24 + 1.01 * 0x1p-8);
  problem.scaling.beta = 1;
  EXPECT_DOUBLE_EQ(error_bound(problem), 2008 * 0x1p-24 + 2 * 1.01 * 0x1p-8);
}

}  // namespace
}  // namespace tilewise::bench
