// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace tilewise::bench {
namespace {

template <class T> Operands<T> random_operands(Sizes sizes, double alpha, double beta) {
  LadderRequest request;
  request.alpha = alpha;
  request.beta = beta;
  request.seed = 7;
  return make_operands<T>(request, sizes);
}

// The product in T's own arithmetic, k ascending: a correct result with honest rounding errors.
template <class T> std::vector<T> product(const Operands<T>& operands) {
  const auto& [m, n, k] = operands.sizes;
  std::vector<T> c(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t p = 0; p < k; ++p) {
      for (std::int64_t j = 0; j < n; ++j) {
        c[i * n + j] += operands.a[i * k + p] * operands.b[p * n + j];
      }
    }
    for (std::int64_t j = 0; j < n; ++j) {
      T& value = c[i * n + j];
      value = operands.alpha * value;
      if (operands.beta != 0) value += operands.beta * operands.c0[i * n + j];
    }
  }
  return c;
}

std::vector<std::int64_t> all_rows(std::int64_t m) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(m));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

template <class T> Verdict check_whole(const Operands<T>& operands, const std::vector<T>& c) {
  const Reference reference = make_reference(operands, all_rows(operands.sizes.m));
  return check_result(operands, reference, std::span<const T>(c), 1);
}

// A reference of every tenth row: the others are seen by C·t alone.
template <class T> Reference sampled(const Operands<T>& operands) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < operands.sizes.m; i += 10) rows.push_back(i);
  return make_reference(operands, rows);
}

TEST(ErrorBound, GrowsWithKAndHoldsTheRoundoffsOfBothSides) {
  const double u = 0x1p-24 + 0x1p-53;
  EXPECT_DOUBLE_EQ(error_bound<float>(0), 4 * u / (1 - 4 * u));
  EXPECT_DOUBLE_EQ(error_bound<float>(100), 104 * u / (1 - 104 * u));
  EXPECT_DOUBLE_EQ(error_bound<double>(100), 104 * 0x1p-52 / (1 - 104 * 0x1p-52));
  EXPECT_EQ(error_bound<float>(std::int64_t{1} << 31), 1.0);
  // Tensor cores: twice k + 16, and the four of alpha and beta.
  const double cut = (2 * (100 + 16) + 4) * u;
  EXPECT_DOUBLE_EQ(error_bound<float>(100, kernels::Arithmetic::kBF16), cut / (1 - cut));
  EXPECT_EQ(error_bound<float>(100, kernels::Arithmetic::kF16),
            error_bound<float>(100, kernels::Arithmetic::kBF16));
  const double rounded = cut + 0x1p-10;
  EXPECT_DOUBLE_EQ(error_bound<float>(100, kernels::Arithmetic::kTF32), rounded / (1 - rounded));
}

TEST(Reference, IsTheProductInF64) {
  const Operands<float> operands = random_operands<float>({19, 301, 23}, -1.5, 0.5);
  const Reference reference = make_reference(operands, all_rows(19));
  ASSERT_TRUE(reference.complete);
  for (const std::int64_t i : {0, 7, 18}) {
    for (const std::int64_t j : {0, 127, 128, 300}) {
      double sum = 0, magnitude = 0;
      for (std::int64_t p = 0; p < 23; ++p) {
        const double term = double{operands.a[i * 23 + p]} * operands.b[p * 301 + j];
        sum += term;
        magnitude += std::abs(term);
      }
      const double c0 = operands.c0[i * 301 + j];
      EXPECT_DOUBLE_EQ(reference.values[i * 301 + j], -1.5 * sum + 0.5 * c0);
      EXPECT_DOUBLE_EQ(reference.magnitudes[i * 301 + j], 1.5 * magnitude + 0.5 * std::abs(c0));
    }
  }
}

TEST(RowsToCheck, AreAllForSmallProblemsAndAnOrderedSampleForLargeOnes) {
  EXPECT_EQ(rows_to_check({1000, 1000, 1000}, 1), all_rows(1000));
  EXPECT_EQ(rows_to_check({200, 1 << 20, 1 << 20}, 1), all_rows(200));
  const std::vector<std::int64_t> rows = rows_to_check({4096, 4096, 4096}, 1);
  ASSERT_EQ(rows.size(), 256u);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 4095);
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LT(rows[i - 1], rows[i]);
  EXPECT_NE(rows, rows_to_check({4096, 4096, 4096}, 2));
}

