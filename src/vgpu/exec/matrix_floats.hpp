// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The floating-point formats of tensor cores: values taken apart into whole numbers, and fixed-point sums
// put together again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "vgpu/exec/fused_sum.hpp"
#include "vgpu/exec/tensor_core.hpp"

namespace tilewise::vgpu {

/// A binary floating-point format as tensor cores see it.
struct MatrixFormat {
  int fraction_bits, exponent_bits;
  int dropped_bits = 0;      ///< low bits of the cell that do not count (tf32 in an f32)
  bool has_infinity = true;  ///< e4m3: no infinity, and only the largest significand is NaN
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t exponent_mask() const { return (1u << exponent_bits) - 1; }
  constexpr std::uint32_t fraction_mask() const { return (1u << fraction_bits) - 1; }
};

constexpr MatrixFormat format_of(MatrixType type) {
  switch (type) {
    case MatrixType::kF16: return {10, 5};
    case MatrixType::kBf16: return {7, 8};
    case MatrixType::kTf32: return {10, 8, 13};
    case MatrixType::kE4m3: return {3, 4, 0, false};
    case MatrixType::kE5m2: return {2, 5};
    default: return {23, 8};
  }
}

enum class FloatClass : std::uint8_t { kFinite, kInfinity, kNan };

inline FloatClass class_of(const MatrixFormat& f, std::uint32_t cell) {
  const std::uint32_t bits = cell >> f.dropped_bits;
  const std::uint32_t fraction = bits & f.fraction_mask();
  if ((bits >> f.fraction_bits & f.exponent_mask()) != f.exponent_mask())
    return FloatClass::kFinite;
  if (!f.has_infinity)
    return fraction == f.fraction_mask() ? FloatClass::kNan : FloatClass::kFinite;
  return fraction == 0 ? FloatClass::kInfinity : FloatClass::kNan;
}

inline bool sign_of(const MatrixFormat& f, std::uint32_t cell) {
  return cell >> (f.dropped_bits + f.fraction_bits + f.exponent_bits) & 1;
}

/// Many values taken apart (FusedSum says how).
struct FloatParts {
  std::vector<std::int32_t> magnitude, exponent, sign;
  bool any_special = false;  ///< an infinity or NaN among them

  void resize(std::size_t count) {
    magnitude.resize(count), exponent.resize(count), sign.resize(count);
    any_special = false;
  }

  // A subnormal keeps the exponent of the least normal number: that is what alignment goes by.
  template <MatrixType kType> void take(std::size_t first, const std::uint32_t* cells, int count) {
    constexpr MatrixFormat f = format_of(kType);
    std::uint32_t special = 0;
    for (int i = 0; i < count; ++i) {
      const std::uint32_t bits = cells[i] >> f.dropped_bits;
      const std::uint32_t fraction = bits & f.fraction_mask();
      const std::uint32_t field = bits >> f.fraction_bits & f.exponent_mask();
      const std::uint32_t whole = fraction | (field != 0 ? 1u << f.fraction_bits : 0);
      const auto least = static_cast<std::int32_t>(field != 0 ? field : 1);
      magnitude[first + i] = static_cast<std::int32_t>(whole);
      exponent[first + i] = whole != 0 ? least - f.bias() : kZeroExponent;
      sign[first + i] = -static_cast<std::int32_t>(bits >> (f.fraction_bits + f.exponent_bits) & 1);
      special |= (field == f.exponent_mask() && (f.has_infinity || fraction == f.fraction_mask()))
                     ? 1u
                     : 0u;
    }
    any_special |= special != 0;
  }

  void take(MatrixType type, std::size_t first, const std::uint32_t* cells, int count) {
    switch (type) {
      case MatrixType::kF16: return take<MatrixType::kF16>(first, cells, count);
      case MatrixType::kBf16: return take<MatrixType::kBf16>(first, cells, count);
      case MatrixType::kTf32: return take<MatrixType::kTf32>(first, cells, count);
      case MatrixType::kE4m3: return take<MatrixType::kE4m3>(first, cells, count);
      case MatrixType::kE5m2: return take<MatrixType::kE5m2>(first, cells, count);
      default: return take<MatrixType::kF32>(first, cells, count);
    }
  }
};

inline constexpr std::uint32_t kF32Nan = 0x7FFFFFFF, kF32Infinity = 0x7F800000;
inline constexpr std::uint32_t kF16Nan = 0x7FFF, kF16Infinity = 0x7C00;

/// `sum` · 2^(scale - fraction_bits) cut off after `kept` significant bits, as f32. What is cut off to
/// nothing is +0, whatever its sign was.
inline std::uint32_t truncated_f32(std::int64_t sum, int scale, int fraction_bits, int kept) {
  if (sum == 0) return 0;
  const std::uint32_t sign = sum < 0 ? 0x80000000u : 0;
  std::uint64_t magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int unit = scale - fraction_bits;  // of the sum's last bit
  const int top = 63 - std::countl_zero(magnitude) + unit;
  constexpr int kLeastExponent = -126, kLeastUnit = -149;
  if (top > 127) return sign | kF32Infinity;
  const int cut = std::max(top - (kept - 1), kLeastUnit) - unit;
  if (cut > 63 - std::countl_zero(magnitude)) return 0;
  if (cut > 0) magnitude = magnitude >> cut << cut;
  const int result_unit = std::max(top - 23, kLeastUnit);
  const int shift = result_unit - unit;
  magnitude = shift > 0 ? magnitude >> shift : magnitude << -shift;
  const int exponent = std::max(top, kLeastExponent);
  // The hidden bit, where there is one, adds the last one to the exponent.
  return sign | (static_cast<std::uint32_t>(magnitude) +
                 (static_cast<std::uint32_t>(exponent - kLeastExponent) << 23));
}

/// The same rounded to nearest even, as f16.
inline std::uint32_t rounded_f16(std::int64_t sum, int scale, int fraction_bits) {
  if (sum == 0) return 0;
  const std::uint32_t sign = sum < 0 ? 0x8000u : 0;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int unit = scale - fraction_bits;
  const int top = 63 - std::countl_zero(magnitude) + unit;
  constexpr int kLeastExponent = -14, kLeastUnit = -24;
  if (top > 15) return sign | kF16Infinity;
  const int shift = std::max(top - 10, kLeastUnit) - unit;
  std::uint64_t kept = 0;
  if (shift <= 0) {
    kept = magnitude << -shift;
  } else if (shift < 63) {
    kept = magnitude >> shift;
    const std::uint64_t rest = magnitude & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    if (rest > half || (rest == half && (kept & 1))) ++kept;
  }
  if (kept == 0) return 0;
  const int exponent = std::max(top, kLeastExponent);
  return sign | (static_cast<std::uint32_t>(kept) +
                 (static_cast<std::uint32_t>(exponent - kLeastExponent) << 10));
}

}  // namespace tilewise::vgpu
