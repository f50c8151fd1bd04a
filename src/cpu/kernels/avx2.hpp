// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// AVX2 with FMA as the kernels see it: 8 floats or 4 doubles a vector, 16 vector registers. Masks are
// vectors; a masked load or store does not touch the memory of the lanes it leaves out.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tilewise::cpu::avx2 {

#include "cpu/kernels/fours.inl"

/// The largest kernels that the registers hold.
struct Limits {
  static constexpr const char* kName = "avx2";
  static constexpr int kBestVectors = 2, kTileRows[] = {0, 12, 6, 4, 2};  // [vectors]
  static constexpr int kDotRows = 3, kDotColumns = 4, kStreamRows = 0, kLineRows = 6;
  static constexpr bool kReadsRowsBesidePanels = true;
};

// The first `count` lanes are all ones when read from kMaskBits + 8 - count.
alignas(64) constexpr std::int32_t kMaskBits[16] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                    0,  0,  0,  0,  0,  0,  0,  0};

struct F32 : FoursF32 {
  using Element = float;
  using Vector = __m256;
  using Mask = __m256i;
  static constexpr int kLanes = 8;
  static constexpr int kRegisters = 16;

  static Mask first(std::int64_t count) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMaskBits + 8 - count));
  }
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector all(float value) { return _mm256_set1_ps(value); }
  static Vector load(const float* from) { return _mm256_loadu_ps(from); }
  static Vector load(const float* from, Mask mask) { return _mm256_maskload_ps(from, mask); }
  static void store(float* to, Vector v) { _mm256_storeu_ps(to, v); }
  static void store(float* to, Vector v, Mask mask) { _mm256_maskstore_ps(to, mask, v); }
  static Vector multiply(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  /// sum += a·b. Spelled out: left to itself the compiler lets sums change registers from step to step,
  /// and 16 are too few for that.
  static void accumulate(Vector& sum, Vector a, Vector b) {
    asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  }
  static void clear(Vector& v) { asm volatile("vxorps %0, %0, %0" : "=x"(v)); }
  static void settle(Vector& v) { asm("" : "+x"(v)); }
  /// Element i: alpha times the sum of v[i]'s lanes, each added up in the same order.
  [[gnu::always_inline]] static inline Four add_lanes(const Vector (&v)[4], float alpha) {
    const auto halves = [](Vector a, Vector b) {  // of each half: a, b, a, b
      return _mm256_castps_pd(_mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)));
    };
    const __m256d first = halves(v[0], v[1]), second = halves(v[2], v[3]);
    const Vector sum = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(first, second)),
                                     _mm256_castpd_ps(_mm256_unpackhi_pd(first, second)));
    const Four sums = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
    return _mm_mul_ps(_mm_set1_ps(alpha), sums);
  }

  using FoursF32::transpose;
  /// Turns the 8×8 block whose rows are the vectors.
  [[gnu::always_inline]] static inline void transpose(Vector (&rows)[8]) {
    Vector pairs[8];
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i += 2) {
      pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
      pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
    }
    // quads[4g + c] holds columns c and 4 + c of rows 4g .. 4g+3 in its halves.
    Vector quads[8];
    _Pragma("GCC unroll 8") for (int g = 0; g < 8; g += 4) {
      quads[g] = _mm256_shuffle_ps(pairs[g], pairs[g + 2], 0x44);
      quads[g + 1] = _mm256_shuffle_ps(pairs[g], pairs[g + 2], 0xEE);
      quads[g + 2] = _mm256_shuffle_ps(pairs[g + 1], pairs[g + 3], 0x44);
      quads[g + 3] = _mm256_shuffle_ps(pairs[g + 1], pairs[g + 3], 0xEE);
    }
    _Pragma("GCC unroll 8") for (int c = 0; c < 4; ++c) {
      rows[c] = _mm256_permute2f128_ps(quads[c], quads[4 + c], 0x20);
      rows[4 + c] = _mm256_permute2f128_ps(quads[c], quads[4 + c], 0x31);
    }
  }

  /// to[i·step + j] = rows[j][i] + beta·to[i·step + j] for i < count, j < columns <= kTurnedRows. Four
  /// rows, and two: divided by the tile, GCC has its sums in memory, at a third of the speed.
  static constexpr int kTurnedRows = 6;
  [[gnu::always_inline]] static inline void store_turned(float* to, std::int64_t step,
                                                         const Vector (&rows)[6],
                                                         std::int64_t count, int columns,
                                                         float beta) {
    if (columns > 4) {
      const Vector last[4] = {rows[4], rows[5], zero(), zero()};
      store_turned_four(to + 4, step, last, count, columns - 4, beta);
      columns = 4;
    }
    const Vector first[4] = {rows[0], rows[1], rows[2], rows[3]};
    store_turned_four(to, step, first, count, columns, beta);
  }

 private:
  [[gnu::always_inline]] static inline void store_turned_four(float* to, std::int64_t step,
                                                              const Vector (&rows)[4],
                                                              std::int64_t count, int columns,
                                                              float beta) {
    const Vector low0 = _mm256_unpacklo_ps(rows[0], rows[1]);
    const Vector high0 = _mm256_unpackhi_ps(rows[0], rows[1]);
    const Vector low1 = _mm256_unpacklo_ps(rows[2], rows[3]);
    const Vector high1 = _mm256_unpackhi_ps(rows[2], rows[3]);
    // Lanes c and 4 + c of the rows, in halves.
    const Vector turned[4] = {
        _mm256_shuffle_ps(low0, low1, 0x44), _mm256_shuffle_ps(low0, low1, 0xEE),
        _mm256_shuffle_ps(high0, high1, 0x44), _mm256_shuffle_ps(high0, high1, 0xEE)};
    _Pragma("GCC unroll 8") for (int i = 0; i < kLanes; ++i, to += step) {
      if (i >= count) return;
      __m128 row =
          i < 4 ? _mm256_castps256_ps128(turned[i]) : _mm256_extractf128_ps(turned[i - 4], 1);
      if (beta != 0) row = _mm_fmadd_ps(_mm_set1_ps(beta), load_some(to, columns), row);
      store_some(to, row, columns);
    }
  }
};

