// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that stay together (kernels/gemm/rounds.cuh): which products have them, what they leave of it, and that nobody is held
// up for good. The virtual GPU runs one block, or cluster, after the other: each waits in vain for those that come
// later, and goes on. That blocks do wait for each other only a real GPU's memory traffic shows (docs/lab/gpu_gemm.md).
#include "gemm/gpu/rounds.hpp"

#include <cmath>

#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

gpu::Problem problem(Dtype dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  gpu::Problem p;
  p.operand = p.result = dtype;
  p.a_along_k = true;
  p.count = 1;
  p.arguments.m = m, p.arguments.n = n, p.arguments.k = k;
  p.arguments.a.leading_dimension = k;
  p.arguments.b.leading_dimension = p.arguments.c.leading_dimension = n;
  return p;
}

gpu::Plan plan_by(std::string_view text, const gpu::Problem& p,
                  std::uint64_t limit = gpu::kNoLimit) {
  const std::optional<gpu::Plan> plan =
      gpu::plan_by(gpu::parse_wish(text, "test"), p, model::find_gpu("h200"), limit);
  EXPECT_TRUE(plan.has_value()) << text;
  return plan.value_or(gpu::Plan{});
}

std::uint64_t rounds_of(const gpu::Plan& plan) { return plan.rounds.bytes / sizeof(unsigned); }

TEST(Rounds, AreKeptWhereWhatOneReadsIsMuchOfTheCache) {
  const auto rounds = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return rounds_of(plan_by("warpgroup_bf16_128x256,split=1", problem(Dtype::kBF16, m, n, k)));
  };
  EXPECT_EQ(rounds(8192, 8192, 8192), 16U);  // 2048 tiles, 132 at a time
  EXPECT_EQ(rounds(16384, 16384, 16384), 63U);
  EXPECT_EQ(rounds(2048, 2048, 2048), 0U);   // one round
  EXPECT_EQ(rounds(8192, 8192, 128), 0U);    // nothing gets far in two steps
  EXPECT_EQ(rounds(16384, 16384, 512), 0U);  // nor in eight
  EXPECT_EQ(rounds(3072, 3072, 3072), 0U);   // A and B fit into the cache
  EXPECT_EQ(rounds(512, 8192, 16384), 0U);   // 128 tiles
  EXPECT_EQ(rounds(512, 16384, 16384), 2U);
}

TEST(Rounds, AStretchOfStreamedTilesIsOne) {
  const gpu::Problem p = problem(Dtype::kBF16, 8192, 8192, 8192);
  const gpu::Plan plan = plan_by("warpgroup_bf16_192x128,stream", p);
  // Clusters of two: 22·64, 21 rounds of 66 and 22 that are streamed.
  EXPECT_EQ(plan.streamed, 22);
  EXPECT_EQ(rounds_of(plan), 1U + 21U);
}

TEST(Streams, AreOfWhatIsLeftOver) {
  const auto streamed = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return plan_by("hopper_f64_128x128,stream", problem(Dtype::kF64, m, n, k)).streamed;
  };
  constexpr std::int64_t kRound = 132;
  EXPECT_EQ(streamed(4096, 4096, 4096), 1024 % kRound);
  EXPECT_EQ(streamed(4096, 2112, 7168), 544 % kRound);           // up to nine blocks a tile
  EXPECT_EQ(streamed(1152, 1920, 4096), 135 % kRound + kRound);  // 44 blocks would meet at one
  EXPECT_EQ(streamed(4096, 2112, 2048), 544 % kRound + kRound);  // 15 steps a block, of six stages
  EXPECT_EQ(streamed(1024, 1024, 4096), 64);                     // less than a round
}

TEST(Rounds, AreNotKeptByPartsOfKAndKernelsThatHaveNone) {
  const gpu::Problem f64 = problem(Dtype::kF64, 4096, 4096, 4096);
  EXPECT_EQ(rounds_of(plan_by("hopper_f64_128x128,split=1", f64)), 8U);
  EXPECT_EQ(rounds_of(plan_by("hopper_f64_128x128,split=2", f64)), 0U);
  EXPECT_EQ(rounds_of(plan_by("hopper_f64_64x64,split=1", f64)), 0U);  // two a multiprocessor
  EXPECT_EQ(rounds_of(plan_by("hopper_f64_32x32,split=1", f64)), 0U);
  EXPECT_EQ(rounds_of(plan_by("hopper_f64_128x128_any,split=1", f64)), 0U);
}

TEST(Rounds, AreLeftOutWhereWorkspaceDoesNotDo) {
  const gpu::Problem p = problem(Dtype::kBF16, 8192, 8192, 8192);
  EXPECT_GT(plan_by("warpgroup_bf16_128x256,split=1", p, 256).rounds.bytes, 0U);
  const gpu::Plan without = plan_by("warpgroup_bf16_128x256,split=1", p, 255);
  EXPECT_EQ(without.rounds.bytes, 0U);
  EXPECT_EQ(without.workspace_bytes, 0U);
}

