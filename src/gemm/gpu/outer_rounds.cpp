// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/outer_rounds.hpp"

#include <algorithm>

#include "core/divide.hpp"
#include "kernels/gemm/outer.hpp"

namespace tilewise::gpu {

OuterRounds outer_rounds(const Plan& plan, const Problem& oriented, std::int64_t matrices,
                         int alignment, const model::Gpu& gpu) {
  constexpr std::int64_t kMostTurns = 8;  // of all places, one after the other
  // Beside a pass: the beginning of a block, of 16 bits and else, and of 16 bits in a round each k of A, which hides where C is
  // read.
  constexpr double kBeginning = 1.2, kWideBeginning = 0.3, kOfA = 0.04, kOfHiddenA = 0.01;
  const bool is_narrow = size_of(oriented.operand) == 2;
  const double beginning = is_narrow ? kBeginning : kWideBeginning, of_a = !is_narrow ? 0.0
                                                                           : oriented.reads_c()
                                                                               ? kOfHiddenA
                                                                               : kOfA;
  const std::int64_t of_pass =
      kernels::outer_columns_stored(alignment, static_cast<int>(size_of(oriented.operand)),
                                    static_cast<int>(size_of(oriented.result)));
  // Where C is read, one pass was faster, presumably as a second one asks for C when A is there already; not where rows of C begin
  // anywhere.
  const std::int64_t tiles = divide_up(oriented.m(), std::int64_t{plan.kernel->bm}),
                     most_passes = is_narrow && oriented.n() > of_pass &&
                                           (!oriented.reads_c() || alignment < 16)
                                       ? kernels::kOuterMostPasses
                                       : 1,
                     places = std::max<std::int64_t>(
                         1, std::int64_t{gpu.sm_count} * plan.kernel->blocks_per_sm);
  OuterRounds best{1, 1, of_pass, tiles, divide_up(oriented.n(), of_pass)};
  if (tiles == 0 || oriented.n() == 0 || matrices == 0) return best;
  double least = 0;
  for (std::int64_t passes = 1; passes <= most_passes; ++passes) {
    const std::int64_t across = divide_up(oriented.n(), passes * of_pass),
                       beside = across * matrices;
    for (std::int64_t turns = 1; turns <= kMostTurns; ++turns) {
      const std::int64_t wanted = std::clamp<std::int64_t>(turns * places / beside, 1, tiles),
                         rounds = divide_up(tiles, wanted), down = divide_up(tiles, rounds);
      const double a_round = static_cast<double>(passes) + of_a * static_cast<double>(oriented.k());
      const double time = static_cast<double>(divide_up(down * beside, places)) *
                          (static_cast<double>(rounds) * a_round + beginning);
      if (least > 0 && time >= least) continue;
      least = time;
      best = {rounds, passes, passes * of_pass, down, across};
    }
  }
  return best;
}

}  // namespace tilewise::gpu
