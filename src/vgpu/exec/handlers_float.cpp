// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Floating point that is not worth vectorising: rounding directions, flushing, clamping, halves,
// conversions, and the functions whose hardware results are approximations.
//
// The approximate functions (ex2, lg2, sin, cos, tanh, rsqrt) are computed in f64 and rounded once: at
// least as accurate as the hardware's, but not its bits; nobody outside the vendor knows those.
//
// This file is compiled with -frounding-math.
#include <cfenv>
#include <cmath>
#include <limits>

#include "vgpu/exec/arithmetic.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/small_float.hpp"
#include "vgpu/ptx/types.hpp"

namespace tilewise::vgpu {
namespace {

using ptx::Type;
__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// Sets the direction of rounding for as long as it lives.
class Rounding {
 public:
  explicit Rounding(unsigned mode) {
    static constexpr int kDirections[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kDirections[mode & kRoundMask]);
  }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};

float flush(float x, unsigned mode) {
  return (mode & kFlush) && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
double flush(double x, unsigned) { return x; }

template <class T> T clamp(T x, unsigned mode) {
  if ((mode & kSaturate) == 0) return x;
  return x > 0 ? (x < 1 ? x : T{1}) : T{0};  // NaN becomes +0
}

enum class Operation {
  kAdd,
  kSub,
  kMul,
  kFma,
  kDiv,
  kMin,
  kMax,
  kSqrt,
  kRcp,
  kRsqrt,
  kEx2,
  kLg2,
  kSin,
  kCos,
  kTanh,
  kNeg,
  kAbs
};

template <Operation kOperation, class T> T compute(T a, T b, T c, unsigned mode) {
  volatile T x = a, y = b, z = c;  // keeps the arithmetic inside the rounding direction
  switch (kOperation) {
    case Operation::kAdd: return x + y;
    case Operation::kSub: return x - y;
    case Operation::kMul: return x * y;
    case Operation::kFma: return std::fma(T{x}, T{y}, T{z});
    case Operation::kDiv: return x / y;
    case Operation::kSqrt: return std::sqrt(T{x});
    case Operation::kRcp: return T{1} / x;
    case Operation::kRsqrt: return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a)));
    case Operation::kEx2: return static_cast<T>(std::exp2(static_cast<double>(a)));
    case Operation::kLg2: return static_cast<T>(std::log2(static_cast<double>(a)));
    case Operation::kSin: return static_cast<T>(std::sin(static_cast<double>(a)));
    case Operation::kCos: return static_cast<T>(std::cos(static_cast<double>(a)));
    case Operation::kTanh: return static_cast<T>(std::tanh(static_cast<double>(a)));
    case Operation::kNeg: return -a;
    case Operation::kAbs: return std::fabs(a);
    case Operation::kMin:
    case Operation::kMax: {
      if (std::isnan(a) || std::isnan(b)) {
        if (mode & kKeepNan) return std::numeric_limits<T>::quiet_NaN();
        return std::isnan(a) ? b : a;
      }
      const bool a_less = a < b || (a == b && std::signbit(a));
      return (kOperation == Operation::kMin) == a_less ? a : b;
    }
  }
  return a;
}

/// Hardware flushes a product or sum that is subnormal before it is rounded.
template <Operation kOperation> bool is_tiny(float a, float b, float c) {
  constexpr double kLeastNormal = 0x1p-126;
  if (kOperation == Operation::kMul) return std::fabs(double{a} * b) < kLeastNormal;
  if (kOperation == Operation::kFma) return std::fabs(fma_to_odd(a, b, c)) < kLeastNormal;
  return false;
}
template <Operation kOperation> bool is_tiny(double, double, double) { return false; }

template <Operation kOperation, class T> struct Float {
  static void masked(Warp& w, const Op& op) {
    const Rounding rounding(op.mode);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const T a = flush(get<T>(cells<T>(w, op.r[1])[lane]), op.mode);
      const T b = flush(get<T>(cells<T>(w, op.r[2])[lane]), op.mode);
      const T c = flush(get<T>(cells<T>(w, op.r[3])[lane]), op.mode);
      T result = compute<kOperation, T>(a, b, c, op.mode);
      if ((op.mode & kFlush) && is_tiny<kOperation>(a, b, c)) result = std::copysign(T{0}, result);
      result = clamp(flush(result, op.mode), op.mode);
      cells<T>(w, op.r[0])[lane] = put<T>(result);
    }
  }
};