TEST(Rounds, OfAllKernelsAreSaidToEndWithinAUnit) {
  for (const GemmKernel& kernel : kernels::gemm_kernels()) {
    if (!kernel.keeps_rounds) continue;
    EXPECT_TRUE(kernel.persistent) << kernel.name;
    EXPECT_EQ(kernel.blocks_per_sm, 1) << kernel.name;
    gpu::Plan plan;
    plan.kernel = &kernel;
    EXPECT_GE(gpu::round_slack(plan), 1) << kernel.name;
    EXPECT_LE(gpu::round_slack(plan), 32) << kernel.name;
  }
}

// Which tiles have neighbouring numbers.
TEST(TileOrder, IsOfSquaresWithinASquare) {
  const auto order = [](std::string_view kernel, std::int64_t m, std::int64_t n, std::int64_t k) {
    const gpu::Problem p = problem(Dtype::kBF16, m, n, k);
    return gpu::tile_order(plan_by(kernel, p), p, 132);
  };
  const auto expect = [](const gpu::TileOrder& is, unsigned rows, unsigned columns) {
    EXPECT_EQ(1U << is.group_rows_log2, rows);
    EXPECT_EQ(is.band_columns, columns);
  };
  constexpr std::string_view kSquare = "warpgroup_bf16_128x128_turns";
  expect(order(kSquare, 4096, 4096, 4096), 4, 11);                        // three bands of 32
  expect(order("warpgroup_bf16_128x192_turns", 4096, 6144, 4096), 4, 8);  // four of 32
  expect(order(kSquare, 1024, 2048, 4096), 4, 16);                        // 128 tiles: one round
  expect(order(kSquare, 32768, 512, 2048), 1, 4);                         // one row after the other
  expect(order(kSquare, 8192, 8192, 128), 4, 64);     // long rows of C where k is short
  expect(order(kSquare, 4096, 16384, 128), 4, 43);    // three bands of 128
  expect(order(kSquare, 8192, 8191, 4096), 4, 13);    // C of any alignment: the same
  expect(order(kSquare, 8192, 50257, 1024), 8, 393);  // but where it is stored often
  // Of f32 one band where three would do and k is not long.
  gpu::Problem to_f32 = problem(Dtype::kBF16, 4096, 4096, 512);
  to_f32.result = Dtype::kF32;
  expect(gpu::tile_order(plan_by("warpgroup_bf16_128x128_turns_to_f32", to_f32), to_f32, 132), 4,
         32);
  // Clusters of two, one below the other.
  expect(order("warpgroup_bf16_192x128,split=1", 4096, 4096, 4096), 2, 16);
}

TEST(TileOrder, IsWaitedForByTilesOf16BitsOfWhichABlockHasSeveral) {
  const auto wanted = [](std::string_view kernel, const gpu::Problem& p) {
    return gpu::wants_order(plan_by(kernel, p), p, model::find_gpu("h200"));
  };
  const gpu::Problem large = problem(Dtype::kBF16, 4095, 4097, 4093);
  EXPECT_TRUE(wanted("warpgroup_bf16_128x128_turns", large));
  EXPECT_TRUE(wanted("warpgroup_bf16_128x256,stream", large));
  EXPECT_FALSE(wanted("warpgroup_bf16_128x64", problem(Dtype::kBF16, 1023, 1021, 1019)));
  EXPECT_FALSE(wanted("hopper_f64_128x128,stream", problem(Dtype::kF64, 4096, 4096, 4096)));
}

// Several bands, the last narrower, and two groups of their five rows, the second of one row: on four multiprocessors bands
// of four tiles, on 132 of twelve. 128×192 tiles have narrower ones there, and so more of them.
TEST(TileOrder, ReachesEveryTile) {
  TILEWISE_NEEDS_KERNELS();
  const double side = std::sqrt(test_device().gpu().sm_count);
  const std::int64_t across = 3 * std::max(std::lround(side / 4), 1l) * 4 - 1;
  const auto expect = [&](std::string_view kernel, std::int64_t rows, std::int64_t columns) {
    const PlanWish wish{std::string(kernel)};
    expect_right<BF16>({5 * rows - 8, across * columns - 8, 72}, {});
    expect_right<BF16>({5 * rows - 8, across * columns - 7, 72}, {});  // and C of any alignment
  };
  expect("warpgroup_bf16_64x64,split=1,cluster=1x1", 64, 64);
  expect("warpgroup_bf16_64x64,split=1,cluster=2x1", 64, 64);
  expect("warpgroup_bf16_128x128_turns", 128, 128);
  expect("warpgroup_bf16_128x192_turns", 128, 192);
}

