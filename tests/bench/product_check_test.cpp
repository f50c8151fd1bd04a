// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/product_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/random.hpp"

namespace tilewise::bench {
namespace {

constexpr std::int64_t kEverything = std::int64_t{1} << 40, kNothing = 0;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A matrix with memory of its own, and two more elements from line to line than it needs.
struct Matrix {
  std::vector<std::byte> bytes;
  TypedMatrix view;

  Matrix(Dtype dtype, std::int64_t rows, std::int64_t columns, Order order) {
    const bool row_major = order == Order::kRowMajor;
    view = {nullptr, dtype, order, rows, columns, (row_major ? columns : rows) + 2};
    bytes.resize(static_cast<std::size_t>((row_major ? rows : columns) * view.leading_dimension) *
                 size_of(dtype));
    view.elements = bytes.data();
  }
  double get(std::int64_t i, std::int64_t j) const {
    double value = 0;
    read_elements(view.dtype, view.at(i, j), 1, 1, &value);
    return value;
  }
  void set(std::int64_t i, std::int64_t j, double value) {
    ASSERT_EQ(write_elements(view.dtype, &value, 1, const_cast<void*>(view.at(i, j))), 1);
  }
};

struct Types {
  Dtype a, b, c;
};

// C = alpha·A·B + beta·C0 of random elements, computed here one sum after the other.
struct Case {
  Matrix a, b, c0, c;
  Product product;

  Case(const Types& types, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
       double beta, Order order = Order::kRowMajor)
      : a(types.a, m, k, order),
        b(types.b, k, n, order == Order::kRowMajor ? Order::kColumnMajor : Order::kRowMajor),
        c0(types.c, m, n, order),
        c(types.c, m, n, order),
        product{alpha, beta, a.view, b.view, c0.view, c.view} {
    fill(a, 1);
    fill(b, 2);
    fill(c0, 3);
    multiply();
  }

  static void fill(Matrix& matrix, std::uint64_t stream) {
    const Dtype dtype = matrix.view.dtype;
    const bool whole = dtype == Dtype::kS8 || dtype == Dtype::kU8 || dtype == Dtype::kS32;
    for (std::int64_t i = 0; i < matrix.view.rows; ++i) {
      for (std::int64_t j = 0; j < matrix.view.columns; ++j) {
        const double unit =
            random_unit(5, stream, static_cast<std::uint64_t>(i * matrix.view.columns + j));
        if (dtype == Dtype::kU8) matrix.set(i, j, std::floor((unit + 1) * 128));
        else matrix.set(i, j, whole ? std::floor(unit * 128) : unit);
      }
    }
  }

  void multiply() {
    for (std::int64_t i = 0; i < c.view.rows; ++i) {
      for (std::int64_t j = 0; j < c.view.columns; ++j) c.set(i, j, element(i, j));
    }
  }

  double element(std::int64_t i, std::int64_t j) const {
    const auto alpha = static_cast<float>(product.alpha), beta = static_cast<float>(product.beta);
    if (c.view.dtype == Dtype::kS32) {
      std::int64_t sum = 0;
      for (std::int64_t p = 0; p < a.view.columns; ++p) {
        sum += static_cast<std::int64_t>(a.get(i, p) * b.get(p, j));
      }
      const auto scaled = static_cast<std::int64_t>(product.alpha) * sum +
                          static_cast<std::int64_t>(product.beta * c0.get(i, j));
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(scaled));
    }
    if (c.view.dtype == Dtype::kF64) {
      double sum = 0;
      for (std::int64_t p = a.view.columns; p-- > 0;) sum += a.get(i, p) * b.get(p, j);
      return product.alpha * sum + product.beta * c0.get(i, j);
    }
    float sum = 0;
    for (std::int64_t p = 0; p < a.view.columns; ++p) {
      sum += static_cast<float>(a.get(i, p)) * static_cast<float>(b.get(p, j));
    }
    return alpha * sum + (beta == 0 ? 0 : beta * static_cast<float>(c0.get(i, j)));
  }

