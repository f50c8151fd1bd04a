// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of a tensor core: many fixed-point sums of products. Compiled once for each
// instruction-set level and chosen at run time, like the tables of exec/handlers.hpp.
#pragma once

#include <cstdint>

namespace tilewise::vgpu {

inline constexpr int kSumColumns = 8;  ///< that are summed at a time
/// Exponent of a zero: so low that it never decides an alignment, and that sums of three do not wrap.
inline constexpr std::int32_t kZeroExponent = -100000;

/// Operands taken apart: value = (-1)^sign · magnitude · 2^(exponent - fraction bits of its type). `sign` is
/// 0 or -1. `n` is a multiple of kSumColumns, rows of B and C have `n` cells.
struct FusedSum {
  int m = 0, n = 0, k = 0;
  const std::int32_t *a_magnitude, *a_exponent, *a_sign;  ///< m×k
  const std::int32_t *b_magnitude, *b_exponent, *b_sign;  ///< k×n
  const std::int32_t *c_magnitude, *c_exponent, *c_sign;  ///< m×n
  int product_shift = 0;  ///< left shift that gives a product F fraction bits
  int c_shift = 0;        ///< the same for C; negative: right
  std::int64_t* sums;     ///< m×n, with F fraction bits below …
  std::int32_t* scale;    ///< … the exponent of the largest term, m×n
};

using FusedSumFunction = void (*)(const FusedSum&);
void fused_sums_avx512(const FusedSum& sum);
void fused_sums_avx2(const FusedSum& sum);
void fused_sums_portable(const FusedSum& sum);

/// The one of the level in use.
FusedSumFunction fused_sum_function();

}  // namespace tilewise::vgpu
