// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Division by a number that the host knows, as kernels do it (units.cuh).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "kernels/gemm/arguments.hpp"

namespace tilewise::kernels {
namespace {

constexpr std::uint64_t kEnd = std::uint64_t{1} << 31;  // of what is divided

std::uint64_t quotient(std::uint64_t x, const GemmDivisor& by) {
  return x * by.multiplier >> by.shift;
}

// Around the multiples of `divisor`, where a multiplier that is too small or too large shows first.
void expect_quotients(unsigned divisor) {
  const GemmDivisor by = divide_by(divisor);
  ASSERT_EQ(by.divisor, divisor);
  const std::uint64_t last = (kEnd - 1) / divisor, step = std::max<std::uint64_t>(last / 50, 1);
  const auto expect = [&](std::uint64_t x) {
    if (x >= kEnd) return;
    EXPECT_EQ(quotient(x, by), x / divisor) << x << " / " << divisor;
  };
  for (std::uint64_t times = 0; times <= last; times += step) {
    expect(times * divisor), expect(times * divisor + 1);
    expect(times * divisor + divisor - 1);
  }
  expect(last * divisor), expect(last * divisor - 1), expect(kEnd - 1);
}

TEST(GemmDivisor, QuotientsAreExact) {
  for (unsigned divisor = 1; divisor < 5000; ++divisor) expect_quotients(divisor);
  for (unsigned bits = 12; bits < 31; ++bits) {
    for (const unsigned divisor :
         {(1u << bits) - 1, 1u << bits, (1u << bits) + 1, 3u << (bits - 2)})
      expect_quotients(divisor);
  }
  expect_quotients((1u << 31) - 1), expect_quotients(1u << 31);
}

}  // namespace
}  // namespace tilewise::kernels
