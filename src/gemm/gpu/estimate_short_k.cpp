// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What plans of 16-bit products by wgmma would cost where k is so short that C is what takes the time: each tile of a
// multiprocessor takes so long, most of it to be stored, and memory takes what it takes. So a few figures a kind of kernel
// say it, where other estimates have terms for what multiplications hide, of which there is next to nothing.
//
// Fitted to 26000 times of 560 products of k from 1 to 96 on an H200, less the 2.6 µs that other estimates leave out of what
// events measure: median errors of 3 to 9 %, of large turns 13 %. For k up to 32 what is chosen is 0 to 3 % behind the best, by
// RowsOfC, beyond 1 to 7 %; of 72 products among them, before these were, 0 to 9 % and 0 to 14 %. What C that is added to takes
// more is of 30 products, C up to 160 MB.
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

constexpr std::int64_t kShortK = 96;
constexpr double kClockMhz = 1980;     // at which times were taken
constexpr double kBandwidth = 4.8e12;  // bytes a second, of that GPU
constexpr double kLargeTile = 16384;   // elements

double result_bytes(const Problem& oriented) {
  return static_cast<double>(oriented.m()) * static_cast<double>(oriented.n()) *
         static_cast<double>(size_of(oriented.result)) * static_cast<double>(oriented.count);
}
// How many times as long a GPU's memory takes.
double slower_memory(const model::Gpu& gpu) {
  return gpu.memory_bandwidth > 0 ? kBandwidth / gpu.memory_bandwidth : 1;
}

// Microseconds at the start; of a multiprocessor for a tile, for what it is of a large one, and for that and each k; what comes to
// be seen once it has several tiles. By RowsOfC the share of memory's bandwidth, and how many times as long tiles take. Microseconds
// for a megabyte of C that is read, where that is not anywhere; tiles of more columns than 128 leave warpgroups that take turns no
// registers for it. A share above 1: memory was no bound in what was measured.
struct ShortCost {
  double start, tile, large, large_k, several;
  std::array<double, 4> memory_share, store;
  double held;
};
struct ShortCosts {
  ShortCost of_16_bits, of_f32;  // by C
};
constexpr ShortCosts kTiles{
    {3.88, 0.94, 0.60, 0.0027, 1.44, {1.30, 1.30, 0.62, 0.40}, {1, 1.03, 1.08, 1.91}, 0.39},
    {3.87, 0.55, 1.96, 0.0035, 1.30, {1.30, 1.03, 0.48, 0.90}, {1, 0.99, 1.15, 1.72}, 0.30}};
constexpr ShortCosts kWideTiles{
    {5.45, 0.07, 0.16, 0.0044, 4.21, {0.76, 0.74, 0.57, 0.37}, {1, 1.25, 1.40, 4.00}, 0.51},
    {6.00, 0.38, 0.64, 0.0013, 4.20, {0.83, 0.78, 0.50, 0.42}, {1, 1.09, 0.70, 1.41}, 0.33}};
constexpr ShortCosts kTurns{
    {4.72, 0.23, 0.45, 0.0000, 4.34, {0.82, 0.75, 0.56, 0.34}, {1, 1.02, 1.09, 0.70}, 0.39},
    {4.71, 0.56, 1.00, 0.0000, 5.67, {0.81, 0.83, 0.54, 0.41}, {1, 1.06, 1.60, 0.81}, 0.33}};
constexpr ShortCosts kWideTurns{
    {6.76, 0.58, 1.08, 0.0002, 1.99, {1.30, 0.94, 0.54, 0.15}, {1, 1.06, 1.20, 4.00}, 1.25},
    {7.00, 1.12, 2.12, 0.0008, -0.15, {1.30, 1.30, 1.30, 0.32}, {1, 1.18, 1.42, 1.12}, 0.70}};
constexpr ShortCosts kTurnedTiles{
    {4.01, 1.38, 0.69, 0.0000, 2.35, {1.16, 0.77, 0.46, 0.25}, {1, 0.94, 0.91, 1.19}, 0.39},
    {3.95, 1.30, 1.10, 0.0000, 1.59, {0.81, 0.75, 0.41, 0.30}, {1, 0.99, 0.93, 1.10}, 0.31}};
constexpr ShortCosts kTallTurnedTiles{
    {4.10, 2.25, 0.82, 0.0000, 2.15, {0.52, 0.44, 0.40, 0.18}, {1, 0.92, 1.05, 0.81}, 0.57},
    {3.78, 1.81, 1.79, 0.0000, 2.83, {0.58, 1.30, 0.33, 0.24}, {1, 1.03, 0.92, 0.93}, 0.31}};
