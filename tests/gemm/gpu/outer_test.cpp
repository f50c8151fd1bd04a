// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of few outer products: every place where rows of C may begin, widths around what a block stores, every k, blocks that go
// several rounds. What lies between rows is NaN. (kernels_test.cpp has what all kernels have.)
#include "kernels/gemm/outer.hpp"

#include <array>

#include "gemm/gpu/outer_rounds.hpp"
#include "gemm/gpu/plan.hpp"
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

class EveryOuter : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
  const GemmKernel& kernel() const { return *GetParam(); }
  int most_k() const { return static_cast<int>(kernel().most_held_k); }

  template <class Function> void with_kind(const Function& function) const {
    const PlanWish wish{std::string(kernel().name)};
    test::with_kind(kernel(), function);
  }
};

constexpr Stand kRows{}, kColumns{.order = Order::kColumnMajor};

// Rows of C that begin with sectors of 32 bytes, in their middle, and both in turn: so many elements after whole sectors, whose
// first is the one with this number in memory (its margin is seven more), and from row to row so many more than whole sectors.
constexpr std::array kPlacesInSectors{1, 5, 9};
Layout in_sectors(std::int64_t columns, std::int64_t further, int from) {
  return {kRows, kRows, {.gap = further + (16 - columns % 16) % 16}, 1, 1, from};
}

// Gaps of 0 to 16 elements put each row of C elsewhere in a sector; C itself begins at an element of its own, too.
TEST_P(EveryOuter, WhereverRowsOfCBegin) {
  with_kind([&]<class Kind>(Kind) {
    for (std::int64_t gap = 0; gap <= 16; ++gap) {
      const Layout layout{kRows, kRows, {.gap = gap}, 1, 1, static_cast<int>(gap / 3 % 2)};
      expect_right<Kind>({19, 131, 5}, layout, 1, gap % 4 == 1 ? 0.5f : 0.0f);
    }
  });
}

// One column up to some more than two blocks store, where rows begin anywhere and where they do not.
TEST_P(EveryOuter, EveryWidth) {
  with_kind([&]<class Kind>(Kind) {
    for (std::int64_t n = 1; n <= 2 * kernels::kOuterColumns + 2; n += n < 20 ? 1 : 3) {
      expect_right<Kind>({17, n, 3}, {kRows, kColumns, {.gap = 1}}, 1.5, n % 5 == 0 ? -1.0f : 0.0f);
      for (const int from : kPlacesInSectors)
        for (const std::int64_t further : {0, 4, 8})
          expect_right<Kind>({17, n, 3}, in_sectors(n, further, from), 1, n % 3 == 0 ? 2.0f : 0.0f);
    }
  });
}

// Both ways in which factors of 16 bits are brought, and each number of pieces.
TEST_P(EveryOuter, EveryK) {
  with_kind([&]<class Kind>(Kind) {
    for (std::int64_t k = 0; k <= most_k(); ++k) {
      for (const Stand a : {kRows, kColumns})
        for (const Stand b : {kRows, kColumns}) {
          expect_right<Kind>({24, 72, k}, {a, b, kRows});
          if (k % 5 == 0) expect_right<Kind>({23, 71, k}, {a, b, kRows}, -1, 2);
        }
    }
  });
}

// More rows than the GPU has places for: of the last round some warps have none. A by elements and by pieces of 16 bytes, which
// are on their way while those of the round before are multiplied.
TEST_P(EveryOuter, SeveralRoundsABlock) {
  const std::int64_t places = std::int64_t{test_device().gpu().sm_count} * kernel().blocks_per_sm;
  with_kind([&]<class Kind>(Kind) {
    const std::int64_t rows = (2 * places + places / 3) * kernel().bm + 21;
    expect_right<Kind>({rows, 9, 4}, {kRows, kRows, kRows});
    expect_right<Kind>({rows / 2, 8, 7}, {kColumns, kColumns, kRows}, 1, 1);
    expect_right<Kind>({rows, 9, 8}, {kRows, kRows, kRows});
    expect_right<Kind>({rows / 8 * 8, 8, 16}, {kColumns, kRows, kRows}, 1, 1);
  });
}

