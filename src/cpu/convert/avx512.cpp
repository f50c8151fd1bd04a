// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sixteen at a time; masks for those left over. f16 by the processor's own instructions, which make NaN
// quiet and keep subnormals whatever MXCSR says; bf16 on integers, as in portable.cpp: AVX-512 BF16 would
// flush subnormals.
#if defined(__x86_64__)
#include <immintrin.h>

#include "cpu/convert/converters.hpp"

namespace tilewise::cpu {
namespace {

constexpr std::int64_t kLanes = 16;

/// The lanes from element i of `count` on.
__mmask16 lanes_from(std::int64_t i, std::int64_t count) {
  return static_cast<__mmask16>(count - i >= kLanes ? 0xFFFFu : (1u << (count - i)) - 1);
}

/// The lanes that hold a NaN.
__mmask16 nans(__m512i bits) {
  const __m512i magnitudes = _mm512_and_si512(bits, _mm512_set1_epi32(0x7FFF'FFFF));
  return _mm512_cmpgt_epi32_mask(magnitudes, _mm512_set1_epi32(0x7F80'0000));
}

__m512i with_quiet_nans(__m512i bits, __m512i others) {
  return _mm512_mask_or_epi32(others, nans(bits), bits, _mm512_set1_epi32(0x40'0000));
}

void widen_f16(const std::uint16_t* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = lanes_from(i, count);
    const __m256i halves = _mm256_maskz_loadu_epi16(lanes, from + i);
    _mm512_mask_storeu_ps(to + i, lanes, _mm512_cvtph_ps(halves));
  }
}

void widen_bf16(const std::uint16_t* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = lanes_from(i, count);
    const __m256i halves = _mm256_maskz_loadu_epi16(lanes, from + i);
    const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16);
    _mm512_mask_storeu_epi32(to + i, lanes, with_quiet_nans(bits, bits));
  }
}

void round_to_f16(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = lanes_from(i, count);
    const __m512 values = _mm512_maskz_loadu_ps(lanes, from + i);
    _mm256_mask_storeu_epi16(to + i, lanes, _mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
  }
}

void round_to_bf16(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = lanes_from(i, count);
    const __m512i bits = _mm512_maskz_loadu_epi32(lanes, from + i);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i step = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF));
    const __m512i rounded = with_quiet_nans(bits, _mm512_add_epi32(bits, step));
    const __m256i halves = _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
    _mm256_mask_storeu_epi16(to + i, lanes, halves);
  }
}

}  // namespace

constexpr Converters kAvx512Converters = {widen_f16, widen_bf16, round_to_f16, round_to_bf16};

}  // namespace tilewise::cpu
#endif
