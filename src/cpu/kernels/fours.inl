// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Four elements at a time, as AVX2 has them: the sums of four dot products, four rows of a narrow factor. Included by the
// instruction sets that have AVX2, inside the namespace of each, because each compiles them for itself.

struct FoursF32 {
  using Four = __m128;
  /// The first `count` of four elements, 0 <= count <= 4, and others 0. Without a mask, as store_some(): a masked store takes
  /// AMD's processors twenty instructions' time with AVX2.
  [[gnu::always_inline]] static inline Four load_some(const float* from, int count) {
    if (count == 4) return _mm_loadu_ps(from);
    if (count == 1) return _mm_load_ss(from);
    if (count == 0) return _mm_setzero_ps();
    const Four two = _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(from)));
    return count == 2 ? two : _mm_movelh_ps(two, _mm_load_ss(from + 2));
  }
  /// 1 <= count <= 4.
  [[gnu::always_inline]] static inline void store_some(float* to, Four v, int count) {
    if (count == 4) return _mm_storeu_ps(to, v);
    if (count == 1) return _mm_store_ss(to, v);
    _mm_storel_pi(reinterpret_cast<__m64*>(to), v);
    if (count == 3) _mm_store_ss(to + 2, _mm_movehl_ps(v, v));
  }
  /// Turns the 4×4 block whose rows are the fours.
  [[gnu::always_inline]] static inline void transpose(Four (&rows)[4]) {
    _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]);
  }
};

struct FoursF64 {
  using Four = __m256d;
  [[gnu::always_inline]] static inline Four load_some(const double* from, int count) {
    if (count == 4) return _mm256_loadu_pd(from);
    if (count == 1) return _mm256_zextpd128_pd256(_mm_load_sd(from));
    if (count == 0) return _mm256_setzero_pd();
    const __m128d two = _mm_loadu_pd(from);
    return count == 2 ? _mm256_zextpd128_pd256(two) : _mm256_set_m128d(_mm_load_sd(from + 2), two);
  }
  [[gnu::always_inline]] static inline void store_some(double* to, Four v, int count) {
    if (count == 4) return _mm256_storeu_pd(to, v);
    if (count == 1) return _mm_store_sd(to, _mm256_castpd256_pd128(v));
    _mm_storeu_pd(to, _mm256_castpd256_pd128(v));
    if (count == 3) _mm_store_sd(to + 2, _mm256_extractf128_pd(v, 1));
  }
  [[gnu::always_inline]] static inline void transpose(Four (&rows)[4]) {
    const Four low0 = _mm256_unpacklo_pd(rows[0], rows[1]);
    const Four high0 = _mm256_unpackhi_pd(rows[0], rows[1]);
    const Four low1 = _mm256_unpacklo_pd(rows[2], rows[3]);
    const Four high1 = _mm256_unpackhi_pd(rows[2], rows[3]);
    rows[0] = _mm256_permute2f128_pd(low0, low1, 0x20);
    rows[1] = _mm256_permute2f128_pd(high0, high1, 0x20);
    rows[2] = _mm256_permute2f128_pd(low0, low1, 0x31);
    rows[3] = _mm256_permute2f128_pd(high0, high1, 0x31);
  }
};
