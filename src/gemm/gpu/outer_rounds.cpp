// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/outer_rounds.hpp"

#include <algorithm>

#include "core/divide.hpp"
#include "kernels/gemm/outer.hpp"

namespace tilewise::gpu {

OuterRounds outer_rounds(const Plan& plan, const Problem& oriented, std::int64_t matrices,
                         bool is_aligned, const model::Gpu& gpu) {
  constexpr std::int64_t kMostTurns = 8;  // of all places, one after the other
  constexpr double kBeginning = 0.3;      // of a block, beside a round
  const std::int64_t stored =
      kernels::outer_columns_stored(is_aligned, static_cast<int>(size_of(oriented.operand)),
                                    static_cast<int>(size_of(oriented.result)));
  const std::int64_t tiles = divide_up(oriented.m(), std::int64_t{plan.kernel->bm}),
                     across = divide_up(oriented.n(), stored), beside = across * matrices,
                     places = std::max<std::int64_t>(
                         1, std::int64_t{gpu.sm_count} * plan.kernel->blocks_per_sm);
  if (tiles == 0 || beside == 0) return {1, tiles, across};
  OuterRounds best;
  double least = 0;
  for (std::int64_t turns = 1; turns <= kMostTurns; ++turns) {
    const std::int64_t wanted = std::clamp<std::int64_t>(turns * places / beside, 1, tiles),
                       rounds = divide_up(tiles, wanted), down = divide_up(tiles, rounds);
    const double time = static_cast<double>(divide_up(down * beside, places)) *
                        (static_cast<double>(rounds) + kBeginning);
    if (turns > 1 && time >= least) continue;
    least = time;
    best = {rounds, down, across};
  }
  return best;
}

}  // namespace tilewise::gpu
