// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What plans would cost by kernels that read factors of any alignment where they are, in pieces of 16 bytes: a handful of
// rows (kernels/gemm/thin.cuh) and strips (kernels/gemm/strip_any.cuh). A block's time grows with its k, those of one
// multiprocessor come one after the other, and what memory takes hides behind that, or the other way round.
//
// Fitted to 2500 times of 79 products on an H100, of 1 to 129 rows or columns, nearly all of them unaligned: median errors of
// 4 to 6 %, a tenth of them above 8 to 22.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;

// What 16-bit plans are held against copy factors to aligned rows, and estimates of these are as much too high where the copies
// stay in the second-level cache.
constexpr double kAsCopiesAre = 1.07;
constexpr double kPartsBytesPerMicrosecond = 3e6;  // that are left and added up
// That a multiprocessor gets where others are idle.
constexpr double kThinBytesAlone = 28000, kStripBytesAlone = 20000;

// Microseconds at the start; of a block, and for each 1000 k of it, by whether they lie along the long factor's rows or
// across; more where they lie across those of the short one; bytes of the long factor that come to a multiprocessor in a
// microsecond, again along and across; of parts that are added up; how much longer two blocks take on one multiprocessor,
// for each more than one.
struct PiecesCost {
  double start, block, along, across, short_across, bytes_along, bytes_across, parts, beside;
};
// For one row, four and eight; of strips by their columns. Of 16 bits, and of f32.
constexpr PiecesCost kThin1{4.59, 2.43, 0.75, 1.50, 0.23, 16700, 15700, 1.98, 0.94},
    kThin4{5.06, 3.93, 2.18, 3.01, 0, 16400, 17000, 2.53, 1},
    kFloats1{6.21, 1.62, 1.21, 1.54, 0.09, 19600, 19900, 1.19, 1.7},
    kFloats4{4.74, 2.89, 3.69, 3.67, 0.00, 20700, 19700, 4.05, 1},
    kFloats8{4.67, 3.88, 4.16, 4.00, 0.00, 17100, 17200, 4.44, 1},
    kStrip16{5.07, 2.45, 1.11, 1.25, 2.20, 13300, 10800, 1.36, 1},
    kStrip32{4.29, 2.36, 3.46, 3.61, 0.96, 11400, 10300, 1.46, 1},
    kStrip64{4.04, 2.60, 5.82, 6.31, 0.06, 11200, 9900, 1.93, 1},
    kFloatStrip16{4.54, 2.27, 6.77, 6.57, 0.49, 18200, 17400, 3.34, 1};

bool is_strip(const GemmKernel& kernel) { return kernel.name.starts_with("strip"); }

const PiecesCost& cost_of(const GemmKernel& kernel) {
  const bool is_f32 = kernel.operand == Dtype::kF32;
  if (is_strip(kernel)) {
    if (is_f32) return kFloatStrip16;
    return kernel.bn <= 16 ? kStrip16 : kernel.bn <= 32 ? kStrip32 : kStrip64;
  }
  if (kernel.bm == 1) return is_f32 ? kFloats1 : kThin1;
  if (kernel.bm == 4) return is_f32 ? kFloats4 : kThin4;
  return kFloats8;
}

}  // namespace

Estimate estimate_of_pieces(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const PiecesCost& cost = cost_of(kernel);
  // Strips' lines are the long factor's, which is A to them.
  const bool along = is_strip(kernel) ? oriented.a_along_k : oriented.b_along_k,
             short_along = is_strip(kernel) ? oriented.b_along_k : oriented.a_along_k;
  const int sms = std::max(1, gpu.sm_count);
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = e.tiles * plan.parts;
  const std::int64_t places = std::int64_t{sms} * kernel.blocks_per_sm;
  e.waves = static_cast<double>(e.blocks) / static_cast<double>(places);
  const auto rounds = static_cast<double>(divide_up(e.blocks, places)),
             beside = static_cast<double>(std::min<std::int64_t>(
                 kernel.blocks_per_sm, divide_up(e.blocks, std::int64_t{sms})));
  const double of_k = (along ? cost.along : cost.across) + (short_along ? 0 : cost.short_across);
  e.compute = rounds * (1 + (beside - 1) * cost.beside) *
              (cost.block + of_k * static_cast<double>(plan.k_each) / 1000);
  const double busy = static_cast<double>(std::min<std::int64_t>(e.blocks, sms));
  const double of_sms = std::min(sms * (along ? cost.bytes_along : cost.bytes_across),
                                 busy * (is_strip(kernel) ? kStripBytesAlone : kThinBytesAlone)),
               of_memory = gpu.memory_bandwidth * kMemoryShare / 1e6;
  e.memory = memory_bytes(oriented) / (of_memory > 0 ? std::min(of_sms, of_memory) : of_sms);
  const double scale = size_of(oriented.operand) == 2 ? kAsCopiesAre : 1;
  const double both = one_behind_other(e.compute, e.memory);
  e.launches = kLaunchMicroseconds;
  if (plan.parts > 1) {
    const double sums = static_cast<double>(oriented.m()) * static_cast<double>(oriented.n()) *
                        static_cast<double>(oriented.count) * plan.parts * 4;
    e.reduction = scale * (cost.parts + 2 * sums / kPartsBytesPerMicrosecond);
  }
  e.fill = scale * (cost.start + both) - std::max(e.compute, e.memory) - e.launches;
  e.microseconds = std::max(e.compute, e.memory) + e.fill + e.reduction + e.launches;
  return e;
}

}  // namespace tilewise::gpu
