// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The shortest road: products so small that finding the best plan would take longer than it saves. Tiles
// over the operands where they are, and nothing else.
#pragma once

#include <cstdint>

#include "cpu/blocked.hpp"

namespace tilewise::cpu {

/// Whether the product is so small that a plan would cost more than it gains: factors and result in a
/// first-level cache, B by rows, at most 64³ products.
template <class T> inline bool is_small(const Product<T>& problem) {
  constexpr std::int64_t kMost = 256;
  return problem.b.column_stride == 1 && ((problem.m | problem.n | problem.k) & -kMost) == 0 &&
         problem.m * problem.n * problem.k <= 64 * 64 * 64;
}

/// The whole of such a product, in place. The bits are those of multiply_blocked().
template <class T> void multiply_small(const Product<T>& problem);

}  // namespace tilewise::cpu
