// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/rounds.hpp"

#include <algorithm>

#include "core/divide.hpp"
#include "gemm/gpu/estimate.hpp"

namespace tilewise::gpu {
namespace {

constexpr std::int64_t kMostRounds = 65536;  // a word of workspace each
// So much of a row of A or B blocks may be apart when they begin a round: it takes them some microseconds, in which they hear
// of each other. Rounds have at least four times as much.
constexpr std::int64_t kSlackBytes = 1024;
// Of the cache: what a round reads, from which on blocks at different places in it are too far apart. One fetches for all what
// comes from memory, in either half of the cache.
constexpr double kLeastShareOfCache = 0.25;

// Bytes of A and B that the blocks of one round read, each once.
double bytes_of_round(const Plan& plan, const Problem& oriented, std::int64_t blocks) {
  const kernels::GemmKernel& kernel = *plan.kernel;
  const std::int64_t down = rows_at_work(plan, oriented);
  const std::int64_t rows = down * plan.cluster.down * kernel.bm,
                     columns = divide_up(blocks, down) * plan.cluster.across * kernel.bn;
  const std::int64_t lines = std::min(rows, oriented.m()) + std::min(columns, oriented.n());
  return static_cast<double>(lines) * static_cast<double>(oriented.k()) *
         static_cast<double>(size_of(oriented.operand));
}

}  // namespace

std::int64_t rows_at_work(const Plan& plan, const Problem& oriented) {
  const kernels::GemmKernel& kernel = *plan.kernel;
  const std::int64_t down = divide_up(oriented.m(), std::int64_t{kernel.bm} * plan.cluster.down);
  const std::int64_t across =
      divide_up(oriented.n(), std::int64_t{kernel.bn} * plan.cluster.across);
  // Where tiles side by side are few, those come one after the other: blocks of neighbouring numbers ask for the same rows
  // of A at nearly the same time, which the L2 cache's coalescers read once (docs/lab/gpu_gemm.md).
  constexpr std::int64_t kFew = 8;
  if (across <= kFew && down > kFew) return 1;
  return kernels::kGroupRows / plan.cluster.down;
}

short round_slack(const Plan& plan) {
  const std::int64_t step =
      plan.kernel->bk * static_cast<std::int64_t>(size_of(plan.kernel->operand));
  return static_cast<short>(std::max<std::int64_t>(1, kSlackBytes / step));
}

std::int64_t rounds_kept(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  if (!plan.kernel->keeps_rounds || plan.parts > 1 ||
      oriented.k() * static_cast<std::int64_t>(size_of(oriented.operand)) < 4 * kSlackBytes)
    return 0;
  const std::int64_t blocks = stream_blocks(plan, gpu);
  const std::int64_t tiles = tiles_of(plan, oriented) / plan.cluster.blocks() * oriented.count;
  const std::int64_t rounds =
      (plan.streamed > 0 ? 1 : 0) + divide_up(tiles - plan.streamed, blocks);
  if (rounds < 2 || rounds > kMostRounds) return 0;
  const auto cache = static_cast<double>(gpu.l2_bytes);
  if (factor_bytes(oriented) <= cache) return 0;
  return bytes_of_round(plan, oriented, blocks) >= kLeastShareOfCache * cache ? rounds : 0;
}

}  // namespace tilewise::gpu
