// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of operations that run on all lanes at once. Included by exec/handlers_avx512.cpp and its
// siblings, each compiled for its instruction-set level. Keys are canonical spellings: signless
// operations say b, modifiers that change nothing here (.sync, cache hints) are gone. exec/decode.cpp
// makes a key of an instruction; handlers_float, _memory and _warp hold what is not worth vectorising.
#include "vgpu/exec/access.hpp"
#include "vgpu/exec/arithmetic.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"

namespace tilewise::vgpu {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U8 = std::uint8_t;
using S8 = std::int8_t;

template <class H> constexpr HandlerEntry entry(const char* key) {
  return {key, H::full, H::masked};
}
template <class H> constexpr HandlerEntry masked_entry(const char* key) {
  return {key, H::masked, H::masked};
}

using Dp4aU8U8 = Dp4a<U8, U8>;
using Dp4aU8S8 = Dp4a<U8, S8>;
using Dp4aS8U8 = Dp4a<S8, U8>;
using Dp4aS8S8 = Dp4a<S8, S8>;
using Dp2aLoUU = Dp2a<U16, U8, false>;
using Dp2aLoUS = Dp2a<U16, S8, false>;
using Dp2aLoSU = Dp2a<S16, U8, false>;
using Dp2aLoSS = Dp2a<S16, S8, false>;
using Dp2aHiUU = Dp2a<U16, U8, true>;
using Dp2aHiUS = Dp2a<U16, S8, true>;
using Dp2aHiSU = Dp2a<S16, U8, true>;
using Dp2aHiSS = Dp2a<S16, S8, true>;

/// bfi has five operands: r = {d, a, b, position, length}.
template <class T> struct BitInsert {
  static void masked(Warp& w, const Op& op) {
    const CellOf<T>*a = cells<T>(w, op.r[1]), *b = cells<T>(w, op.r[2]);
    const U32 *position = cells<U32>(w, op.r[3]), *length = cells<U32>(w, op.r[4]);
    CellOf<T>* d = cells<T>(w, op.r[0]);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane))
        d[lane] = Bfi::run(a[lane], b[lane], position[lane], length[lane]);
    }
  }
};

/// add.cc and its like; Op::mode says which carry goes in and out. r = {d, a, b} or {d, a, b, c}.
template <class T> struct CarryChain {
  static void masked(Warp& w, const Op& op) {
    const CellOf<T>*a = cells<T>(w, op.r[1]), *b = cells<T>(w, op.r[2]);
    CellOf<T>* d = cells<T>(w, op.r[0]);
    U32 carry_out = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const bool carry_in = (op.mode & kCarryIn) && is_active(w.carry, lane);
      T sum = 0;
      bool out = false;
      if (op.mode & kCarrySubtract) {  // the carry of a subtraction is its borrow
        T t = 0;
        out = __builtin_sub_overflow(a[lane], b[lane], &t);
        out |= __builtin_sub_overflow(t, static_cast<T>(carry_in), &sum);
      } else {
        T t = 0;
        out = __builtin_add_overflow(a[lane], b[lane], &t);
        out |= __builtin_add_overflow(t, static_cast<T>(carry_in), &sum);
      }
      d[lane] = sum;
      carry_out |= static_cast<U32>(out) << lane;
    }
    if (op.mode & kCarryOut) w.carry = (w.carry & ~w.active) | carry_out;
  }
};

template <class T, bool kHigh> struct CarryMultiply {
  static void masked(Warp& w, const Op& op) {
    const CellOf<T>*a = cells<T>(w, op.r[1]), *b = cells<T>(w, op.r[2]), *c = cells<T>(w, op.r[3]);
    CellOf<T>* d = cells<T>(w, op.r[0]);
    U32 carry_out = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const T x = get<T>(a[lane]), y = get<T>(b[lane]);
      const CellOf<T> product = put<T>(kHigh ? MulHi::run(x, y) : MulLo::run(x, y));
      CellOf<T> t = 0, sum = 0;
      bool out = __builtin_add_overflow(product, c[lane], &t);
      const bool carry_in = (op.mode & kCarryIn) && is_active(w.carry, lane);
      out |= __builtin_add_overflow(t, static_cast<CellOf<T>>(carry_in), &sum);
      d[lane] = sum;
      carry_out |= static_cast<U32>(out) << lane;
    }
    if (op.mode & kCarryOut) w.carry = (w.carry & ~w.active) | carry_out;
  }
};

