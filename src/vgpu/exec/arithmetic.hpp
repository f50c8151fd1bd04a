// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// PTX's arithmetic on one lane (PTX ISA 9.0, section 9.7). Integer operations wrap; signed arithmetic is
// done unsigned so that nothing overflows in C++.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tilewise::vgpu {
namespace {

template <class T> using UnsignedOf = std::make_unsigned_t<T>;
template <class T> inline constexpr unsigned kBits = sizeof(T) * 8;
__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;
template <class T>
using Wider = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, Int128, Uint128>>>;

struct Move {
  template <class T> static T run(T a) { return a; }
};
struct Add {
  template <class T> static T run(T a, T b) { return static_cast<T>(a + b); }
};
struct Sub {
  template <class T> static T run(T a, T b) { return static_cast<T>(a - b); }
};
struct MulFloat {
  template <class T> static T run(T a, T b) { return a * b; }
};
struct DivFloat {
  template <class T> static T run(T a, T b) { return a / b; }
};
struct Fma {
  static float run(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double run(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
// The smaller of two, with PTX's rules: NaN loses against a number, -0 is less than +0.
struct MinFloat {
  template <class T> static T run(T a, T b) {
    const T smaller = a < b || (a == b && __builtin_signbit(a)) ? a : b;
    return a != a ? b : (b != b ? a : smaller);
  }
};
struct MaxFloat {
  template <class T> static T run(T a, T b) {
    const T larger = a > b || (a == b && !__builtin_signbit(a)) ? a : b;
    return a != a ? b : (b != b ? a : larger);
  }
};
struct SqrtFloat {
  static float run(float a) { return __builtin_sqrtf(a); }
  static double run(double a) { return __builtin_sqrt(a); }
};
struct RcpFloat {
  template <class T> static T run(T a) { return T{1} / a; }
};

struct MulLo {
  template <class T> static T run(T a, T b) {
    return static_cast<T>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
  }
  static std::uint64_t run(std::uint64_t a, std::uint64_t b) { return a * b; }
};
struct MulHi {
  template <class T> static T run(T a, T b) {
    return static_cast<T>((static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> kBits<T>);
  }
};
struct MulWide {
  template <class T> static Wider<T> run(T a, T b) {
    return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
  }
};
struct MadLo {
  template <class T> static T run(T a, T b, T c) {
    return static_cast<T>(UnsignedOf<T>(MulLo::run(a, b)) + UnsignedOf<T>(c));
  }
};
struct MadHi {
  template <class T> static T run(T a, T b, T c) {
    return static_cast<T>(UnsignedOf<T>(MulHi::run(a, b)) + UnsignedOf<T>(c));
  }
};
struct MadWide {
  template <class T> static Wider<T> run(T a, T b, Wider<T> c) {
    using U = UnsignedOf<Wider<T>>;
    return static_cast<Wider<T>>(static_cast<U>(MulWide::run(a, b)) + static_cast<U>(c));
  }
};
// Division by zero is undefined in PTX; the hardware's answer is all ones.
struct Div {
  template <class T> static T run(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return static_cast<T>(UnsignedOf<T>{0} - static_cast<UnsignedOf<T>>(a));
    }
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T run(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T> static T run(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T run(T a, T b) { return a > b ? a : b; }
};
struct Abs {
  template <class T> static T run(T a) {
    return a < 0 ? static_cast<T>(UnsignedOf<T>{0} - static_cast<UnsignedOf<T>>(a)) : a;
  }
};
struct Neg {
  template <class T> static T run(T a) { return static_cast<T>(T{0} - a); }
};
// Sign changes of floats touch one bit: they keep a NaN's payload.
struct NegFloat {
  template <class T> static T run(T a) { return a ^ (T{1} << (kBits<T> - 1)); }
};
struct AbsFloat {
  template <class T> static T run(T a) { return a & ~(T{1} << (kBits<T> - 1)); }
};
struct Copysign {  // the sign of a, the magnitude of b
  template <class T> static T run(T a, T b) {
    const T sign = T{1} << (kBits<T> - 1);
    return (a & sign) | (b & ~sign);
  }
};
struct And {
  template <class T> static T run(T a, T b) { return static_cast<T>(a & b); }
};
struct Or {
  template <class T> static T run(T a, T b) { return static_cast<T>(a | b); }
};
struct Xor {
  template <class T> static T run(T a, T b) { return static_cast<T>(a ^ b); }
};
struct Not {
  template <class T> static T run(T a) { return static_cast<T>(~a); }
};
struct Cnot {
  template <class T> static T run(T a) { return a == 0 ? T{1} : T{0}; }
};
// Shift counts beyond the width shift everything out.
struct Shl {
  template <class T> static T run(T a, std::uint32_t n) {
    return n >= kBits<T> ? T{0} : static_cast<T>(a << (n & (kBits<T> - 1)));
  }
};
struct Shr {
  template <class T> static T run(T a, std::uint32_t n) {
    const std::uint32_t last = kBits<T> - 1;
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (n > last ? last : n));
    return n > last ? T{0} : static_cast<T>(a >> (n & last));
  }
};
struct Sad {
  template <class T> static T run(T a, T b, T c) {
    using U = UnsignedOf<T>;
    const U difference =
        a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b);
    return static_cast<T>(static_cast<U>(c) + difference);
  }
};
template <class T> inline T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << 8) >> 8);
}
struct Mul24Lo {
  template <class T> static T run(T a, T b) { return MulLo::run(low24(a), low24(b)); }
};
struct Mul24Hi {
  template <class T> static T run(T a, T b) {
    return static_cast<T>((static_cast<Wider<T>>(low24(a)) * low24(b)) >> 16);
  }
};
struct Mad24Lo {
  template <class T> static T run(T a, T b, T c) {
    return static_cast<T>(UnsignedOf<T>(Mul24Lo::run(a, b)) + UnsignedOf<T>(c));
  }
};
struct Mad24Hi {
  template <class T> static T run(T a, T b, T c) {
    return static_cast<T>(UnsignedOf<T>(Mul24Hi::run(a, b)) + UnsignedOf<T>(c));
  }
};
/// Position and length of a bit field. Of 32-bit fields only the low 8 bits of both count; ptxas makes
/// 64-bit ones of shifts, in which all bits do.
template <class T> inline std::uint64_t field_size(std::uint32_t size) {
  return sizeof(T) == 8 ? size : size & 0xFF;
}
struct Bfe {
  template <class T> static T run(T a, std::uint32_t position, std::uint32_t length) {
    using U = UnsignedOf<T>;
    const std::uint64_t pos = field_size<T>(position), len = field_size<T>(length),
                        top = kBits<T> - 1;
    const U value = pos > top ? U{0} : static_cast<U>(static_cast<U>(a) >> pos);
    bool sign = false;
    if constexpr (std::is_signed_v<T>) {
      const std::uint64_t last = pos + len - 1 < top ? pos + len - 1 : top;
      sign = len != 0 && ((static_cast<U>(a) >> last) & 1);
    }
    // Bits beyond the field, or beyond the operand, count as its sign.
    const std::uint64_t inside = pos > top ? 0 : (len < top + 1 - pos ? len : top + 1 - pos);
    const U field = inside > top ? ~U{0} : static_cast<U>((U{1} << inside) - 1);
    return static_cast<T>(sign ? (value & field) | static_cast<U>(~field) : value & field);
  }
};
struct Bfi {
  template <class T> static T run(T a, T b, std::uint32_t position, std::uint32_t length) {
    const std::uint64_t pos = field_size<T>(position), len = field_size<T>(length);
    if (pos >= kBits<T> || len == 0) return b;
    const T field = len >= kBits<T> ? ~T{0} : static_cast<T>((T{1} << len) - 1);
    const T mask = static_cast<T>(field << pos);
    return static_cast<T>((b & ~mask) | ((a << pos) & mask));
  }
};
struct Popc {
  static std::uint32_t run(std::uint32_t a) {
    return static_cast<std::uint32_t>(__builtin_popcount(a));
  }
  static std::uint32_t run(std::uint64_t a) {
    return static_cast<std::uint32_t>(__builtin_popcountll(a));
  }
};
struct Clz {
  static std::uint32_t run(std::uint32_t a) {
    return a ? static_cast<std::uint32_t>(__builtin_clz(a)) : 32;
  }
  static std::uint32_t run(std::uint64_t a) {
    return a ? static_cast<std::uint32_t>(__builtin_clzll(a)) : 64;
  }
};
template <bool kShiftAmount> struct Bfind {
  template <class T> static std::uint32_t run(T a) {
    using U = UnsignedOf<T>;
    U bits = static_cast<U>(a);
    if constexpr (std::is_signed_v<T>) bits = a < 0 ? static_cast<U>(~bits) : bits;
    if (bits == 0) return 0xFFFFFFFFu;
    const std::uint32_t leading = Clz::run(bits);
    return kShiftAmount ? leading : kBits<T> - 1 - leading;
  }
};
struct Brev {
  template <class T> static T run(T a) {
    T result = 0;
    for (unsigned i = 0; i < kBits<T>; ++i) result = static_cast<T>((result << 1) | ((a >> i) & 1));
    return result;
  }
};
enum PrmtMode : unsigned {
  kPrmtIndex,
  kPrmtF4e,
  kPrmtB4e,
  kPrmtRc8,
  kPrmtEcl,
  kPrmtEcr,
  kPrmtRc16
};
struct Prmt {
  static std::uint32_t run(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned mode) {
    const std::uint64_t bytes = (static_cast<std::uint64_t>(b) << 32) | a;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned s = selector(c, i, mode);
      std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (s & 7))) & 0xFF;
      if (s & 8) byte = byte & 0x80 ? 0xFF : 0;  // replicate the sign
      result |= byte << (8 * i);
    }
    return result;
  }
  static unsigned selector(std::uint32_t c, unsigned i, unsigned mode) {
    const unsigned n = c & 3;
    switch (mode) {
      case kPrmtF4e: return (n + i) & 7;
      case kPrmtB4e: return (n + 8 - i) & 7;
      case kPrmtRc8: return n;
      case kPrmtEcl: return i < n ? n : i;
      case kPrmtEcr: return i < n ? i : n;
      case kPrmtRc16: return (n & 1) * 2 + (i & 1);
      default: return (c >> (4 * i)) & 15;
    }
  }
};
struct Lop3 {
  static std::uint32_t run(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned table) {
    std::uint32_t result = 0;
    if (table & 0x01) result |= ~a & ~b & ~c;
    if (table & 0x02) result |= ~a & ~b & c;
    if (table & 0x04) result |= ~a & b & ~c;
    if (table & 0x08) result |= ~a & b & c;
    if (table & 0x10) result |= a & ~b & ~c;
    if (table & 0x20) result |= a & ~b & c;
    if (table & 0x40) result |= a & b & ~c;
    if (table & 0x80) result |= a & b & c;
    return result;
  }
};
template <bool kLeft, bool kWrap>
struct Shf {  // d = the upper (left) or lower (right) word of {b:a} shifted by c
  static std::uint32_t run(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const unsigned n = kWrap ? c & 31 : (c > 32 ? 32 : c);
    const std::uint64_t both = (static_cast<std::uint64_t>(b) << 32) | a;
    return static_cast<std::uint32_t>(kLeft ? (both << n) >> 32 : both >> n);
  }
};
template <class A, class B> struct Dp4a {
  static std::uint32_t run(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 4; ++i) {
      const int x = static_cast<A>(a >> (8 * i)), y = static_cast<B>(b >> (8 * i));
      c += static_cast<std::uint32_t>(x * y);
    }
    return c;
  }
};
template <class A, class B, bool kHigh>
struct Dp2a {  // two halves of a with two bytes of b, the upper pair when kHigh
  static std::uint32_t run(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 2; ++i) {
      const int x = static_cast<A>(a >> (16 * i)),
                y = static_cast<B>(b >> (8 * (i + (kHigh ? 2 : 0))));
      c += static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y);
    }
    return c;
  }
};
inline std::int32_t clamp_to_s32(std::int64_t x) {
  return static_cast<std::int32_t>(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}
struct MadHiSat {
  static std::int32_t run(std::int32_t a, std::int32_t b, std::int32_t c) {
    return clamp_to_s32(std::int64_t{MulHi::run(a, b)} + c);
  }
};
struct Mad24HiSat {
  static std::int32_t run(std::int32_t a, std::int32_t b, std::int32_t c) {
    return clamp_to_s32(std::int64_t{Mul24Hi::run(a, b)} + c);
  }
};
template <bool kWrap> struct BitMask {  // b bits from bit a on
  static std::uint32_t run(std::uint32_t a, std::uint32_t b) {
    const unsigned position = kWrap ? a & 31 : (a > 32 ? 32 : a),
                   length = kWrap ? b & 31 : (b > 32 ? 32 : b);
    return static_cast<std::uint32_t>(((std::uint64_t{1} << length) - 1) << position);
  }
};
template <bool kWrap> struct ExtendBits {  // the low b bits of a as a number of its type
  template <class T> static T run(T a, std::uint32_t b) {
    const unsigned length = kWrap ? b & 31 : (b > 32 ? 32 : b);
    if (length == 0) return 0;
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << (32 - length)) >>
                          (32 - length));
  }
};
struct Slct {
  template <class T> static T run(T a, T b, std::int32_t c) { return c >= 0 ? a : b; }
};
struct SlctFloat {  // NaN chooses b
  template <class T> static T run(T a, T b, float c) { return c >= 0 ? a : b; }
};
struct SlctFlush {  // a negative subnormal counts as -0, which chooses a
  template <class T> static T run(T a, T b, float c) { return c > -0x1p-126f ? a : b; }
};
template <class D, class S> struct ConvertInteger {
  static D run(S a) { return static_cast<D>(a); }
};
struct Widen {
  static double run(float a) { return a; }
};
struct Narrow {
  static float run(double a) { return static_cast<float>(a); }
};
template <class D> struct FromInteger {
  template <class S> static D run(S a) { return static_cast<D>(a); }
};

struct Equal {
  template <class T> static bool run(T a, T b) { return a == b; }
};
struct NotEqual {
  template <class T> static bool run(T a, T b) { return a < b || a > b; }
};
struct NotEqualInteger {
  template <class T> static bool run(T a, T b) { return a != b; }
};
struct Less {
  template <class T> static bool run(T a, T b) { return a < b; }
};
struct LessEqual {
  template <class T> static bool run(T a, T b) { return a <= b; }
};
struct Greater {
  template <class T> static bool run(T a, T b) { return a > b; }
};
struct GreaterEqual {
  template <class T> static bool run(T a, T b) { return a >= b; }
};
struct Unordered {
  template <class T> static bool run(T a, T b) { return a != a || b != b; }
};
struct Ordered {
  template <class T> static bool run(T a, T b) { return !Unordered::run(a, b); }
};
template <class F> struct OrUnordered {
  template <class T> static bool run(T a, T b) { return F::run(a, b) || Unordered::run(a, b); }
};

}  // namespace
}  // namespace tilewise::vgpu
