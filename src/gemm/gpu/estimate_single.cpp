// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a plan by single tiles would cost. They are over so soon that other terms count than for other kernels.
#include <algorithm>
#include <cmath>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;

// Fitted to 3400 times of 330 products on an H100 (what stores 16 bits, and reads what is large, on an H200), less the 2.6 µs
// that other estimates leave out of what events measure. The start, and each warpgroup's; what one block gets of the cache, and all together, which
// counts more where rows begin within lines and within sectors; what a step takes at least, as one waits for the last; how
// these and the memory add up; what storing 64 columns takes, in 16 bits with what goes before; of parts what goes on between
// two kernels.
constexpr double kFillMicroseconds = -0.25, kWarpgroupMicroseconds = 0.35;
constexpr double kBytesPerMicrosecondOfOne = 1.75e5, kBytesPerMicrosecondOfAll = 2.3e7;
constexpr StraddlingTraffic kStraddlingOfOne{1.15, 1.7}, kStraddlingOfAll{2.1, 3.8};
constexpr double kStepMicroseconds = 0.1;
constexpr double kMemoryShareOfAll = 0.87;  // of the datasheet's bandwidth
constexpr double kExponent = 3.3, kFarExponent = 8;
constexpr double kStoreMicroseconds = 0.75;
constexpr double kNarrowStoreBegins = 0.35, kNarrowStoreMicroseconds = 0.45;
constexpr double kTurnedStoreBegins = 0.1, kTurnedStoreMicroseconds = 1.0;
constexpr double kPartsMicroseconds = 3.6, kPartsBytesPerMicrosecond = 6e6;
// Beside other kernels that use the cache, so much of them took longer.
constexpr double kManyPartsBytes = 2e6, kManyPartsMicroseconds = 0.4;
// Each block beyond two that asks for what comes from memory, up to four; or beyond one, for twice as much as the cache holds.
constexpr double kReaderTime = 0.1, kMostReaders = 4;
constexpr double kFarReaderTime = 0.2, kFarFromCache = 2;
// Until a line from so far has come, where the memory is as busy as it can be.
constexpr double kFarLineMicroseconds = 1.85;
constexpr double kPanelTime = 1.05;  // where each asks for 128 bytes a row
// What tiles would take longer if hardly any of their rows, or columns of a panel, were there.
constexpr double kMissingRowsTime = 1.2;
// What tiles of 128 rows and more than 96 columns, with k along both factors, take longer, for each 32 columns.
constexpr int kWideColumns = 96;
constexpr double kWideMicroseconds = 1.8;
// What tiles of more k than kLongK took longer, where it is twice as much: none was meant for these.
constexpr double kLongK = 32768, kLongTime = 1.0;
constexpr double kAgainMicroseconds = 1.8;  // from a block's end to the next one's first load
// More behind copies, and where C's rows of 16 bits have ends: beside other kernels, presumably as code is met cold.
constexpr double kBehindCopiesMicroseconds = 1.0, kEndsMicroseconds = 1.5;

}  // namespace

