// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors of floats for the rungs that use them. Their files are compiled once for each instruction
// set (CMakeLists.txt in this folder), and TILEWISE_LADDER_SET is the namespace of the one at hand.
//
// kTileRows × kTileVectors accumulators, a row of B and an element of A fit the set's registers: 32
// in AVX-512, else 16. They are many enough to keep two FMA units busy, which take 4 clocks for one
// FMA.
#pragma once

#if defined(TILEWISE_LADDER_AVX512) || defined(TILEWISE_LADDER_AVX2)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(TILEWISE_LADDER_AVX512)
#define TILEWISE_LADDER_SET avx512
#elif defined(TILEWISE_LADDER_AVX2)
#define TILEWISE_LADDER_SET avx2
#else
#define TILEWISE_LADDER_SET portable
#endif

namespace tilewise::cpu::ladder::TILEWISE_LADDER_SET {

#if defined(TILEWISE_LADDER_AVX512)

constexpr int kLanes = 16, kTileRows = 8, kTileVectors = 3;
using Vector = __m512;
using Mask = __mmask16;

/// The first `count` lanes; none for count <= 0, all for count >= kLanes.
inline Mask first_lanes(std::int64_t count) {
  return static_cast<Mask>((1u << std::clamp<std::int64_t>(count, 0, kLanes)) - 1);
}
inline Vector all(float value) { return _mm512_set1_ps(value); }
inline Vector load(const float* from) { return _mm512_loadu_ps(from); }
/// Lanes outside the mask are 0, and their memory is not touched.
inline Vector load(const float* from, Mask mask) { return _mm512_maskz_loadu_ps(mask, from); }
inline void store(float* to, Vector v) { _mm512_storeu_ps(to, v); }
inline void store(float* to, Vector v, Mask mask) { _mm512_mask_storeu_ps(to, mask, v); }
/// a·b + c
inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }

#elif defined(TILEWISE_LADDER_AVX2)

constexpr int kLanes = 8, kTileRows = 6, kTileVectors = 2;
using Vector = __m256;
using Mask = __m256i;  // a lane is in it when its sign bit is set

inline Mask first_lanes(std::int64_t count) {
  const auto lanes = static_cast<int>(std::clamp<std::int64_t>(count, 0, kLanes));
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Vector all(float value) { return _mm256_set1_ps(value); }
inline Vector load(const float* from) { return _mm256_loadu_ps(from); }
inline Vector load(const float* from, Mask mask) { return _mm256_maskload_ps(from, mask); }
inline void store(float* to, Vector v) { _mm256_storeu_ps(to, v); }
inline void store(float* to, Vector v, Mask mask) { _mm256_maskstore_ps(to, mask, v); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }

#else

// Four floats: what every x86-64 has, and NEON; the compiler knows them without intrinsics.
constexpr int kLanes = 4, kTileRows = 4, kTileVectors = 2;
typedef float Vector [[gnu::vector_size(16)]];
using Mask = std::size_t;  // bytes that lie in it

inline Mask first_lanes(std::int64_t count) {
  return sizeof(float) * static_cast<Mask>(std::clamp<std::int64_t>(count, 0, kLanes));
}
inline Vector all(float value) { return Vector{value, value, value, value}; }
inline Vector load(const float* from, Mask mask = sizeof(Vector)) {
  Vector v{};
  std::memcpy(&v, from, mask);
  return v;
}
inline void store(float* to, Vector v, Mask mask = sizeof(Vector)) { std::memcpy(to, &v, mask); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }

#endif

constexpr int kTileColumns = kTileVectors * kLanes;

}  // namespace tilewise::cpu::ladder::TILEWISE_LADDER_SET
