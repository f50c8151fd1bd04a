// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 8-bit integers on AVX-512 without VNNI.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "cpu/integer/tables.hpp"

namespace tilewise::cpu::integer {
namespace {

#define TILEWISE_UNROLL _Pragma("GCC unroll 8")
#include "cpu/integer/avx512.inl"
#include "cpu/integer/halves.inl"

struct Pairs : Lanes32 {
  static Vector dot(Vector sum, Vector a, Vector b) { return add(sum, _mm512_madd_epi16(a, b)); }
};

}  // namespace

constexpr Kernel kAvx512Kernels[3] = TILEWISE_KERNELS_OF_HALVES(Pairs, "avx512");

}  // namespace tilewise::cpu::integer
#endif