/// One or two halves a lane. Products are exact in f64, sums are sticky: one rounding in all.
template <class H, Operation kOperation>
std::uint16_t half_operation(std::uint16_t a_bits, std::uint16_t b_bits, std::uint16_t c_bits,
                             unsigned mode) {
  if (kOperation == Operation::kNeg) return a_bits ^ 0x8000;
  if (kOperation == Operation::kAbs) return a_bits & 0x7FFF;
  const double a = H::decode(a_bits), b = H::decode(b_bits), c = H::decode(c_bits);
  double x = 0;
  switch (kOperation) {
    case Operation::kAdd: x = fma_to_odd(a, 1, b); break;
    case Operation::kSub: x = fma_to_odd(a, 1, -b); break;
    case Operation::kMul: x = a * b; break;
    case Operation::kFma: x = fma_to_odd(a, b, c); break;
    default: x = compute<kOperation, double>(a, b, c, mode); break;
  }
  if (mode & kRelu) x = std::isnan(x) ? x : x > 0 ? x : 0;
  return H::encode(clamp(x, mode), mode);
}

template <class H, Operation kOperation, bool kPair> struct Halves {
  static void masked(Warp& w, const Op& op) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const std::uint32_t a = cells<std::uint32_t>(w, op.r[1])[lane];
      const std::uint32_t b = cells<std::uint32_t>(w, op.r[2])[lane];
      const std::uint32_t c = cells<std::uint32_t>(w, op.r[3])[lane];
      std::uint32_t result = half(a, b, c, op.mode);
      if (kPair)
        result |= static_cast<std::uint32_t>(half(a >> 16, b >> 16, c >> 16, op.mode)) << 16;
      cells<std::uint32_t>(w, op.r[0])[lane] = result;
    }
  }
  static std::uint16_t half(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned mode) {
    return half_operation<H, kOperation>(static_cast<std::uint16_t>(a),
                                         static_cast<std::uint16_t>(b),
                                         static_cast<std::uint16_t>(c), mode);
  }
};

/// setp of halves, and of f32 with flushing: r = {p, q, a, b, c}.
enum class Relation {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan
};

bool holds(Relation relation, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (relation) {
    case Relation::kEq: return a == b;
    case Relation::kNe: return !unordered && a != b;
    case Relation::kLt: return a < b;
    case Relation::kLe: return a <= b;
    case Relation::kGt: return a > b;
    case Relation::kGe: return a >= b;
    case Relation::kEqu: return unordered || a == b;
    case Relation::kNeu: return unordered || a != b;
    case Relation::kLtu: return unordered || a < b;
    case Relation::kLeu: return unordered || a <= b;
    case Relation::kGtu: return unordered || a > b;
    case Relation::kGeu: return unordered || a >= b;
    case Relation::kNum: return !unordered;
    case Relation::kNan: return unordered;
  }
  return false;
}

struct AsF32 {
  static double decode(std::uint32_t bits) {
    return flush(__builtin_bit_cast(float, bits), kFlush);
  }
};
struct AsF16 {
  static double decode(std::uint32_t bits) { return F16::decode(static_cast<std::uint16_t>(bits)); }
};
struct AsBf16 {
  static double decode(std::uint32_t bits) {
    return Bf16::decode(static_cast<std::uint16_t>(bits));
  }
};

template <class Format, Relation kRelation> struct CompareFloats {
  static void masked(Warp& w, const Op& op) {
    const std::uint32_t* a = cells<std::uint32_t>(w, op.r[2]);
    const std::uint32_t* b = cells<std::uint32_t>(w, op.r[3]);
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      bits |= static_cast<std::uint32_t>(
                  holds(kRelation, Format::decode(a[lane]), Format::decode(b[lane])))
              << lane;
    }
    std::uint32_t other = 0;
    if (op.mode & kCombineMask) {
      other = w.predicates[op.r[4]] ^ (op.mode & kSetpNegated ? ~0u : 0u);
    }
    if (op.mode & kSetpSecond) write_predicate(w, op.r[1], combine(~bits, other, op.mode));
    write_predicate(w, op.r[0], combine(bits, other, op.mode));
  }
};