template <bool kAnd, bool kOr, bool kXor, bool kNegate>
struct PredicateLogic {  // r = {p, q, s}; mode bit 0: q negated, bit 1: s negated
  static void masked(Warp& w, const Op& op) {
    const U32 a = w.predicates[op.r[1]] ^ (op.mode & 1 ? ~0u : 0u);
    const U32 b = w.predicates[op.r[2]] ^ (op.mode & 2 ? ~0u : 0u);
    U32 result = a;
    if (kAnd) result = a & b;
    if (kOr) result = a | b;
    if (kXor) result = a ^ b;
    if (kNegate) result = ~a;
    write_predicate(w, op.r[0], result);
  }
};

// clang-format off
#define TILEWISE_INTEGERS_OF(X, name, F) \
  X(name ".u16", F, U16) X(name ".u32", F, U32) X(name ".u64", F, U64) \
  X(name ".s16", F, S16) X(name ".s32", F, S32) X(name ".s64", F, S64)
#define TILEWISE_BITS_OF(X, name, F) X(name ".b16", F, U16) X(name ".b32", F, U32) X(name ".b64", F, U64)
#define TILEWISE_FLOATS_OF(X, name, F) X(name ".f32", F, float) X(name ".f64", F, double)

#define UNARY(key, F, T) entry<Unary<F, T, T>>(key),
#define BINARY(key, F, T) entry<Binary<F, T, T, T>>(key),
#define TERNARY(key, F, T) entry<Ternary<F, T, T, T, T>>(key),
#define SHIFT(key, F, T) entry<Binary<F, T, T, U32>>(key),
#define COMPARE(key, F, T) masked_entry<Compare<F, T>>(key),
#define BITS_TO_32(key, F, T) entry<Unary<F, U32, T>>(key),
#define CONVERT(D, d, S, s) entry<Unary<ConvertInteger<D, S>, D, S>>("cvt." d "." s),
#define CONVERT_TO(D, d) \
  CONVERT(D, d, U16, "u16") CONVERT(D, d, U32, "u32") CONVERT(D, d, U64, "u64") \
  CONVERT(D, d, S16, "s16") CONVERT(D, d, S32, "s32") CONVERT(D, d, S64, "s64")

