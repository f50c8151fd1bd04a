// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a plan by single tiles of f64 would cost (kernels/gemm/single_f64.cuh). A multiprocessor's share of the multiplications
// is most of it, unless what brings A and B is slower.
#include <algorithm>
#include <cmath>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"
#include "kernels/gemm/single_f64.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;

// Fitted to 2490 times of 183 products on an H100 (median error 2.5 %), less the 2.6 µs that other estimates leave out of what
// events measure. The start; of each tile its end, and what adds up and stores 4096 results (more where several groups of
// warps have left them); until the next one's first product; of parts what goes on between two kernels.
constexpr double kFillMicroseconds = 0.17;
constexpr double kEndMicroseconds = 0.66, kStoreMicroseconds = 0.83, kGroupsTime = 0.5;
constexpr double kAgainMicroseconds = 0.36;
constexpr double kPartsMicroseconds = 2.75, kPartsBytesPerMicrosecond = 7e6;
// Multiplications, as a share of the peak's time; what asks for a stage, and for each copy that brings it; what one block gets of
// the cache, and all together, which counts more where copies touch more lines or sectors than they bring; of the datasheet's
// bandwidth; how these add up.
constexpr double kMultiplyTime = 1.023;
constexpr double kStageMicroseconds = 0.045, kCopyMicroseconds = 0.022;
constexpr double kLineMicroseconds = 0.002;  // where threads bring it element by element
constexpr double kBytesPerMicrosecondOfOne = 1.81e5, kBytesPerMicrosecondOfAll = 1.03e7;
constexpr StraddlingTraffic kStraddlingOfOne{1.9, 1.9}, kStraddlingOfAll{1.26, 1.89};
constexpr double kMemoryShareOfAll = 0.84;
constexpr double kExponent = 8;
// Each block beyond one, up to so many, that asks for what comes from memory.
constexpr double kReaderTime = 0.028, kMostReaders = 4;
constexpr double kMissingRowsTime = 0.64;  // were hardly any of a tile's rows there

}  // namespace

Estimate estimate_of_single_f64(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = e.tiles * plan.parts;
  const auto blocks = static_cast<double>(e.blocks);
  e.waves = blocks / std::max(1, gpu.sm_count);
  const double rounds = std::max(1.0, std::ceil(e.waves));
  const auto k = static_cast<double>(plan.k_each);
  const double peak = flop_per_clock(kernel.pipe, gpu) * gpu.boost_clock_mhz;  // FLOP a µs and SM
  e.compute = rounds * k * 2.0 * kernel.bm * kernel.bn / peak * kMultiplyTime;
  const auto copies = [](bool along_k, int lines) {
    return along_k ? 1.0 : std::ceil(static_cast<double>(lines) / kernels::kSingleF64Box);
  };
  const double of_stage =
      kernel.box_a.lines > 0
          ? kCopyMicroseconds * (copies(oriented.a_along_k, kernel.bm) +
                                 copies(oriented.b_along_k, kernel.bn))
          : kLineMicroseconds * (kernel.bm + kernel.bn);
  const double ask = rounds * k / kernel.bk * (kStageMicroseconds + of_stage);
  // Across k tiles begin within lines of 128 bytes where they are no multiple of that wide.
  const auto bytes = [&](const StraddlingTraffic& traffic) {
    const auto of = [&](const PreparedFactor& prepared, const kernels::GemmFactor& factor,
                        bool along_k, int lines) {
      const bool is_within = !along_k && lines % kernels::kSingleF64Box != 0;
      return lines * std::max(straddling_traffic(prepared, factor, oriented, traffic),
                              is_within ? traffic.of_lines : 1.0);
    };
    return k * sizeof(double) *
           (of(plan.a, oriented.arguments.a, oriented.a_along_k, kernel.bm) +
            of(plan.b, oriented.arguments.b, oriented.b_along_k, kernel.bn));
  };
  double of_one = rounds * bytes(kStraddlingOfOne) / kBytesPerMicrosecondOfOne;
  double of_all = blocks * bytes(kStraddlingOfAll) / kBytesPerMicrosecondOfAll;
  if (oriented.m() < kernel.bm) {
    const double missing = 1 - static_cast<double>(oriented.m()) / kernel.bm;
    for (double* const time : {&of_one, &of_all}) *time *= 1 + kMissingRowsTime * std::sqrt(missing);
  }
  e.cache = std::max(of_one, of_all);
  const auto readers = static_cast<double>(
      oriented.n() >= oriented.m() ? divide_up(oriented.m(), std::int64_t{kernel.bm})
                                   : divide_up(oriented.n(), std::int64_t{kernel.bn}));
  if (gpu.memory_bandwidth > 0)
    e.memory = memory_bytes(oriented) * 1e6 / (gpu.memory_bandwidth * kMemoryShareOfAll) *
               (1 + kReaderTime * std::clamp(readers - 1, 0.0, kMostReaders));
  double powers = 0;
  for (const double time : {e.compute, ask, of_one, of_all, e.memory})
    powers += std::pow(time, kExponent);
  const double shown = std::pow(powers, 1 / kExponent) - std::max({e.compute, e.memory, e.cache});
  const double store = kStoreMicroseconds * kernel.bm * kernel.bn / 4096 *
                       (1 + kGroupsTime * kernel.steps_together);
  e.fill = shown + kFillMicroseconds + rounds * (kEndMicroseconds + store) +
           (rounds - 1) * kAgainMicroseconds;
  e.launches = kLaunchMicroseconds;
  if (!plan.parts_entry.empty()) {
    const double partials = static_cast<double>(kernel.bm) * kernel.bn * sizeof(double) * blocks;
    e.reduction = kPartsMicroseconds + 2 * partials / kPartsBytesPerMicrosecond;
  }
  add_preparation(e, plan, oriented, gpu);
  e.microseconds =
      std::max({e.compute, e.memory, e.cache}) + e.fill + e.reduction + e.preparation + e.launches;
  return e;
}

}  // namespace tilewise::gpu
