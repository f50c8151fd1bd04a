// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/elements.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/float16.hpp"

namespace tilewise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double round_trip(Dtype dtype, double value) {
  std::array<std::byte, 8> bytes{};
  EXPECT_EQ(write_elements(dtype, &value, 1, bytes.data()), 1);
  double back = 0;
  read_elements(dtype, bytes.data(), 1, 1, &back);
  return back;
}

std::uint16_t bf16_of(double value) {
  std::uint16_t bits = 0;
  write_elements(Dtype::kBF16, &value, 1, &bits);
  return bits;
}

TEST(Elements, WhatATypeHoldsComesBack) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16, Dtype::kF32, Dtype::kF64}) {
    for (const double value : {0.0, -1.5, 96.0, 0.25, kInfinity, -kInfinity}) {
      EXPECT_EQ(round_trip(dtype, value), value) << name_of(dtype);
    }
    EXPECT_TRUE(std::isnan(round_trip(dtype, kNaN))) << name_of(dtype);
    EXPECT_TRUE(std::signbit(round_trip(dtype, -0.0))) << name_of(dtype);
  }
  EXPECT_EQ(round_trip(Dtype::kS8, -128), -128);
  EXPECT_EQ(round_trip(Dtype::kU8, 255), 255);
  EXPECT_EQ(round_trip(Dtype::kS32, -2147483648.0), -2147483648.0);
}

TEST(Elements, FloatsAreRoundedOnceToNearestEven) {
  EXPECT_EQ(round_trip(Dtype::kF32, 1 + 0x1p-24), 1);  // a tie, to even
  EXPECT_EQ(round_trip(Dtype::kF32, 1 + 3 * 0x1p-24), 1 + 0x1p-22);
  EXPECT_EQ(round_trip(Dtype::kF16, 1 + 0x1p-11), 1);
  EXPECT_EQ(round_trip(Dtype::kF16, 65520), kInfinity);
  EXPECT_EQ(bf16_of(1 + 0x1p-8), 0x3F80);      // a tie
  EXPECT_EQ(bf16_of(1 + 3 * 0x1p-8), 0x3F82);  // a tie, to even the other way
  EXPECT_EQ(bf16_of(3.4e38), 0x7F80);          // infinity
  EXPECT_EQ(bf16_of(-0x1p-133), 0x8001);       // the least subnormal
  // By way of f32 these would be rounded twice, and to the wrong side.
  EXPECT_EQ(bf16_of(1 + 0x1p-8 + 0x1p-40), 0x3F81);
  EXPECT_EQ(bf16_of(1 + 3 * 0x1p-8 - 0x1p-40), 0x3F81);
  EXPECT_EQ(bf16_of(-(1 + 0x1p-8 + 0x1p-40)), 0xBF81);
}

TEST(Elements, EveryBf16AndF16IsReadExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    double value = 0;
    read_elements(Dtype::kBF16, &half, 1, 1, &value);
    const float expected = std::bit_cast<float>(bits << 16);
    EXPECT_TRUE(value == expected || std::isnan(expected)) << bits;
    read_elements(Dtype::kF16, &half, 1, 1, &value);
    EXPECT_TRUE(value == f16_to_f32(half) || std::isnan(value)) << bits;
  }
}

TEST(Elements, IntegersTakeOnlyWhatTheyHave) {
  const auto first_refused = [](Dtype dtype, std::vector<double> values) {
    std::vector<std::byte> to(values.size() * 8);
    return write_elements(dtype, values.data(), static_cast<std::int64_t>(values.size()),
                          to.data());
  };
  EXPECT_EQ(first_refused(Dtype::kS8, {0, 127, 128}), 2);
  EXPECT_EQ(first_refused(Dtype::kS8, {-128, -129}), 1);
  EXPECT_EQ(first_refused(Dtype::kU8, {-1}), 0);
  EXPECT_EQ(first_refused(Dtype::kU8, {0.5}), 0);
  EXPECT_EQ(first_refused(Dtype::kS32, {2147483647.0, kNaN}), 1);
  EXPECT_EQ(first_refused(Dtype::kS32, {kInfinity}), 0);
  EXPECT_EQ(first_refused(Dtype::kS32, {2147483648.0}), 0);
}

TEST(TypedMatrix, FindsElementsInBothOrders) {
  const std::vector<float> elements{0, 1, 2, 3, 4, 5, 6, 7};
  const TypedMatrix rows{elements.data(), Dtype::kF32, Order::kRowMajor, 2, 3, 4};
  EXPECT_EQ(*static_cast<const float*>(rows.at(1, 2)), 6);
  const TypedMatrix columns = transposed(rows);
  EXPECT_EQ(columns.rows, 3);
  EXPECT_EQ(*static_cast<const float*>(columns.at(2, 1)), 6);
  double row[2];
  read_elements(Dtype::kF32, columns.at(1, 0), columns.column_stride(), 2, row);
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row[1], 5);
}

}  // namespace
}  // namespace tilewise