  ProductVerdict check(std::int64_t complete_products) const {
    return check_product(product, 7, complete_products);
  }
};

class ProductCheck : public testing::TestWithParam<Types> {};

INSTANTIATE_TEST_SUITE_P(Types, ProductCheck,
                         testing::Values(Types{Dtype::kF32, Dtype::kF32, Dtype::kF32},
                                         Types{Dtype::kF64, Dtype::kF64, Dtype::kF64},
                                         Types{Dtype::kF16, Dtype::kF16, Dtype::kF32},
                                         Types{Dtype::kF16, Dtype::kF16, Dtype::kF16},
                                         Types{Dtype::kBF16, Dtype::kBF16, Dtype::kF32},
                                         Types{Dtype::kS8, Dtype::kU8, Dtype::kS32},
                                         Types{Dtype::kU8, Dtype::kS8, Dtype::kS32},
                                         Types{Dtype::kS8, Dtype::kS8, Dtype::kS32}));

TEST_P(ProductCheck, ARightProductPasses) {
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.0, 3.0}, {0.0, 1.0}}) {
      const Case right(GetParam(), 150, 31, 70, alpha, beta, order);
      for (const std::int64_t limit : {kEverything, kNothing}) {
        const ProductVerdict verdict = right.check(limit);
        EXPECT_TRUE(verdict.verified) << verdict.wrong;
        EXPECT_LT(verdict.error, 1e-3);
      }
    }
  }
}

// One element off by a few per cent, wherever it is, also in rows that are not sampled.
TEST_P(ProductCheck, OneWrongElementShows) {
  Case wrong(GetParam(), 150, 31, 70, 1, 0);
  const double offset = GetParam().c == Dtype::kS32 ? 1 : 0.1;
  for (std::int64_t row = 0; row < 150; ++row) {
    const std::int64_t column = row % 31;
    const double right = wrong.c.get(row, column);
    wrong.c.set(row, column, right + offset);
    for (const std::int64_t limit : {kEverything, kNothing}) {
      const ProductVerdict verdict = wrong.check(limit);
      EXPECT_FALSE(verdict.verified) << "row " << row;
      const std::string place = "C[" + std::to_string(row) + "][" + std::to_string(column) + "]";
      EXPECT_TRUE(verdict.wrong.starts_with(place)) << verdict.wrong;
    }
    wrong.c.set(row, column, right);
  }
}

TEST_P(ProductCheck, AnElementThatWasNotWrittenShows) {
  if (GetParam().c == Dtype::kS32) return;  // integers have no NaN
  Case wrong(GetParam(), 150, 31, 70, 1, 0);
  wrong.c.set(77, 30, kNaN);
  EXPECT_FALSE(wrong.check(kEverything).verified);
  EXPECT_FALSE(wrong.check(kNothing).verified);
  wrong.c.set(77, 30, kInfinity);
  EXPECT_FALSE(wrong.check(kEverything).verified);
  EXPECT_FALSE(wrong.check(kNothing).verified);
}

TEST(ProductCheckFloats, SaysHowMuchItLookedAt) {
  const Case large({Dtype::kF32, Dtype::kF32, Dtype::kF32}, 150, 31, 70, 1, 0);
  EXPECT_TRUE(large.check(kEverything).complete);
  EXPECT_EQ(large.check(kEverything).rows, 150);
  EXPECT_FALSE(large.check(kNothing).complete);
  EXPECT_GE(large.check(kNothing).rows, 64);
  EXPECT_LT(large.check(kNothing).rows, 150);
  EXPECT_GT(large.check(kNothing).error, 0);
}

