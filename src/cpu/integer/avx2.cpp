// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 8-bit integers on AVX2.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "cpu/integer/tables.hpp"

namespace tilewise::cpu::integer {
namespace {

#define TILEWISE_UNROLL _Pragma("GCC unroll 8")
#include "cpu/integer/halves.inl"

/// A tile of 6 × 2 vectors: 12 sums, 2 of B, 1 of A and 1 product are the sixteen registers.
struct Pairs {
  using Vector = __m256i;
  static constexpr int kLanes = 8, kVectors = 2, kRows = 6;

  static Vector first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector all(Word word) { return _mm256_set1_epi32(static_cast<int>(word)); }
  static Vector load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static Vector load(const void* from, Vector mask) {
    return _mm256_maskload_epi32(static_cast<const int*>(from), mask);
  }
  static void store(void* to, Vector v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }
  static void store(void* to, Vector v, Vector mask) {
    _mm256_maskstore_epi32(static_cast<int*>(to), mask, v);
  }
  static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm256_mullo_epi32(a, b); }
  static Vector dot(Vector sum, Vector a, Vector b) {
    sum = add(sum, _mm256_madd_epi16(a, b));
    asm("" : "+x"(sum));  // stay where you are: GCC 12 moves sums to the stack otherwise
    return sum;
  }
};

}  // namespace

constexpr Kernel kAvx2Kernels[3] = TILEWISE_KERNELS_OF_HALVES(Pairs, "avx2");

}  // namespace tilewise::cpu::integer
#endif
