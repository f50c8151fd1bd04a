// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What plans of batches would cost whose tiles are many: then only what a tile takes a multiprocessor counts, and what
// memory takes, and the two hide behind each other. So a few figures a kernel say it, where the estimate of single products
// has terms for what begins and ends.
//
// Fitted to 5300 times of 540 batches on an H100, products of 4 to 2000 rows, columns and k: median errors of 1 to 10 %,
// where the other estimates had up to 78. Times that events take are left out here, as there.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;

constexpr double kExponent = 4;  // of how the two add up
// Of copies to aligned rows: other estimates are right of longer ones.
constexpr double kShortRowsTime = 1.6;
constexpr double kClockMhz = 1980;  // at which times were taken

// Microseconds at the start, the share of memory's bandwidth, microseconds of a multiprocessor for a tile and for each k
// of it, and by how much longer these are where rows of a factor begin within lines of 128 bytes, and within sectors of 32.
struct TileCost {
  double start, memory_share, tile, k;
  StraddlingTraffic straddling;
};
struct NamedTileCost {
  std::string_view kernel;
  TileCost cost;
};
constexpr std::array kTileCosts{
    NamedTileCost{"accurate_f32_128x128", {1.6, 0.64, 4.39, 0.0002, {1.14, 1.46}}},
    NamedTileCost{"accurate_f32_128x128_raw_a", {4.4, 0.54, 6.42, 0.0268, {1.19, 1.21}}},
    NamedTileCost{"accurate_f32_128x128_raw_b", {4.4, 0.56, 6.79, 0.0177, {1.12, 1.14}}},
    NamedTileCost{"accurate_f32_128x16_raw_b", {0.8, 0.75, 3.44, 0.0175, {1.27, 1.35}}},
    NamedTileCost{"accurate_f32_128x64", {0.4, 0.65, 2.65, 0.0050, {1.37, 1.49}}},
    NamedTileCost{"accurate_f32_128x64_raw_a", {3.8, 0.58, 4.63, 0.0095, {1.14, 1.17}}},
    NamedTileCost{"accurate_f32_128x64_raw_b", {1.6, 0.64, 4.87, 0.0120, {1.05, 1.09}}},
    NamedTileCost{"accurate_f32_64x32_tf32_transposed", {4.4, 0.82, 1.39, 0.0072, {1.03, 1.11}}},
    NamedTileCost{"hopper_f64_128x128", {4.4, 0.77, 2.71, 0.0612, {1.10, 1.11}}},
    NamedTileCost{"hopper_f64_128x128_any", {4.4, 0.80, 2.68, 0.0663, {1.11, 1.24}}},
    NamedTileCost{"hopper_f64_16x64", {4.1, 0.88, 0.30, 0.0080, {1.36, 1.74}}},
    NamedTileCost{"hopper_f64_32x32", {4.0, 0.88, 0.37, 0.0062, {1.22, 1.76}}},
    NamedTileCost{"hopper_f64_64x16", {3.3, 0.88, 0.26, 0.0092, {1.28, 1.49}}},
    NamedTileCost{"hopper_f64_64x64", {4.4, 0.83, 0.91, 0.0161, {1.10, 1.39}}},
    NamedTileCost{"hopper_f64_small_16x16", {1.4, 0.88, 0.75, 0.0060, {1.01, 1.09}}},
    NamedTileCost{"mma_f64_64x64", {4.4, 0.88, 0.52, 0.0221, {1.12, 1.15}}},
    NamedTileCost{"simt_f32_128x128", {4.4, 0.54, 3.82, 0.0848, {1.01, 1.59}}},
    NamedTileCost{"simt_f32_128x128_aligned", {4.4, 0.67, 5.05, 0.0762, {1.01, 1.09}}},
    NamedTileCost{"simt_f32_128x128_team_aligned", {4.4, 0.54, 1.13, 0.0979, {1.03, 1.12}}},
    NamedTileCost{"simt_f32_128x64_aligned", {4.4, 0.54, 3.72, 0.0396, {1.01, 1.09}}},
    NamedTileCost{"simt_f32_32x32", {3.7, 0.88, 0.16, 0.0087, {1.09, 1.29}}},
    NamedTileCost{"simt_f32_64x128", {2.9, 0.78, 4.92, 0.0408, {1.01, 1.10}}},
    NamedTileCost{"simt_f32_64x128_aligned", {3.3, 0.80, 3.80, 0.0417, {1.01, 1.09}}},
    NamedTileCost{"simt_f32_64x64", {3.8, 0.87, 0.50, 0.0266, {1.06, 1.23}}},
    NamedTileCost{"simt_f32_small_16x16", {1.5, 0.60, 0.80, 0.0060, {1.05, 1.07}}},
    NamedTileCost{"simt_f32_small_16x16_aligned", {1.7, 0.79, 0.64, 0.0060, {1.13, 1.21}}},
    NamedTileCost{"strip_bf16_32x16", {2.8, 0.79, 0.71, 0.0024, {1.08, 1.15}}},
    NamedTileCost{"strip_f16_32x16", {2.8, 0.79, 0.71, 0.0024, {1.08, 1.15}}},
    NamedTileCost{"strip_bf16_32x16_transposed", {2.9, 0.85, 0.80, 0.0013, {1.01, 1.03}}},
    NamedTileCost{"strip_f16_32x16_transposed", {2.9, 0.85, 0.80, 0.0013, {1.01, 1.03}}},
    NamedTileCost{"strip_bf16_32x16_to_f32_transposed", {3.8, 0.82, 0.79, 0.0012, {1.04, 1.05}}},
    NamedTileCost{"strip_f16_32x16_to_f32_transposed", {3.8, 0.82, 0.79, 0.0012, {1.04, 1.05}}},
    NamedTileCost{"strip_bf16_32x16_to_f32", {2.7, 0.79, 0.72, 0.0016, {1.09, 1.13}}},
    NamedTileCost{"strip_f16_32x16_to_f32", {2.7, 0.79, 0.72, 0.0016, {1.09, 1.13}}},
    NamedTileCost{"strip_bf16_64x16", {4.1, 0.79, 0.89, 0.0012, {1.08, 1.14}}},
    NamedTileCost{"strip_f16_64x16", {4.1, 0.79, 0.89, 0.0012, {1.08, 1.14}}},
    NamedTileCost{"strip_bf16_64x16_transposed", {3.3, 0.85, 1.02, 0.0016, {1.05, 1.11}}},
    NamedTileCost{"strip_f16_64x16_transposed", {3.3, 0.85, 1.02, 0.0016, {1.05, 1.11}}},
    NamedTileCost{"strip_bf16_64x16_to_f32_transposed", {4.2, 0.88, 0.97, 0.0012, {1.12, 1.13}}},
    NamedTileCost{"strip_f16_64x16_to_f32_transposed", {4.2, 0.88, 0.97, 0.0012, {1.12, 1.13}}},
    NamedTileCost{"strip_bf16_64x16_to_f32", {4.1, 0.79, 0.90, 0.0012, {1.09, 1.11}}},
    NamedTileCost{"strip_f16_64x16_to_f32", {4.1, 0.79, 0.90, 0.0012, {1.09, 1.11}}},
    NamedTileCost{"strip_bf16_64x32_short", {4.4, 0.83, 0.36, 0.0032, {1.07, 1.26}}},
    NamedTileCost{"strip_f16_64x32_short", {4.4, 0.83, 0.36, 0.0032, {1.07, 1.26}}},
    NamedTileCost{"strip_bf16_64x32_short_transposed", {4.4, 0.73, 0.41, 0.0030, {1.30, 1.40}}},
    NamedTileCost{"strip_f16_64x32_short_transposed", {4.4, 0.73, 0.41, 0.0030, {1.30, 1.40}}},
    NamedTileCost{"strip_bf16_64x32_short_to_f32_transposed",
                  {3.4, 0.84, 0.25, 0.0030, {1.85, 2.06}}},
    NamedTileCost{"strip_f16_64x32_short_to_f32_transposed",
                  {3.4, 0.84, 0.25, 0.0030, {1.85, 2.06}}},
    NamedTileCost{"strip_bf16_64x32_short_to_f32", {3.7, 0.77, 0.22, 0.0030, {1.84, 1.88}}},
    NamedTileCost{"strip_f16_64x32_short_to_f32", {3.7, 0.77, 0.22, 0.0030, {1.84, 1.88}}},
    NamedTileCost{"strip_f32_64x32_transposed", {4.4, 0.61, 3.27, 0.0129, {1.13, 1.21}}},
    NamedTileCost{"warpgroup_bf16_128x128", {4.4, 0.82, 1.08, 0.0047, {1.26, 1.30}}},
    NamedTileCost{"warpgroup_f16_128x128", {4.4, 0.82, 1.08, 0.0047, {1.26, 1.30}}},
    NamedTileCost{"warpgroup_bf16_128x128_turns", {4.2, 0.82, 0.38, 0.0046, {2.09, 2.21}}},
    NamedTileCost{"warpgroup_f16_128x128_turns", {4.2, 0.82, 0.38, 0.0046, {2.09, 2.21}}},
    NamedTileCost{"warpgroup_bf16_128x128_turns_to_f32", {4.4, 0.82, 0.78, 0.0046, {1.80, 1.91}}},
    NamedTileCost{"warpgroup_f16_128x128_turns_to_f32", {4.4, 0.82, 0.78, 0.0046, {1.80, 1.91}}},
    NamedTileCost{"warpgroup_bf16_128x128_to_f32", {4.4, 0.82, 1.43, 0.0047, {1.38, 1.53}}},
    NamedTileCost{"warpgroup_f16_128x128_to_f32", {4.4, 0.82, 1.43, 0.0047, {1.38, 1.53}}},
    NamedTileCost{"warpgroup_bf16_128x192", {4.4, 0.82, 1.40, 0.0076, {1.30, 1.33}}},
    NamedTileCost{"warpgroup_f16_128x192", {4.4, 0.82, 1.40, 0.0076, {1.30, 1.33}}},
    NamedTileCost{"warpgroup_bf16_128x192_turns", {4.4, 0.82, 0.99, 0.0072, {1.51, 1.71}}},
    NamedTileCost{"warpgroup_f16_128x192_turns", {4.4, 0.82, 0.99, 0.0072, {1.51, 1.71}}},
    NamedTileCost{"warpgroup_bf16_128x192_turns_to_f32", {4.4, 0.82, 3.00, 0.0072, {1.15, 1.33}}},
    NamedTileCost{"warpgroup_f16_128x192_turns_to_f32", {4.4, 0.82, 3.00, 0.0072, {1.15, 1.33}}},
    NamedTileCost{"warpgroup_bf16_128x192_to_f32", {4.4, 0.82, 2.08, 0.0076, {1.30, 1.39}}},
    NamedTileCost{"warpgroup_f16_128x192_to_f32", {4.4, 0.82, 2.08, 0.0076, {1.30, 1.39}}},
    NamedTileCost{"warpgroup_bf16_128x256", {4.4, 0.82, 1.53, 0.0098, {1.38, 1.39}}},
    NamedTileCost{"warpgroup_f16_128x256", {4.4, 0.82, 1.53, 0.0098, {1.38, 1.39}}},
    NamedTileCost{"warpgroup_bf16_128x256_to_f32", {4.4, 0.82, 2.63, 0.0098, {1.08, 1.36}}},
    NamedTileCost{"warpgroup_f16_128x256_to_f32", {4.4, 0.82, 2.63, 0.0098, {1.08, 1.36}}},
    NamedTileCost{"warpgroup_bf16_128x64", {4.2, 0.82, 1.16, 0.0030, {1.11, 1.14}}},
    NamedTileCost{"warpgroup_f16_128x64", {4.2, 0.82, 1.16, 0.0030, {1.11, 1.14}}},
    NamedTileCost{"warpgroup_bf16_128x64_to_f32", {4.4, 0.82, 0.41, 0.0030, {2.50, 2.54}}},
    NamedTileCost{"warpgroup_f16_128x64_to_f32", {4.4, 0.82, 0.41, 0.0030, {2.50, 2.54}}},
    NamedTileCost{"warpgroup_bf16_192x128", {4.4, 0.82, 1.36, 0.0076, {1.21, 1.22}}},
    NamedTileCost{"warpgroup_f16_192x128", {4.4, 0.82, 1.36, 0.0076, {1.21, 1.22}}},
    NamedTileCost{"warpgroup_bf16_192x128_to_f32", {4.4, 0.82, 1.79, 0.0076, {1.07, 1.28}}},
    NamedTileCost{"warpgroup_f16_192x128_to_f32", {4.4, 0.82, 1.79, 0.0076, {1.07, 1.28}}},
    NamedTileCost{"warpgroup_bf16_64x128", {4.4, 0.82, 0.78, 0.0030, {1.27, 1.42}}},
    NamedTileCost{"warpgroup_f16_64x128", {4.4, 0.82, 0.78, 0.0030, {1.27, 1.42}}},
    NamedTileCost{"warpgroup_bf16_64x128_to_f32", {4.4, 0.82, 1.28, 0.0030, {1.27, 1.33}}},
    NamedTileCost{"warpgroup_f16_64x128_to_f32", {4.4, 0.82, 1.28, 0.0030, {1.27, 1.33}}},
    NamedTileCost{"warpgroup_bf16_64x64", {4.4, 0.82, 0.87, 0.0022, {1.10, 1.13}}},
    NamedTileCost{"warpgroup_f16_64x64", {4.4, 0.82, 0.87, 0.0022, {1.10, 1.13}}},
    NamedTileCost{"warpgroup_bf16_64x64_to_f32", {3.7, 0.82, 0.37, 0.0022, {1.82, 2.24}}},
    NamedTileCost{"warpgroup_f16_64x64_to_f32", {3.7, 0.82, 0.37, 0.0022, {1.82, 2.24}}}};