TEST(CheckResult, PassesHonestRounding) {
  for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.5, 1.0}, {0.0, 1.0}, {1.0, -1.5}}) {
    const Operands<float> f32 = random_operands<float>({37, 41, 300}, alpha, beta);
    const Verdict verdict = check_whole(f32, product(f32));
    EXPECT_TRUE(verdict.verified) << verdict.wrong;
    EXPECT_LT(verdict.error, 1e-6);
    const Operands<double> f64 = random_operands<double>({37, 41, 300}, alpha, beta);
    EXPECT_TRUE(check_whole(f64, product(f64)).verified);
    EXPECT_LT(check_whole(f64, product(f64)).error, 1e-14);
  }
}

TEST(CheckResult, PassesRoundingErrorsThatAllPointTheSameWay) {
  Operands<float> operands = random_operands<float>({2, 3, 200'000}, 1, 0);
  std::fill(operands.a.begin(), operands.a.end(), 0.1f);
  std::fill(operands.b.begin(), operands.b.end(), 0.1f);
  EXPECT_TRUE(check_whole(operands, product(operands)).verified);
}

TEST(CheckResult, PassesWideExponentsAndSubnormals) {
  Operands<float> operands = random_operands<float>({20, 30, 50}, 1, 0);
  for (std::size_t i = 0; i < operands.a.size(); ++i) {
    operands.a[i] = std::ldexp(operands.a[i], static_cast<int>(i * 7 % 60) - 70);
  }
  for (std::size_t i = 0; i < operands.b.size(); ++i) {
    operands.b[i] = std::ldexp(operands.b[i], static_cast<int>(i * 11 % 60) - 70);
  }
  EXPECT_TRUE(check_whole(operands, product(operands)).verified);
}

TEST(CheckResult, FindsOneWrongElementAndNamesIt) {
  const Operands<float> operands = random_operands<float>({37, 41, 29}, 1, 0);
  std::vector<float> c = product(operands);
  c[12 * 41 + 40] += 1e-4f;
  const Verdict verdict = check_whole(operands, c);
  EXPECT_FALSE(verdict.verified);
  EXPECT_NE(verdict.wrong.find("C[12][40] is "), std::string::npos) << verdict.wrong;
}

TEST(CheckResult, FindsAnUnwrittenNan) {
  const Operands<float> operands = random_operands<float>({37, 41, 29}, 1, 0);
  std::vector<float> c = product(operands);
  c.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check_whole(operands, c).verified);
}

TEST(CheckResult, FindsADroppedProduct) {
  const Operands<float> operands = random_operands<float>({8, 8, 1000}, 1, 0);
  std::vector<float> c = product(operands);
  int found = 0;
  for (std::int64_t p = 0; p < 1000; ++p) {
    std::vector<float> dropped = c;
    dropped[0] -= operands.a[p] * operands.b[p * 8];
    if (!check_whole(operands, dropped).verified) ++found;
  }
  EXPECT_GT(found, 900);  // the others are products too small to matter: the exact run shows those
}

TEST(CheckResult, WantsTheReferencesNanAndInfinity) {
  Operands<float> operands = random_operands<float>({4, 5, 6}, 1, 0);
  operands.a[0 * 6 + 2] = std::numeric_limits<float>::quiet_NaN();
  operands.a[1 * 6 + 2] = std::numeric_limits<float>::infinity();
  const std::vector<float> c = product(operands);
  EXPECT_TRUE(check_whole(operands, c).verified);
  std::vector<float> number_for_nan = c;
  number_for_nan[0] = 1;
  EXPECT_FALSE(check_whole(operands, number_for_nan).verified);
  std::vector<float> nan_for_infinity = c;
  nan_for_infinity[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check_whole(operands, nan_for_infinity).verified);
  std::vector<float> other_infinity = c;
  other_infinity[5] = -other_infinity[5];
  EXPECT_FALSE(check_whole(operands, other_infinity).verified);
}

TEST(CheckResult, AllowsOverflowWhereF32MustOverflow) {
  Operands<float> operands = random_operands<float>({1, 1, 2}, 1, 0);
  operands.a = {3e38f, 3e38f};
  operands.b = {10.0f, -10.0f};
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(check_whole(operands, {infinity}).verified);
  EXPECT_FALSE(check_whole(operands, {std::numeric_limits<float>::quiet_NaN()}).verified);
  operands.b = {0.5f, 0.25f};
  EXPECT_FALSE(check_whole(operands, {infinity}).verified);
}

TEST(CheckSampled, PassesACorrectResult) {
  for (const double beta : {0.0, -1.5}) {
    const Operands<float> f32 = random_operands<float>({300, 200, 150}, 1, beta);
    EXPECT_TRUE(check_result<float>(f32, sampled(f32), product(f32), 3).verified);
    const Operands<double> f64 = random_operands<double>({300, 200, 150}, -1.5, beta);
    EXPECT_TRUE(check_result<double>(f64, sampled(f64), product(f64), 3).verified);
  }
}

TEST(CheckSampled, PassesRowsUnlikeTheSample) {
  // Row 15, not in the sample, has rounding errors that all point the same way.
  Operands<float> operands = random_operands<float>({300, 200, 5000}, 1, 0);
  for (std::int64_t p = 0; p < 5000; ++p) operands.a[15 * 5000 + p] = 0.1f;
  for (std::int64_t p = 0; p < 5000; ++p) {
    for (std::int64_t j = 0; j < 200; ++j) {
      float& b = operands.b[p * 200 + j];
      b = j % 2 == 0 ? b : 0.1f;
    }
  }
  const Verdict verdict = check_result<float>(operands, sampled(operands), product(operands), 3);
  EXPECT_TRUE(verdict.verified) << verdict.wrong;
}

TEST(CheckSampled, FindsFaultsOutsideTheSample) {
  const Operands<float> operands = random_operands<float>({300, 200, 150}, 1, 0);
  const Reference reference = sampled(operands);
  const std::vector<float> c = product(operands);
  std::vector<float> wrong = c;
  wrong[15 * 200 + 3] += 0.05f;
  const Verdict verdict = check_result<float>(operands, reference, wrong, 3);
  EXPECT_FALSE(verdict.verified);
  EXPECT_NE(verdict.wrong.find("C[15][3]"), std::string::npos) << verdict.wrong;
  std::vector<float> unwritten = c;
  unwritten[299 * 200 + 199] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check_result<float>(operands, reference, unwritten, 3).verified);
  std::vector<float> stale = c;
  stale[44 * 200 + 7] = 0;
  EXPECT_FALSE(check_result<float>(operands, reference, stale, 3).verified);
}

