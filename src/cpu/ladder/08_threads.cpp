// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 08 threads: C is cut into as many pieces as there are threads, each computed as in 07 prefetch
// Why: the pieces have nothing in common but what they read. Each thread packs its own columns of B
// and its own rows of A, so they never wait for one another; pieces as square as possible make that
// the least.
// Loads per FMA: as before, on every core.
// Limit now: what is packed twice, the memory that the cores share, and the slowest thread. Next:
// the library's own engine, which chooses all of this for the shape at hand (09 engine).
// Measured: at 1024×1024×1024 on two threads: 196 GFLOP/s, 2.07 times 07.
// bench/results/cpu/2026-11-21-ladder-cpu-1024.json
#include <algorithm>

#include "core/thread_pool.hpp"
#include "cpu/ladder/rungs.hpp"

namespace tilewise::cpu::ladder {
namespace {

constexpr std::int64_t kRows = 8, kColumns = 48;  // a piece begins at a multiple of these

struct Grid {
  std::int64_t down = 1, across = 1;
};

// As many pieces as threads, and of all such grids the one whose threads pack least: m / down rows
// of A and n / across columns of B each.
Grid choose_grid(const Product& p) {
  Grid best{p.threads, 1};
  const auto packed = [&](const Grid& grid) { return p.m / grid.down + p.n / grid.across; };
  for (std::int64_t down = 1; down < p.threads; ++down) {
    if (p.threads % down != 0) continue;
    const Grid grid{down, p.threads / down};
    if (packed(grid) < packed(best)) best = grid;
  }
  return best;
}

// Where piece `index` of `pieces` begins: they share `extent`, rounded to whole steps.
std::int64_t begin_of(std::int64_t index, std::int64_t pieces, std::int64_t extent,
                      std::int64_t step) {
  const std::int64_t steps = (extent + step - 1) / step;
  return std::min(extent, steps * index / pieces * step);
}

Product piece_of(const Product& p, const Grid& grid, std::int64_t row, std::int64_t column) {
  const std::int64_t top = begin_of(row, grid.down, p.m, kRows);
  const std::int64_t left = begin_of(column, grid.across, p.n, kColumns);
  Product piece = p;
  piece.m = begin_of(row + 1, grid.down, p.m, kRows) - top;
  piece.n = begin_of(column + 1, grid.across, p.n, kColumns) - left;
  if (p.k > 0) {  // else A and B may be nowhere
    piece.a += top * p.a_row;
    piece.b += left;
  }
  piece.c += top * p.c_row + left;
  return piece;
}

}  // namespace

void threads(const Product& p) {
  const Grid grid = choose_grid(p);
  parallel_for(static_cast<std::uint64_t>(p.threads), p.threads, [&](int, std::uint64_t index) {
    const auto piece = static_cast<std::int64_t>(index);
    prefetch(piece_of(p, grid, piece / grid.across, piece % grid.across));
  });
}

}  // namespace tilewise::cpu::ladder
