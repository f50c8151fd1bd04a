// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The matrices of one problem on the host, in the type the rung computes in.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "bench/sizes.hpp"
#include "core/dtype.hpp"
#include "kernels/catalogue.hpp"

namespace tilewise::bench {

/// f32 or f64 as the C++ type T.
template <class T> constexpr Dtype dtype_of = std::is_same_v<T, double> ? Dtype::kF64 : Dtype::kF32;

/// Of rungs that compute in T itself, without rounding A and B first.
template <class T>
constexpr kernels::Arithmetic arithmetic_of =
    std::is_same_v<T, double> ? kernels::Arithmetic::kF64 : kernels::Arithmetic::kF32;

/// C = alpha·A·B + beta·C0, all row-major and packed. T is the type of C and of the sums; A and B hold
/// numbers that their own type (operand_dtype(arithmetic)) has.
template <class T> struct Operands {
  kernels::Arithmetic arithmetic = arithmetic_of<T>;
  Sizes sizes;  ///< as launched: k is 0 when alpha is, so that A and B are not read
  T alpha = 1, beta = 0;
  std::vector<T> a;   ///< m×k
  std::vector<T> b;   ///< k×n
  std::vector<T> c0;  ///< m×n; empty when beta is 0: C is not read
};

/// The request's operands: from its files (rounded), or random from its seed: uniform in [-1, 1),
/// multiples of 2^-23 in f32, the same with 24 bits more in f64, the nearest there is in f16 and bf16.
/// tf32's are f32's: its kernels round them.
template <class T>
Operands<T> make_operands(const LadderRequest& request, const Sizes& sizes,
                          kernels::Arithmetic arithmetic = arithmetic_of<T>);

/// Operands of small integers, which every arithmetic has and for which every sum and product on the way is exact in T, in any order:
/// A, B and C0 in [-4, 4] or, for long k, in [-1, 1]; alpha = -2; beta = 3, or 0 when `like.beta` is.
/// Empty A, B and C0 (`sizes` all 0) when k is too long even for that.
template <class T> Operands<T> make_integer_operands(const Operands<T>& like, std::uint64_t seed);

/// The rows×columns matrix in column-major order.
template <class T>
std::vector<T> to_column_major(const std::vector<T>& row_major, std::int64_t rows,
                               std::int64_t columns);

/// The rows×columns matrix in row-major order.
template <class T>
std::vector<T> to_row_major(const std::vector<T>& column_major, std::int64_t rows,
                            std::int64_t columns);

}  // namespace tilewise::bench
