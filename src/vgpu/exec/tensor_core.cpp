// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/tensor_core.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "vgpu/exec/fused_sum.hpp"
#include "vgpu/exec/matrix_floats.hpp"
#include "vgpu/exec/small_float.hpp"

namespace tilewise::vgpu {
namespace {

/// How one step of the hardware adds.
struct SumRule {
  int fraction_bits = 25;  ///< that an aligned term keeps
  int kept_bits = 24;      ///< significant bits of an f32 result
};

/// One fused sum over [0, k): the part of a multiplication that the hardware does in one step.
class Step {
 public:
  Step(MatrixType a, MatrixType b, MatrixType accumulator, int m, int n, int k, SumRule rule)
      : a_type_(a), b_type_(b), c_type_(accumulator), m_(m), n_(n), k_(k), rule_(rule) {}

  /// `a`: rows of `row_cells` cells; `b`: columns of `row_cells` cells; `c` and `d`: m×n.
  void run(const std::uint32_t* a, const std::uint32_t* b, int row_cells, const std::uint32_t* c,
           std::uint32_t* d) {
    Scratch& s = scratch();
    take_apart(s, a, b, row_cells, c);
    const int padded = padded_columns();
    FusedSum sum{
        m_,
        padded,
        k_,
        s.a.magnitude.data(),
        s.a.exponent.data(),
        s.a.sign.data(),
        s.b.magnitude.data(),
        s.b.exponent.data(),
        s.b.sign.data(),
        s.c.magnitude.data(),
        s.c.exponent.data(),
        s.c.sign.data(),
        rule_.fraction_bits - format_of(a_type_).fraction_bits - format_of(b_type_).fraction_bits,
        rule_.fraction_bits - format_of(c_type_).fraction_bits,
        s.sums.data(),
        s.scale.data()};
    fused_sum_function()(sum);
    const bool special = s.a.any_special || s.b.any_special || s.c.any_special;
    for (int i = 0; i < m_; ++i) {
      for (int j = 0; j < n_; ++j) {
        const std::uint32_t old = c[i * n_ + j];
        const std::size_t at = static_cast<std::size_t>(i) * padded + j;
        std::uint32_t& result = d[i * n_ + j];
        if (special && special_result(a + i * row_cells, b + j * row_cells, old, result)) continue;
        result = c_type_ == MatrixType::kF16
                     ? rounded_f16(s.sums[at], s.scale[at], rule_.fraction_bits)
                     : truncated_f32(s.sums[at], s.scale[at], rule_.fraction_bits, rule_.kept_bits);
      }
    }
  }

 private:
  /// Of one host thread; kept from call to call.
  struct Scratch {
    FloatParts a, b, c;
    std::vector<std::uint32_t> row;
    std::vector<std::int64_t> sums;
    std::vector<std::int32_t> scale;
  };
  static Scratch& scratch() {
    thread_local Scratch s;
    return s;
  }

  int padded_columns() const { return (n_ + kSumColumns - 1) / kSumColumns * kSumColumns; }

  void take_apart(Scratch& s, const std::uint32_t* a, const std::uint32_t* b, int row_cells,
                  const std::uint32_t* c) const {
    const auto padded = static_cast<std::size_t>(padded_columns());
    const auto rows = static_cast<std::size_t>(m_), depth = static_cast<std::size_t>(k_);
    s.a.resize(rows * depth);
    s.b.resize(depth * padded);
    s.c.resize(rows * padded);
    s.sums.resize(rows * padded);
    s.scale.resize(rows * padded);
    s.row.assign(padded, 0);
    for (std::size_t i = 0; i < rows; ++i)
      s.a.take(a_type_, i * depth, a + i * static_cast<std::size_t>(row_cells), k_);
    for (std::size_t k = 0; k < depth; ++k) {
      for (int j = 0; j < n_; ++j) s.row[j] = b[static_cast<std::size_t>(j * row_cells) + k];
      s.b.take(b_type_, k * padded, s.row.data(), static_cast<int>(padded));
    }
    std::fill(s.row.begin(), s.row.end(), 0);
    for (std::size_t i = 0; i < rows; ++i) {
      std::copy_n(c + i * static_cast<std::size_t>(n_), n_, s.row.begin());
      s.c.take(c_type_, i * padded, s.row.data(), static_cast<int>(padded));
    }
  }

