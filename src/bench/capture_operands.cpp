// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/capture_operands.hpp"

#include <algorithm>

namespace tilewise::bench {
namespace {

using vgpu::MatrixType;

/// Exponent and fraction bits; none for integers.
struct FloatBits {
  int exponent = 0, fraction = 0;
};
FloatBits float_bits(MatrixType type) {
  switch (type) {
    case MatrixType::kF16: return {5, 10};
    case MatrixType::kBf16: return {8, 7};
    case MatrixType::kTf32:
    case MatrixType::kF32: return {8, 23};
    case MatrixType::kE4m3: return {4, 3};
    case MatrixType::kE5m2: return {5, 2};
    case MatrixType::kF64: return {11, 52};
    default: return {};
  }
}

}  // namespace

Style style_of(int record) {
  constexpr int kStyles = static_cast<int>(Style::kSubnormal) + 1;
  return static_cast<Style>(record % kStyles);
}

Cells RecordOperands::matrix(MatrixType type, int cells, Style style) {
  Cells result(static_cast<std::size_t>(cells));
  for (std::uint64_t& cell : result) cell = element(type, style);
  return result;
}

std::uint64_t RecordOperands::element(MatrixType type, Style style) {
  const FloatBits f = float_bits(type);
  if (f.exponent == 0) return integer(type, style);
  const std::uint64_t top = (std::uint64_t{1} << f.exponent) - 1, bias = top / 2;
  std::uint64_t fraction = random_() & ((std::uint64_t{1} << f.fraction) - 1), exponent = bias;
  // Products of the widest exponents stay within an f32, or there would be little but infinities.
  const std::uint64_t reach = std::min<std::uint64_t>(bias / 2, 20);
  switch (style) {
    case Style::kNormal: exponent = bias - 2 + below(5); break;
    case Style::kWide: exponent = bias - reach + below(2 * reach + 1); break;
    case Style::kVeryWide: exponent = 1 + below(top - 1); break;
    case Style::kCancelling:
      fraction &= ~((std::uint64_t{1} << std::max(f.fraction - 2, 0)) - 1);
      break;
    case Style::kSpecial:
      exponent = below(top);
      if (below(12) == 0) exponent = top, fraction = below(2) ? fraction : 0;
      break;
    case Style::kSubnormal:
      exponent = below(3);
      if (below(4) == 0) fraction = 0;
      break;
  }
  return below(2) << (f.exponent + f.fraction) | exponent << f.fraction | fraction;
}

// Accumulators of the wide style lie where sums overflow.
std::uint64_t RecordOperands::integer(MatrixType type, Style style) {
  if (type != MatrixType::kS32) return below(256);
  if (style != Style::kWide) return below(std::uint64_t{1} << 32);
  return below(2) ? 0x7FFFFFFF - below(50000) : 0x80000000 + below(50000);
}

void append(std::string& record, const Cells& matrix, MatrixType type) {
  for (const std::uint64_t& cell : matrix) {
    record.append(reinterpret_cast<const char*>(&cell),
                  static_cast<std::size_t>(vgpu::bits_of(type) / 8));
  }
}

}  // namespace tilewise::bench
