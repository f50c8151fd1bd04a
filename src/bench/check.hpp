// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Is a result right? Against the f64 reference, element by element, and for results too large for
// that, against products with a vector, which take O(n²) work.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/operands.hpp"
#include "bench/reference.hpp"

namespace tilewise::bench {

struct Verdict {
  bool verified = true;
  double error = 0;          ///< relative Frobenius norm of the rows held against the reference
  double largest_error = 0;  ///< largest element-wise error, relative to its magnitude
  std::string wrong;         ///< the first wrong element, in words
};

/// How far an element may be from the reference, relative to its magnitude |alpha|·sum|a||b| +
/// |beta||c0|: gamma(k + 4) = (k + 4)·u / (1 - (k + 4)·u) with u the sum of T's unit roundoff and that
/// of the f64 reference. k products summed in any order round at most k times each (fused) or k + 1
/// times (not fused), and scaling by alpha and beta and the last sum add three more: Higham, Accuracy
/// and Stability of Numerical Algorithms, 2nd ed., section 3.1. No correct result exceeds it.
///
/// Tensor cores (f16, bf16, tf32) add the products of up to 16 k and the sum so far at once: each term is
/// cut off 24 bits (Ampere) or 25 (Hopper) below the largest, the result to f32's 24. With eight k and
/// a sum that is 9·2^-24 + 2^-23, 11 units for 8 k; with sixteen less. So 2·(k + 16) units take the
/// place of k, and for tf32 the rounding of both factors to 11 bits comes on top.
template <class T>
double error_bound(std::int64_t k, kernels::Arithmetic arithmetic = arithmetic_of<T>);

/// Holds the first `row_count` rows of the reference against `c`, the whole m×n result, row-major.
/// An element passes when it is within error_bound(), when both are the same infinity, or when both
/// are NaN; a NaN where a number belongs never passes.
template <class T>
Verdict check_rows(const Operands<T>& operands, const Reference& reference, std::span<const T> c,
                   std::size_t row_count);

/// The whole result: check_rows(), and when the reference holds a sample only, C·t against
/// alpha·A·(B·t) + beta·C0·t with random signs t. A row whose two products differ by much more than
/// the sample's rows do is computed in full and held against its elements' bounds.
template <class T>
Verdict check_result(const Operands<T>& operands, const Reference& reference, std::span<const T> c,
                     std::uint64_t seed);

/// Whether error_bound() is too wide to show one product left out of a sum of k, or the reference
/// holds a sample only: then check_exact() has to look at a run on integers.
template <class T> bool needs_exact_run(const Operands<T>& operands, const Reference& reference);

/// For operands of make_integer_operands(): whether C is exactly alpha·A·B + beta·C0. Compares C·t
/// with alpha·A·(B·t) + beta·C0·t modulo 2^64 for a random odd t: a wrong element always shows, and
/// several in one row cancel with probability 2^-63. Returns the first wrong row in words, or nothing.
template <class T>
std::string check_exact(const Operands<T>& operands, std::span<const T> c, std::uint64_t seed);

}  // namespace tilewise::bench
