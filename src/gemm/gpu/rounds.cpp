// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/rounds.hpp"

#include <algorithm>
#include <cmath>

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

// Rows of tiles of a group. Sixteen tiles of neighbouring numbers are nearly a square then, and a GPU places as many blocks on
// one group of multiprocessors, whose requests for the same line are made one: they ask for the lines of eight rows and
// columns of tiles, where sixteen below each other ask for those of 17 (docs/lab/gpu_gemm.md).
constexpr int kGroupRows = 4;
// Of few tiles side by side one row after the other is nearly a square, too.
constexpr int kFewTiles = 4;
// The clusters of a launch lie otherwise, every eighth or so on the same group of multiprocessors: where they are all at work
// at one time, these are to be beside each other.
constexpr int kFewClusters = 8;
// Where C is most of what memory has to do, four times as wide bands: a round's tiles are long rows of it.
constexpr std::int64_t kShortK = 256, kWiderBands = 4;
// And of f32 up to this k all columns in one band, where that is no wider than three.
constexpr std::int64_t kMediumK = 1024, kBandsInOne = 3;
// Where C is stored element by element and that often, blocks are apart anyway. What counts then is memory.
constexpr int kApartGroupRows = 8;
constexpr std::int64_t kApartK = 2048;

bool are_apart(const Problem& oriented, bool transposes_result) {
  const std::int64_t row = transposes_result ? oriented.m() : oriented.n();
  return oriented.k() < kApartK &&
         row * static_cast<std::int64_t>(size_of(oriented.result)) % 16 != 0;
}

// Bytes of A and B that the blocks of one round read, each once.
double bytes_of_round(const Plan& plan, const Problem& oriented, std::int64_t blocks) {
  const kernels::GemmKernel& kernel = *plan.kernel;
  const std::int64_t across =
      tile_order(plan, oriented, blocks * plan.cluster.blocks()).band_columns;
  const std::int64_t rows = divide_up(blocks, across) * plan.cluster.down * kernel.bm,
                     columns = across * plan.cluster.across * kernel.bn;
  const std::int64_t lines = std::min(rows, oriented.m()) + std::min(columns, oriented.n());
  return static_cast<double>(lines) * static_cast<double>(oriented.k()) *
         static_cast<double>(size_of(oriented.operand));
}

}  // namespace

TileOrder tile_order(const Plan& plan, const Problem& oriented, std::int64_t blocks) {
  const kernels::GemmKernel& kernel = *plan.kernel;
  const std::int64_t height = std::int64_t{kernel.bm} * plan.cluster.down,
                     width = std::int64_t{kernel.bn} * plan.cluster.across;
  const std::int64_t down = divide_up(oriented.m(), height),
                     across = divide_up(oriented.n(), width);
  const std::int64_t clusters = blocks / plan.cluster.blocks();
  const bool apart = are_apart(oriented, kernel.transposes_result);
  TileOrder order;
  order.down = static_cast<std::uint32_t>(down), order.across = static_cast<std::uint32_t>(across);
  const bool is_one_round = down * across <= clusters;
  bool is_narrow = across <= kFewTiles;
  int rows = apart ? kApartGroupRows : kGroupRows;
  if (is_one_round && plan.cluster.blocks() > 1) {
    is_narrow = across <= kFewClusters && down > kFewClusters;
    rows = kFewClusters * plan.cluster.down;
  }
  if (!is_narrow)
    while (plan.cluster.down << order.group_rows_log2 < rows) ++order.group_rows_log2;
  std::int64_t bands = 1;
  if (!is_one_round && !apart) {
    // What is at work at one time is nearly a square of C.
    const double side =
        std::sqrt(static_cast<double>(clusters * height) / static_cast<double>(width));
    const std::int64_t columns = std::max(std::lround(side / kGroupRows), 1l) * kGroupRows *
                                 (oriented.k() <= kShortK ? kWiderBands : 1);
    bands = std::max<std::int64_t>((across + columns / 2) / columns, 1);
    if (size_of(oriented.operand) == 2 && size_of(oriented.result) == 4 &&
        oriented.k() <= kMediumK && across <= kBandsInOne * columns)
      bands = 1;
  }
  order.band_columns = static_cast<std::uint32_t>(divide_up(across, bands));
  return order;
}

bool wants_order(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const kernels::GemmKernel& kernel = *plan.kernel;
  const bool asks_most = kernel.persistent && kernel.box_a.lines > 0 && kernel.products == 1 &&
                         size_of(oriented.operand) == 2;
  return asks_most && (plan.streamed > 0 || tiles_of(plan, oriented) * plan.parts * oriented.count >
                                                blocks_at_a_time(plan, gpu));
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
