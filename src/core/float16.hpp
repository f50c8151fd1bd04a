// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// IEEE 754 binary16 as bits: 1 sign, 5 exponent, 10 fraction bits. C++20 has no such type.
#pragma once

#include <bit>
#include <cstdint>

namespace tilewise {

/// The value of the 16 bits, exact. NaN keeps its sign and payload and becomes quiet.
constexpr float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1Fu;
  const std::uint32_t fraction = bits & 0x3FFu;
  if (exponent == 0) {  // zero and subnormals: multiples of 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 0x1F) {
    const std::uint32_t quiet = fraction != 0 ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7F800000u | quiet | fraction << 13);
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

/// The nearest f16, ties to even; beyond 65504 by half a step or more: infinity. NaN keeps its sign
/// and the top of its payload, and becomes quiet. Rounds once, so also the way to go from f64.
constexpr std::uint16_t f64_to_f16(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 48) & 0x8000u;
  const std::uint64_t magnitude = bits & 0x7FFF'FFFF'FFFF'FFFFu;
  constexpr std::uint64_t kInfinity = 0x7FF0'0000'0000'0000u;
  if (magnitude > kInfinity) {
    const std::uint32_t payload = static_cast<std::uint32_t>(magnitude >> 42) & 0x3FFu;
    return static_cast<std::uint16_t>(sign | 0x7E00u | payload);
  }
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7C00u);
  if (exponent < -25) return static_cast<std::uint16_t>(sign);  // below half the least subnormal

  const bool subnormal = exponent < -14;
  const std::uint64_t significand = (magnitude & 0xF'FFFF'FFFF'FFFFu) | 0x10'0000'0000'0000u;
  const int dropped_bits = 42 + (subnormal ? -14 - exponent : 0);
  const std::uint64_t dropped = significand & ((std::uint64_t{1} << dropped_bits) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped_bits - 1);
  std::uint32_t kept = static_cast<std::uint32_t>(significand >> dropped_bits);
  if (dropped > half || (dropped == half && (kept & 1u) != 0)) ++kept;
  // `kept` of a normal number holds the hidden bit, which raises the exponent by one; a carry out
  // of the fraction raises it once more, and from the largest finite number to infinity.
  const std::uint32_t below = subnormal ? 0u : static_cast<std::uint32_t>(exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | (below + kept));
}

/// The nearest f16, ties to even.
constexpr std::uint16_t f32_to_f16(float value) { return f64_to_f16(value); }

}  // namespace tilewise
