// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every pattern of 16 bits, and every f32 at which rounding to 16 bits could go wrong, on every
// instruction set this machine has.
#include "cpu/convert/convert.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "core/float16.hpp"
#include "core/random.hpp"
#include "cpu/convert/converters.hpp"
#include "cpu/instruction_set.hpp"
#include "guarded.hpp"

namespace tilewise::cpu {
namespace {

using test::Guarded;

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

std::vector<std::uint16_t> every_pattern() {
  std::vector<std::uint16_t> patterns(1 << 16);
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
  return patterns;
}

/// The value of a finite bf16 of either sign, and 2^128 for the pattern of infinity.
double magnitude_of_bf16(int bits) {
  const int exponent = bits >> 7, fraction = bits & 0x7F;
  return exponent == 0 ? std::ldexp(fraction, -133) : std::ldexp(128 + fraction, exponent - 134);
}

/// By the definition: the nearer neighbour, or the even one.
std::uint16_t nearest_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  const int below = static_cast<int>(bits >> 16 & 0x7FFFu);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  if (std::isnan(value))
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(below) | 0x40u);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7F80u);
  const double down = std::abs(static_cast<double>(value)) - magnitude_of_bf16(below);
  const double up = magnitude_of_bf16(below + 1) - std::abs(static_cast<double>(value));
  const bool raise = up < down || (up == down && below % 2 == 1);
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(below + (raise ? 1 : 0)));
}

/// Around each step of `widen`: the value, the middle to the next one, and their neighbours in f32; and
/// patterns at random.
template <class Widen> std::vector<float> rounding_boundaries(Widen widen) {
  std::vector<float> values;
  for (int i = 0; i < 0xFFFF; ++i) {
    const std::uint32_t here = bits_of(widen(static_cast<std::uint16_t>(i)));
    const std::uint32_t next = bits_of(widen(static_cast<std::uint16_t>(i + 1)));
    const std::uint32_t middle = here + (next - here) / 2;
    for (const std::uint32_t near : {here, middle}) {
      for (const std::uint32_t bits : {near - 1, near, near + 1}) {
        values.push_back(std::bit_cast<float>(bits));
      }
    }
  }
  for (std::uint64_t i = 0; i < 300000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(mix64(i) >> 32)));
  }
  return values;
}

float widen_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::vector<InstructionSet> sets_of_this_machine() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set :
       {InstructionSet::kPortable, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (set <= best_of(feature_words())) sets.push_back(set);
  }
  return sets;
}

class Convert : public testing::TestWithParam<InstructionSet> {
 protected:
  const Converters& converters() const { return converters_of(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Cpu, Convert, testing::ValuesIn(sets_of_this_machine()),
                         [](const auto& set) { return std::string(name_of(set.param)); });

TEST_P(Convert, EveryF16) {
  const std::vector<std::uint16_t> from = every_pattern();
  std::vector<float> to(from.size(), -1);
  converters().f16_to_f32(from.data(), to.data(), static_cast<std::int64_t>(from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(bits_of(to[i]), bits_of(f16_to_f32(from[i]))) << std::hex << i;
  }
}

TEST_P(Convert, EveryBF16) {
  const std::vector<std::uint16_t> from = every_pattern();
  std::vector<float> to(from.size(), -1);
  converters().bf16_to_f32(from.data(), to.data(), static_cast<std::int64_t>(from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool is_nan = (i & 0x7FFF) > 0x7F80;
    ASSERT_EQ(bits_of(to[i]), (i | (is_nan ? 0x40u : 0u)) << 16) << std::hex << i;
  }
}

TEST_P(Convert, RoundsToTheNearestF16) {
  const std::vector<float> from = rounding_boundaries(f16_to_f32);
  std::vector<std::uint16_t> to(from.size(), 0xDEAD);
  converters().f32_to_f16(from.data(), to.data(), static_cast<std::int64_t>(from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(to[i], f32_to_f16(from[i])) << std::hex << bits_of(from[i]);
  }
}

TEST_P(Convert, RoundsToTheNearestBF16) {
  const std::vector<float> from = rounding_boundaries(widen_bf16);
  std::vector<std::uint16_t> to(from.size(), 0xDEAD);
  converters().f32_to_bf16(from.data(), to.data(), static_cast<std::int64_t>(from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(to[i], nearest_bf16(from[i])) << std::hex << bits_of(from[i]);
  }
}

TEST_P(Convert, RowsOfAnyLengthAndNothingBeyond) {
  const auto wide = [](std::int64_t i) { return static_cast<float>(i) - 17.5f; };
  for (std::int64_t count = 1; count < 70; ++count) {
    const Guarded<float> f32(count), back(count);
    const Guarded<std::uint16_t> f16(count), bf16(count);
    for (std::int64_t i = 0; i < count; ++i) f32.first()[i] = wide(i);
    converters().f32_to_f16(f32.first(), f16.first(), count);
    converters().f32_to_bf16(f32.first(), bf16.first(), count);
    converters().f16_to_f32(f16.first(), back.first(), count);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(back.first()[i], wide(i)) << i;
    converters().bf16_to_f32(bf16.first(), back.first(), count);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(back.first()[i], wide(i)) << i;
  }
}

TEST(ConvertFace, ConvertsWithTheInstructionSetInUse) {
  const std::vector<float> values = {1.0f, -2.5f, 0.0f, 65504.0f, 0x1p-24f};
  std::vector<Float16> f16(values.size());
  std::vector<BFloat16> bf16(values.size());
  std::vector<float> back(values.size());
  const std::int64_t count = static_cast<std::int64_t>(values.size());
  from_f32(values.data(), f16.data(), count);
  to_f32(f16.data(), back.data(), count);
  EXPECT_EQ(back, values);
  from_f32(values.data(), bf16.data(), count);
  to_f32(bf16.data(), back.data(), count);
  EXPECT_EQ(back, (std::vector<float>{1.0f, -2.5f, 0.0f, 65536.0f, 0x1p-24f}));
  to_f32(static_cast<const Float16*>(nullptr), nullptr, 0);
  from_f32(nullptr, static_cast<BFloat16*>(nullptr), 0);
}

}  // namespace
}  // namespace tilewise::cpu
