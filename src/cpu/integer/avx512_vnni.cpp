// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 8-bit integers by the dot products of AVX-512 VNNI: vpdpbusd adds four products of an unsigned and a
// signed byte to each 32-bit sum, exactly. Either the row of B or the element of A may be the unsigned
// one; where both are signed, A is made unsigned by adding 128.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "cpu/integer/tables.hpp"

namespace tilewise::cpu::integer {
namespace {

#define TILEWISE_UNROLL _Pragma("GCC unroll 8")
#include "cpu/integer/avx512.inl"
#include "cpu/integer/pack.inl"
#include "cpu/integer/tile.inl"

struct UnsignedA : Lanes32 {
  static Vector dot(Vector sum, Vector a, Vector b) { return _mm512_dpbusd_epi32(sum, a, b); }
};
struct UnsignedB : Lanes32 {
  static Vector dot(Vector sum, Vector a, Vector b) { return _mm512_dpbusd_epi32(sum, b, a); }
};

template <class S, class A> constexpr Kernel kernel(bool shifts_a) {
  constexpr int kColumns = S::kVectors * S::kLanes;
  return {"avx512vnni",           S::kRows, kColumns, A::kDepth, shifts_a, &pack<A, S::kRows>,
          &pack<Bytes, kColumns>, &tile<S>};
}

}  // namespace

constexpr Kernel kAvx512VnniKernels[3] = {kernel<UnsignedA, Bytes>(false),
                                          kernel<UnsignedB, Bytes>(false),
                                          kernel<UnsignedA, ShiftedBytes>(true)};

}  // namespace tilewise::cpu::integer
#endif
