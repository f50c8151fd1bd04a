// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Floating-point formats narrower than f64, rounded in any direction, by way of f64.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "vgpu/exec/modes.hpp"

namespace tilewise::vgpu {

/// A binary format: significand bits (hidden bit included), least and greatest normal exponent.
struct FloatFormat {
  int precision, lowest_exponent, highest_exponent;
};
inline constexpr FloatFormat kFormatF16{11, -14, 15};
inline constexpr FloatFormat kFormatBf16{8, -126, 127};
inline constexpr FloatFormat kFormatF32{24, -126, 127};

inline double round_to_integer(double x, unsigned mode) {
  switch (mode & kRoundMask) {
    case kRoundZero: return std::trunc(x);
    case kRoundDown: return std::floor(x);
    case kRoundUp: return std::ceil(x);
    default: break;
  }
  if (mode & kRoundAway) return std::round(x);
  // Nearest, ties to even, whatever the current rounding direction.
  const double low = std::floor(x), rest = x - low;
  if (rest != 0.5) return rest < 0.5 ? low : low + 1;
  return std::fmod(low, 2.0) == 0 ? low : low + 1;
}

/// `x` rounded to `format`. NaN and infinities stay.
inline double round_to(double x, FloatFormat format, unsigned mode) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = std::ilogb(x);
  if (exponent < format.lowest_exponent) exponent = format.lowest_exponent;
  const int quantum = exponent - (format.precision - 1);
  const double rounded = std::ldexp(round_to_integer(std::ldexp(x, -quantum), mode), quantum);
  const double largest =
      std::ldexp(2.0 - std::ldexp(1.0, 1 - format.precision), format.highest_exponent);
  if (std::fabs(rounded) <= largest) return std::copysign(rounded, x);
  const bool to_infinity = (mode & kRoundMask) == kRoundNearest ||
                           ((mode & kRoundMask) == kRoundUp && x > 0) ||
                           ((mode & kRoundMask) == kRoundDown && x < 0);
  return std::copysign(to_infinity ? INFINITY : largest, x);
}

/// a·b + c with the last bit sticky ("round to odd"), so that rounding it again to a format of at most
/// 51 bits gives the correctly rounded result. a·b must be exact in f64.
inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + (c - c_part);
  if (error == 0 || (std::bit_cast<std::uint64_t>(sum) & 1)) return sum;
  return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

template <FloatFormat const& kFormat> struct Half {
  static constexpr int kFraction = kFormat.precision - 1;
  static constexpr int kBias = kFormat.highest_exponent;
  static constexpr std::uint16_t kNan = 0x7FFF;
  /// The least number above zero.
  static constexpr double kLeast = std::bit_cast<double>(
      static_cast<std::uint64_t>(kFormat.lowest_exponent - kFraction + 1023) << 52);

  static double decode(std::uint16_t bits) {
    const int exponent = (bits & 0x7FFF) >> kFraction;
    const int fraction = bits & ((1 << kFraction) - 1);
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 2 * kBias + 1) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * fraction * kLeast;
    const std::uint64_t wide = (std::uint64_t{bits} & 0x8000) << 48 |
                               static_cast<std::uint64_t>(exponent - kBias + 1023) << 52 |
                               static_cast<std::uint64_t>(fraction) << (52 - kFraction);
    return std::bit_cast<double>(wide);
  }

  /// To nearest, ties to even: the usual direction, in whole numbers.
  static std::uint16_t encode_nearest(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto sign = static_cast<std::uint32_t>(bits >> 48 & 0x8000);
    const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
    constexpr std::uint32_t kInfinity = (2u * kBias + 1) << kFraction;
    if (exponent == 1024) return static_cast<std::uint16_t>(sign | kInfinity);  // not NaN
    const int below = exponent < kFormat.lowest_exponent ? kFormat.lowest_exponent - exponent : 0;
    const int drop = 52 - kFraction + below;
    if (drop > 53) return static_cast<std::uint16_t>(sign);  // less than half the least number
    const std::uint64_t significand = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1}
                                                                                    << 52;
    std::uint64_t kept = significand >> drop;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) ++kept;
    // A carry out of the fraction raises the exponent, as it should.
    std::uint64_t result = kept;
    if (below == 0) result += static_cast<std::uint64_t>(exponent + kBias - 1) << kFraction;
    if (result > kInfinity) result = kInfinity;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(result));
  }

  static std::uint16_t encode(double x, unsigned mode) {
    if (std::isnan(x)) return kNan;
    if ((mode & (kRoundMask | kRoundAway)) == kRoundNearest) return encode_nearest(x);
    const double r = round_to(x, kFormat, mode);
    const std::uint16_t sign = std::signbit(r) ? 0x8000 : 0;
    if (std::isinf(r)) return static_cast<std::uint16_t>(sign | ((2 * kBias + 1) << kFraction));
    if (r == 0) return sign;
    const int exponent = std::ilogb(r);
    if (exponent < kFormat.lowest_exponent) {
      return static_cast<std::uint16_t>(
          sign | static_cast<int>(std::ldexp(std::fabs(r), kFraction - kFormat.lowest_exponent)));
    }
    const int fraction =
        static_cast<int>(std::ldexp(std::fabs(r), kFraction - exponent)) - (1 << kFraction);
    return static_cast<std::uint16_t>(sign | ((exponent + kBias) << kFraction) | fraction);
  }
};
using F16 = Half<kFormatF16>;
using Bf16 = Half<kFormatBf16>;

}  // namespace tilewise::vgpu