struct F64 : FoursF64 {
  using Element = double;
  using Vector = __m256d;
  using Mask = __m256i;
  static constexpr int kLanes = 4;
  static constexpr int kRegisters = 16;

  static Mask first(std::int64_t count) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMaskBits + 8 - 2 * count));
  }
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector all(double value) { return _mm256_set1_pd(value); }
  static Vector load(const double* from) { return _mm256_loadu_pd(from); }
  static Vector load(const double* from, Mask mask) { return _mm256_maskload_pd(from, mask); }
  static void store(double* to, Vector v) { _mm256_storeu_pd(to, v); }
  static void store(double* to, Vector v, Mask mask) { _mm256_maskstore_pd(to, mask, v); }
  static Vector multiply(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
  static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
  static void accumulate(Vector& sum, Vector a, Vector b) {
    asm("vfmadd231pd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  }
  static void clear(Vector& v) { asm volatile("vxorps %0, %0, %0" : "=x"(v)); }
  static void settle(Vector& v) { asm("" : "+x"(v)); }
  [[gnu::always_inline]] static inline Four add_lanes(const Vector (&v)[4], double alpha) {
    const auto halves = [](Vector a, Vector b) {  // a, b, a, b
      return _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    };
    const Vector first = halves(v[0], v[1]), second = halves(v[2], v[3]);
    const Four sums = _mm256_add_pd(_mm256_permute2f128_pd(first, second, 0x20),
                                    _mm256_permute2f128_pd(first, second, 0x31));
    return _mm256_mul_pd(_mm256_set1_pd(alpha), sums);
  }

  static constexpr int kTurnedRows = 6;
  [[gnu::always_inline]] static inline void store_turned(double* to, std::int64_t step,
                                                         const Vector (&rows)[6],
                                                         std::int64_t count, int columns,
                                                         double beta) {
    if (columns > 4) {
      Vector last[4] = {rows[4], rows[5], zero(), zero()};
      store_turned_four(to + 4, step, last, count, columns - 4, beta);
      columns = 4;
    }
    Vector first[4] = {rows[0], rows[1], rows[2], rows[3]};
    store_turned_four(to, step, first, count, columns, beta);
  }

 private:
  [[gnu::always_inline]] static inline void store_turned_four(double* to, std::int64_t step,
                                                              Vector (&rows)[4], std::int64_t count,
                                                              int columns, double beta) {
    transpose(rows);
    _Pragma("GCC unroll 4") for (int i = 0; i < kLanes; ++i, to += step) {
      if (i >= count) return;
      if (beta != 0)
        rows[i] = _mm256_fmadd_pd(_mm256_set1_pd(beta), load_some(to, columns), rows[i]);
      store_some(to, rows[i], columns);
    }
  }
};

}  // namespace tilewise::cpu::avx2
