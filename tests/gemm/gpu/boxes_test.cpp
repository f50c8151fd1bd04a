// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which products have their C stored by TMA, and that it stores all of C and nothing else.
#include "gemm/gpu/boxes.hpp"

#include <type_traits>
#include <vector>

#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

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

TEST(Boxes, AreForTallProductsOfAnyNumberOfTiles) {
  EXPECT_TRUE(has_boxes("tall_bf16_boxes", Dtype::kBF16, 100000, 32, 64));
  EXPECT_TRUE(has_boxes("tall_bf16_boxes_to_f32", Dtype::kF32, 4096, 64, 64));
  EXPECT_FALSE(has_boxes("tall_bf16_boxes", Dtype::kBF16, 100000, 36, 64));
  EXPECT_TRUE(has_boxes("tall_bf16_boxes_swapped", Dtype::kBF16, 100000, 36, 64));
  EXPECT_FALSE(has_boxes("tall_bf16_boxes_swapped", Dtype::kBF16, 100001, 64, 64));
  EXPECT_FALSE(has_boxes("tall_bf16_32_rows", Dtype::kBF16, 100000, 32, 64));
}

TEST(Boxes, OfF32LeaveRoomForAStageWhereKIsLong) {
  const auto stages = [](std::string_view kernel, std::int64_t k) {
    return gpu::stages_of_boxes(*kernels::find_gemm_kernel(kernel), k);
  };
  EXPECT_EQ(stages("warpgroup_bf16_128x192_turns_to_f32", 512), 4);
  EXPECT_EQ(stages("warpgroup_bf16_128x192_turns_to_f32", 768), 5);
  EXPECT_EQ(stages("warpgroup_bf16_128x192_turns", 768), 4);
  EXPECT_EQ(stages("warpgroup_bf16_128x128_turns_to_f32", 768), 6);
}

TEST(Boxes, HaveAKernelOfTheirOwnForWholeTiles) {
  const GemmKernel& turns = *kernels::find_gemm_kernel("warpgroup_f16_128x192_turns_to_f32");
  EXPECT_EQ(turns.boxes_entry, "gemm_warpgroup_f16_128x192_turns_boxes");
  kernels::GemmArguments arguments{};
  arguments.m = 4096;
  EXPECT_TRUE(gpu::has_kernel_of_boxes(turns, arguments));
  EXPECT_FALSE(
      gpu::has_kernel_of_boxes(*kernels::find_gemm_kernel("warpgroup_f16_128x256"), arguments));
  arguments.m = 4095;  // the last tile shares rows with the one above
  EXPECT_FALSE(gpu::has_kernel_of_boxes(turns, arguments));
  arguments.m = 4096, arguments.beta.value = 0.5;
  EXPECT_FALSE(gpu::has_kernel_of_boxes(turns, arguments));
  arguments.beta = {0, &arguments};  // in device memory: it may be anything
  EXPECT_FALSE(gpu::has_kernel_of_boxes(turns, arguments));
}

class EveryKernelWithBoxes : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }

  const GemmKernel& kernel() const { return *GetParam(); }
  // More tiles than blocks in each row of them; the last ends beyond the matrix. C's rows are multiples of 16 bytes.
  std::int64_t columns() const {
    const int blocks = test_device().gpu().sm_count / kernel().cluster.blocks();
    return std::int64_t{blocks + 1} * kernel().bn - 8;
  }

  // Multiplies, by the kernel, and expects TMA to store boxes of `least` elements and more, or none for 0, and threads to leave
  // in shared memory what they do without bank conflicts. (A real GPU counts nothing.)
  template <class Multiply>
  void expect_boxes(const std::string& how, std::int64_t least, const Multiply& multiply) const {
    SCOPED_TRACE(std::string(kernel().name) + " " + how);
    const PlanWish wish(std::string(kernel().name) + "," + how);
    auto* const device = dynamic_cast<device::VirtualDevice*>(&test_device());
    if (device == nullptr) return with_kind(kernel(), multiply);
    vgpu::LaunchOptions options = checked_launches();
    options.count = true;
    device->watch(options);
    device->take_counters();
    with_kind(kernel(), multiply);
    device->watch(checked_launches());
    const Counters counters = device->take_counters();
    const auto bytes = static_cast<std::uint64_t>(least) * size_of(kernel().result);
    EXPECT_GE(counters.bulk_store_bytes, bytes);
    EXPECT_EQ(counters.bulk_store_bytes == 0, least == 0);
    EXPECT_EQ(counters.shared_store_conflicts, 0U);
  }
};

