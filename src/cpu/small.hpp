// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The shortest road: products so small that finding the best plan would take longer than it saves. Tiles
// over the operands where they are, and nothing else.
#pragma once

#include <cstdint>

#include "cpu/blocked.hpp"
#include "cpu/kernels/kernels.hpp"

namespace tilewise::cpu {

/// Whether the product is so small that a plan would cost more than it gains: no size above 96, and B by rows, or both
/// transposed where there are kernels for that.
template <class T> inline bool is_small(const Product<T>& problem) {
  constexpr std::int64_t kMost = 96;
  const bool both_turned = problem.a.column_stride != 1 && kernels<T>().turned_rows > 0;
  return (problem.b.column_stride == 1 || both_turned) && problem.m <= kMost &&
         problem.n <= kMost && problem.k <= kMost;
}

/// Whether there is anything to multiply.
template <class P> inline bool has_products(const P& problem) {
  return problem.m > 0 && problem.n > 0 && problem.k > 0 && problem.alpha != 0;
}

/// The whole of such a product, in place. Each element is one sum over ascending k.
template <class T> void multiply_small(const Product<T>& problem);

}  // namespace tilewise::cpu
