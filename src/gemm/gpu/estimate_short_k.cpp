// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What plans of 16-bit products by wgmma would cost where k is so short that C is what takes the time: each tile of a
// multiprocessor takes so long, most of it to be stored, and memory takes what it takes. So a few figures a kind of kernel
// say it, where other estimates have terms for what multiplications hide, of which there is next to nothing.
//
// Fitted to 10000 times of 89 aligned products of k from 8 to 96 on an H200, less the 2.6 µs that other estimates leave out
// of what events measure: median errors of 2 to 7 %, of two warpgroups that take turns 12 and 16 %. The other estimates
// were wrong by up to three times, and what they chose was a fifth behind the best.
//
// Of f32 and f64 the other estimates stand, with what storing C adds to them: so much for its bytes, and less for more k, which
// hide it. By fits to 11000 times of 240 products of k from 2 to 256 on an H200: median errors of 4 to 19 %, where they were
// 7 to 93 %; what is chosen is 1 to 11 % behind the best by them, where for k up to 64 it was 10 to 61 %.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;

// Beside fewer rows or columns other estimates were fitted, with tall products' kernels among them.
constexpr std::int64_t kShortK = 96, kTallColumns = 128;
constexpr double kClockMhz = 1980;    // at which times were taken
constexpr double kLargeTile = 16384;  // elements

// Microseconds at the start; of a multiprocessor for a tile, for what it is of a large one, and for that and each k; the share of
// memory's bandwidth.
struct ShortCost {
  double start, tile, large, large_k, memory_share;
};
struct ShortCosts {
  ShortCost of_16_bits, of_f32;  // by C
};
constexpr ShortCosts kTiles{{4.03, 0.85, 0.83, 0.0073, 0.82}, {4.16, 0.42, 1.92, 0.0076, 0.82}};
constexpr ShortCosts kTurns{{4.95, 0.0, 2.08, 0.0002, 0.82}, {5.40, 0.0, 3.03, 0.0, 0.82}};
constexpr ShortCosts kTurnedTiles{{3.80, 1.78, 0.55, 0.0, 0.46}, {3.83, 1.61, 1.08, 0.0029, 0.78}};
constexpr ShortCosts kSingles{{3.53, 0.0, 0.91, 0.0070, 0.40}, {3.10, 0.35, 1.47, 0.0056, 0.40}};
constexpr ShortCosts kTurnedSingles{{3.46, 0.0, 1.35, 0.0038, 0.48},
                                    {3.30, 0.0, 1.77, 0.0013, 0.51}};

// Of tiles of Cᵀ of 256 rows, whose products took 1.3 times as long as the figures of the others say.
constexpr double kTallTurnedTime = 1.45;

const ShortCosts& costs_of(const GemmKernel& kernel) {
  if (kernel.is_single) return kernel.transposes_result ? kTurnedSingles : kSingles;
  if (kernel.transposes_result) return kTurnedTiles;
  return kernel.hides_result ? kTurns : kTiles;
}

// What the estimate of a kernel is multiplied by, what is added, microseconds for a megabyte of C whose rows are multiples of 16
// bytes and whose are not, the k up to which that is all there to be seen, and the k up to which it was measured.
struct StoreCost {
  std::string_view kernels;  // how their names begin
  double scale, start, aligned, any, hidden_from_k;
  std::int64_t most_k;
};
constexpr std::array<StoreCost, 16> kStores{{
    {"accurate_f32_128x16_raw", 1, 0, 1.8, 1.65, 20, 256},
    {"accurate_f32_128x64_raw", 1, 0, 1.2, 1.3, 45, 256},
    {"accurate_f32_128x128_raw", 1, 0, 1.2, 1.3, 45, 256},
    {"accurate_f32_64x16_tf32", 0.6, 1.7, 0, 0.8, 64, 64},
    {"accurate_f32_64x32_tf32", 0.6, 1.7, 0, 0.8, 64, 64},
    {"accurate_f32", 1, 0, 0.8, 0.8, 18, 256},
    {"simt_f32_64x64", 1, 0, 0.34, 0.58, 20, 256},
    {"simt_f32_32x32", 1, 0, 0.41, 0.67, 17, 256},
    {"simt_f32_small", 0.77, 0, 0, 0, 1, 64},
    {"simt_f32", 1, -0.9, 0.25, 0.31, 64, 256},
    {"hopper_f64_small", 1, 0, 0, 0, 1, 64},
    {"hopper_f64_128x128", 1, 0, 0, 0.75, 150, 256},
    {"hopper_f64", 1, 0, 0, 0.75, 45, 256},
    {"mma_f64", 0.85, 1.5, 0.03, 0.5, 58, 256},
    {"single_f64", 0.72, 1.9, 0, 0, 1, 64},
    {"single_f64_any", 0.85, 1.5, 0, 0, 1, 64},  // which read A and B of any alignment
}};