const HandlerEntry kArithmetic[] = {
    TILEWISE_BITS_OF(UNARY, "mov", Move)
    TILEWISE_BITS_OF(BINARY, "add", Add)
    TILEWISE_BITS_OF(BINARY, "sub", Sub)
    TILEWISE_BITS_OF(BINARY, "mul.lo", MulLo)
    TILEWISE_BITS_OF(TERNARY, "mad.lo", MadLo)
    TILEWISE_BITS_OF(BINARY, "and", And)
    TILEWISE_BITS_OF(BINARY, "or", Or)
    TILEWISE_BITS_OF(BINARY, "xor", Xor)
    TILEWISE_BITS_OF(UNARY, "not", Not)
    TILEWISE_BITS_OF(UNARY, "cnot", Cnot)
    TILEWISE_BITS_OF(UNARY, "neg", Neg)
    TILEWISE_BITS_OF(SHIFT, "shl", Shl)
    TILEWISE_INTEGERS_OF(SHIFT, "shr", Shr)
    TILEWISE_INTEGERS_OF(BINARY, "mul.hi", MulHi)
    TILEWISE_INTEGERS_OF(TERNARY, "mad.hi", MadHi)
    TILEWISE_INTEGERS_OF(BINARY, "div", Div)
    TILEWISE_INTEGERS_OF(BINARY, "rem", Rem)
    TILEWISE_INTEGERS_OF(BINARY, "min", Min)
    TILEWISE_INTEGERS_OF(BINARY, "max", Max)
    TILEWISE_INTEGERS_OF(TERNARY, "sad", Sad)
    UNARY("abs.s16", Abs, S16) UNARY("abs.s32", Abs, S32) UNARY("abs.s64", Abs, S64)
    entry<Binary<MulWide, U32, U16, U16>>("mul.wide.u16"),
    entry<Binary<MulWide, S32, S16, S16>>("mul.wide.s16"),
    entry<Binary<MulWide, U64, U32, U32>>("mul.wide.u32"),
    entry<Binary<MulWide, S64, S32, S32>>("mul.wide.s32"),
    entry<Ternary<MadWide, U32, U16, U16, U32>>("mad.wide.u16"),
    entry<Ternary<MadWide, S32, S16, S16, S32>>("mad.wide.s16"),
    entry<Ternary<MadWide, U64, U32, U32, U64>>("mad.wide.u32"),
    entry<Ternary<MadWide, S64, S32, S32, S64>>("mad.wide.s32"),
    BINARY("mul24.lo.u32", Mul24Lo, U32) BINARY("mul24.lo.s32", Mul24Lo, S32)
    BINARY("mul24.hi.u32", Mul24Hi, U32) BINARY("mul24.hi.s32", Mul24Hi, S32)
    TERNARY("mad24.lo.u32", Mad24Lo, U32) TERNARY("mad24.lo.s32", Mad24Lo, S32)
    TERNARY("mad24.hi.u32", Mad24Hi, U32) TERNARY("mad24.hi.s32", Mad24Hi, S32)
    entry<Ternary<Bfe, U32, U32, U32, U32>>("bfe.u32"),
    entry<Ternary<Bfe, S32, S32, U32, U32>>("bfe.s32"),
    entry<Ternary<Bfe, U64, U64, U32, U32>>("bfe.u64"),
    entry<Ternary<Bfe, S64, S64, U32, U32>>("bfe.s64"),
    masked_entry<BitInsert<U32>>("bfi.b32"), masked_entry<BitInsert<U64>>("bfi.b64"),
    BITS_TO_32("popc.b32", Popc, U32) BITS_TO_32("popc.b64", Popc, U64)
    BITS_TO_32("clz.b32", Clz, U32) BITS_TO_32("clz.b64", Clz, U64)
    BITS_TO_32("bfind.u32", Bfind<false>, U32) BITS_TO_32("bfind.s32", Bfind<false>, S32)
    BITS_TO_32("bfind.u64", Bfind<false>, U64) BITS_TO_32("bfind.s64", Bfind<false>, S64)
    BITS_TO_32("bfind.shiftamt.u32", Bfind<true>, U32) BITS_TO_32("bfind.shiftamt.s32", Bfind<true>, S32)
    BITS_TO_32("bfind.shiftamt.u64", Bfind<true>, U64) BITS_TO_32("bfind.shiftamt.s64", Bfind<true>, S64)
    UNARY("brev.b32", Brev, U32) UNARY("brev.b64", Brev, U64)
    entry<TernaryWithMode<Prmt, U32, U32, U32, U32>>("prmt.b32"),
    entry<TernaryWithMode<Lop3, U32, U32, U32, U32>>("lop3.b32"),
    entry<Ternary<Shf<true, false>, U32, U32, U32, U32>>("shf.l.clamp.b32"),
    entry<Ternary<Shf<true, true>, U32, U32, U32, U32>>("shf.l.wrap.b32"),
    entry<Ternary<Shf<false, false>, U32, U32, U32, U32>>("shf.r.clamp.b32"),
    entry<Ternary<Shf<false, true>, U32, U32, U32, U32>>("shf.r.wrap.b32"),
    TERNARY("dp4a.u32.u32", Dp4aU8U8, U32) TERNARY("dp4a.u32.s32", Dp4aU8S8, U32)
    TERNARY("dp4a.s32.u32", Dp4aS8U8, U32) TERNARY("dp4a.s32.s32", Dp4aS8S8, U32)
    TERNARY("dp2a.lo.u32.u32", Dp2aLoUU, U32) TERNARY("dp2a.lo.u32.s32", Dp2aLoUS, U32)
    TERNARY("dp2a.lo.s32.u32", Dp2aLoSU, U32) TERNARY("dp2a.lo.s32.s32", Dp2aLoSS, U32)
    TERNARY("dp2a.hi.u32.u32", Dp2aHiUU, U32) TERNARY("dp2a.hi.u32.s32", Dp2aHiUS, U32)
    TERNARY("dp2a.hi.s32.u32", Dp2aHiSU, U32) TERNARY("dp2a.hi.s32.s32", Dp2aHiSS, U32)
    TERNARY("mad.hi.sat.s32", MadHiSat, S32) TERNARY("mad24.hi.sat.s32", Mad24HiSat, S32)
    BINARY("bmsk.clamp.b32", BitMask<false>, U32) BINARY("bmsk.wrap.b32", BitMask<true>, U32)
    SHIFT("szext.clamp.u32", ExtendBits<false>, U32) SHIFT("szext.clamp.s32", ExtendBits<false>, S32)
    SHIFT("szext.wrap.u32", ExtendBits<true>, U32) SHIFT("szext.wrap.s32", ExtendBits<true>, S32)
    masked_entry<CarryChain<U32>>("addc.b32"), masked_entry<CarryChain<U64>>("addc.b64"),
    masked_entry<CarryMultiply<U32, false>>("madc.lo.u32"), masked_entry<CarryMultiply<U64, false>>("madc.lo.u64"),
    masked_entry<CarryMultiply<U32, true>>("madc.hi.u32"), masked_entry<CarryMultiply<U64, true>>("madc.hi.u64"),
    masked_entry<CarryMultiply<S32, false>>("madc.lo.s32"), masked_entry<CarryMultiply<S64, false>>("madc.lo.s64"),
    masked_entry<CarryMultiply<S32, true>>("madc.hi.s32"), masked_entry<CarryMultiply<S64, true>>("madc.hi.s64"),

    TILEWISE_FLOATS_OF(BINARY, "add", Add)
    TILEWISE_FLOATS_OF(BINARY, "sub", Sub)
    TILEWISE_FLOATS_OF(BINARY, "mul", MulFloat)
    TILEWISE_FLOATS_OF(TERNARY, "fma", Fma)
    TILEWISE_FLOATS_OF(BINARY, "div", DivFloat)
    TILEWISE_FLOATS_OF(BINARY, "min", MinFloat)
    TILEWISE_FLOATS_OF(BINARY, "max", MaxFloat)
    TILEWISE_FLOATS_OF(UNARY, "sqrt", SqrtFloat)
    TILEWISE_FLOATS_OF(UNARY, "rcp", RcpFloat)
    UNARY("neg.f16", NegFloat, U16) UNARY("neg.f32", NegFloat, U32) UNARY("neg.f64", NegFloat, U64)
    UNARY("abs.f16", AbsFloat, U16) UNARY("abs.f32", AbsFloat, U32) UNARY("abs.f64", AbsFloat, U64)
    BINARY("copysign.f32", Copysign, U32) BINARY("copysign.f64", Copysign, U64)

    entry<Select<U16>>("selp.b16"), entry<Select<U32>>("selp.b32"), entry<Select<U64>>("selp.b64"),
    entry<Ternary<Slct, U16, U16, U16, S32>>("slct.b16.s32"),
    entry<Ternary<Slct, U32, U32, U32, S32>>("slct.b32.s32"),
    entry<Ternary<Slct, U64, U64, U64, S32>>("slct.b64.s32"),
    entry<Ternary<SlctFloat, U16, U16, U16, float>>("slct.b16.f32"),
    entry<Ternary<SlctFloat, U32, U32, U32, float>>("slct.b32.f32"),
    entry<Ternary<SlctFloat, U64, U64, U64, float>>("slct.b64.f32"),

    entry<Ternary<SlctFlush, U16, U16, U16, float>>("slct.ftz.b16.f32"),
    entry<Ternary<SlctFlush, U32, U32, U32, float>>("slct.ftz.b32.f32"),
    entry<Ternary<SlctFlush, U64, U64, U64, float>>("slct.ftz.b64.f32"),

    TILEWISE_BITS_OF(COMPARE, "setp.eq", Equal) TILEWISE_BITS_OF(COMPARE, "setp.ne", NotEqualInteger)
    TILEWISE_INTEGERS_OF(COMPARE, "setp.lt", Less) TILEWISE_INTEGERS_OF(COMPARE, "setp.le", LessEqual)
    TILEWISE_INTEGERS_OF(COMPARE, "setp.gt", Greater) TILEWISE_INTEGERS_OF(COMPARE, "setp.ge", GreaterEqual)
    TILEWISE_FLOATS_OF(COMPARE, "setp.eq", Equal) TILEWISE_FLOATS_OF(COMPARE, "setp.ne", NotEqual)
    TILEWISE_FLOATS_OF(COMPARE, "setp.lt", Less) TILEWISE_FLOATS_OF(COMPARE, "setp.le", LessEqual)
    TILEWISE_FLOATS_OF(COMPARE, "setp.gt", Greater) TILEWISE_FLOATS_OF(COMPARE, "setp.ge", GreaterEqual)
    TILEWISE_FLOATS_OF(COMPARE, "setp.equ", OrUnordered<Equal>)
    TILEWISE_FLOATS_OF(COMPARE, "setp.neu", OrUnordered<NotEqual>)
    TILEWISE_FLOATS_OF(COMPARE, "setp.ltu", OrUnordered<Less>)
    TILEWISE_FLOATS_OF(COMPARE, "setp.leu", OrUnordered<LessEqual>)
    TILEWISE_FLOATS_OF(COMPARE, "setp.gtu", OrUnordered<Greater>)
    TILEWISE_FLOATS_OF(COMPARE, "setp.geu", OrUnordered<GreaterEqual>)
    TILEWISE_FLOATS_OF(COMPARE, "setp.num", Ordered) TILEWISE_FLOATS_OF(COMPARE, "setp.nan", Unordered)
    masked_entry<PredicateLogic<false, false, false, false>>("mov.pred"),
    masked_entry<PredicateLogic<true, false, false, false>>("and.pred"),
    masked_entry<PredicateLogic<false, true, false, false>>("or.pred"),
    masked_entry<PredicateLogic<false, false, true, false>>("xor.pred"),
    masked_entry<PredicateLogic<false, false, false, true>>("not.pred"),

    CONVERT_TO(U16, "u16") CONVERT_TO(U32, "u32") CONVERT_TO(U64, "u64")
    CONVERT_TO(S16, "s16") CONVERT_TO(S32, "s32") CONVERT_TO(S64, "s64")
    entry<Unary<Widen, double, float>>("cvt.f64.f32"), entry<Unary<Narrow, float, double>>("cvt.rn.f32.f64"),
    entry<Unary<FromInteger<float>, float, S32>>("cvt.rn.f32.s32"),
    entry<Unary<FromInteger<float>, float, U32>>("cvt.rn.f32.u32"),
    entry<Unary<FromInteger<double>, double, S32>>("cvt.rn.f64.s32"),
    entry<Unary<FromInteger<double>, double, U32>>("cvt.rn.f64.u32"),
};