// Of teams of warps (kernels/gemm/batch.cuh): microseconds at the start, the share of memory's bandwidth, microseconds of a
// multiprocessor for a tile and for each step of its k; how much longer steps take where a factor is not aligned; of a
// block from its start on, and for each step, which count where blocks are few; how much longer tiles take where C is not
// aligned.
struct TeamCost {
  double start, memory_share, tile, step, unaligned, block, block_step, unaligned_result;
};
struct NamedTeamCost {
  std::string_view kernel;  // without what says of C
  TeamCost cost;
};
constexpr std::array kTeamCosts{
    NamedTeamCost{"batch_bf16_16x16", {3.0, 0.76, 0.034, 0.059, 0.43, 0.01, 0.39, 0.59}},
    NamedTeamCost{"batch_f16_16x16", {3.0, 0.76, 0.034, 0.059, 0.43, 0.01, 0.39, 0.59}},
    NamedTeamCost{"batch_bf16_32x32", {3.4, 0.81, 0.038, 0.113, 0.53, 0.01, 0.39, 1.43}},
    NamedTeamCost{"batch_f16_32x32", {3.4, 0.81, 0.038, 0.113, 0.53, 0.01, 0.39, 1.43}},
    NamedTeamCost{"batch_bf16_64x64", {3.2, 0.80, 0.220, 0.274, 0.60, 1.88, 0.44, 0.66}},
    NamedTeamCost{"batch_f16_64x64", {3.2, 0.80, 0.220, 0.274, 0.60, 1.88, 0.44, 0.66}},
    NamedTeamCost{"batch_bf16_128x128", {3.4, 0.69, 1.039, 1.069, 0.56, 1.61, 1.37, 0.87}},
    NamedTeamCost{"batch_f16_128x128", {3.4, 0.69, 1.039, 1.069, 0.56, 1.61, 1.37, 0.87}},
    NamedTeamCost{"batch_bf16_64x8", {3.4, 0.81, 0.222, 0.065, 1.32, 0.53, 0.57, 0.32}},
    NamedTeamCost{"batch_f16_64x8", {3.4, 0.81, 0.222, 0.065, 1.32, 0.53, 0.57, 0.32}},
    NamedTeamCost{"batch_f64_8x8", {3.2, 0.88, 0.029, 0.026, 0.44, 1.32, 0.00, 0.41}},
    NamedTeamCost{"batch_f64_16x16", {3.4, 0.88, 0.011, 0.091, 0.21, 1.28, 0.67, 0.38}},
    NamedTeamCost{"batch_f32_16x16", {3.3, 0.88, 0.019, 0.072, 0.13, 1.56, 0.42, 0.63}},
    NamedTeamCost{"batch_f32_32x32", {3.4, 0.81, 0.045, 0.160, 0.09, 1.50, 0.67, 1.08}},
    NamedTeamCost{"batch_f32_32x8", {3.4, 0.80, 0.074, 0.104, 0.18, 0.06, 0.65, 0.46}},
    NamedTeamCost{"batch_f32_8x8", {2.0, 0.67, 0.040, 0.022, 0.50, 1.70, 0.35, 0.06}}};

