// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/boxes.hpp"

#include <cstdint>

#include "gemm/gpu/estimate.hpp"
#include "gemm/gpu/rounds.hpp"
#include "kernels/gemm/tall.hpp"

namespace tilewise::gpu {
namespace {

constexpr int kLeastColumns = 128;  // of a tile: narrower ones store what registers have
constexpr int kBoxColumns = 64;     // that a tile has to consist of, in f32 twice
// k from which on a stage more was faster than a second box, measured with C in f32: 512 by 0.98, 768 to 1500 by 1.035.
constexpr std::int64_t kLeastKOfStages = 640;
// Of A and B, where blocks keep rounds. Measured up to 0.37 GB, which is faster with boxes, and of 1.07 GB, which an H100
// then takes up to a third longer for.
constexpr double kMostBytesOfRounds = 0.6e9;

// Of a row of C.
std::int64_t row_bytes_of(const kernels::GemmKernel& kernel, const Problem& oriented) {
  return (kernel.transposes_result ? oriented.m() : oriented.n()) *
         static_cast<std::int64_t>(size_of(oriented.result));
}

}  // namespace

bool is_tall_by_boxes(const kernels::GemmKernel& kernel) {
  return kernel.strides_tiles && kernel.box_a.lines > 0;
}

bool is_read_once(const kernels::GemmKernel& kernel, const Problem& oriented) {
  if (oriented.n() <= kernel.bn) return true;
  return oriented.k() * kernels::kTallBoxesMostColumns <=
             std::int64_t{kernels::kTallMostK} * kernel.bn &&
         oriented.n() <= kernels::kTallBoxesMostColumns && !oriented.reads_c() &&
         row_bytes_of(kernel, oriented) % 16 == 0;
}

bool can_store_boxes(const kernels::GemmKernel& kernel) {
  if (is_tall_by_boxes(kernel))  // of Cᵀ threads store whole sectors of f32 as fast
    return !kernel.transposes_result || size_of(kernel.result) == 2;
  return size_of(kernel.operand) == 2 && kernel.keeps_rounds && !kernel.transposes_result &&
         kernel.bn >= kLeastColumns && kernel.bn % kBoxColumns == 0;
}

bool has_kernel_of_boxes(const kernels::GemmKernel& kernel,
                         const kernels::GemmArguments& arguments) {
  return !kernel.boxes_entry.empty() && arguments.m % kernel.bm == 0 &&
         arguments.beta.address == nullptr && arguments.beta.value == 0;
}

int stages_of_boxes(const kernels::GemmKernel& kernel, std::int64_t k) {
  return kernel.boxes_stages > 0 && k >= kLeastKOfStages ? kernel.boxes_stages : kernel.stages;
}

bool stores_boxes(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  if (!can_store_boxes(*plan.kernel) || plan.parts > 1) return false;
  if (row_bytes_of(*plan.kernel, oriented) % 16 != 0) return false;
  if (is_tall_by_boxes(*plan.kernel)) return true;  // faster so however few tiles there are
  if (tiles_of(plan, oriented) * oriented.count <= blocks_at_a_time(plan, gpu)) return false;
  // What TMA stores holds up what it fetches. Where blocks are to stay together for long, that is too much.
  return factor_bytes(oriented) < kMostBytesOfRounds || rounds_kept(plan, oriented, gpu) == 0;
}

bool is_all_in_boxes(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  return stores_boxes(plan, oriented, gpu) && has_kernel_of_boxes(*plan.kernel, oriented.arguments);
}

}  // namespace tilewise::gpu
