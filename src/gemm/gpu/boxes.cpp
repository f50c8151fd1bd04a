// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/boxes.hpp"

#include <cstdint>

#include "gemm/gpu/estimate.hpp"
#include "gemm/gpu/rounds.hpp"

namespace tilewise::gpu {
namespace {

constexpr int kLeastColumns = 128;          // of a tile: narrower ones store what registers have
constexpr std::int64_t kLeastKOfF32 = 320;  // C in f32

}  // namespace

bool stores_boxes(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const kernels::GemmKernel& kernel = *plan.kernel;
  if (size_of(oriented.operand) != 2 || !kernel.keeps_rounds || kernel.transposes_result ||
      kernel.bn < kLeastColumns || plan.parts > 1)
    return false;
  const auto row_bytes = oriented.n() * static_cast<std::int64_t>(size_of(oriented.result));
  if (row_bytes % 16 != 0) return false;
  if (oriented.result == Dtype::kF32 && oriented.k() < kLeastKOfF32) return false;
  if (tiles_of(plan, oriented) * oriented.count <= blocks_at_a_time(plan, gpu)) return false;
  // What TMA stores stands in the way of what it fetches; blocks that are to stay together must not be held up.
  return rounds_kept(plan, oriented, gpu) == 0;
}

}  // namespace tilewise::gpu