const TileCost* cost_of(const GemmKernel& kernel) {
  static const auto known = [] {
    std::unordered_map<std::string_view, const TileCost*> all;
    for (const NamedTileCost& each : kTileCosts) all.emplace(each.kernel, &each.cost);
    return all;
  }();
  const auto found = known.find(kernel.name);
  return found == known.end() ? nullptr : found->second;
}

const TeamCost& team_cost_of(const GemmKernel& kernel) {
  const TeamCost* best = nullptr;
  std::size_t longest = 0;
  for (const NamedTeamCost& each : kTeamCosts) {
    if (!kernel.name.starts_with(each.kernel) || each.kernel.size() <= longest) continue;
    best = &each.cost, longest = each.kernel.size();
  }
  return best ? *best : kTeamCosts.front().cost;
}

double memory_time(const Problem& oriented, const model::Gpu& gpu, double share) {
  if (gpu.memory_bandwidth <= 0) return 0;
  return memory_bytes(oriented) * 1e6 / (gpu.memory_bandwidth * share);
}

double together(double one, double other, double third = 0) {
  return std::pow(
      std::pow(one, kExponent) + std::pow(other, kExponent) + std::pow(third, kExponent),
      1 / kExponent);
}

// Times on one multiprocessor, at another clock.
double at_clock(double microseconds, const model::Gpu& gpu) {
  return gpu.boost_clock_mhz > 0 ? microseconds * kClockMhz / gpu.boost_clock_mhz : microseconds;
}

