// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Included by exec/fused_sum_avx512.cpp and its siblings, each compiled for its instruction-set level.
#include "vgpu/exec/fused_sum.hpp"

namespace tilewise::vgpu {
namespace {

// Vectors wider than the level's registers are passed between inlined functions alone.
#pragma GCC diagnostic ignored "-Wpsabi"

using SumLanes = std::int32_t __attribute__((vector_size(4 * kSumColumns), aligned(4), may_alias));
using SumBits = std::uint32_t __attribute__((vector_size(4 * kSumColumns), aligned(4), may_alias));
using WideLanes = std::int64_t __attribute__((vector_size(8 * kSumColumns), aligned(8), may_alias));

inline SumLanes sum_lanes(const std::int32_t* from) {
  return *reinterpret_cast<const SumLanes*>(from);
}
inline SumLanes larger(SumLanes a, SumLanes b) { return a > b ? a : b; }

// Toward zero: magnitudes are shifted, signs follow.
inline SumLanes aligned_term(SumBits magnitude, SumLanes distance, SumLanes sign) {
  const SumLanes most = SumLanes{} + 31;
  const SumLanes shift = distance < most ? distance : most;
  const SumLanes term = reinterpret_cast<SumLanes>(magnitude >> reinterpret_cast<SumBits>(shift));
  return (term ^ sign) - sign;
}

/// One row of A by kSumColumns columns of B.
inline void sum_columns(const FusedSum& s, int row, int column) {
  const std::int32_t *a_magnitude = s.a_magnitude + row * s.k,
                     *a_exponent = s.a_exponent + row * s.k, *a_sign = s.a_sign + row * s.k;
  const int at = row * s.n + column;
  const SumLanes c_exponent = sum_lanes(s.c_exponent + at);
  SumLanes top = c_exponent;
  for (int k = 0; k < s.k; ++k) {
    top = larger(top, sum_lanes(s.b_exponent + k * s.n + column) + a_exponent[k]);
  }
  SumBits c_magnitude = reinterpret_cast<SumBits>(sum_lanes(s.c_magnitude + at));
  c_magnitude = s.c_shift >= 0 ? c_magnitude << s.c_shift : c_magnitude;
  const int c_right = s.c_shift >= 0 ? 0 : -s.c_shift;
  WideLanes sum = __builtin_convertvector(
      aligned_term(c_magnitude, top - c_exponent + c_right, sum_lanes(s.c_sign + at)), WideLanes);
  // A term has at most 27 bits (F = 25, a product below 4): eight of them fit 32 with their sign.
  constexpr int kTermsAtATime = 8;
  for (int first = 0; first < s.k; first += kTermsAtATime) {
    SumLanes part{};
    const int end = first + kTermsAtATime < s.k ? first + kTermsAtATime : s.k;
    for (int k = first; k < end; ++k) {
      const int b = k * s.n + column;
      const SumBits product = reinterpret_cast<SumBits>(sum_lanes(s.b_magnitude + b)) *
                                  static_cast<std::uint32_t>(a_magnitude[k])
                              << s.product_shift;
      part += aligned_term(product, top - sum_lanes(s.b_exponent + b) - a_exponent[k],
                           sum_lanes(s.b_sign + b) ^ a_sign[k]);
    }
    sum += __builtin_convertvector(part, WideLanes);
  }
  *reinterpret_cast<WideLanes*>(s.sums + at) = sum;
  *reinterpret_cast<SumLanes*>(s.scale + at) = top;
}

}  // namespace

void TILEWISE_FUSED_SUMS(const FusedSum& s) {
  for (int row = 0; row < s.m; ++row) {
    for (int column = 0; column < s.n; column += kSumColumns) sum_columns(s, row, column);
  }
}

}  // namespace tilewise::vgpu
