// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What 16-bit tiles take longer than their estimate says beside few columns (or few rows), by 40 products on an H200 of 3000 to
// 80000 lines, mostly of eight columns, 4 to 115 MB.
//
// Strips (kernels/gemm/strip.cuh): 64 k of a row of A, or of Bᵀ, are a line of 128 bytes, but where k runs across, 32 lines of A are
// 64 bytes, and eight columns of B 16. Tiles by TMA: all blocks ask for the same few columns, clusters for each only once.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/divide.hpp"
#include "gemm/gpu/estimate_terms.hpp"

namespace tilewise::gpu {
namespace {

struct StripCost {
  double start, of_megabyte, of_wave;
};
// Of A along k and across it, beside B whose rows are as long as a tile's and beside eight columns of one that lies across k.
struct StripFit {
  int lines, columns;                          // of a tile
  std::array<std::array<StripCost, 2>, 2> of;  // [A across k][eight columns of B across k]
};
// Fitted to these 40 products and to 40 more of up to 16 columns, with median errors of 2 to 11 %.
constexpr std::array<StripFit, 6> kFits{
    StripFit{
        32, 8, {{{{{5.2, 0.23, 1.2}, {4.9, 0.24, 1.2}}}, {{{6.9, 0.26, 1.2}, {5.4, 0.26, 1.2}}}}}},
    StripFit{
        32, 16, {{{{{5.5, 0.27, 0.73}, {5.4, 0.40, 1.5}}}, {{{5.1, 0.32, 0.86}, {7.5, 0.50, 0}}}}}},
    StripFit{64,
             16,
             {{{{{4.6, 0.30, 0.79}, {6.9, 0.36, 0.44}}}, {{{5.6, 0.29, 0.83}, {6.2, 0.38, 0}}}}}},
    StripFit{
        64, 32, {{{{{4.0, 0.26, 2.0}, {5.6, 0.33, 1.9}}}, {{{4.4, 0.26, 2.2}, {5.7, 0.33, 1.5}}}}}},
    StripFit{
        32, 64, {{{{{3.9, 0.33, 1.9}, {2.3, 1.8, 0}}}, {{{3.9, 0.41, 2.2}, {5.2, 0.49, 1.8}}}}}},
    StripFit{
        64, 64, {{{{{4.4, 0.25, 3.1}, {1.3, 1.2, 1.4}}}, {{{4.7, 0.29, 3.3}, {3.9, 0.37, 3.1}}}}}}};
// Estimates of tiles, the other choice, are short of what such products take by about as much: so these are, too.
constexpr double kShortOfOthers = 2.5;
// Of a larger A each megabyte beyond the first hundred takes at most so long.
constexpr double kLargeMegabytes = 100, kOfMoreMegabytes = 0.21;

const StripFit* fit_of(const kernels::GemmKernel& kernel) {
  // Warps of those for a short k are not along k.
  if (!kernel.name.starts_with("strip_") || kernel.steps_together == 1) return nullptr;
  const auto fit = std::ranges::find_if(kFits, [&](const StripFit& some) {
    return some.lines == kernel.bm && some.columns == kernel.bn;
  });
  return fit == kFits.end() ? nullptr : &*fit;
}

// Of tiles by TMA, of a cluster's blocks that share what is few: one, two, and more.
constexpr double kAskedByEach = 0.25, kAskedByTwo = 0.12;
constexpr std::int64_t kFew = 16, kLeastBlocks = 64;

void correct_tiles(Estimate& e, const Plan& plan, const Problem& oriented) {
  const bool are_few_rows = oriented.m() < oriented.n();
  if (std::min(oriented.m(), oriented.n()) > kFew || e.blocks < kLeastBlocks) return;
  const int sharing = are_few_rows ? plan.cluster.across : plan.cluster.down;
  if (sharing > 2) return;
  const double more = (sharing == 1 ? kAskedByEach : kAskedByTwo) *
                      (std::max({e.compute, e.memory, e.cache}) + e.fill);
  e.fill += more, e.microseconds += more;
}

void correct_strip(Estimate& e, const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  constexpr std::int64_t kShortRow = 8;
  const kernels::GemmKernel& kernel = *plan.kernel;
  const StripFit* const fit = fit_of(kernel);
  if (!fit || oriented.n() > std::min<std::int64_t>(kernel.bn, kFew)) return;
  const bool is_short = !oriented.b_along_k && oriented.n() <= kShortRow;
  const StripCost& cost = fit->of[oriented.a_along_k ? 0 : 1][is_short ? 1 : 0];
  const auto places = static_cast<double>(std::max(1, gpu.sm_count) * kernel.blocks_per_sm);
  const double waves =
                   std::ceil(static_cast<double>(divide_up(oriented.m(), std::int64_t{kernel.bm}) *
                                                 plan.parts) /
                             places),
               megabytes = static_cast<double>(oriented.m()) * static_cast<double>(oriented.k()) *
                           static_cast<double>(size_of(oriented.operand)) * 1e-6,
               memory = cost.of_megabyte * std::min(megabytes, kLargeMegabytes) +
                        std::min(cost.of_megabyte, kOfMoreMegabytes) *
                            std::max(0.0, megabytes - kLargeMegabytes),
               fill = cost.start + cost.of_wave * waves - kLaunchMicroseconds - kShortOfOthers,
               before = std::max({e.compute, e.memory, e.cache}) + e.fill;
  if (memory + fill <= before) return;
  const double rest = e.microseconds - before;
  e.memory = std::max(memory, std::max(e.compute, e.cache)), e.fill = fill;
  e.microseconds = std::max({e.compute, e.memory, e.cache}) + e.fill + rest;
}

}  // namespace

void correct_few_columns(Estimate& e, const Plan& plan, const Problem& oriented,
                         const model::Gpu& gpu) {
  if (size_of(oriented.operand) != 2 || oriented.count > 1) return;
  if (plan.kernel->box_a.lines > 0) correct_tiles(e, plan, oriented);
  else correct_strip(e, plan, oriented, gpu);
}

}  // namespace tilewise::gpu