Estimate begun(const Plan& plan, const Problem& oriented) {
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = divide_up(e.tiles, std::int64_t{std::max(1, plan.kernel->tiles_of_block)});
  return e;
}

void add_up(Estimate& e, double shown, const Plan& plan, const Problem& oriented,
            const model::Gpu& gpu) {
  e.launches = kLaunchMicroseconds;
  e.fill = shown - std::max(e.compute, e.memory) - kLaunchMicroseconds;
  add_preparation(e, plan, oriented, gpu);
  const auto is_copied = [](const PreparedFactor& factor) {
    return factor.preparation == kernels::Preparation::kRestride;
  };
  if (is_copied(plan.a) || is_copied(plan.b)) e.preparation *= kShortRowsTime;
  e.microseconds = std::max(e.compute, e.memory) + e.fill + e.preparation + e.launches;
}

}  // namespace

// Large products of f32 and f64 wait for their multiplications, which other estimates know better; but not those of f32 by
// tensor cores.
bool is_of_many_tiles(const Problem& oriented, const GemmKernel& kernel, const model::Gpu& gpu) {
  constexpr double kLarge = 0x1p24;  // multiplications
  const std::int64_t tiles = divide_up(oriented.m(), std::int64_t{kernel.bm}) *
                             divide_up(oriented.n(), std::int64_t{kernel.bn}) * oriented.count;
  if (oriented.count == 1 || tiles <= gpu.sm_count) return false;
  const bool may_be_large =
      size_of(oriented.operand) == 2 || oriented.mode == ComputeMode::kAccurate;
  return may_be_large || static_cast<double>(oriented.m()) * static_cast<double>(oriented.n()) *
                                 static_cast<double>(oriented.k()) <
                             kLarge;
}

