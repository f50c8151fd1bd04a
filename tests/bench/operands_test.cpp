// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/float16.hpp"
#include "core/random.hpp"

namespace tilewise::bench {
namespace {

npy::Array array_of(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  npy::Array array;
  array.dtype = Dtype::kF64;
  array.rows = rows;
  array.columns = columns;
  array.bytes.resize(values.size() * sizeof(double));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

TEST(Operands, AreRandomInTheUnitIntervalWithTheBitsOfTheirType) {
  LadderRequest request;
  request.beta = 1;
  request.seed = 3;
  const Operands<float> f32 = make_operands<float>(request, {20, 30, 40});
  const Operands<double> f64 = make_operands<double>(request, {20, 30, 40});
  ASSERT_EQ(f32.a.size(), 800u);
  ASSERT_EQ(f32.b.size(), 1200u);
  ASSERT_EQ(f32.c0.size(), 600u);
  int longer = 0;
  for (std::size_t i = 0; i < 800; ++i) {
    EXPECT_LE(f32.a[i], f64.a[i]);
    EXPECT_LT(f64.a[i] - f32.a[i], 0x1p-23);
    EXPECT_GE(f32.a[i], -1);
    EXPECT_LT(f64.a[i], 1);
    EXPECT_NE(f32.a[i], f32.b[i]);
    if (f64.a[i] != f32.a[i]) ++longer;
  }
  EXPECT_GT(longer, 790);
  request.seed = 4;
  EXPECT_NE(make_operands<float>(request, {20, 30, 40}).a, f32.a);
}

TEST(Operands, ComeFromFilesRoundedToTheType) {
  const npy::Array a = array_of(2, 3, {0.1, 2, 3, 4, 5, 1e300});
  const npy::Array b = array_of(3, 1, {1, 2, 3});
  LadderRequest request;
  request.a = &a;
  request.b = &b;
  const Operands<float> f32 = make_operands<float>(request, {2, 1, 3});
  EXPECT_EQ(f32.a[0], 0.1f);
  EXPECT_EQ(f32.a[4], 5.0f);
  EXPECT_TRUE(std::isinf(f32.a[5]));
  EXPECT_EQ(make_operands<double>(request, {2, 1, 3}).a[0], 0.1);
  EXPECT_TRUE(f32.c0.empty());
}

TEST(Operands, AreWhatNarrowTypesHave) {
  LadderRequest request;
  const Sizes sizes{20, 30, 40};
  const Operands<float> f32 = make_operands<float>(request, sizes);
  const auto f16 = make_operands<float>(request, sizes, kernels::Arithmetic::kF16);
  const auto bf16 = make_operands<float>(request, sizes, kernels::Arithmetic::kBF16);
  EXPECT_EQ(make_operands<float>(request, sizes, kernels::Arithmetic::kTF32).a, f32.a);
  for (std::size_t i = 0; i < f32.a.size(); ++i) {
    EXPECT_EQ(f16.a[i], f16_to_f32(f32_to_f16(f32.a[i])));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(bf16.a[i]) & 0xFFFFu, 0u);
    EXPECT_LE(std::abs(bf16.a[i] - f32.a[i]), std::abs(f32.a[i]) * 0x1p-8f);
  }
}

TEST(Operands, OfFilesAreRoundedOnce) {
  // Half a unit of f16 above 1, and a little more: f32 drops the little, and would make it a tie.
  const npy::Array a = array_of(1, 2, {1 + 0x1p-11 + 0x1p-40, 70000});
  const npy::Array b = array_of(2, 1, {1, 1});
  LadderRequest request;
  request.a = &a;
  request.b = &b;
  const auto f16 = make_operands<float>(request, {1, 1, 2}, kernels::Arithmetic::kF16);
  EXPECT_EQ(f16.a[0], 1 + 0x1p-10f);
  EXPECT_TRUE(std::isinf(f16.a[1]));
}

TEST(Operands, HaveNoAAndBWhereAlphaIsZero) {
  LadderRequest request;
  request.alpha = 0;
  request.beta = 1;
  const Operands<float> operands = make_operands<float>(request, {5, 6, 7});
  EXPECT_EQ(operands.sizes.k, 0);
  EXPECT_TRUE(operands.a.empty());
  EXPECT_TRUE(operands.b.empty());
  EXPECT_EQ(operands.c0.size(), 30u);
}

TEST(IntegerOperands, KeepEverySumExact) {
  Operands<float> like;
  like.sizes = {4, 4, 1000};
  like.beta = 1;
  const Operands<float> operands = make_integer_operands(like, 1);
  float largest = 0;
  for (const float a : operands.a) {
    EXPECT_EQ(a, std::trunc(a));
    largest = std::max(largest, std::abs(a));
  }
  EXPECT_EQ(largest, 4);
  EXPECT_EQ(operands.alpha, -2);
  EXPECT_EQ(operands.beta, 3);
  EXPECT_EQ(operands.c0.size(), 16u);
  like.sizes = {1, 1, 1'000'000};  // 2 · 16 · k would pass 2^24
  like.beta = 0;
  const Operands<float> longer = make_integer_operands(like, 1);
  EXPECT_EQ(*std::ranges::max_element(longer.a), 1);
  EXPECT_EQ(longer.beta, 0);
  like.sizes = {1, 1, 10'000'000};
  EXPECT_EQ(make_integer_operands(like, 1).sizes.m, 0);
}

TEST(ColumnMajor, IsTheTransposeAndComesBack) {
  std::vector<float> row_major(37 * 70);
  for (std::size_t i = 0; i < row_major.size(); ++i) row_major[i] = static_cast<float>(i);
  const std::vector<float> column_major = to_column_major(row_major, 37, 70);
  for (std::int64_t i = 0; i < 37; ++i) {
    for (std::int64_t j = 0; j < 70; ++j) {
      ASSERT_EQ(column_major[j * 37 + i], row_major[i * 70 + j]);
    }
  }
  EXPECT_EQ(to_row_major(column_major, 37, 70), row_major);
}

}  // namespace
}  // namespace tilewise::bench