const StoreCost* store_cost_of(const GemmKernel& kernel) {
  if (kernel.name.starts_with("single_f64") && kernel.name.ends_with("_any"))
    return &kStores.back();
  const auto found = std::ranges::find_if(
      kStores, [&](const StoreCost& cost) { return kernel.name.starts_with(cost.kernels); });
  return found == kStores.end() ? nullptr : &*found;
}

}  // namespace

void add_stores(Estimate& e, const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  constexpr double kBandwidth = 4.8e6;  // bytes a µs, of the GPU that times are of
  constexpr std::int64_t kLeastExtent = 33, kLeastElements = 400'000;  // as measured
  const GemmKernel& kernel = *plan.kernel;
  const bool is_meant = size_of(oriented.operand) > 2 && !kernel.goes_by_rounds &&
                        oriented.count == 1 && plan.parts == 1 && plan.streamed == 0;
  const StoreCost* const cost = is_meant ? store_cost_of(kernel) : nullptr;
  if (cost == nullptr || oriented.k() > cost->most_k ||
      std::min(oriented.m(), oriented.n()) < kLeastExtent ||
      oriented.m() < kLeastElements / oriented.n())
    return;
  const double megabytes = static_cast<double>(oriented.m()) * static_cast<double>(oriented.n()) *
                           static_cast<double>(size_of(oriented.result)) / 1e6;
  const auto k = static_cast<double>(std::max<std::int64_t>(1, oriented.k()));
  const double slower = gpu.memory_bandwidth > 0 ? kBandwidth * 1e6 / gpu.memory_bandwidth : 1;
  const double store = slower * megabytes *
                       (has_aligned_rows(kernel, oriented) ? cost->aligned : cost->any) *
                       std::min(1.0, cost->hidden_from_k / k);
  const double time = cost->scale * e.microseconds + cost->start + store;
  e.fill += time - e.microseconds;
  e.microseconds = time;
}

bool is_of_short_k(const Plan& plan, const Problem& oriented) {
  const GemmKernel& kernel = *plan.kernel;
  const bool is_meant = size_of(oriented.operand) == 2 && kernel.box_a.lines > 0 &&
                        kernel.tiles_of_block == 0 && !kernel.strides_tiles && !kernel.reads_pieces;
  return is_meant && oriented.count == 1 && oriented.k() <= kShortK &&
         std::min(oriented.m(), oriented.n()) > kTallColumns && plan.parts == 1 &&
         plan.streamed == 0;
}

Estimate estimate_of_short_k(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const bool is_wide = size_of(oriented.result) == 4;
  const ShortCosts& costs = costs_of(kernel);
  const ShortCost& cost = is_wide ? costs.of_f32 : costs.of_16_bits;
  Estimate e;
  e.tiles = e.blocks = tiles_of(plan, oriented);
  const auto at_a_time =
      static_cast<double>(std::max<std::int64_t>(1, blocks_at_a_time(plan, gpu)));
  e.waves = static_cast<double>(e.blocks) / at_a_time;
  const double large = static_cast<double>(kernel.bm) * kernel.bn / kLargeTile;
  const double store = is_wide ? 1.0 : unaligned_store_time(kernel, oriented);
  const double clock = gpu.boost_clock_mhz > 0 ? kClockMhz / gpu.boost_clock_mhz : 1.0;
  const bool is_tall = kernel.transposes_result && kernel.bm >= 256;
  e.compute = std::ceil(e.waves) * clock * (is_tall ? kTallTurnedTime : 1.0) *
              ((cost.tile + cost.large * large) * store +
               cost.large_k * large * static_cast<double>(oriented.k()));
  if (gpu.memory_bandwidth > 0)
    e.memory = memory_bytes(oriented) * 1e6 / (gpu.memory_bandwidth * cost.memory_share);
  const double together = one_behind_other(e.compute, e.memory);
  e.launches = kLaunchMicroseconds;
  e.fill = cost.start - kLaunchMicroseconds + together - std::max(e.compute, e.memory);
  add_preparation(e, plan, oriented, gpu);
  e.microseconds = std::max(e.compute, e.memory) + e.fill + e.preparation + e.launches;
  return e;
}

}  // namespace tilewise::gpu