template <class T> struct TestProperty {
  static void masked(Warp& w, const Op& op) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const int kind = std::fpclassify(get<T>(cells<T>(w, op.r[1])[lane]));
      bool result = false;
      switch (op.mode) {
        case 0: result = kind != FP_NAN && kind != FP_INFINITE; break;
        case 1: result = kind == FP_INFINITE; break;
        case 2: result = kind != FP_NAN; break;
        case 3: result = kind == FP_NAN; break;
        case 4: result = kind == FP_NORMAL || kind == FP_ZERO; break;  // zeros count as normal
        default: result = kind == FP_SUBNORMAL; break;
      }
      bits |= static_cast<std::uint32_t>(result) << lane;
    }
    write_predicate(w, op.r[0], bits);
  }
};

/// cvt between any two types: Op::bytes is the destination's, Op::count the source's; imm bit 0 and 1
/// say whether their registers are 64 bits wide.
struct Convert {
  static void masked(Warp& w, const Op& op) {
    const Type to = static_cast<Type>(op.bytes), from = static_cast<Type>(op.count);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const std::uint64_t source = op.imm & 2 ? cells<std::uint64_t>(w, op.r[1])[lane]
                                              : cells<std::uint32_t>(w, op.r[1])[lane];
      const std::uint64_t result = convert(to, from, source, op.mode);
      if (op.imm & 1) cells<std::uint64_t>(w, op.r[0])[lane] = result;
      else cells<std::uint32_t>(w, op.r[0])[lane] = static_cast<std::uint32_t>(result);
    }
  }

  static bool is_float(Type t) {
    return t == Type::kF16 || t == Type::kBf16 || t == Type::kF32 || t == Type::kF64 ||
           t == Type::kTf32;
  }
  static bool is_signed(Type t) {
    return t == Type::kS8 || t == Type::kS16 || t == Type::kS32 || t == Type::kS64;
  }

  static std::uint64_t convert(Type to, Type from, std::uint64_t bits, unsigned mode) {
    if (!is_float(from)) {
      const Int128 value = integer_value(from, bits);
      return is_float(to) ? from_integer(to, value, mode) : narrow(to, value, mode);
    }
    double value = decode(from, bits);
    if (from == Type::kF32) value = flush(static_cast<float>(value), mode);
    if (!is_float(to)) return to_integer(to, from, value, mode);
    if (mode & kRoundToInteger) value = std::copysign(round_to_integer(value, mode), value);
    if (mode & kRelu) value = std::isnan(value) || value > 0 ? value : 0;
    return encode(to, clamp(value, mode), mode);
  }

  static Int128 integer_value(Type from, std::uint64_t bits) {
    const int width = 8 * ptx::size_of(from);
    const std::uint64_t value = width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
    if (!is_signed(from)) return value;
    return static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
  }

  // Registers wider than the type hold it extended by its sign.
  static std::uint64_t narrow(Type to, Int128 value, unsigned mode) {
    const int width = 8 * ptx::size_of(to);
    const Int128 one = 1;
    const Int128 low = is_signed(to) ? -(one << (width - 1)) : 0;
    const Int128 high = is_signed(to) ? (one << (width - 1)) - 1 : (one << width) - 1;
    if (mode & kSaturate) value = value < low ? low : value > high ? high : value;
    const auto bits = static_cast<std::uint64_t>(value);
    return static_cast<std::uint64_t>(integer_value(to, bits));
  }

  // Out of range goes to the nearest end of the range; NaN to 0, for 64-bit destinations and f64 sources
  // to the value the hardware gives: the smallest signed number, the largest unsigned power of two.
  static std::uint64_t to_integer(Type to, Type from, double value, unsigned mode) {
    const int width = 8 * ptx::size_of(to);
    if (std::isnan(value)) {
      const bool wide = width == 64 || from == Type::kF64;
      return wide ? std::uint64_t{1} << (width - 1) : 0;
    }
    const double rounded = round_to_integer(value, mode);
    const Int128 one = 1;
    const Int128 low = is_signed(to) ? -(one << (width - 1)) : 0;
    const Int128 high = is_signed(to) ? (one << (width - 1)) - 1 : (one << width) - 1;
    if (rounded <= static_cast<double>(low)) return static_cast<std::uint64_t>(low);
    if (rounded >= std::ldexp(1.0, is_signed(to) ? width - 1 : width))
      return static_cast<std::uint64_t>(high);
    return static_cast<std::uint64_t>(static_cast<Int128>(rounded));
  }

  // Through f64 when that is exact; 64-bit integers are made sticky first, so that they round once.
  static std::uint64_t from_integer(Type to, Int128 value, unsigned mode) {
    const bool negative = value < 0;
    Uint128 magnitude = negative ? static_cast<Uint128>(-value) : static_cast<Uint128>(value);
    if (to == Type::kF64) {
      const Rounding rounding(mode);
      volatile std::uint64_t m = static_cast<std::uint64_t>(magnitude);
      if (!negative)
        return __builtin_bit_cast(std::uint64_t, static_cast<double>(std::uint64_t{m}));
      volatile std::int64_t s = static_cast<std::int64_t>(value);
      return __builtin_bit_cast(std::uint64_t, static_cast<double>(std::int64_t{s}));
    }
    if (magnitude >> 53) {
      const bool sticky = (magnitude & 0x7FF) != 0;
      magnitude = (magnitude >> 11 << 11) | (sticky ? 0x800 : 0);
      // Bit 11 of a 64-bit number is beyond every narrower format's last bit.
    }
    double x = static_cast<double>(static_cast<std::uint64_t>(magnitude));
    if (negative) x = -x;
    return encode(to, clamp(x, mode), mode);
  }

  static double decode(Type from, std::uint64_t bits) {
    switch (from) {
      case Type::kF16: return F16::decode(static_cast<std::uint16_t>(bits));
      case Type::kBf16: return Bf16::decode(static_cast<std::uint16_t>(bits));
      case Type::kF64: return __builtin_bit_cast(double, bits);
      default: return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    }
  }

  static std::uint64_t encode(Type to, double value, unsigned mode) {
    switch (to) {
      case Type::kF16: return F16::encode(value, mode);
      case Type::kBf16: return Bf16::encode(value, mode);
      case Type::kF64: return __builtin_bit_cast(std::uint64_t, value);
      case Type::kTf32: return encode_tf32(value, mode);
      default: break;
    }
    return put<float>(flush(static_cast<float>(round_to(value, kFormatF32, mode)), mode));
  }

  // The low 13 bits are zero.
  static std::uint64_t encode_tf32(double value, unsigned mode) {
    static constexpr FloatFormat kFormatTf32{11, -126, 127};
    if (std::isnan(value)) return 0x7FFFFFFF;
    return put<float>(static_cast<float>(round_to(value, kFormatTf32, mode)));
  }
};

