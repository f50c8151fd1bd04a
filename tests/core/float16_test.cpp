// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/float16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace tilewise {
namespace {

// Straight from the definition: sign, exponent, fraction.
double value_of(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  if (exponent == 0x1F) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Float16, EveryPatternHasItsValue) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const double expected = value_of(static_cast<std::uint16_t>(bits));
    const float got = f16_to_f32(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(std::isnan(got), std::isnan(expected)) << std::hex << bits;
    ASSERT_EQ(std::signbit(got), (bits & 0x8000) != 0) << std::hex << bits;
    if (!std::isnan(expected)) {
      ASSERT_EQ(got, expected) << std::hex << bits;
    }
  }
}

TEST(Float16, EveryPatternComesBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const bool is_nan = (bits & 0x7C00) == 0x7C00 && (bits & 0x3FF) != 0;
    const int expected = is_nan ? bits | 0x200 : bits;  // signalling becomes quiet
    ASSERT_EQ(f32_to_f16(f16_to_f32(static_cast<std::uint16_t>(bits))), expected)
        << std::hex << bits;
  }
}

// Between every two neighbours: the middle goes to the even one, anything beside it to the nearer.
TEST(Float16, RoundsToNearestTiesToEven) {
  for (std::uint16_t low = 0; low < 0x7BFF; ++low) {
    const std::uint16_t high = static_cast<std::uint16_t>(low + 1);
    const double middle = (value_of(low) + value_of(high)) / 2;
    const std::uint16_t even = low % 2 == 0 ? low : high;
    ASSERT_EQ(f64_to_f16(middle), even) << std::hex << low;
    ASSERT_EQ(f64_to_f16(std::nextafter(middle, 0.0)), low) << std::hex << low;
    ASSERT_EQ(f64_to_f16(std::nextafter(middle, 1e6)), high) << std::hex << low;
    ASSERT_EQ(f64_to_f16(-middle), even | 0x8000) << std::hex << low;
    ASSERT_EQ(f32_to_f16(static_cast<float>(middle)), even) << std::hex << low;  // exact in f32
  }
}

TEST(Float16, Edges) {
  EXPECT_EQ(f32_to_f16(0.0f), 0x0000);
  EXPECT_EQ(f32_to_f16(-0.0f), 0x8000);
  EXPECT_EQ(f32_to_f16(1.0f), 0x3C00);
  EXPECT_EQ(f32_to_f16(65504.0f), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65519.996f), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7C00);  // halfway to 65536, which is even
  EXPECT_EQ(f32_to_f16(1e30f), 0x7C00);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xFC00);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::infinity()), 0x7C00);
  EXPECT_EQ(f32_to_f16(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(f32_to_f16(0x1p-24f), 0x0001);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0x0000);  // half of the least subnormal, to even
  EXPECT_EQ(f32_to_f16(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(f32_to_f16(0x1.ffcp-15f), 0x0400);  // carries from the largest subnormal
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::denorm_min()), 0x0000);
  EXPECT_EQ(f64_to_f16(-std::numeric_limits<double>::denorm_min()), 0x8000);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::quiet_NaN()) & 0x7E00, 0x7E00);
}

// From f64 through f32 the value would be rounded twice and come out one step too high.
TEST(Float16, RoundsOnceFromF64) {
  const double value = 1.0 + 0x1p-11 - 0x1p-40;
  EXPECT_EQ(f64_to_f16(value), 0x3C00);
  EXPECT_EQ(f64_to_f16(1.0 + 0x1p-11 + 0x1p-40), 0x3C01);
}

TEST(Float16, RandomValuesGoToTheNearest) {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const int exponent = static_cast<int>(mix64(i) % 44) - 27;
    const double value = std::ldexp(random_unit(1, 2, i), exponent);
    const double got = value_of(f64_to_f16(value));
    if (std::isinf(got)) {
      EXPECT_GE(std::abs(value), 65520.0);
      continue;
    }
    const int unit = std::max(std::ilogb(value == 0 ? 1e-30 : value) - 10, -24);
    EXPECT_LE(std::abs(got - value), std::ldexp(0.5, unit)) << value;
  }
}

static_assert(f16_to_f32(0xC100) == -2.5f);
static_assert(f32_to_f16(-2.5f) == 0xC100);

}  // namespace
}  // namespace tilewise
