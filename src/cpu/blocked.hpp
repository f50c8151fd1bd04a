// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The main road: blocks, panels, tiles.
//
// C's columns are taken nc at a time and k kc at a time. Of B that leaves a block of kc×nc, which is
// copied once into panels as wide as a tile, so that the tile kernel reads it from front to back; the
// block is sized to stay in the second-level cache. A goes by in panels of a tile's height, each copied
// into a few KiB that stay in the first-level cache while every panel of the block passes by it.
//
//   for each block of columns              C: m×nc
//     for each block of k                  B: kc×nc  -> second-level cache
//       for each panel of rows             A: rows×kc -> first-level cache
//         for each panel of columns        C: one tile, in registers
//
// Where copying costs more than it gains (small or thin matrices) the tile kernel reads the operands
// where they are: it takes any distance between rows.
#pragma once

#include <cstddef>

#include "cpu/plan.hpp"

namespace tilewise::cpu {

/// The part of C that one thread computes: rows [row, row_end), columns [column, column_end).
struct Part {
  std::int64_t row = 0, row_end = 0, column = 0, column_end = 0;
};

/// A product that is computed in T: of factors in T, or in a narrower type that is widened on the way
/// into the panels (In is float, Float16 or BFloat16 for T = float).
template <class In, class T = In> using Product = Problem<In, In, T, T>;

/// Bytes of buffer that one thread needs for its part.
template <class In, class T>
std::size_t blocked_buffer_bytes(const Product<In, T>& problem, const Plan& plan, const Part& part);

/// C's part. `buffer`: blocked_buffer_bytes(), on a 64-byte boundary.
template <class In, class T>
void multiply_blocked(const Product<In, T>& problem, const Plan& plan, const Part& part,
                      std::byte* buffer);

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