#define LOADS(space, A, shared, count) \
  entry<Load<U32, 1, A, shared, count>>("ld." space ".b32"), \
  entry<Load<U32, 2, A, shared, count>>("ld." space ".v2.b32"), \
  entry<Load<U32, 4, A, shared, count>>("ld." space ".v4.b32"), \
  entry<Load<U64, 1, A, shared, count>>("ld." space ".b64"), \
  entry<Load<U64, 2, A, shared, count>>("ld." space ".v2.b64"), \
  entry<Load<U64, 4, A, shared, count>>("ld." space ".v4.b64"), \
  entry<LoadNarrow<U8, U32, A, shared, count>>("ld." space ".u8"), \
  entry<LoadNarrow<S8, S32, A, shared, count>>("ld." space ".s8"), \
  entry<LoadNarrow<U16, U32, A, shared, count>>("ld." space ".u16"), \
  entry<LoadNarrow<S16, S32, A, shared, count>>("ld." space ".s16"), \
  entry<LoadNarrow<U8, U64, A, shared, count>>("ld." space ".u8.wide"), \
  entry<LoadNarrow<S8, S64, A, shared, count>>("ld." space ".s8.wide"), \
  entry<LoadNarrow<U16, U64, A, shared, count>>("ld." space ".u16.wide"), \
  entry<LoadNarrow<S16, S64, A, shared, count>>("ld." space ".s16.wide"), \
  entry<LoadNarrow<U32, U64, A, shared, count>>("ld." space ".u32.wide"), \
  entry<LoadNarrow<S32, S64, A, shared, count>>("ld." space ".s32.wide"),
