// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Eight at a time; those left over in a copy of eight. f16 by F16C, which makes NaN quiet and keeps
// subnormals whatever MXCSR says; bf16 on integers, as in portable.cpp.
#if defined(__x86_64__)
#include <immintrin.h>

#include "cpu/convert/converters.hpp"

namespace tilewise::cpu {
namespace {

constexpr std::int64_t kLanes = 8;

__m256i with_quiet_nans(__m256i bits, __m256i others) {
  const __m256i magnitudes = _mm256_and_si256(bits, _mm256_set1_epi32(0x7FFF'FFFF));
  const __m256i nans = _mm256_cmpgt_epi32(magnitudes, _mm256_set1_epi32(0x7F80'0000));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x40'0000));
  return _mm256_blendv_epi8(others, quiet, nans);
}

struct WidenF16 {
  static void eight(const std::uint16_t* from, float* to) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    _mm256_storeu_ps(to, _mm256_cvtph_ps(halves));
  }
};

struct WidenBF16 {
  static void eight(const std::uint16_t* from, float* to) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), with_quiet_nans(bits, bits));
  }
};

struct RoundToF16 {
  static void eight(const float* from, std::uint16_t* to) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
  }
};

struct RoundToBF16 {
  static void eight(const float* from, std::uint16_t* to) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i step = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF));
    const __m256i rounded = with_quiet_nans(bits, _mm256_add_epi32(bits, step));
    const __m256i upper = _mm256_srli_epi32(rounded, 16);
    const __m128i halves =
        _mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
  }
};

template <class How, class From, class To>
void convert(const From* from, To* to, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) How::eight(from + i, to + i);
  if (i == count) return;
  const auto left = static_cast<unsigned long>(count - i);
  From some[kLanes] = {};
  To converted[kLanes];
  __builtin_memcpy(some, from + i, left * sizeof(From));
  How::eight(some, converted);
  __builtin_memcpy(to + i, converted, left * sizeof(To));
}

}  // namespace

constexpr Converters kAvx2Converters = {convert<WidenF16>, convert<WidenBF16>, convert<RoundToF16>,
                                        convert<RoundToBF16>};

}  // namespace tilewise::cpu
#endif