// One host thread, so that the first block has set the counters before any other gets to its first round's end.
std::unique_ptr<device::Device> without_cache() {
  model::Gpu gpu = few_multiprocessors("h200");
  gpu.l2_bytes = 1;
  vgpu::LaunchOptions options = checked_launches();
  options.threads = 1;
  return open_virtual(gpu, options);
}

class EveryKernelWithRounds : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override {
    TILEWISE_NEEDS_KERNELS();
    if (wants_real_gpu()) GTEST_SKIP() << "a real GPU has a cache that test sizes do not fill";
  }
  const GemmKernel& kernel() const { return *GetParam(); }

  // Blocks, or clusters of so many tiles side by side, at a time.
  std::int64_t blocks(std::int64_t across = 1) const {
    return test_device().gpu().sm_count / kernel().cluster.blocks() / across;
  }

  // Multiplies `tiles` tiles (clusters of tiles) side by side in memory that was used before, and expects of the rounds that
  // as many blocks have ended each as have had units of it.
  template <class Kind>
  void expect_rounds(std::int64_t tiles, const std::string& how, std::int64_t across) {
    SCOPED_TRACE(how);
    const PlanWish wish(std::string(kernel().name) + "," + how);
    const std::int64_t rows = 5, columns = tiles * across * kernel().bn;
    const std::int64_t k =
        4096 / static_cast<std::int64_t>(size_of(kernel().operand)) + kernel().bk;
    const bool exchanges = kernel().transposes_result;
    const Sizes sizes{exchanges ? columns : rows, exchanges ? rows : columns, k};
    constexpr std::int64_t kBytes = std::int64_t{1} << 26;
    const device::Buffer memory(test_device(), kBytes);
    const auto stream = test_device().create_stream();
    test_device().fill(memory.address(), 0xFF, kBytes, *stream);
    stream->synchronize();
    GpuGemmOptions options{.mode = kernel().mode};
    options.workspace = reinterpret_cast<void*>(memory.address());
    options.workspace_bytes = kBytes;
    const bool b_along_k = !exchanges && kernel().entries[1][0].empty();
    Layout layout;
    if (b_along_k) layout.b.order = Order::kColumnMajor;
    expect_right<Kind>(sizes, layout, 1, 0, options);

    gpu::Problem p = problem(kernel().operand, sizes.m, sizes.n, k);
    p.b_along_k = b_along_k;
    if (b_along_k) p.arguments.b.leading_dimension = k;
    p.mode = kernel().mode;
    const std::optional<gpu::Plan> plan =
        gpu::plan_by(gpu::parse_wish(std::string(kernel().name) + "," + how, "test"), p,
                     test_device().gpu(), static_cast<std::uint64_t>(kBytes));
    ASSERT_TRUE(plan.has_value());
    std::vector<unsigned> ends(rounds_of(*plan));
    ASSERT_GE(ends.size(), 2U);
    test_device().copy_to_host(ends.data(), memory.address() + plan->rounds.offset,
                               plan->rounds.bytes, *stream);
    stream->synchronize();
    for (std::size_t round = 0; round + 1 < ends.size(); ++round)
      EXPECT_EQ(ends[round], static_cast<unsigned>(blocks(across))) << "round " << round;
    const std::int64_t whole = tiles - plan->streamed;
    EXPECT_EQ(ends.back(), static_cast<unsigned>((whole - 1) % blocks(across) + 1));
  }

  // `more` tiles (clusters of tiles) than blocks have in two rounds.
  void expect_rounds(const std::string& how, std::int64_t across = 1, std::int64_t more = 1) {
    const std::int64_t tiles = 2 * blocks(across) + more;
    switch (kernel().operand) {
      case Dtype::kF64: return expect_rounds<F64>(tiles, how, across);
      case Dtype::kF32: return expect_rounds<F32>(tiles, how, across);
      default: return expect_rounds<BF16>(tiles, how, across);
    }
  }
};

TEST_P(EveryKernelWithRounds, CountsBlocksInMemoryThatWasUsedBefore) {
  const OtherGpu other(without_cache());
  const std::string alone = kernel().takes_clusters ? "cluster=1x1," : "";
  expect_rounds(alone + "split=1");
  if (kernel().splits && kernel().streams) {
    expect_rounds(alone + "stream");                   // a round as well as what is left over
    expect_rounds(alone + "stream", 1, blocks() - 1);  // only that, if blocks get enough of it
  }
  if (kernel().takes_clusters) expect_rounds("cluster=1x2,split=1", 2);
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryKernelWithRounds,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           // Of tiles of any width the narrowest; of C in other types the same kernels.
                           return kernel.keeps_rounds && kernel.operand != Dtype::kF16 &&
                                  kernel.result == kernel.operand && kernel.narrower == 0;
                         })),
                         name_of_kernel);

}  // namespace
}  // namespace tilewise::test