#define STORES(space, A, shared, count) \
  entry<Store<U32, 1, A, shared, count>>("st." space ".b32"), \
  entry<Store<U32, 2, A, shared, count>>("st." space ".v2.b32"), \
  entry<Store<U32, 4, A, shared, count>>("st." space ".v4.b32"), \
  entry<Store<U64, 1, A, shared, count>>("st." space ".b64"), \
  entry<Store<U64, 2, A, shared, count>>("st." space ".v2.b64"), \
  entry<Store<U64, 4, A, shared, count>>("st." space ".v4.b64"), \
  entry<StoreNarrow<U8, U32, A, shared, count>>("st." space ".b8"), \
  entry<StoreNarrow<U16, U32, A, shared, count>>("st." space ".b16"), \
  entry<StoreNarrow<U8, U64, A, shared, count>>("st." space ".b8.wide"), \
  entry<StoreNarrow<U16, U64, A, shared, count>>("st." space ".b16.wide"), \
  entry<StoreNarrow<U32, U64, A, shared, count>>("st." space ".b32.wide"),
#define ACCESSES(count) \
  LOADS("shared", U32, true, count) LOADS("shared64", U64, true, count) \
  LOADS("global", U64, false, count) STORES("shared", U32, true, count) \
  STORES("shared64", U64, true, count) STORES("global", U64, false, count)

const HandlerEntry kCountedAccesses[] = {ACCESSES(true)};
const HandlerEntry kPlainAccesses[] = {ACCESSES(false)};
// clang-format on
}  // namespace

template <class T, std::size_t N> static constexpr HandlerSpan span_of(const T (&table)[N]) {
  return {table, N};
}

HandlerTables TILEWISE_HANDLERS() {
  return {span_of(kArithmetic), span_of(kCountedAccesses), span_of(kPlainAccesses)};
}

}  // namespace tilewise::vgpu