  // Whether infinities or NaN decide this element, and then what it is.
  bool special_result(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t c,
                      std::uint32_t& result) const {
    const MatrixFormat fa = format_of(a_type_), fb = format_of(b_type_), fc = format_of(c_type_);
    bool nan = false, infinite[2] = {false, false};
    const auto see = [&](FloatClass what, bool negative) {
      nan |= what == FloatClass::kNan;
      if (what == FloatClass::kInfinity) infinite[negative] = true;
    };
    for (int k = 0; k < k_; ++k) {
      const FloatClass ca = class_of(fa, a[k]), cb = class_of(fb, b[k]);
      if (ca == FloatClass::kFinite && cb == FloatClass::kFinite) continue;
      const bool zero = is_zero(fa, a[k]) || is_zero(fb, b[k]);
      see(zero ? FloatClass::kNan : std::max(ca, cb), sign_of(fa, a[k]) != sign_of(fb, b[k]));
    }
    see(class_of(fc, c), sign_of(fc, c));
    nan |= infinite[0] && infinite[1];
    const bool narrow = c_type_ == MatrixType::kF16;
    if (nan) result = narrow ? kF16Nan : kF32Nan;
    else if (infinite[0]) result = narrow ? kF16Infinity : kF32Infinity;
    else if (infinite[1]) result = narrow ? kF16Infinity | 0x8000u : kF32Infinity | 0x80000000u;
    return nan || infinite[0] || infinite[1];
  }

  static bool is_zero(const MatrixFormat& f, std::uint32_t cell) {
    return (cell >> f.dropped_bits & ((1u << (f.fraction_bits + f.exponent_bits)) - 1)) == 0;
  }

  MatrixType a_type_, b_type_, c_type_;
  int m_, n_, k_;
  SumRule rule_;
};

float f32_of(MatrixType type, std::uint32_t cell) {
  const MatrixFormat f = format_of(type);
  switch (class_of(f, cell)) {
    case FloatClass::kNan: return NAN;
    case FloatClass::kInfinity: return sign_of(f, cell) ? -INFINITY : INFINITY;
    case FloatClass::kFinite: break;
  }
  const std::uint32_t bits = cell >> f.dropped_bits;
  const auto fraction = static_cast<int>(bits & f.fraction_mask());
  const auto field = static_cast<int>(bits >> f.fraction_bits & f.exponent_mask());
  const int whole = field != 0 ? fraction | 1 << f.fraction_bits : fraction;
  const float value =
      std::ldexp(static_cast<float>(whole), std::max(field, 1) - f.bias() - f.fraction_bits);
  return sign_of(f, cell) ? -value : value;
}

std::uint32_t bits_of_f32(float value) {
  return std::isnan(value) ? kF32Nan : std::bit_cast<std::uint32_t>(value);
}

// Numerics::kF32: what a loop over k in f32 computes.
void multiply_in_f32(const MatrixProduct& p, const std::uint32_t* a, const std::uint32_t* b,
                     const std::uint32_t* c, std::uint32_t* d) {
  std::vector<float> wide_a(static_cast<std::size_t>(p.m * p.k)),
      wide_b(static_cast<std::size_t>(p.n * p.k));
  for (std::size_t i = 0; i < wide_a.size(); ++i) wide_a[i] = f32_of(p.a, a[i]);
  for (std::size_t i = 0; i < wide_b.size(); ++i) wide_b[i] = f32_of(p.b, b[i]);
  const bool narrow = p.accumulator == MatrixType::kF16;
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      float sum = f32_of(p.accumulator, c[i * p.n + j]);
      for (int k = 0; k < p.k; ++k) {
        const float product = wide_a[i * p.k + k] * wide_b[j * p.k + k];
        sum += product;
      }
      d[i * p.n + j] =
          narrow ? F16::encode(static_cast<double>(sum), kRoundNearest) : bits_of_f32(sum);
    }
  }
}

std::int32_t integer_of(MatrixType type, std::uint32_t cell) {
  return type == MatrixType::kS8 ? static_cast<std::int8_t>(cell & 0xFF)
                                 : static_cast<std::int32_t>(cell & 0xFF);
}

void multiply_integers(const MatrixProduct& p, const std::uint32_t* a, const std::uint32_t* b,
                       const std::uint32_t* c, std::uint32_t* d) {
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      std::int64_t sum = static_cast<std::int32_t>(c[i * p.n + j]);
      for (int k = 0; k < p.k; ++k)
        sum += integer_of(p.a, a[i * p.k + k]) * integer_of(p.b, b[j * p.k + k]);
      if (p.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      d[i * p.n + j] = static_cast<std::uint32_t>(sum);
    }
  }
}

bool is_fp8(MatrixType type) { return type == MatrixType::kE4m3 || type == MatrixType::kE5m2; }

// e4m3 and e5m2 are subsets of f16.
std::uint32_t f16_of(MatrixType type, std::uint32_t cell) {
  static const auto kFromE4m3 = [] {
    std::array<std::uint16_t, 256> table{};
    for (std::uint32_t bits = 0; bits < table.size(); ++bits) {
      const float value = f32_of(MatrixType::kE4m3, bits);
      table[bits] = F16::encode(static_cast<double>(value), kRoundNearest);
    }
    return table;
  }();
  return type == MatrixType::kE5m2 ? cell << 8 : kFromE4m3[cell & 0xFF];
}

