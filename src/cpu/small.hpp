// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The shortest road: products so small that finding the best plan would take longer than it saves. Tiles
// over the operands where they are, or dot products, and nothing else.
#pragma once

#include <cstdint>

#include "cpu/blocked.hpp"
#include "cpu/kernels/kernels.hpp"

namespace tilewise::cpu {

/// No size of a small product is larger, but of few dot products: of so few rows or columns, as long as this.
constexpr std::int64_t kMostSmall = 96, kFewDots = 4, kLongestDots = 1024;

/// Whether the product is small, and of few rows by columns of B, which lie along k, or of rows of A by few columns: dot
/// products then, of which each vector serves one element instead of a tile's few.
template <class T> inline bool is_few_dots(const Product<T>& problem) {
  constexpr std::int64_t kMostElements = 1024;
  if (problem.k < kernels<T>().lanes || problem.k > kLongestDots) return false;
  if (problem.a.column_stride != 1 || problem.m + problem.n > kMostElements) return false;
  return (problem.b.row_stride == 1 && problem.m <= kFewDots) ||
         (problem.n <= kFewDots && problem.n < problem.m && 2 * problem.n <= kernels<T>().lanes);
}

/// Whether the product is so small that a plan would cost more than it gains: no size above 96, and B by rows, or both
/// transposed where there are kernels for that; or few dot products.
template <class T> inline bool is_small(const Product<T>& problem) {
  if (is_few_dots(problem)) return true;
  const bool both_turned = problem.a.column_stride != 1 && kernels<T>().turned_rows > 0;
  return (problem.b.column_stride == 1 || both_turned) && problem.m <= kMostSmall &&
         problem.n <= kMostSmall && problem.k <= kMostSmall;
}

/// Whether there is anything to multiply.
template <class P> inline bool has_products(const P& problem) {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.alpha != 0;
}

/// The whole of such a product. Each element is one sum over ascending k, or one of a dot product's lanes.
template <class T> void multiply_small(const Product<T>& problem);

}  // namespace tilewise::cpu