bool is_known_of_many_tiles(const GemmKernel& kernel) { return cost_of(kernel) != nullptr; }

int known_of_many_tiles() { return static_cast<int>(kTileCosts.size()); }

Estimate estimate_of_many_tiles(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const TileCost& cost = *cost_of(*plan.kernel);
  Estimate e = begun(plan, oriented);
  const auto rounds =
      static_cast<double>(divide_up(e.blocks, std::int64_t{std::max(1, gpu.sm_count)}));
  e.waves = rounds / plan.kernel->blocks_per_sm;
  const GemmKernel& kernel = *plan.kernel;
  // What tiles of 16 bits store by themselves, where rows of C do not fit.
  const double store = size_of(oriented.result) == 2 && kernel.box_a.lines > 0
                           ? unaligned_store_time(kernel, oriented)
                           : 1.0;
  const double longer =
      (straddling_traffic(plan.a, oriented.arguments.a, oriented, cost.straddling) +
       straddling_traffic(plan.b, oriented.arguments.b, oriented, cost.straddling)) /
      2;
  e.compute = at_clock(
      rounds * longer * (cost.tile * store + cost.k * static_cast<double>(oriented.k())), gpu);
  e.memory = memory_time(oriented, gpu, cost.memory_share);
  add_up(e, cost.start + together(e.compute, e.memory), plan, oriented, gpu);
  return e;
}

