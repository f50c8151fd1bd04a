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

// Fitted to 2490 times of 183 products on an H100, and of any alignment to 1130 of 114 (median errors 2.3 %), less the
// 2.6 µs that other estimates leave out of what events measure.
struct Fit {
  // The start; of each tile its end, and what adds up and stores 4096 results (by half as much more for each group of warps
  // that has left them); until the next one's first product.
  double fill, end, store, again;
  double parts, parts_bytes;  // of parts of k what goes on between two kernels; bytes a µs
  double multiply;            // of the time at the pipe's peak
  // For each stage: what asks for it, for each copy that brings it, or for each line where threads do; what a warp of a group
  // waits for.
  double stage, copy, line, wait;
  // Bytes a µs of the cache: one block, and all together, which count more where copies touch more lines or sectors than they bring.
  double bytes_of_one, bytes_of_all;
  StraddlingTraffic straddling_of_one, straddling_of_all;
  double memory_share;  // of the datasheet's bandwidth
  double reader;        // each block beyond one, up to four, that asks for what comes from memory
  double exponent;      // of how all that adds up
};
constexpr Fit kByMaps{.fill = 0.4,
                      .end = 0.73,
                      .store = 0.85,
                      .again = 0.7,
                      .parts = 2.8,
                      .parts_bytes = 7.9e6,
                      .multiply = 1.007,
                      .stage = 0.047,
                      .copy = 0.00086,
                      .line = 0,
                      .wait = 0,
                      .bytes_of_one = 1.61e5,
                      .bytes_of_all = 1.12e7,
                      .straddling_of_one = {1.4, 1.8},
                      .straddling_of_all = {1.33, 1.93},
                      .memory_share = 0.865,
                      .reader = 0.03,
                      .exponent = 5.1};
constexpr Fit kByThreads{.fill = 0,
                         .end = 0.21,
                         .store = 1.04,
                         .again = 0.31,
                         .parts = 4.4,
                         .parts_bytes = 1.7e7,
                         .multiply = 1.021,
                         .stage = 0.185,
                         .copy = 0,
                         .line = 0.0011,
                         .wait = 0.7,
                         .bytes_of_one = 3.1e5,
                         .bytes_of_all = 3.19e7,
                         .straddling_of_one = {2, 1},
                         .straddling_of_all = {3, 3.4},
                         .memory_share = 0.88,
                         .reader = 0.133,
                         .exponent = 8};
constexpr double kGroupsTime = 0.5;
constexpr double kExponent = 8;  // of how all that adds up
constexpr double kMostReaders = 4;
constexpr double kMissingRowsTime =
    0.64;  // were hardly any of a tile's rows there, and TMA asked for them

}  // namespace

Estimate estimate_of_single_f64(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const bool by_maps = kernel.box_a.lines > 0;
  const Fit& fit = by_maps ? kByMaps : kByThreads;
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = e.tiles * plan.parts;
  const auto blocks = static_cast<double>(e.blocks);
  e.waves = blocks / std::max(1, gpu.sm_count);
  const double rounds = std::max(1.0, std::ceil(e.waves));
  const auto k = static_cast<double>(plan.k_each);
  const double peak = flop_per_clock(kernel.pipe, gpu) * gpu.boost_clock_mhz;  // FLOP a µs and SM
  e.compute = rounds * k * 2.0 * kernel.bm * kernel.bn / peak * fit.multiply;
  const auto copies = [](bool along_k, int lines) {
    return along_k ? 1.0 : std::ceil(static_cast<double>(lines) / kernels::kSingleF64Box);
  };
  const double stages = rounds * k / kernel.bk;
  const double ask =
      stages *
      (fit.stage + fit.line * (kernel.bm + kernel.bn) +
       fit.copy * (copies(oriented.a_along_k, kernel.bm) + copies(oriented.b_along_k, kernel.bn)));
  const double wait = stages / kernel.steps_together * fit.wait;
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
  double of_one = rounds * bytes(fit.straddling_of_one) / fit.bytes_of_one;
  double of_all = blocks * bytes(fit.straddling_of_all) / fit.bytes_of_all;
  if (by_maps && oriented.m() < kernel.bm) {
    const double missing = 1 - static_cast<double>(oriented.m()) / kernel.bm;
    for (double* const time : {&of_one, &of_all})
      *time *= 1 + kMissingRowsTime * std::sqrt(missing);
  }
  e.cache = std::max(of_one, of_all);
  const auto readers = static_cast<double>(oriented.n() >= oriented.m()
                                               ? divide_up(oriented.m(), std::int64_t{kernel.bm})
                                               : divide_up(oriented.n(), std::int64_t{kernel.bn}));
  if (gpu.memory_bandwidth > 0)
    e.memory = memory_bytes(oriented) * 1e6 / (gpu.memory_bandwidth * fit.memory_share) *
               (1 + fit.reader * std::clamp(readers - 1, 0.0, kMostReaders));
  double powers = 0;
  for (const double time : {e.compute, ask, wait, of_one, of_all, e.memory})
    powers += std::pow(time, fit.exponent);
  const double shown =
      std::pow(powers, 1 / fit.exponent) - std::max({e.compute, e.memory, e.cache});
  const double store =
      fit.store * kernel.bm * kernel.bn / 4096 * (1 + kGroupsTime * kernel.steps_together);
  e.fill = shown + fit.fill + rounds * (fit.end + store) + (rounds - 1) * fit.again;
  e.launches = kLaunchMicroseconds;
  if (!plan.parts_entry.empty()) {
    const double partials = static_cast<double>(kernel.bm) * kernel.bn * sizeof(double) * blocks;
    e.reduction = fit.parts + 2 * partials / fit.parts_bytes;
  }
  add_preparation(e, plan, oriented, gpu);
  e.microseconds =
      std::max({e.compute, e.memory, e.cache}) + e.fill + e.reduction + e.preparation + e.launches;
  return e;
}

}  // namespace tilewise::gpu
