// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What sums of few outer products would cost (kernels/gemm/outer.cuh): what a multiprocessor takes for the tiles that it has,
// or what memory takes, and a start. Fitted to times of 98 products on an H200: median errors of 3 to 6 %, a tenth of them above
// 8 to 15. Starts were then moved by up to 0.8 µs, and what f64 takes for a k by 8 %, so that choices beside other estimates
// were the best.
#include <algorithm>
#include <cmath>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"
#include "gemm/gpu/outer_rounds.hpp"

namespace tilewise::gpu {
namespace {

constexpr double kClockMhz = 1980;  // at which times were taken

// Microseconds at the start; of a multiprocessor, for a tile of 128×64, and for each of its k; the share of memory's bandwidth.
struct OuterCost {
  double start, tile, of_k, memory_share;
};
// Where C's rows are multiples of 16 bytes, and where not.
struct OuterCosts {
  OuterCost aligned, any;
};
constexpr OuterCosts kF32{{4.25, 0.0, 0.067, 0.77}, {3.90, 0.22, 0.080, 0.53}};
constexpr OuterCosts kF64{{5.25, 0.35, 0.130, 0.76}, {4.80, 0.0, 0.166, 0.64}};
constexpr OuterCosts kHalves{{3.50, 0.18, 0.0166, 0.58}, {3.70, 0.55, 0.0223, 0.376}};
constexpr OuterCosts kHalvesToF32{{3.65, 0.0, 0.0249, 0.757}, {3.85, 0.33, 0.023, 0.61}};

const OuterCosts& costs_of(const Problem& oriented) {
  switch (size_of(oriented.operand)) {
    case 8: return kF64;
    case 4: return kF32;
    default: return size_of(oriented.result) == 4 ? kHalvesToF32 : kHalves;
  }
}

}  // namespace

Estimate estimate_of_outer(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const bool is_aligned = has_aligned_rows(*plan.kernel, oriented);
  const OuterCost& cost = is_aligned ? costs_of(oriented).aligned : costs_of(oriented).any;
  const std::int64_t sms = std::max(1, gpu.sm_count);
  const OuterRounds shape = outer_rounds(plan, oriented, oriented.count, is_aligned, gpu);
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = shape.down * shape.across * oriented.count;
  e.waves = static_cast<double>(e.blocks) /
            static_cast<double>(sms * std::max(1, plan.kernel->blocks_per_sm));
  const double clock = gpu.boost_clock_mhz > 0 ? kClockMhz / gpu.boost_clock_mhz : 1.0;
  const auto of_busiest = static_cast<double>(divide_up(e.blocks, sms) * shape.rounds);
  e.compute = clock * of_busiest * (cost.tile + cost.of_k * static_cast<double>(oriented.k()));
  if (gpu.memory_bandwidth > 0)
    e.memory = memory_bytes(oriented) * 1e6 / (gpu.memory_bandwidth * cost.memory_share);
  const double both = one_behind_other(e.compute, e.memory);
  e.launches = kLaunchMicroseconds;
  e.fill = cost.start - kLaunchMicroseconds + both - std::max(e.compute, e.memory);
  e.microseconds = std::max(e.compute, e.memory) + e.fill + e.launches;
  return e;
}

}  // namespace tilewise::gpu