Estimate estimate_of_teams(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  constexpr int kPiece = 16;
  const GemmKernel& kernel = *plan.kernel;
  const TeamCost& cost = team_cost_of(kernel);
  const int sms = std::max(1, gpu.sm_count);
  Estimate e = begun(plan, oriented);
  e.waves = static_cast<double>(e.blocks) / (sms * kernel.blocks_per_sm);
  const auto steps = static_cast<double>(divide_up(oriented.k(), std::int64_t{kernel.bk}));
  const auto is_unaligned = [&](const kernels::GemmFactor& factor) {
    return alignment_of(factor, oriented.count, size_of(oriented.operand)) < kPiece ? 0.5 : 0.0;
  };
  const double longer = 1 + cost.unaligned * (is_unaligned(oriented.arguments.a) +
                                              is_unaligned(oriented.arguments.b));
  const bool stores_fours = (kernel.transposes_result ? oriented.m() : oriented.n()) % 4 == 0 ||
                            sum_bytes_of(oriented) == 8;
  const double store = stores_fours ? 1 : 1 + cost.unaligned_result;
  e.compute = at_clock(
      static_cast<double>(e.tiles) / sms * (cost.tile * store + cost.step * steps * longer), gpu);
  e.memory = memory_time(oriented, gpu, cost.memory_share);
  const double blocks =
      std::ceil(e.waves) * at_clock(cost.block * store + cost.block_step * steps * longer, gpu);
  add_up(e, cost.start + together(e.compute, e.memory, blocks), plan, oriented, gpu);
  return e;
}

}  // namespace tilewise::gpu