/// cvt.rn.f16x2.f32 d, a, b: a in the upper half.
struct ConvertPack {
  static void masked(Warp& w, const Op& op) {
    const Type to = static_cast<Type>(op.bytes) == Type::kF16x2 ? Type::kF16 : Type::kBf16;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const std::uint64_t high =
          Convert::convert(to, Type::kF32, cells<std::uint32_t>(w, op.r[1])[lane], op.mode);
      const std::uint64_t low =
          Convert::convert(to, Type::kF32, cells<std::uint32_t>(w, op.r[2])[lane], op.mode);
      cells<std::uint32_t>(w, op.r[0])[lane] = static_cast<std::uint32_t>(high << 16 | low);
    }
  }
};

/// cvt.pack.sat: r = {d, a, b, c}; Op::bytes is the type of the halves, mode says whether there is c.
struct ConvertPackIntegers {
  static void masked(Warp& w, const Op& op) {
    const Type to = static_cast<Type>(op.bytes);
    const int width = 8 * ptx::size_of(to);
    const std::uint64_t field = (std::uint64_t{1} << width) - 1;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const auto clamped = [&](int slot) {
        const std::uint32_t bits = cells<std::uint32_t>(w, op.r[slot])[lane];
        return Convert::narrow(to, static_cast<std::int32_t>(bits), kSaturate) & field;
      };
      std::uint64_t result = clamped(1) << width | clamped(2);
      if (op.mode) result |= std::uint64_t{cells<std::uint32_t>(w, op.r[3])[lane]} << (2 * width);
      cells<std::uint32_t>(w, op.r[0])[lane] = static_cast<std::uint32_t>(result);
    }
  }
};