TEST(NeedsExactRun, WhenTheBoundIsWideOrRowsAreSampled) {
  const Operands<float> short_k = random_operands<float>({20, 20, 500}, 1, 0);
  const Operands<float> long_k = random_operands<float>({20, 20, 2000}, 1, 0);
  const Operands<double> f64 = random_operands<double>({20, 20, 2000}, 1, 0);
  const Operands<float> no_k = random_operands<float>({20, 20, 2000}, 0, 0);
  EXPECT_FALSE(needs_exact_run(short_k, make_reference(short_k, all_rows(20))));
  EXPECT_TRUE(needs_exact_run(short_k, sampled(short_k)));
  EXPECT_TRUE(needs_exact_run(long_k, make_reference(long_k, all_rows(20))));
  EXPECT_FALSE(needs_exact_run(f64, make_reference(f64, all_rows(20))));
  EXPECT_FALSE(needs_exact_run(no_k, sampled(no_k)));
}

template <class T> class CheckExact : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckExact, Types);

TYPED_TEST(CheckExact, PassesTheProductInAnyOrderAndFindsAnyDroppedProduct) {
  for (const double beta : {0.0, 1.0}) {
    const auto like = random_operands<TypeParam>({30, 40, 3000}, 1, beta);
    const Operands<TypeParam> operands = make_integer_operands(like, 5);
    ASSERT_EQ(operands.sizes.k, 3000);
    const std::vector<TypeParam> c = product(operands);
    EXPECT_EQ(check_exact(operands, std::span<const TypeParam>(c), 9), "");
    for (const std::int64_t p : {0, 1234, 2999}) {
      for (const std::int64_t element : {0, 17 * 40 + 3, 30 * 40 - 1}) {
        const TypeParam left_out =
            operands.a[element / 40 * 3000 + p] * operands.b[p * 40 + element % 40];
        if (left_out == 0) continue;
        std::vector<TypeParam> wrong = c;
        wrong[element] -= operands.alpha * left_out;
        EXPECT_NE(check_exact(operands, std::span<const TypeParam>(wrong), 9), "");
      }
    }
  }
}

TYPED_TEST(CheckExact, FindsWhatIsNoInteger) {
  const auto like = random_operands<TypeParam>({30, 40, 50}, 1, 0);
  const Operands<TypeParam> operands = make_integer_operands(like, 5);
  const std::vector<TypeParam> c = product(operands);
  for (const double bad : {std::nan(""), HUGE_VAL, 0.5, 1e30}) {
    std::vector<TypeParam> wrong = c;
    wrong[77] = static_cast<TypeParam>(bad);
    EXPECT_EQ(check_exact(operands, std::span<const TypeParam>(wrong), 9),
              "row 1 of C is wrong on integer operands, where arithmetic is exact");
  }
}

}  // namespace
}  // namespace tilewise::bench
