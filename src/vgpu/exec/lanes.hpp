// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How an operation on one value becomes an operation on a warp's 32 lanes.
//
// Registers are structures of arrays: 32 cells of 4 bytes (64-bit types: of 8), so the loops below are
// what the compiler turns into a few vector instructions. This header is compiled once for each
// instruction-set level, in a namespace of its own; keep anything with external linkage out of it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "vgpu/exec/modes.hpp"
#include "vgpu/exec/warp.hpp"

namespace tilewise::vgpu {
namespace {

template <class T> using CellOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T> inline T get(CellOf<T> cell) {
  if constexpr (sizeof(T) == sizeof(cell)) {
    return __builtin_bit_cast(T, cell);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(T, static_cast<std::uint16_t>(cell));
  } else {
    return __builtin_bit_cast(T, static_cast<std::uint8_t>(cell));
  }
}

template <class T> inline CellOf<T> put(T value) {
  if constexpr (sizeof(T) == sizeof(CellOf<T>)) {
    return __builtin_bit_cast(CellOf<T>, value);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(std::uint16_t, value);
  } else {
    return __builtin_bit_cast(std::uint8_t, value);
  }
}

// f32 results that are NaN are the one NaN the hardware makes.
template <> inline std::uint32_t put<float>(float value) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
  return value != value ? 0x7FFFFFFFu : bits;
}

template <class T> inline CellOf<T>* cells(const Warp& warp, std::uint32_t offset) {
  return static_cast<CellOf<T>*>(__builtin_assume_aligned(warp.registers + offset, 64));
}

// Destination and sources are either the same slot or apart, so lanes do not depend on each other.
#ifdef __clang__
#define TILEWISE_LANES_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILEWISE_LANES_APART _Pragma("GCC ivdep")
#endif
#define TILEWISE_EACH_LANE TILEWISE_LANES_APART for (int lane = 0; lane < kLanes; ++lane)

inline bool is_active(std::uint32_t mask, int lane) { return (mask >> lane) & 1u; }

template <class F, class D, class A> struct Unary {
  static void full(Warp& w, const Op& op) {
    CellOf<D>* d = cells<D>(w, op.r[0]);
    const CellOf<A>* a = cells<A>(w, op.r[1]);
    TILEWISE_EACH_LANE d[lane] = put<D>(F::run(get<A>(a[lane])));
  }
  static void masked(Warp& w, const Op& op) {
    CellOf<D>* d = cells<D>(w, op.r[0]);
    const CellOf<A>* a = cells<A>(w, op.r[1]);
    const std::uint32_t mask = w.active;
    TILEWISE_EACH_LANE {
      const CellOf<D> value = put<D>(F::run(get<A>(a[lane])));
      d[lane] = is_active(mask, lane) ? value : d[lane];
    }
  }
};

template <class F, class D, class A, class B> struct Binary {
  static void full(Warp& w, const Op& op) {
    CellOf<D>* d = cells<D>(w, op.r[0]);
    const CellOf<A>* a = cells<A>(w, op.r[1]);
    const CellOf<B>* b = cells<B>(w, op.r[2]);
    TILEWISE_EACH_LANE d[lane] = put<D>(F::run(get<A>(a[lane]), get<B>(b[lane])));
  }
  static void masked(Warp& w, const Op& op) {
    CellOf<D>* d = cells<D>(w, op.r[0]);
    const CellOf<A>* a = cells<A>(w, op.r[1]);
    const CellOf<B>* b = cells<B>(w, op.r[2]);
    const std::uint32_t mask = w.active;
    TILEWISE_EACH_LANE {
      const CellOf<D> value = put<D>(F::run(get<A>(a[lane]), get<B>(b[lane])));
      d[lane] = is_active(mask, lane) ? value : d[lane];
    }
  }
};

template <class F, class D, class A, class B, class C> struct Ternary {
  static void full(Warp& w, const Op& op) {
    CellOf<D>* d = cells<D>(w, op.r[0]);
    const CellOf<A>* a = cells<A>(w, op.r[1]);
    const CellOf<B>* b = cells<B>(w, op.r[2]);
    const CellOf<C>* c = cells<C>(w, op.r[3]);
    TILEWISE_EACH_LANE {
      d[lane] = put<D>(F::run(get<A>(a[lane]), get<B>(b[lane]), get<C>(c[lane])));
    }
  }
  static void masked(Warp& w, const Op& op) {
    CellOf<D>* d = cells<D>(w, op.r[0]);
    const CellOf<A>* a = cells<A>(w, op.r[1]);
    const CellOf<B>* b = cells<B>(w, op.r[2]);
    const CellOf<C>* c = cells<C>(w, op.r[3]);
    const std::uint32_t mask = w.active;
    TILEWISE_EACH_LANE {
      const CellOf<D> value = put<D>(F::run(get<A>(a[lane]), get<B>(b[lane]), get<C>(c[lane])));
      d[lane] = is_active(mask, lane) ? value : d[lane];
    }
  }
};

/// Like the ones above, with the operation's own parameters (`op.mode`, `op.imm`) handed on.
template <class F, class D, class A, class B, class C> struct TernaryWithMode {
  static void masked(Warp& w, const Op& op) {
    CellOf<D>* d = cells<D>(w, op.r[0]);
    const CellOf<A>* a = cells<A>(w, op.r[1]);
    const CellOf<B>* b = cells<B>(w, op.r[2]);
    const CellOf<C>* c = cells<C>(w, op.r[3]);
    const std::uint32_t mask = w.active;
    const unsigned mode = op.mode;
    TILEWISE_EACH_LANE {
      const CellOf<D> value =
          put<D>(F::run(get<A>(a[lane]), get<B>(b[lane]), get<C>(c[lane]), mode));
      d[lane] = is_active(mask, lane) ? value : d[lane];
    }
  }
  static void full(Warp& w, const Op& op) { masked(w, op); }
};

template <class T> struct Select {
  static void full(Warp& w, const Op& op) {
    CellOf<T>* d = cells<T>(w, op.r[0]);
    const CellOf<T>* a = cells<T>(w, op.r[1]);
    const CellOf<T>* b = cells<T>(w, op.r[2]);
    const std::uint32_t p = w.predicates[op.r[3]];
    TILEWISE_EACH_LANE d[lane] = is_active(p, lane) ? a[lane] : b[lane];
  }
  static void masked(Warp& w, const Op& op) {
    CellOf<T>* d = cells<T>(w, op.r[0]);
    const CellOf<T>* a = cells<T>(w, op.r[1]);
    const CellOf<T>* b = cells<T>(w, op.r[2]);
    const std::uint32_t p = w.predicates[op.r[3]], mask = w.active;
    TILEWISE_EACH_LANE {
      const CellOf<T> value = is_active(p, lane) ? a[lane] : b[lane];
      d[lane] = is_active(mask, lane) ? value : d[lane];
    }
  }
};

inline void write_predicate(Warp& w, std::uint32_t predicate, std::uint32_t bits) {
  std::uint32_t& p = w.predicates[predicate];
  p = (p & ~w.active) | (bits & w.active);
}

inline std::uint32_t combine(std::uint32_t bits, std::uint32_t other, unsigned mode) {
  switch (mode & kCombineMask) {
    case kCombineAnd: return bits & other;
    case kCombineOr: return bits | other;
    case kCombineXor: return bits ^ other;
    default: return bits;
  }
}

/// setp: r = {p, q, a, b, c}.
template <class F, class T> struct Compare {
  static std::uint32_t bits(const Warp& w, std::uint32_t left, std::uint32_t right) {
    const CellOf<T>* a = cells<T>(w, left);
    const CellOf<T>* b = cells<T>(w, right);
    std::uint32_t result = 0;
    TILEWISE_EACH_LANE {
      result |= static_cast<std::uint32_t>(F::run(get<T>(a[lane]), get<T>(b[lane]))) << lane;
    }
    return result;
  }
  static void masked(Warp& w, const Op& op) {
    const std::uint32_t result = bits(w, op.r[2], op.r[3]);
    std::uint32_t other = 0;
    if (op.mode & kCombineMask) {
      other = w.predicates[op.r[4]];
      if (op.mode & kSetpNegated) other = ~other;
    }
    if (op.mode & kSetpSecond) write_predicate(w, op.r[1], combine(~result, other, op.mode));
    write_predicate(w, op.r[0], combine(result, other, op.mode));
  }
};

}  // namespace
}  // namespace tilewise::vgpu
