// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices times vectors, for checks of O(n²) work: in f64, or with integers modulo 2^32.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/product_check.hpp"

namespace tilewise::bench {

/// A vector and, for f64, the magnitudes that its rounding errors are proportional to.
template <class Number> struct Sums { std::vector<Number> values, magnitudes; };

/// C·t beside alpha·A·(B·t) + beta·C0·t, and the latter's magnitudes.
template <class Number> struct TwoWays { std::vector<Number> actual, expected, magnitudes; };

/// Number is double, or std::uint32_t for matrices of integers (every sum then wraps).
template <class Number>
TwoWays<Number> compute_two_ways(const Product& product, const Sums<Number>& t);

/// An element as Number: itself, or modulo 2^32.
inline double number_of(double value, double) { return value; }
inline std::uint32_t number_of(double value, std::uint32_t) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

}  // namespace tilewise::bench