class EveryOuterOfHalves : public EveryOuter {};

// Blocks whose warps go along a row twice, with rows of C that begin with sectors, in their middle, and anywhere; the last of
// them have a few columns, or none the second time.
TEST_P(EveryOuterOfHalves, TwoPassesAlongARow) {
  const auto passes_of = [&](std::int64_t m, std::int64_t n, int alignment) {
    gpu::Problem problem{.operand = kernel().operand, .result = kernel().result};
    problem.arguments.m = m, problem.arguments.n = n, problem.arguments.k = 3;
    gpu::Plan plan;
    plan.kernel = &kernel();
    return gpu::outer_rounds(plan, problem, 1, alignment, test_device().gpu()).passes;
  };
  const std::int64_t blocks =
                         std::int64_t{test_device().gpu().sm_count} * kernel().blocks_per_sm / 2,
                     m = blocks * kernel().bm - 3;
  with_kind([&]<class Kind>(Kind) {
    for (const std::int64_t n : {130, 168}) {
      ASSERT_EQ(passes_of(m, n, 32), 2);
      ASSERT_EQ(passes_of(m, n, 16), 2);
      ASSERT_EQ(passes_of(m, n, 1), 2);
      for (const std::int64_t further : {0, 4, 8})
        expect_right<Kind>({m, n / 8 * 8, 3}, in_sectors(n / 8 * 8, further, 9));
      expect_right<Kind>({m, n + 1, 3}, {kRows, kColumns, {.gap = 2}}, 1, 2);
    }
  });
}

TEST_P(EveryOuter, ReadNoFactorsWhereAlphaIsZero) {
  with_kind([&]<class Kind>(Kind) {
    expect_right<Kind>({33, 70, 9}, {}, 0, 2);
    expect_right<Kind>({33, 72, 8}, {}, 0, 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryOuter,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.goes_by_rounds;
                         })),
                         name_of_kernel);

INSTANTIATE_TEST_SUITE_P(Gemm, EveryOuterOfHalves,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.goes_by_rounds && size_of(kernel.operand) == 2;
                         })),
                         name_of_kernel);

gpu::OuterRounds rounds_of(std::int64_t m, std::int64_t n, int alignment) {
  gpu::Problem problem;
  problem.operand = problem.result = Dtype::kBF16;
  problem.arguments.m = m, problem.arguments.n = n, problem.arguments.k = 8;
  gpu::Plan plan;
  plan.kernel = kernels::find_gemm_kernel("outer_bf16");
  return gpu::outer_rounds(plan, problem, 1, alignment, model::find_gpu("h200"));
}

TEST(OuterRounds, FillTheGpuEvenly) {
  const auto small = rounds_of(512, 640, 32);  // a place for every tile
  EXPECT_EQ(small.rounds, 1);
  EXPECT_EQ(small.down, 4);
  EXPECT_EQ(small.across, 10);
  const auto tall = rounds_of(1'000'000, 64, 32);  // 7813 tiles, 264 places
  EXPECT_EQ(tall.across, 1);
  EXPECT_EQ(tall.rounds, 30);
  EXPECT_EQ(tall.down, 261);
  EXPECT_EQ(rounds_of(512, 640, 16).across, 12);  // 56 columns each
  EXPECT_EQ(rounds_of(512, 640, 1).across, 14);   // 48
  const auto wide = rounds_of(128, 100'000, 32);
  EXPECT_EQ(wide.down, 1);
  EXPECT_EQ(wide.passes, 2);
  EXPECT_EQ(wide.columns, 128);
  EXPECT_EQ(wide.across, 782);
  const auto vast = rounds_of(std::int64_t{1} << 40, 64, 32);
  EXPECT_GE(vast.rounds * vast.down * 128, std::int64_t{1} << 40);
  EXPECT_LE(vast.down, 8 * 264);
  EXPECT_EQ(rounds_of(0, 64, 32).down, 0);
  EXPECT_EQ(rounds_of(128, 0, 1).across, 0);
}

}  // namespace
}  // namespace tilewise::test
