// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// AVX-512 as the kernels see it: 16 floats or 8 doubles a vector, 32 vector registers, masks that cost
// nothing. Needs F, DQ, BW and VL.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tilewise::cpu::avx512 {

#include "cpu/kernels/fours.inl"

/// The largest kernels that the registers hold.
struct Limits {
  static constexpr const char* kName = "avx512";
  static constexpr int kBestVectors = 3, kTileRows[] = {0, 14, 12, 8, 6};  // [vectors]
  static constexpr int kDotRows = 4, kDotColumns = 6, kStreamRows = 6, kLineRows = 12;
  static constexpr bool kReadsRowsBesidePanels = false;
};

struct F32 : FoursF32 {
  using Element = float;
  using Vector = __m512;
  using Mask = __mmask16;
  static constexpr int kLanes = 16;
  static constexpr int kRegisters = 32;

  /// The first `count` lanes, 0 <= count <= kLanes.
  static Mask first(std::int64_t count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector all(float value) { return _mm512_set1_ps(value); }
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  /// Lanes outside the mask are 0, and their memory is not touched.
  static Vector load(const float* from, Mask mask) { return _mm512_maskz_loadu_ps(mask, from); }
  static void store(float* to, Vector v) { _mm512_storeu_ps(to, v); }
  static void store(float* to, Vector v, Mask mask) { _mm512_mask_storeu_ps(to, mask, v); }
  static Vector multiply(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  /// sum += a·b. Spelled out: left to itself the compiler lets sums change registers from step to step, and moves
  /// and spills them. Volatile, so that these stay in the order of the program, in which registers are enough.
  static void accumulate(Vector& sum, Vector a, Vector b) {
    asm volatile("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  /// Zeros that cost nothing but the instruction. Volatile, or the compiler makes one and moves it about.
  static void clear(Vector& v) { asm volatile("vpxord %x0, %x0, %x0" : "=v"(v)); }
  static void settle(Vector& v) { asm("" : "+v"(v)); }
  /// Element i: alpha times the sum of v[i]'s lanes, each added up in the same order.
  [[gnu::always_inline]] static inline Four add_lanes(const Vector (&v)[4], float alpha) {
    const auto halves = [](Vector a, Vector b) {  // of each quarter: a, b, a, b
      return _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)));
    };
    const __m512d first = halves(v[0], v[1]), second = halves(v[2], v[3]);
    const Vector quarters = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(first, second)),
                                          _mm512_castpd_ps(_mm512_unpackhi_pd(first, second)));
    const __m256 two =
        _mm256_add_ps(_mm512_castps512_ps256(quarters), _mm512_extractf32x8_ps(quarters, 1));
    const Four sums = _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
    return _mm_mul_ps(_mm_set1_ps(alpha), sums);
  }

  /// Turns blocks of 4×4 within `rows`: then quads[4g + c] holds column 4q + c of rows 4g .. 4g+3 in its 128-bit
  /// quarter q.
  template <int kRows>
  [[gnu::always_inline]] static inline void turn_quarters(const Vector (&rows)[kRows],
                                                          Vector (&quads)[kRows]) {
    Vector pairs[kRows];
    _Pragma("GCC unroll 16") for (int i = 0; i < kRows; i += 2) {
      pairs[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
      pairs[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
    }
    _Pragma("GCC unroll 16") for (int g = 0; g < kRows; g += 4) {
      const __m512d low = _mm512_castps_pd(pairs[g]), low2 = _mm512_castps_pd(pairs[g + 2]);
      const __m512d high = _mm512_castps_pd(pairs[g + 1]), high2 = _mm512_castps_pd(pairs[g + 3]);
      quads[g] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, low2));
      quads[g + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, low2));
      quads[g + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high, high2));
      quads[g + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high, high2));
    }
  }

  using FoursF32::transpose;
  /// Turns the 16×16 block whose rows are the vectors.
  [[gnu::always_inline]] static inline void transpose(Vector (&rows)[16]) {
    Vector quads[16];
    turn_quarters(rows, quads);
    _Pragma("GCC unroll 16") for (int c = 0; c < 4; ++c) {
      const Vector even_low = _mm512_shuffle_f32x4(quads[c], quads[4 + c], 0x88);
      const Vector odd_low = _mm512_shuffle_f32x4(quads[c], quads[4 + c], 0xDD);
      const Vector even_high = _mm512_shuffle_f32x4(quads[8 + c], quads[12 + c], 0x88);
      const Vector odd_high = _mm512_shuffle_f32x4(quads[8 + c], quads[12 + c], 0xDD);
      rows[c] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
      rows[8 + c] = _mm512_shuffle_f32x4(even_low, even_high, 0xDD);
      rows[4 + c] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
      rows[12 + c] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xDD);
    }
  }

  /// Turns the 8×16 block whose rows are the vectors: of its columns two then stand in each vector.
  [[gnu::always_inline]] static inline void transpose(Vector (&rows)[8]) {
    Vector quads[8];
    turn_quarters(rows, quads);
    // Columns 4q + c and 4q + c + 1 go into vector 2q + c/2.
    _Pragma("GCC unroll 2") for (int c = 0; c < 4; c += 2) {
      const Vector left_low = _mm512_shuffle_f32x4(quads[c], quads[4 + c], 0x44);
      const Vector left_high = _mm512_shuffle_f32x4(quads[c], quads[4 + c], 0xEE);
      const Vector right_low = _mm512_shuffle_f32x4(quads[c + 1], quads[5 + c], 0x44);
      const Vector right_high = _mm512_shuffle_f32x4(quads[c + 1], quads[5 + c], 0xEE);
      rows[c / 2] = _mm512_shuffle_f32x4(left_low, right_low, 0x88);
      rows[2 + c / 2] = _mm512_shuffle_f32x4(left_low, right_low, 0xDD);
      rows[4 + c / 2] = _mm512_shuffle_f32x4(left_high, right_high, 0x88);
      rows[6 + c / 2] = _mm512_shuffle_f32x4(left_high, right_high, 0xDD);
    }
  }

  /// to[i·step + j] = rows[j][i] + beta·to[i·step + j] for i < count, j < columns <= kTurnedRows. `rows` is lost.
  static constexpr int kTurnedRows = 8;
  [[gnu::always_inline]] static inline void store_turned(float* to, std::int64_t step,
                                                         Vector (&rows)[8], std::int64_t count,
                                                         int columns, float beta) {
    const auto mask = static_cast<__mmask8>((1u << columns) - 1);
    transpose(rows);
    _Pragma("GCC unroll 16") for (int i = 0; i < kLanes; ++i, to += step) {
      if (i >= count) return;
      __m256 row =
          i % 2 == 0 ? _mm512_castps512_ps256(rows[i / 2]) : _mm512_extractf32x8_ps(rows[i / 2], 1);
      if (beta != 0)
        row = _mm256_fmadd_ps(_mm256_set1_ps(beta), _mm256_maskz_loadu_ps(mask, to), row);
      _mm256_mask_storeu_ps(to, mask, row);
    }
  }
};