constexpr Stand kAlignedRows{.gap = 16};
constexpr std::int64_t kCount = 3, kRows = 19, kDepth = 328;  // of a batch

// The last row of tiles ends with the matrix: the rows that the one above has, too, are stored by that, and threads store
// the others. 192 columns of 16 bits are an odd number of boxes, which take turns in two places.
TEST_P(EveryKernelWithBoxes, StoresWholeAndStreamedTiles) {
  const std::int64_t height = std::int64_t{kernel().bm} * kernel().cluster.down, n = columns();
  const auto multiply = [&](std::int64_t m) {
    return [=](auto kind) { expect_right<decltype(kind)>({m, n, 323}, {.c = kAlignedRows}, 1.5f); };
  };
  expect_boxes("split=1", height * n, multiply(height + 19));
  if (kernel().splits && kernel().streams)
    expect_boxes("stream", (height - 3) * n, multiply(height - 3));
}

// By the kernel that does nothing else, where there is one. The last tile of a row lacks 64 columns; without k sums are zero;
// and for long k there may be a box a warp instead of two.
TEST_P(EveryKernelWithBoxes, StoresWholeTiles) {
  const std::int64_t height = std::int64_t{kernel().bm} * kernel().cluster.down;
  const std::int64_t n = columns() + 8 - 64;
  std::vector<std::int64_t> depths{323, 0};
  if (gpu::stages_of_boxes(kernel(), 645) != kernel().stages) depths.push_back(645);
  for (const std::int64_t k : depths) {
    expect_boxes("split=1", height * n, [&](auto kind) {
      expect_right<decltype(kind)>({height, n, k}, {.c = kAlignedRows}, 1.5f);
    });
  }
}

TEST_P(EveryKernelWithBoxes, LeavesToThreadsWhatIsAddedToC) {
  expect_boxes("split=1", 0, [&](auto kind) {
    expect_right<decltype(kind)>({19, columns(), 323}, {.c = kAlignedRows}, 1, 0.5f);
  });
}

// Of a batch which is one tall matrix, so that a box's rows that are not there are the next product's.
TEST_P(EveryKernelWithBoxes, StoresABatch) {
  const std::int64_t n = columns();
  expect_boxes("split=1", kCount * kRows * n, [&](auto kind) {
    using Kind = decltype(kind);
    using A = typename Kind::A;
    using C = typename Kind::C;
    Matrix<A> a(kCount * kRows, kDepth, {}, 1), b(kDepth, n, {}, 2);
    Matrix<C> c(kCount * kRows, n, kAlignedRows, 3);
    c.fill(poison<C>());
    const Matrix<C> before = c;
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    const auto first = [](auto all) {
      all.rows = kRows;
      return strided(all, kRows * all.leading_dimension);
    };
    gemm_batch(gpu(), kCount, 1.0f, first(MatrixView<const A>(on_a.view())),
               strided<const A>(on_b.view(), 0), 0.0f, first(on_c.view()), {});
    on_c.fetch();
    expect_clean();
    expect_product<A, A, C, float>(1.0f, a, b, 0.0f, before, c);
  });
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryKernelWithBoxes,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return gpu::can_store_boxes(kernel) && !kernel.strides_tiles;
                         })),
                         name_of_kernel);

}  // namespace
}  // namespace tilewise::test
