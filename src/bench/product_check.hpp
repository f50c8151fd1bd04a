// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Is a product right whose matrices stay where they are: any element type, either order, files mapped
// into memory? What check.hpp does for the ladder's operands, with O(m + n + k) memory for large ones.
#pragma once

#include <cstdint>
#include <string>

#include "core/elements.hpp"

namespace tilewise::bench {

/// C = alpha·A·B + beta·C0, as computed. With alpha = 0, A and B are not read; with beta = 0, C0 is not.
struct Product {
  double alpha = 1, beta = 0;
  TypedMatrix a;   ///< m×k
  TypedMatrix b;   ///< k×n
  TypedMatrix c0;  ///< m×n
  TypedMatrix c;   ///< m×n: f64, f32 or f16 for floats, s32 for 8-bit integers
};

struct ProductVerdict {
  bool verified = true;
  bool complete = true;      ///< every element was held against the reference
  std::int64_t rows = 0;     ///< rows of C whose elements were
  double error = 0;          ///< relative Frobenius norm of those rows' errors
  double largest_error = 0;  ///< largest element-wise error, relative to its magnitude
  std::string wrong;         ///< the first wrong element, in words
};

/// Floats: up to `complete_products` multiplications every element is held against an f64 reference,
/// within error_bound() (check.hpp) of the type that sums and half a unit of C's last place. Beyond that
/// C·t is held against alpha·A·(B·t) + beta·C0·t for a random vector of signs t, which takes O(n²) work,
/// and element by element only the first, the last and some random rows, and those whose two products
/// differ much more than in these.
///
/// Integers are held to be exact modulo 2^32, through products with a vector of random odd numbers:
/// a wrong element always shows.
ProductVerdict check_product(const Product& product, std::uint64_t seed,
                             std::int64_t complete_products = std::int64_t{1} << 29);

}  // namespace tilewise::bench