TEST(ProductCheckFloats, NaNAndInfinityBelongWhereArithmeticTakesThem) {
  Case odd({Dtype::kF32, Dtype::kF32, Dtype::kF32}, 100, 20, 30, 1, 0);
  odd.a.set(50, 3, kNaN);
  odd.a.set(60, 4, kInfinity);
  odd.multiply();
  EXPECT_TRUE(odd.check(kEverything).verified) << odd.check(kEverything).wrong;
  EXPECT_TRUE(odd.check(kNothing).verified) << odd.check(kNothing).wrong;
  odd.c.set(50, 5, 1);
  EXPECT_FALSE(odd.check(kEverything).verified);
  EXPECT_FALSE(odd.check(kNothing).verified);
  odd.multiply();
  odd.c.set(60, 5, -odd.c.get(60, 5));
  EXPECT_FALSE(odd.check(kEverything).verified);
  EXPECT_FALSE(odd.check(kNothing).verified);
}

TEST(ProductCheckFloats, WhatMayOverflowMay) {
  Case huge({Dtype::kF32, Dtype::kF32, Dtype::kF32}, 2, 2, 3, 1e-30, 0);
  for (std::int64_t p = 0; p < 3; ++p) huge.a.set(0, p, 1e30);
  for (std::int64_t p = 0; p < 3; ++p) huge.b.set(p, 0, 1e30);
  huge.multiply();
  EXPECT_TRUE(std::isinf(huge.c.get(0, 0)));  // the sum overflowed before alpha came
  EXPECT_TRUE(huge.check(kEverything).verified) << huge.check(kEverything).wrong;
  huge.c.set(1, 1, kInfinity);
  EXPECT_FALSE(huge.check(kEverything).verified);
}

// Overflow to +infinity before -infinity comes makes NaN; without the overflow NaN is wrong.
TEST(ProductCheckFloats, InfinityMayMeetAnOverflow) {
  Case meets({Dtype::kF32, Dtype::kF32, Dtype::kF32}, 1, 1, 3, 1, 0);
  for (std::int64_t p = 0; p < 3; ++p) meets.b.set(p, 0, 1);
  meets.a.set(0, 0, 3e38);
  meets.a.set(0, 1, 3e38);
  meets.a.set(0, 2, -kInfinity);
  meets.multiply();
  EXPECT_TRUE(std::isnan(meets.c.get(0, 0)));
  EXPECT_TRUE(meets.check(kEverything).verified) << meets.check(kEverything).wrong;
  meets.a.set(0, 1, 1);
  EXPECT_FALSE(meets.check(kEverything).verified);
}

// alpha = 0 does not read A and B, beta = 0 does not read C0.
TEST(ProductCheckFloats, WhatIsNotReadDoesNotCount) {
  Case product({Dtype::kF32, Dtype::kF32, Dtype::kF32}, 10, 11, 12, 0, 2);
  product.a.set(0, 0, kNaN);
  EXPECT_TRUE(product.check(kEverything).verified);
  Case other({Dtype::kF32, Dtype::kF32, Dtype::kF32}, 10, 11, 12, 1, 0);
  other.product.c0 = {};
  EXPECT_TRUE(other.check(kEverything).verified);
  EXPECT_TRUE(other.check(kNothing).verified);
}

TEST(ProductCheckFloats, EmptyProducts) {
  for (const auto& [m, n, k] : {std::tuple{0, 3, 4}, {3, 0, 4}, {3, 4, 0}}) {
    Case empty({Dtype::kF32, Dtype::kF32, Dtype::kF32}, m, n, k, 1, 0);
    EXPECT_TRUE(empty.check(kEverything).verified);
    if (k > 0) continue;
    empty.c.set(2, 1, 1);
    EXPECT_FALSE(empty.check(kEverything).verified);
  }
}

TEST(ProductCheckIntegers, WrapAsInt32Does) {
  const Case wraps({Dtype::kS8, Dtype::kU8, Dtype::kS32}, 20, 15, 200, 2147483647, -2147483647);
  EXPECT_TRUE(wraps.check(kNothing).verified) << wraps.check(kNothing).wrong;
}

}  // namespace
}  // namespace tilewise::bench
