// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which products have their C stored by TMA. That they do, and right, EveryKernel tests.
#include "gemm/gpu/boxes.hpp"

#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

bool has_boxes(std::string_view kernel, Dtype result, std::int64_t m, std::int64_t n,
               std::int64_t k, int parts = 1) {
  gpu::Problem p;
  p.operand = Dtype::kBF16, p.result = result, p.count = 1;
  p.arguments.m = m, p.arguments.n = n, p.arguments.k = k;
  gpu::Plan plan;
  plan.kernel = kernels::find_gemm_kernel(kernel);
  plan.cluster = plan.kernel->cluster, plan.parts = parts;
  return gpu::stores_boxes(plan, p, model::find_gpu("h200"));
}

TEST(Boxes, AreForBlocksOfSeveralTiles) {
  constexpr std::string_view kTurns = "warpgroup_bf16_128x128_turns";
  EXPECT_TRUE(has_boxes(kTurns, Dtype::kBF16, 4096, 4096, 64));
  EXPECT_TRUE(has_boxes("warpgroup_bf16_128x256", Dtype::kBF16, 4096, 4096, 64));
  EXPECT_FALSE(has_boxes(kTurns, Dtype::kBF16, 1024, 2048, 4096));  // 128 tiles
  EXPECT_FALSE(has_boxes(kTurns, Dtype::kBF16, 4096, 4100, 64));    // rows that begin anywhere
  EXPECT_FALSE(has_boxes("warpgroup_bf16_64x64", Dtype::kBF16, 4096, 4096, 64));
  EXPECT_FALSE(has_boxes("warpgroup_bf16_128x192_swapped", Dtype::kBF16, 4096, 4096, 64));
  EXPECT_FALSE(has_boxes("warpgroup_bf16_128x256", Dtype::kBF16, 4096, 4096, 64, 2));
  EXPECT_TRUE(has_boxes(kTurns, Dtype::kBF16, 8192, 8192, 8192));      // whose blocks keep rounds
  EXPECT_FALSE(has_boxes(kTurns, Dtype::kBF16, 16384, 16384, 16384));  // of four times as much
}

TEST(Boxes, AreOfF32WhereKIsNotShort) {
  constexpr std::string_view kTurns = "warpgroup_bf16_128x128_turns_to_f32";
  EXPECT_FALSE(has_boxes(kTurns, Dtype::kF32, 4096, 4096, 256));
  EXPECT_TRUE(has_boxes(kTurns, Dtype::kF32, 4096, 4096, 512));
}

}  // namespace
}  // namespace tilewise::test