// A block waits for what it asks for, hardly ever for its multiplications.
Estimate estimate_of_single(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = e.tiles * plan.parts;
  const auto blocks = static_cast<double>(e.blocks);
  e.waves = blocks / std::max(1, gpu.sm_count);
  const double rounds = std::ceil(e.waves);
  const auto k = static_cast<double>(plan.k_each);
  const double peak = flop_per_clock(kernel.pipe, gpu) * gpu.boost_clock_mhz;  // FLOP a µs and SM
  e.compute =
      rounds * k * std::max(kStepMicroseconds / kernel.bk, 2.0 * kernel.bm * kernel.bn / peak);
  const auto lines = [&](const StraddlingTraffic& traffic) {
    return kernel.bm * straddling_traffic(plan.a, oriented.arguments.a, oriented, traffic) +
           kernel.bn * straddling_traffic(plan.b, oriented.arguments.b, oriented, traffic);
  };
  const double of_k = k * static_cast<double>(size_of(oriented.operand));
  const double of_one = rounds * lines(kStraddlingOfOne) * of_k / kBytesPerMicrosecondOfOne;
  const double of_all = blocks * lines(kStraddlingOfAll) * of_k / kBytesPerMicrosecondOfAll;
  e.cache = std::max(of_one, of_all);
  // Of the larger factor most comes from memory, and is asked for by all tiles below each other, or side by side; where it lies
  // across k, by 128 bytes a row and panel.
  const bool is_b_larger = oriented.n() >= oriented.m();
  const auto readers =
      static_cast<double>(is_b_larger ? divide_up(oriented.m(), std::int64_t{kernel.bm})
                                      : divide_up(oriented.n(), std::int64_t{kernel.bn}));
  const bool is_one_panel =
      is_b_larger ? !oriented.b_along_k && kernel.bn < 128 : !oriented.a_along_k && kernel.bm < 128;
  const double bytes = memory_bytes(oriented);
  const bool is_far = bytes > kFarFromCache * static_cast<double>(gpu.l2_bytes);
  if (gpu.memory_bandwidth > 0)
    e.memory = bytes * 1e6 / (gpu.memory_bandwidth * kMemoryShareOfAll) *
               (1 + (is_far ? kFarReaderTime * (readers - 1)
                            : kReaderTime * std::clamp(readers - 2, 0.0, kMostReaders))) *
               (is_one_panel ? kPanelTime : 1.0);
  // No more comes in the time that one line takes than the blocks' rings ask for.
  if (is_far) {
    const double lines_of_ring =
        static_cast<double>(kernel.stages) * (is_b_larger ? kernel.bn : kernel.bm);
    const double asked = std::min(blocks, static_cast<double>(gpu.sm_count)) * lines_of_ring *
                         kernel.bk * static_cast<double>(size_of(oriented.operand));
    e.memory = std::max(e.memory, bytes * kFarLineMicroseconds / asked);
  }
  const auto missing = [](std::int64_t extent, int of_tile) {
    return 1 - static_cast<double>(extent) / of_tile;
  };
  double slower = 1;
  if (oriented.m() < kernel.bm)
    slower += kMissingRowsTime * std::sqrt(missing(oriented.m(), kernel.bm));
  if (oriented.n() < kernel.bn && !oriented.b_along_k)
    slower += kMissingRowsTime * std::sqrt(missing(oriented.n(), kernel.bn));
  slower *= 1 + kLongTime * std::clamp(k / kLongK - 1, 0.0, 1.0);
  for (double* const time : {&e.compute, &e.memory, &e.cache}) *time *= slower;
  // They do not quite hide behind each other, but for what lasts long.
  const double exponent = is_far ? kFarExponent : kExponent;
  double powers = 0;
  for (const double time : {e.compute, e.memory, of_one * slower, of_all * slower})
    powers += std::pow(time, exponent);
  const double shown = std::pow(powers, 1 / exponent) - std::max({e.compute, e.memory, e.cache});
  const double sixty_fours = kernel.bn / 64.0;
  double store = 0;
  if (plan.leaves_parts || size_of(oriented.result) == 4) {
    store = kStoreMicroseconds * sixty_fours;
  } else {
    store =
        unaligned_store_time(kernel, oriented) *
        (kernel.transposes_result ? kTurnedStoreBegins + kTurnedStoreMicroseconds * sixty_fours
                                  : kNarrowStoreBegins + kNarrowStoreMicroseconds * sixty_fours);
  }
  e.fill = shown + kFillMicroseconds + kWarpgroupMicroseconds * kernel.bm / 64 + store +
           (rounds - 1) * kAgainMicroseconds;
  const auto is_copied = [](const PreparedFactor& factor) {
    return factor.preparation == kernels::Preparation::kRestride;
  };
  if (is_copied(plan.a) || is_copied(plan.b)) e.fill += kBehindCopiesMicroseconds;
  if (!plan.leaves_parts && size_of(oriented.result) == 2 && !kernel.transposes_result &&
      oriented.n() % 8 != 0)
    e.fill += kEndsMicroseconds;
  if (kernel.bm == 128 && kernel.bn > kWideColumns && oriented.a_along_k && oriented.b_along_k)
    e.fill += kWideMicroseconds * (kernel.bn - kWideColumns) / 32;
  e.launches = kLaunchMicroseconds;
  if (!plan.parts_entry.empty()) {
    const double partials = static_cast<double>(kernel.bm) * kernel.bn *
                            static_cast<double>(sum_bytes_of(oriented)) * blocks;
    e.reduction = kPartsMicroseconds + 2 * partials / kPartsBytesPerMicrosecond +
                  (partials > kManyPartsBytes ? kManyPartsMicroseconds : 0);
  }
  add_preparation(e, plan, oriented, gpu);
  e.microseconds =
      std::max({e.compute, e.memory, e.cache}) + e.fill + e.reduction + e.preparation + e.launches;
  return e;
}

}  // namespace tilewise::gpu
