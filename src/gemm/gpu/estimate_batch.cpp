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
constexpr double kShortRowsTime =
    1.6;  // of copies to aligned rows, to which other estimates are right for longer ones
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
    NamedTileCost{"accurate_f32_128x128", {3.2, 0.65, 4.33, 0.0014, {1.13, 1.44}}},
    NamedTileCost{"accurate_f32_128x128_raw_a", {4.4, 0.54, 6.45, 0.0306, {1.18, 1.25}}},
    NamedTileCost{"accurate_f32_128x128_raw_b", {4.4, 0.54, 6.88, 0.0185, {1.12, 1.15}}},
    NamedTileCost{"accurate_f32_128x16_raw_b", {4.4, 0.77, 3.37, 0.0180, {1.66, 1.74}}},
    NamedTileCost{"accurate_f32_128x64", {0.6, 0.65, 2.73, 0.0050, {1.36, 1.46}}},
    NamedTileCost{"accurate_f32_128x64_raw_a", {4.4, 0.58, 4.67, 0.0105, {1.14, 1.17}}},
    NamedTileCost{"accurate_f32_128x64_raw_b", {3.4, 0.66, 4.83, 0.0128, {1.06, 1.09}}},
    NamedTileCost{"accurate_f32_64x32_tf32_transposed", {4.4, 0.81, 1.38, 0.0084, {1.02, 1.10}}},
    NamedTileCost{"hopper_f64_128x128", {4.4, 0.76, 2.86, 0.0623, {1.08, 1.09}}},
    NamedTileCost{"hopper_f64_128x128_any", {4.4, 0.78, 2.84, 0.0672, {1.09, 1.25}}},
    NamedTileCost{"hopper_f64_16x64", {4.3, 0.88, 0.30, 0.0081, {1.37, 1.73}}},
    NamedTileCost{"hopper_f64_32x32", {4.1, 0.88, 0.37, 0.0063, {1.21, 1.74}}},
    NamedTileCost{"hopper_f64_64x16", {3.7, 0.88, 0.25, 0.0094, {1.28, 1.48}}},
    NamedTileCost{"hopper_f64_64x64", {4.4, 0.83, 0.91, 0.0167, {1.09, 1.37}}},
    NamedTileCost{"hopper_f64_small_16x16", {1.4, 0.88, 0.75, 0.0060, {1.01, 1.09}}},
    NamedTileCost{"mma_f64_64x64", {4.4, 0.88, 0.51, 0.0231, {1.11, 1.15}}},
    NamedTileCost{"simt_f32_128x128", {4.4, 0.54, 3.47, 0.0956, {1.02, 1.62}}},
    NamedTileCost{"simt_f32_128x128_aligned", {4.4, 0.54, 4.98, 0.0826, {1.01, 1.09}}},
    NamedTileCost{"simt_f32_128x128_team_aligned", {4.4, 0.54, 1.09, 0.1036, {1.03, 1.11}}},
    NamedTileCost{"simt_f32_128x64_aligned", {4.4, 0.54, 3.68, 0.0436, {1.01, 1.09}}},
    NamedTileCost{"simt_f32_32x32", {4.1, 0.88, 0.15, 0.0088, {1.09, 1.30}}},
    NamedTileCost{"simt_f32_64x128", {4.4, 0.69, 4.59, 0.0458, {1.01, 1.15}}},
    NamedTileCost{"simt_f32_64x128_aligned", {4.4, 0.54, 3.72, 0.0451, {1.01, 1.09}}},
    NamedTileCost{"simt_f32_64x64", {4.4, 0.87, 0.47, 0.0274, {1.07, 1.25}}},
    NamedTileCost{"simt_f32_small_16x16", {2.0, 0.59, 0.80, 0.0060, {1.05, 1.07}}},
    NamedTileCost{"simt_f32_small_16x16_aligned", {2.2, 0.79, 0.64, 0.0060, {1.13, 1.22}}},
    NamedTileCost{"strip_bf16_32x16", {2.9, 0.79, 0.72, 0.0020, {1.08, 1.15}}},
    NamedTileCost{"strip_f16_32x16", {2.9, 0.79, 0.72, 0.0020, {1.08, 1.15}}},
    NamedTileCost{"strip_bf16_32x16_transposed", {3.3, 0.84, 0.80, 0.0012, {1.01, 1.03}}},
    NamedTileCost{"strip_f16_32x16_transposed", {3.3, 0.84, 0.80, 0.0012, {1.01, 1.03}}},
    NamedTileCost{"strip_bf16_32x16_to_f32_transposed", {4.2, 0.84, 0.79, 0.0012, {1.04, 1.05}}},
    NamedTileCost{"strip_f16_32x16_to_f32_transposed", {4.2, 0.84, 0.79, 0.0012, {1.04, 1.05}}},
    NamedTileCost{"strip_bf16_32x16_to_f32", {3.4, 0.79, 0.72, 0.0016, {1.09, 1.12}}},
    NamedTileCost{"strip_f16_32x16_to_f32", {3.4, 0.79, 0.72, 0.0016, {1.09, 1.12}}},
    NamedTileCost{"strip_bf16_64x16", {4.2, 0.79, 0.90, 0.0012, {1.08, 1.14}}},
    NamedTileCost{"strip_f16_64x16", {4.2, 0.79, 0.90, 0.0012, {1.08, 1.14}}},
    NamedTileCost{"strip_bf16_64x16_transposed", {3.7, 0.86, 1.03, 0.0016, {1.05, 1.11}}},
    NamedTileCost{"strip_f16_64x16_transposed", {3.7, 0.86, 1.03, 0.0016, {1.05, 1.11}}},
    NamedTileCost{"strip_bf16_64x16_to_f32_transposed", {4.4, 0.88, 0.94, 0.0015, {1.15, 1.16}}},
    NamedTileCost{"strip_f16_64x16_to_f32_transposed", {4.4, 0.88, 0.94, 0.0015, {1.15, 1.16}}},
    NamedTileCost{"strip_bf16_64x16_to_f32", {4.4, 0.79, 0.89, 0.0012, {1.09, 1.12}}},
    NamedTileCost{"strip_f16_64x16_to_f32", {4.4, 0.79, 0.89, 0.0012, {1.09, 1.12}}},
    NamedTileCost{"strip_bf16_64x32_short", {4.4, 0.83, 0.36, 0.0033, {1.07, 1.26}}},
    NamedTileCost{"strip_f16_64x32_short", {4.4, 0.83, 0.36, 0.0033, {1.07, 1.26}}},
    NamedTileCost{"strip_bf16_64x32_short_transposed", {4.4, 0.70, 0.36, 0.0030, {1.46, 1.59}}},
    NamedTileCost{"strip_f16_64x32_short_transposed", {4.4, 0.70, 0.36, 0.0030, {1.46, 1.59}}},
    NamedTileCost{"strip_bf16_64x32_short_to_f32_transposed",
                  {3.7, 0.85, 0.24, 0.0030, {1.92, 2.12}}},
    NamedTileCost{"strip_f16_64x32_short_to_f32_transposed",
                  {3.7, 0.85, 0.24, 0.0030, {1.92, 2.12}}},
    NamedTileCost{"strip_bf16_64x32_short_to_f32", {4.1, 0.80, 0.21, 0.0030, {1.89, 1.93}}},
    NamedTileCost{"strip_f16_64x32_short_to_f32", {4.1, 0.80, 0.21, 0.0030, {1.89, 1.93}}},
    NamedTileCost{"strip_f32_64x32_transposed", {4.4, 0.56, 3.33, 0.0136, {1.12, 1.20}}},
    NamedTileCost{"warpgroup_bf16_128x128", {4.4, 0.82, 1.13, 0.0047, {1.22, 1.27}}},
    NamedTileCost{"warpgroup_f16_128x128", {4.4, 0.82, 1.13, 0.0047, {1.22, 1.27}}},
    NamedTileCost{"warpgroup_bf16_128x128_turns", {4.4, 0.83, 0.28, 0.0046, {2.50, 2.76}}},
    NamedTileCost{"warpgroup_f16_128x128_turns", {4.4, 0.83, 0.28, 0.0046, {2.50, 2.76}}},
    NamedTileCost{"warpgroup_bf16_128x128_turns_to_f32", {4.4, 0.76, 0.64, 0.0046, {2.11, 2.23}}},
    NamedTileCost{"warpgroup_f16_128x128_turns_to_f32", {4.4, 0.76, 0.64, 0.0046, {2.11, 2.23}}},
    NamedTileCost{"warpgroup_bf16_128x128_to_f32", {4.4, 0.76, 1.24, 0.0047, {1.59, 1.76}}},
    NamedTileCost{"warpgroup_f16_128x128_to_f32", {4.4, 0.76, 1.24, 0.0047, {1.59, 1.76}}},
    NamedTileCost{"warpgroup_bf16_128x192", {4.4, 0.74, 1.20, 0.0076, {1.36, 1.40}}},
    NamedTileCost{"warpgroup_f16_128x192", {4.4, 0.74, 1.20, 0.0076, {1.36, 1.40}}},
    NamedTileCost{"warpgroup_bf16_128x192_turns", {4.4, 0.76, 0.89, 0.0072, {1.64, 1.80}}},
    NamedTileCost{"warpgroup_f16_128x192_turns", {4.4, 0.76, 0.89, 0.0072, {1.64, 1.80}}},
    NamedTileCost{"warpgroup_bf16_128x192_turns_to_f32", {4.4, 0.72, 3.09, 0.0072, {1.11, 1.17}}},
    NamedTileCost{"warpgroup_f16_128x192_turns_to_f32", {4.4, 0.72, 3.09, 0.0072, {1.11, 1.17}}},
    NamedTileCost{"warpgroup_bf16_128x192_to_f32", {4.4, 0.78, 1.79, 0.0076, {1.49, 1.56}}},
    NamedTileCost{"warpgroup_f16_128x192_to_f32", {4.4, 0.78, 1.79, 0.0076, {1.49, 1.56}}},
    NamedTileCost{"warpgroup_bf16_128x256", {4.4, 0.81, 0.93, 0.0098, {1.93, 1.94}}},
    NamedTileCost{"warpgroup_f16_128x256", {4.4, 0.81, 0.93, 0.0098, {1.93, 1.94}}},
    NamedTileCost{"warpgroup_bf16_128x256_to_f32", {4.4, 0.79, 2.20, 0.0098, {1.20, 1.55}}},
    NamedTileCost{"warpgroup_f16_128x256_to_f32", {4.4, 0.79, 2.20, 0.0098, {1.20, 1.55}}},
    NamedTileCost{"warpgroup_bf16_128x64", {4.4, 0.86, 1.20, 0.0030, {1.11, 1.12}}},
    NamedTileCost{"warpgroup_f16_128x64", {4.4, 0.86, 1.20, 0.0030, {1.11, 1.12}}},
    NamedTileCost{"warpgroup_bf16_128x64_to_f32", {4.4, 0.69, 0.32, 0.0030, {2.50, 2.72}}},
    NamedTileCost{"warpgroup_f16_128x64_to_f32", {4.4, 0.69, 0.32, 0.0030, {2.50, 2.72}}},
    NamedTileCost{"warpgroup_bf16_192x128", {4.4, 0.75, 0.51, 0.0076, {1.92, 1.94}}},
    NamedTileCost{"warpgroup_f16_192x128", {4.4, 0.75, 0.51, 0.0076, {1.92, 1.94}}},
    NamedTileCost{"warpgroup_bf16_192x128_to_f32", {4.4, 0.77, 1.40, 0.0076, {1.06, 1.53}}},
    NamedTileCost{"warpgroup_f16_192x128_to_f32", {4.4, 0.77, 1.40, 0.0076, {1.06, 1.53}}},
    NamedTileCost{"warpgroup_bf16_64x128", {4.4, 0.80, 0.79, 0.0030, {1.27, 1.44}}},
    NamedTileCost{"warpgroup_f16_64x128", {4.4, 0.80, 0.79, 0.0030, {1.27, 1.44}}},
    NamedTileCost{"warpgroup_bf16_64x128_to_f32", {4.4, 0.76, 1.20, 0.0030, {1.35, 1.42}}},
    NamedTileCost{"warpgroup_f16_64x128_to_f32", {4.4, 0.76, 1.20, 0.0030, {1.35, 1.42}}},
    NamedTileCost{"warpgroup_bf16_64x64", {4.4, 0.86, 0.89, 0.0022, {1.09, 1.13}}},
    NamedTileCost{"warpgroup_f16_64x64", {4.4, 0.86, 0.89, 0.0022, {1.09, 1.13}}},
    NamedTileCost{"warpgroup_bf16_64x64_to_f32", {3.9, 0.73, 0.29, 0.0022, {1.80, 2.57}}},
    NamedTileCost{"warpgroup_f16_64x64_to_f32", {3.9, 0.73, 0.29, 0.0022, {1.80, 2.57}}}};

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

bool is_of_many_tiles(const Problem& oriented, const GemmKernel& kernel, const model::Gpu& gpu) {
  const std::int64_t tiles = divide_up(oriented.m(), std::int64_t{kernel.bm}) *
                             divide_up(oriented.n(), std::int64_t{kernel.bn}) * oriented.count;
  return oriented.count > 1 && tiles > gpu.sm_count;
}

bool is_known_of_many_tiles(const GemmKernel& kernel) { return cost_of(kernel) != nullptr; }

int known_of_many_tiles() { return static_cast<int>(kTileCosts.size()); }

Estimate estimate_of_many_tiles(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const TileCost& cost = *cost_of(*plan.kernel);
  Estimate e = begun(plan, oriented);
  const double rounds = static_cast<double>(e.blocks) / std::max(1, gpu.sm_count);
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
