// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How an integer product is cut into blocks that fit the caches, and shared among threads.
#pragma once

#include <cstdint>

#include "core/divide.hpp"
#include "cpu/caches.hpp"
#include "cpu/integer/kernel.hpp"

namespace tilewise::cpu::integer {

/// A panel of B stays in the first-level cache, each thread's part of a block of A in its second-level
/// cache, and a block of B in what all threads share.
struct Blocks {
  std::int64_t rows = 0, columns = 0;  ///< of C, a block: multiples of the kernel's
  std::int64_t k = 0;                  ///< a multiple of the kernel's depth
};

/// Blocks for a product of m×k and k×n, all at least 1, on `threads` threads.
Blocks blocks_for(std::int64_t m, std::int64_t n, std::int64_t k, const Kernel& kernel,
                  const Caches& caches, int threads);

/// Threads worth waking, at least 1 and at most `most`.
int threads_for(std::int64_t m, std::int64_t n, std::int64_t k, const Kernel& kernel, int most);

/// The threads of a team as a grid over the tiles of a block: rows·columns of them.
struct Grid {
  int rows = 1, columns = 1;
};

/// The grid that leaves the fewest tiles to the busiest thread.
Grid grid_for(std::int64_t row_tiles, std::int64_t column_tiles, int threads);

/// The numbers from `begin` to `end`, the latter not among them.
struct Range {
  std::int64_t begin = 0, end = 0;
};

/// Part `part` of `parts` almost equal parts of [0, count).
constexpr Range share(std::int64_t count, int parts, int part) {
  const std::int64_t each = count / parts, left = count % parts;
  const std::int64_t begin = part * each + (part < left ? part : left);
  return {begin, begin + each + (part < left ? 1 : 0)};
}

}  // namespace tilewise::cpu::integer
