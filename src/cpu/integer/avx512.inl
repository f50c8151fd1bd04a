// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sixteen 32-bit sums a vector; what all integer kernels of AVX-512 have in common. Included inside an
// unnamed namespace. A tile of 8 × 3 vectors: 24 sums, 3 of B, 1 of A leave registers to spare.

struct Lanes32 {
  using Vector = __m512i;
  static constexpr int kLanes = 16, kVectors = 3, kRows = 8;

  static __mmask16 first(int count) { return static_cast<__mmask16>((1u << count) - 1); }
  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector all(Word word) { return _mm512_set1_epi32(static_cast<int>(word)); }
  static Vector load(const void* from) { return _mm512_loadu_si512(from); }
  static Vector load(const void* from, __mmask16 m) { return _mm512_maskz_loadu_epi32(m, from); }
  static void store(void* to, Vector v) { _mm512_storeu_si512(to, v); }
  static void store(void* to, Vector v, __mmask16 m) { _mm512_mask_storeu_epi32(to, m, v); }
  static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm512_mullo_epi32(a, b); }
};
