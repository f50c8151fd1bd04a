// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The main road: blocks, panels, tiles.
//
// C's columns are taken nc at a time and k kc at a time. Of B that leaves a block of kc×nc, which is
// copied once into panels as wide as a tile, so that the tile kernel reads it from front to back; the
// block is sized to stay in a cache from which a core reads as fast as it computes. Where rows of B are
// contiguous, the first tile that meets a panel copies it while it computes. A goes by in panels of a
// tile's height, copied as well: the elements of one k side by side. They stay in the first-level cache
// while every panel of the block passes by.
//
//   for each block of k                    A: m×kc, B: kc×n
//     for each block of columns            B: kc×nc  -> second-level cache, or a near third-level one
//       for each panel of rows             A: rows×kc -> first-level cache
//         for each panel of columns        C: one tile, in registers
//
// Beside a small first-level cache a group of such panels waits in the second level instead (group), and the two inner loops
// change places within it: of B's panels, one at a time is in the first level.
//
// Where A's columns are contiguous, copying takes long, and A's panels are kept for all blocks of columns, as
// many rows' at a time as the buffer has room for. With few rows (columns_outside) the two inner loops change
// places: A's block stays in the second-level cache, and of B there is only one panel at a time.
//
// Where copying costs more than it gains (small or thin matrices, and those that a large second-level cache
// holds) the tile kernel reads the operands where they are: it takes any distance between rows. Or A alone, beside panels of
// few columns of B.
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

}  // namespace tilewise::cpu
