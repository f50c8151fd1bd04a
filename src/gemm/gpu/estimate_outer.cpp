// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What sums of few outer products would cost (kernels/gemm/outer.cuh): what a multiprocessor takes for the tiles that it has,
// or what memory takes, and a start. Of f32 and f64 fitted to times of 98 products on an H200, starts then moved by up to 0.8 µs,
// and what f64 takes for a k by 8 %, so that choices beside other estimates were the best; of 16 bits to 1400 times of 170 products,
// C added to or not. Median errors are 2 to 7 %, a tenth of them is above 8 to 21.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"
#include "gemm/gpu/outer_rounds.hpp"
#include "kernels/gemm/outer.hpp"

namespace tilewise::gpu {
namespace {

constexpr double kClockMhz = 1980;  // at which times were taken

// Microseconds at the start; of a multiprocessor, for a tile of 128×64, for each of its k, and for each k of rows of A; for blocks
// that begin after others; and the share of memory's bandwidth.
struct OuterCost {
  double start, tile, of_k, of_a, wave, memory_share;
};
// By RowsOfC.
using OuterCosts = std::array<OuterCost, 4>;
// By FMAs it only matters whether they begin anywhere.
constexpr OuterCosts by_fmas(const OuterCost& aligned, const OuterCost& anywhere) {
  return {aligned, aligned, aligned, anywhere};
}
constexpr OuterCosts kF32 =
    by_fmas({4.25, 0.00, 0.067, 0.0, 0.0, 0.77}, {3.90, 0.22, 0.080, 0.0, 0.0, 0.53});
constexpr OuterCosts kF64 =
    by_fmas({5.25, 0.35, 0.130, 0.0, 0.0, 0.76}, {4.80, 0.00, 0.166, 0.0, 0.0, 0.64});
constexpr OuterCosts kHalves{{{3.71, 0.48, 0.0069, 0.0015, 1.19, 1.20},
                              {3.49, 0.30, 0.0079, 0.0069, 1.12, 0.66},
                              {3.49, 0.33, 0.0055, 0.0100, 1.24, 0.66},
                              {4.11, 0.54, 0.0051, 0.0189, 1.12, 0.47}}};
constexpr OuterCosts kAddingHalves{{{3.92, 0.58, 0.0086, 0.0030, 1.55, 0.75},
                                    {3.11, 0.46, 0.0113, 0.0056, 0.00, 0.49},
                                    {3.37, 0.29, 0.0130, 0.0108, 0.00, 0.45},
                                    {5.19, 1.46, 0.0046, 0.0146, 0.10, 0.39}}};
constexpr OuterCosts kHalvesToF32{{{3.64, 0.56, 0.0066, 0.0029, 1.18, 0.89},
                                   {3.47, 0.56, 0.0094, 0.0039, 0.87, 0.82},
                                   {3.47, 0.56, 0.0094, 0.0039, 0.87, 0.74},
                                   {3.83, 0.76, 0.0049, 0.0195, 0.75, 0.72}}};
constexpr OuterCosts kAddingHalvesToF32{{{4.25, 0.77, 0.0082, 0.0044, 1.18, 0.81},
                                         {3.45, 0.22, 0.0159, 0.0124, 0.00, 0.58},
                                         {3.45, 0.22, 0.0159, 0.0124, 0.00, 0.58},
                                         {4.66, 1.94, 0.0136, 0.0000, 0.75, 0.59}}};

// How many times as long it takes where a block has all columns of 16 bits: seen of 2 products.
constexpr double kOneColumnOfBlocks = 1.3;
// Beside few rows or columns, and C that begins anywhere, estimates of other kernels have that much more of what events measure.
constexpr double kBesideTall = 2.6;

const OuterCosts& costs_of(const Problem& oriented) {
  switch (size_of(oriented.operand)) {
    case 8: return kF64;
    case 4: return kF32;
    default: break;
  }
  if (size_of(oriented.result) == 4) return oriented.reads_c() ? kAddingHalvesToF32 : kHalvesToF32;
  return oriented.reads_c() ? kAddingHalves : kHalves;
}

}  // namespace

Estimate estimate_of_outer(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const RowsOfC rows = rows_of_c(*plan.kernel, oriented);
  const OuterCost& cost = costs_of(oriented).at(static_cast<std::size_t>(rows));
  const std::int64_t sms = std::max(1, gpu.sm_count);
  const int alignment = rows == RowsOfC::kAnywhere ? 1 : rows == RowsOfC::kInSectors ? 16 : 32;
  const OuterRounds shape = outer_rounds(plan, oriented, oriented.count, alignment, gpu);
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = shape.down * shape.across * oriented.count;
  e.waves = static_cast<double>(e.blocks) /
            static_cast<double>(sms * std::max(1, plan.kernel->blocks_per_sm));
  const double clock = gpu.boost_clock_mhz > 0 ? kClockMhz / gpu.boost_clock_mhz : 1.0;
  const auto of_busiest = static_cast<double>(divide_up(e.blocks, sms) * shape.rounds),
             k = static_cast<double>(oriented.k());
  e.compute = clock * of_busiest *
              (static_cast<double>(shape.passes) * (cost.tile + cost.of_k * k) + cost.of_a * k);
  if (gpu.memory_bandwidth > 0)
    e.memory = memory_bytes(oriented) * 1e6 / (gpu.memory_bandwidth * cost.memory_share);
  const bool is_narrow = size_of(oriented.operand) == 2;
  if (is_narrow && rows != RowsOfC::kAnywhere && oriented.n() <= kernels::kOuterColumns)
    e.compute *= kOneColumnOfBlocks, e.memory *= kOneColumnOfBlocks;
  const double both = one_behind_other(e.compute, e.memory);
  e.launches = kLaunchMicroseconds;
  const bool is_beside_tall = is_narrow && rows == RowsOfC::kAnywhere &&
                              std::min(oriented.m(), oriented.n()) <= kTallColumns;
  e.fill = cost.start + (is_beside_tall ? kBesideTall : 0.0) +
           cost.wave * clock * std::max(0.0, std::ceil(e.waves) - 1) - kLaunchMicroseconds + both -
           std::max(e.compute, e.memory);
  e.microseconds = std::max(e.compute, e.memory) + e.fill + e.launches;
  return e;
}

}  // namespace tilewise::gpu