std::uint32_t added(MatrixType type, std::uint32_t a, std::uint32_t b) {
  if (type == MatrixType::kF32)
    return bits_of_f32(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  const double sum =
      F16::decode(static_cast<std::uint16_t>(a)) + F16::decode(static_cast<std::uint16_t>(b));
  return F16::encode(sum, kRoundNearest);
}

// mma.sync of fp8 exists as a sequence of machine instructions: operands become f16, the first two of
// every four of k are multiplied into a zero accumulator, the other two into that, and C is added by an
// ordinary addition.
void multiply_fp8_as_f16(const MatrixProduct& p, SumRule rule, const std::uint32_t* a,
                         const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) {
  const int half = p.k / 2;
  const auto cells = static_cast<std::size_t>(p.m * p.n);
  std::vector<std::uint32_t> sum(cells, 0);
  std::vector<std::uint32_t> a16(static_cast<std::size_t>(p.m * half)),
      b16(static_cast<std::size_t>(p.n * half));
  Step step(MatrixType::kF16, MatrixType::kF16, p.accumulator, p.m, p.n, half, rule);
  for (int pair = 0; pair < 2; ++pair) {
    const auto place = [&](int k) { return k / 2 * 4 + 2 * pair + k % 2; };
    for (int i = 0; i < p.m; ++i)
      for (int k = 0; k < half; ++k) a16[i * half + k] = f16_of(p.a, a[i * p.k + place(k)]);
    for (int j = 0; j < p.n; ++j)
      for (int k = 0; k < half; ++k) b16[j * half + k] = f16_of(p.b, b[j * p.k + place(k)]);
    step.run(a16.data(), b16.data(), half, sum.data(), sum.data());
  }
  for (std::size_t i = 0; i < cells; ++i) d[i] = added(p.accumulator, c[i], sum[i]);
}

// How much of k Ampere's tensor cores take at a time.
int ampere_depth(MatrixType type, int k) {
  return std::min(k, type == MatrixType::kTf32 ? 4 : is_fp8(type) ? 16 : 8);
}

}  // namespace

std::string_view name_of(MatrixType type) {
  constexpr std::array<std::string_view, 10> kNames{"f16", "bf16", "tf32", "e4m3", "e5m2",
                                                    "s8",  "u8",   "f32",  "s32",  "f64"};
  return kNames[static_cast<std::size_t>(type)];
}

int bits_of(MatrixType type) {
  constexpr std::array<int, 10> kBits{16, 16, 32, 8, 8, 8, 8, 32, 32, 64};
  return kBits[static_cast<std::size_t>(type)];
}

void multiply(const MatrixProduct& p, Numerics numerics, const std::uint32_t* a,
              const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) {
  if (p.accumulator == MatrixType::kS32) return multiply_integers(p, a, b, c, d);
  if (numerics == Numerics::kF32) return multiply_in_f32(p, a, b, c, d);
  SumRule rule;
  rule.fraction_bits = numerics == Numerics::kSm80 ? 24 : 25;
  if (is_fp8(p.a) && !p.is_wgmma) return multiply_fp8_as_f16(p, rule, a, b, c, d);
  if (is_fp8(p.a)) rule = {13, 14};
  int depth = p.step > 0 ? p.step : p.k;
  if (numerics == Numerics::kSm80) depth = ampere_depth(p.a, depth);
  Step step(p.a, p.b, p.accumulator, p.m, p.n, depth, rule);
  for (int k = 0; k < p.k; k += depth) step.run(a + k, b + k, p.k, k == 0 ? c : d, d);
}

// Which NaN comes out: B's, else the sum's, else A's, made quiet; the one below where none went in.
static double fused_f64(double a, double b, double sum) {
  const double result = std::fma(a, b, sum);
  if (!std::isnan(result)) return result;
  constexpr std::uint64_t kQuiet = std::uint64_t{1} << 51, kInvalid = 0xFFF8000000000000u;
  for (const double operand : {b, sum, a}) {
    if (std::isnan(operand))
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(operand) | kQuiet);
  }
  return std::bit_cast<double>(kInvalid);
}

void multiply_f64(int m, int n, int k, const double* a, const double* b, const double* c,
                  double* d) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = c[i * n + j];
      for (int x = 0; x < k; ++x) sum = fused_f64(a[i * k + x], b[j * k + x], sum);
      d[i * n + j] = sum;
    }
  }
}

}  // namespace tilewise::vgpu