struct F64 : FoursF64 {
  using Element = double;
  using Vector = __m512d;
  using Mask = __mmask8;
  static constexpr int kLanes = 8;
  static constexpr int kRegisters = 32;

  static Mask first(std::int64_t count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector all(double value) { return _mm512_set1_pd(value); }
  static Vector load(const double* from) { return _mm512_loadu_pd(from); }
  static Vector load(const double* from, Mask mask) { return _mm512_maskz_loadu_pd(mask, from); }
  static void store(double* to, Vector v) { _mm512_storeu_pd(to, v); }
  static void store(double* to, Vector v, Mask mask) { _mm512_mask_storeu_pd(to, mask, v); }
  static Vector multiply(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
  static Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    asm volatile("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  /// Zeros that cost nothing but the instruction. Volatile, or the compiler makes one and moves it about.
  static void clear(Vector& v) { asm volatile("vpxord %x0, %x0, %x0" : "=v"(v)); }
  static void settle(Vector& v) { asm("" : "+v"(v)); }
  [[gnu::always_inline]] static inline Four add_lanes(const Vector (&v)[4], double alpha) {
    const auto halves = [](Vector a, Vector b) {  // a, b, a, b
      const Vector quarters = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
      return _mm256_add_pd(_mm512_castpd512_pd256(quarters), _mm512_extractf64x4_pd(quarters, 1));
    };
    const __m256d first = halves(v[0], v[1]), second = halves(v[2], v[3]);
    const Four sums = _mm256_add_pd(_mm256_permute2f128_pd(first, second, 0x20),
                                    _mm256_permute2f128_pd(first, second, 0x31));
    return _mm256_mul_pd(_mm256_set1_pd(alpha), sums);
  }

  using FoursF64::transpose;
  /// Turns the 8×8 block whose rows are the vectors.
  [[gnu::always_inline]] static inline void transpose(Vector (&rows)[8]) {
    Vector pairs[8];
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i += 2) {
      pairs[i] = _mm512_unpacklo_pd(rows[i], rows[i + 1]);
      pairs[i + 1] = _mm512_unpackhi_pd(rows[i], rows[i + 1]);
    }
    // Now pairs[2g + c] holds column 2q + c of rows 2g, 2g+1 in its 128-bit quarter q.
    _Pragma("GCC unroll 8") for (int c = 0; c < 2; ++c) {
      const Vector even_low = _mm512_shuffle_f64x2(pairs[c], pairs[2 + c], 0x88);
      const Vector odd_low = _mm512_shuffle_f64x2(pairs[c], pairs[2 + c], 0xDD);
      const Vector even_high = _mm512_shuffle_f64x2(pairs[4 + c], pairs[6 + c], 0x88);
      const Vector odd_high = _mm512_shuffle_f64x2(pairs[4 + c], pairs[6 + c], 0xDD);
      rows[c] = _mm512_shuffle_f64x2(even_low, even_high, 0x88);
      rows[4 + c] = _mm512_shuffle_f64x2(even_low, even_high, 0xDD);
      rows[2 + c] = _mm512_shuffle_f64x2(odd_low, odd_high, 0x88);
      rows[6 + c] = _mm512_shuffle_f64x2(odd_low, odd_high, 0xDD);
    }
  }

  static constexpr int kTurnedRows = 8;
  [[gnu::always_inline]] static inline void store_turned(double* to, std::int64_t step,
                                                         Vector (&rows)[8], std::int64_t count,
                                                         int columns, double beta) {
    const Mask mask = first(columns);
    transpose(rows);
    _Pragma("GCC unroll 8") for (int i = 0; i < kLanes; ++i, to += step) {
      if (i >= count) return;
      Vector row = rows[i];
      if (beta != 0) row = _mm512_fmadd_pd(_mm512_set1_pd(beta), load(to, mask), row);
      store(to, row, mask);
    }
  }
};

}  // namespace tilewise::cpu::avx512
