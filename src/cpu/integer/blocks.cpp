// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/integer/blocks.hpp"

#include <algorithm>

namespace tilewise::cpu::integer {
namespace {

constexpr std::int64_t kMostBytesOfA = 1 << 20;  // a thread
constexpr std::int64_t kMostBytesOfB = 4 << 20;
// Multiplications below which another thread costs more than it brings: some 20 microseconds of one.
constexpr double kWorkOfAThread = 4e6;

/// Blocks of almost equal size, none larger than `most`, the size a multiple of `multiple`.
std::int64_t even_block(std::int64_t size, std::int64_t most, std::int64_t multiple) {
  most = std::max(most / multiple * multiple, multiple);
  const std::int64_t blocks = (size + most - 1) / most;
  return round_up((size + blocks - 1) / blocks, multiple);
}

}  // namespace

Blocks blocks_for(std::int64_t m, std::int64_t n, std::int64_t k, const Kernel& kernel,
                  const Caches& caches, int threads) {
  const std::int64_t step_of_b = kernel.columns * static_cast<std::int64_t>(sizeof(Word));
  const std::int64_t most_steps = caches.l1 * 3 / 2 / step_of_b;
  Blocks blocks;
  blocks.k = even_block(k, most_steps * kernel.depth, kernel.depth);
  const std::int64_t lane = blocks.k / kernel.depth * static_cast<std::int64_t>(sizeof(Word));
  const std::int64_t bytes_of_a = std::min(caches.l2 / 2, kMostBytesOfA) * threads;
  const std::int64_t bytes_of_b = std::min(std::max(caches.l3 / 2, caches.l2), kMostBytesOfB);
  blocks.rows = even_block(m, bytes_of_a / lane, kernel.rows);
  blocks.columns = even_block(n, bytes_of_b / lane, kernel.columns);
  return blocks;
}

int threads_for(std::int64_t m, std::int64_t n, std::int64_t k, const Kernel& kernel, int most) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double work = real(m) * real(n) * real(k) / kWorkOfAThread;
  const double tiles =
      real((m + kernel.rows - 1) / kernel.rows) * real((n + kernel.columns - 1) / kernel.columns);
  return static_cast<int>(std::clamp(std::min(work, tiles), 1.0, real(most)));
}

Grid grid_for(std::int64_t row_tiles, std::int64_t column_tiles, int threads) {
  const auto part = [](std::int64_t tiles, int parts) { return (tiles + parts - 1) / parts; };
  Grid best;
  std::int64_t fewest = -1;
  for (int rows = threads; rows >= 1; --rows) {
    const int columns = threads / rows;
    const std::int64_t tiles = part(row_tiles, rows) * part(column_tiles, columns);
    if (fewest >= 0 && tiles >= fewest) continue;
    fewest = tiles;
    best = {rows, columns};
  }
  return best;
}

}  // namespace tilewise::cpu::integer