struct SaturatingAdd {
  static std::int32_t run(std::int32_t a, std::int32_t b) {
    return clamp_to_s32(std::int64_t{a} + b);
  }
};
struct SaturatingSub {
  static std::int32_t run(std::int32_t a, std::int32_t b) {
    return clamp_to_s32(std::int64_t{a} - b);
  }
};

template <class H> constexpr HandlerEntry entry(const char* key) {
  return {key, H::masked, H::masked};
}

// clang-format off
#define ON_FLOATS(name, operation) \
  entry<Float<operation, float>>("mode." name ".f32"), entry<Float<operation, double>>("mode." name ".f64"),
#define ON_HALVES(name, operation) \
  entry<Halves<F16, operation, false>>("mode." name ".f16"), entry<Halves<F16, operation, true>>("mode." name ".f16x2"), \
  entry<Halves<Bf16, operation, false>>("mode." name ".bf16"), entry<Halves<Bf16, operation, true>>("mode." name ".bf16x2"),
#define APPROXIMATE(name, operation) \
  entry<Float<operation, float>>(name ".f32"), entry<Float<operation, double>>(name ".f64"), ON_FLOATS(name, operation)
#define COMPARE_ONE(name, relation) \
  entry<CompareFloats<AsF32, Relation::relation>>("mode.setp." name ".f32"), \
  entry<CompareFloats<AsF16, Relation::relation>>("mode.setp." name ".f16"), \
  entry<CompareFloats<AsBf16, Relation::relation>>("mode.setp." name ".bf16"),

const HandlerEntry kTable[] = {
    ON_FLOATS("add", Operation::kAdd) ON_FLOATS("sub", Operation::kSub) ON_FLOATS("mul", Operation::kMul)
    ON_FLOATS("fma", Operation::kFma) ON_FLOATS("div", Operation::kDiv) ON_FLOATS("min", Operation::kMin)
    ON_FLOATS("max", Operation::kMax) ON_FLOATS("sqrt", Operation::kSqrt) ON_FLOATS("rcp", Operation::kRcp)
    ON_FLOATS("neg", Operation::kNeg) ON_FLOATS("abs", Operation::kAbs)
    ON_HALVES("add", Operation::kAdd) ON_HALVES("sub", Operation::kSub) ON_HALVES("mul", Operation::kMul)
    ON_HALVES("fma", Operation::kFma) ON_HALVES("min", Operation::kMin) ON_HALVES("max", Operation::kMax)
    ON_HALVES("neg", Operation::kNeg) ON_HALVES("abs", Operation::kAbs)
    ON_HALVES("ex2", Operation::kEx2) ON_HALVES("tanh", Operation::kTanh)
    APPROXIMATE("rsqrt", Operation::kRsqrt) APPROXIMATE("ex2", Operation::kEx2)
    APPROXIMATE("lg2", Operation::kLg2) APPROXIMATE("sin", Operation::kSin)
    APPROXIMATE("cos", Operation::kCos) APPROXIMATE("tanh", Operation::kTanh)
    COMPARE_ONE("eq", kEq) COMPARE_ONE("ne", kNe) COMPARE_ONE("lt", kLt) COMPARE_ONE("le", kLe)
    COMPARE_ONE("gt", kGt) COMPARE_ONE("ge", kGe) COMPARE_ONE("equ", kEqu) COMPARE_ONE("neu", kNeu)
    COMPARE_ONE("ltu", kLtu) COMPARE_ONE("leu", kLeu) COMPARE_ONE("gtu", kGtu) COMPARE_ONE("geu", kGeu)
    COMPARE_ONE("num", kNum) COMPARE_ONE("nan", kNan)
    entry<TestProperty<float>>("testp.f32"), entry<TestProperty<double>>("testp.f64"),
    entry<Convert>("cvt"), entry<ConvertPack>("cvt.pack"),
    entry<ConvertPackIntegers>("cvt.pack.integers"),
    entry<Binary<SaturatingAdd, std::int32_t, std::int32_t, std::int32_t>>("add.sat.s32"),
    entry<Binary<SaturatingSub, std::int32_t, std::int32_t, std::int32_t>>("sub.sat.s32"),
};
// clang-format on
}  // namespace

HandlerSpan handlers_float() { return {kTable, std::size(kTable)}; }

}  // namespace tilewise::vgpu