constexpr ShortCosts kSingles{
    {3.03, 0.77, 0.19, 0.0093, 0.00, {0.30, 0.34, 0.23, 0.24}, {1, 1.09, 0.86, 2.46}, 0.48},
    {2.50, 1.24, 1.18, 0.0025, 0.00, {0.37, 0.31, 0.23, 0.31}, {1, 0.94, 1.15, 1.61}, 0.22}};
constexpr ShortCosts kTurnedSingles{
    {2.97, 0.53, 1.21, 0.0009, 0.00, {0.30, 0.52, 0.30, 0.15}, {1, 1.07, 1.12, 2.25}, 0.42},
    {3.40, 0.00, 1.68, 0.0000, 0.00, {0.68, 0.49, 0.31, 0.31}, {1, 1.01, 1.08, 1.59}, 0.22}};
// What C is read at where its rows begin anywhere, of 16 bits and of f32: element by element.
constexpr double kHeldAnywhere = 2.0, kWideHeldAnywhere = 1.0;

const ShortCosts& costs_of(const GemmKernel& kernel) {
  if (kernel.is_single) return kernel.transposes_result ? kTurnedSingles : kSingles;
  if (kernel.transposes_result) return kernel.bm >= 256 ? kTallTurnedTiles : kTurnedTiles;
  if (kernel.hides_result) return kernel.bn > 128 ? kWideTurns : kTurns;
  return kernel.bm * kernel.bn >= 2 * kLargeTile ? kWideTiles : kTiles;
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
  constexpr std::int64_t kLeastExtent = 33, kLeastElements = 400'000;  // as measured
  const GemmKernel& kernel = *plan.kernel;
  const bool is_meant = size_of(oriented.operand) > 2 && !kernel.goes_by_rounds &&
                        oriented.count == 1 && plan.parts == 1 && plan.streamed == 0;
  const StoreCost* const cost = is_meant ? store_cost_of(kernel) : nullptr;
  if (cost == nullptr || oriented.k() > cost->most_k ||
      std::min(oriented.m(), oriented.n()) < kLeastExtent ||
      oriented.m() < kLeastElements / oriented.n())
    return;
  const auto k = static_cast<double>(std::max<std::int64_t>(1, oriented.k()));
  const double store =
      slower_memory(gpu) * result_bytes(oriented) / 1e6 *
      (rows_of_c(kernel, oriented) == RowsOfC::kAnywhere ? cost->any : cost->aligned) *
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
  const ShortCosts& costs = costs_of(kernel);
  const bool is_wide = size_of(oriented.result) == 4;
  const ShortCost& cost = is_wide ? costs.of_f32 : costs.of_16_bits;
  const RowsOfC rows_begin = rows_of_c(kernel, oriented);
  const auto rows = static_cast<std::size_t>(rows_begin);
  Estimate e;
  e.tiles = e.blocks = tiles_of(plan, oriented);
  const auto at_a_time =
      static_cast<double>(std::max<std::int64_t>(1, blocks_at_a_time(plan, gpu)));
  e.waves = static_cast<double>(e.blocks) / at_a_time;
  const double turns = std::ceil(e.waves);
  const double large = static_cast<double>(kernel.bm) * kernel.bn / kLargeTile;
  const double clock = gpu.boost_clock_mhz > 0 ? kClockMhz / gpu.boost_clock_mhz : 1.0;
  e.compute = turns * clock *
              ((cost.tile + cost.large * large) * cost.store.at(rows) +
               cost.large_k * large * static_cast<double>(oriented.k()));
  const double held = oriented.reads_c() ? result_bytes(oriented) : 0,
               of_held = rows_begin != RowsOfC::kAnywhere ? cost.held
                         : is_wide                        ? kWideHeldAnywhere
                                                          : kHeldAnywhere;
  if (gpu.memory_bandwidth > 0)
    e.memory =
        (memory_bytes(oriented) - held) * 1e6 / (gpu.memory_bandwidth * cost.memory_share.at(rows));
  const double together = one_behind_other(e.compute, e.memory);
  e.launches = kLaunchMicroseconds;
  e.fill = cost.start - kLaunchMicroseconds + together - std::max(e.compute, e.memory) +
           cost.several * clock * (1 - 1 / std::max(1.0, turns)) +
           slower_memory(gpu) * held / 1e6 * of_held;
  add_preparation(e, plan, oriented, gpu);
  e.microseconds = std::max(e.compute, e.memory) + e.fill + e.preparation + e.launches;
  return e;
}

}  // namespace tilewise::gpu
