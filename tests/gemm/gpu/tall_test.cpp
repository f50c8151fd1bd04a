// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products: warps that have several units, every place within 16 bytes where rows of A may begin, and depths around a
// piece. What lies between rows is NaN. (kernels_test.cpp has what all kernels have.)

#include "kernels/gemm/tall.hpp"

#include "gemm/gpu/boxes.hpp"
#include "gemm/gpu/plan.hpp"
#include "gemm/gpu/tall_any.hpp"
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

class EveryTall : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
  const GemmKernel& kernel() const { return *GetParam(); }

  template <class Function> void with_kind(const Function& function) const {
    const PlanWish wish{std::string(kernel().name)};
    test::with_kind(kernel(), function);
  }
};

// One after the other, and some warps have one less. (Where TMA brings A, each warpgroup has units of its own, more than it has
// on their way, and where rows begin anywhere, each warp.)
TEST_P(EveryTall, SeveralUnitsAWarp) {
  const std::int64_t blocks = std::int64_t{test_device().gpu().sm_count} * kernel().blocks_per_sm,
                     units = gpu::is_tall_by_boxes(kernel()) ? kernel().threads / 128
                             : kernel().alignment == 0       ? kernel().threads / 32
                                                             : 1,
                     rows = (2 * blocks + 1) * units * kernel().bm + 3;
  const bool by_columns = kernel().transposes_result;
  with_kind([&]<class Kind>(Kind) {
    for (const int steps : {1, 2}) {
      const int k = steps * kernel().bk - 3, columns = 11;
      if (by_columns) expect_right<Kind>({columns, rows, k});
      else expect_right<Kind>({rows, columns, k});
    }
  });
}

class EveryTallByBoxes : public EveryTall {};

// 128 columns of B of a short k, twice 64 of a longer one or where C is not aligned or added to, and tiles of 32: each width,
// whole and not, where A lies either way.
TEST_P(EveryTallByBoxes, ColumnsAtATime) {
  const int rows = 2 * kernel().bm + 8;
  with_kind([&]<class Kind>(Kind) {
    for (const int columns : {24, 40, 64, 72, 128}) {
      for (const int k : {104, 256}) {
        for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
          const Layout plain{{.order = order}, {}, {}}, apart{{}, {.order = order}, {.gap = 3}};
          const bool by_columns = kernel().transposes_result;
          const Sizes sizes = by_columns ? Sizes{columns, rows, k} : Sizes{rows, columns, k};
          expect_right<Kind>(sizes, plain, 1.5);
          if (k == 104) expect_right<Kind>(sizes, apart), expect_right<Kind>(sizes, plain, 1, -2);
        }
      }
    }
  });
}

// A and C wherever they begin, with gaps between their rows and without: rows of A by themselves and as one span, by rows and by
// columns, for each number of tiles of B.
class EveryTallOfAnyAlignment : public EveryTall {
 protected:
  template <class Kind>
  void expect_right_of(std::int64_t rows, std::int64_t columns, std::int64_t k, Layout layout,
                       typename Kind::S alpha = 1, typename Kind::S beta = 0) {
    if (!kernel().transposes_result) {
      expect_right<Kind>({rows, columns, k}, layout, alpha, beta);
      return;
    }
    std::swap(layout.a, layout.b);  // Cᵀ = Bᵀ·Aᵀ
    for (Stand* const factor : {&layout.a, &layout.b})
      factor->order = factor->order == Order::kRowMajor ? Order::kColumnMajor : Order::kRowMajor;
    std::swap(layout.shift_a, layout.shift_b);
    expect_right<Kind>({columns, rows, k}, layout, alpha, beta);
  }
};

TEST_P(EveryTallOfAnyAlignment, WhereverRowsBegin) {
  with_kind([&]<class Kind>(Kind) {
    for (std::int64_t gap = 0; gap < 8; ++gap) {
      const int shift_a = static_cast<int>(gap % 3 == 0), shift_c = static_cast<int>(gap / 2 % 2);
      for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
        expect_right_of<Kind>(41, kernel().bn - kernel().bn / 9 * gap, kernel().bk * gap / 2 + 29,
                              {{.order = order, .gap = gap},
                               {.order = order, .gap = gap},
                               {.gap = 7 - gap},
                               shift_a,
                               0,
                               shift_c},
                              1, gap % 4 == 1 ? 0.5f : 0.0f);
      }
    }
  });
}

TEST_P(EveryTallOfAnyAlignment, RowsWithoutGaps) {
  const std::int64_t rows = 9 * kernel().bm + 11;  // of the last unit there is not all
  with_kind([&]<class Kind>(Kind) {
    for (const auto& [columns, k] :
         {std::pair{7, 129}, {61, 121}, {33, 63}, {5, 16}, {1, 1}, {70, 17}}) {
      expect_right_of<Kind>(rows, columns, k, {});
      expect_right_of<Kind>(rows, columns, k, {{.order = Order::kColumnMajor}, {}, {}, 1, 0, 1},
                            1.5, -1);
    }
  });
}

// As many k as B is held for, whole chunks and not, rows much further apart than they are long.
TEST_P(EveryTallOfAnyAlignment, LongRows) {
  constexpr std::int64_t kWholeChunks = 336;
  static_assert(kWholeChunks % kernels::tall_long_chunk(false) == 0 &&
                kWholeChunks % kernels::tall_long_chunk(true) == 0);
  const std::int64_t rows = 9 * kernel().bm + 11, most = kernel().most_held_k;
  with_kind([&]<class Kind>(Kind) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      const Layout apart{{.order = order, .gap = 99}, {}, {}}, plain{{.order = order}, {}, {}};
      expect_right_of<Kind>(41, kernel().bn, most, apart, 1, 2);
      expect_right_of<Kind>(rows, kernel().bn + 1, std::min<std::int64_t>(most, 193), plain);
      expect_right_of<Kind>(rows, 3, std::min(most, kWholeChunks), plain, 1.5);
      expect_right_of<Kind>(41, 3, gpu::most_held_k(kernel(), 3), plain);
    }
  });
}

// Columns of B that are brought and added up together, each number of them.
TEST_P(EveryTallOfAnyAlignment, GroupsOfColumns) {
  const std::int64_t k = std::min<std::int64_t>(kernel().most_held_k, 230);
  with_kind([&]<class Kind>(Kind) {
    for (std::int64_t columns = 15; columns <= kernel().bn; columns += 17) {
      for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
        const Layout layout{{}, {.order = order}, {.gap = 5}};
        expect_right_of<Kind>(kernel().bm + 7, columns, k, layout, -1, 1);
      }
    }
  });
}

class EveryTallOfALongK : public EveryTallOfAnyAlignment {};

// As many warps share a unit of lines as there are too few of these for: from most of them to each by itself, with chunks of k that
// do not come out even.
TEST_P(EveryTallOfALongK, TeamsOfWarps) {
  const std::int64_t blocks = test_device().gpu().sm_count;
  with_kind([&]<class Kind>(Kind) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      const bool is_across = order == Order::kColumnMajor;
      const std::int64_t lines = kernels::tall_long_lines(is_across),
                         k = 13 * kernels::tall_long_chunk(is_across) - 5;
      for (const int units : {1, 2, 5, 16})
        expect_right_of<Kind>((units * blocks - 1) * lines + 3, kernel().bn / 4 + units / 2, k,
                              {{.order = order}, {}, {}}, 1, units % 2 == 0 ? 0.0f : -1.0f);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryTall,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.strides_tiles;
                         })),
                         name_of_kernel);
INSTANTIATE_TEST_SUITE_P(Gemm, EveryTallByBoxes,
                         ::testing::ValuesIn(kernels_that(gpu::is_tall_by_boxes)), name_of_kernel);
INSTANTIATE_TEST_SUITE_P(Gemm, EveryTallOfAnyAlignment,
                         ::testing::ValuesIn(kernels_that(gpu::is_tall_of_any_alignment)),
                         name_of_kernel);
INSTANTIATE_TEST_SUITE_P(Gemm, EveryTallOfALongK,
                         ::testing::ValuesIn(kernels_that(gpu::is_of_long_k)), name_of_kernel);

gpu::Problem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, Dtype result,
                        double beta = 0) {
  gpu::Problem problem;
  problem.operand = Dtype::kBF16, problem.result = result;
  problem.arguments.m = m, problem.arguments.n = n, problem.arguments.k = k;
  problem.arguments.a.leading_dimension = k;
  problem.arguments.b.leading_dimension = problem.arguments.c.leading_dimension = n;
  problem.arguments.alpha.value = 1, problem.arguments.beta.value = beta;
  return problem;
}

gpu::Plan plan_of(std::int64_t m, std::int64_t n, std::int64_t k, Dtype result, const char* gpu,
                  double beta = 0) {
  return gpu::choose(problem_of(m, n, k, result, beta), model::find_gpu(gpu), gpu::kNoLimit);
}

TEST(TallProducts, OfAnyAlignmentCopyNothing) {
  TILEWISE_NEEDS_KERNELS();
  const auto plan = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return plan_of(m, n, k, Dtype::kBF16, "h100");
  };
  EXPECT_EQ(plan(65537, 29, 61).kernel->name, "tall_bf16_any");
  EXPECT_EQ(plan(100000, 33, 63).kernel->name, "tall_bf16_any");
  EXPECT_EQ(plan(31, 100001, 63).kernel->name, "tall_bf16_any_swapped");
  EXPECT_EQ(plan(16, 50257, 769).kernel->name, "tall_bf16_long_few_swapped");
  EXPECT_NE(plan(50257, 1, 769).kernel->unit, "tall_bf16_any");
  EXPECT_EQ(plan(65537, 29, 61).workspace_bytes, 0u);
  EXPECT_EQ(plan(1000000, 16, 16).kernel->name, "tall_bf16_32_rows");  // aligned
}

// As many k of B as there is room for, which is more of fewer columns.
TEST(TallProducts, HoldALongKOfFewColumns) {
  TILEWISE_NEEDS_KERNELS();
  const auto holds = [](std::string_view kernel, std::int64_t n, std::int64_t k) {
    return gpu::plan_by(gpu::parse_wish(kernel, ""), problem_of(5001, n, k, Dtype::kBF16),
                        model::find_gpu("h200"), gpu::kNoLimit)
        .has_value();
  };
  EXPECT_TRUE(holds("tall_bf16_long_few", 16, 4096));
  EXPECT_FALSE(holds("tall_bf16_long_few", 3, 4097));
  EXPECT_TRUE(holds("tall_bf16_long", 16, 4096));
  EXPECT_TRUE(holds("tall_bf16_long", 32, 2048));
  EXPECT_FALSE(holds("tall_bf16_long", 33, 2048));
  EXPECT_TRUE(holds("tall_bf16_long", 64, 1024));
  EXPECT_FALSE(holds("tall_bf16_long", 64, 1025));
  EXPECT_FALSE(holds("tall_bf16_any", 1, 193));
}

// Few units of a block are shared by many warps, and of many each is one warp's.
TEST(TallProducts, TeamsByUnitsOfABlock) {
  TILEWISE_NEEDS_KERNELS();
  const GemmKernel& kernel = *gpu::parse_wish("tall_bf16_long_few", "").kernel;
  constexpr int kBlocks = 100;
  const auto team = [&](std::int64_t units) {
    gpu::Problem problem =
        problem_of(units * kBlocks * kernels::tall_long_lines(false), 7, 2001, Dtype::kBF16);
    problem.arguments.result_bytes = 2;
    const kernels::TallAny any = gpu::tall_any_of(problem.arguments, kernel, kBlocks);
    EXPECT_GT(any.stages, 1);
    EXPECT_LE(any.team, any.warps);
    return any.team;
  };
  EXPECT_GE(team(1), 8);
  EXPECT_GT(team(3), 1);
  EXPECT_LT(team(3), team(1));
  EXPECT_EQ(team(16), 1);
}

// Of any alignment by teams; where TMA can bring them, few columns are asked for once by each cluster; a very large factor by
// strips.
TEST(TallProducts, OfALongK) {
  TILEWISE_NEEDS_KERNELS();
  constexpr Dtype kResult = Dtype::kBF16;
  EXPECT_EQ(plan_of(101385, 10, 513, kResult, "h200").kernel->name, "tall_bf16_long_few");
  EXPECT_EQ(plan_of(100003, 17, 501, kResult, "h200").kernel->name, "tall_bf16_long");
  const gpu::Plan of_eight = plan_of(18008, 8, 640, kResult, "h200");
  EXPECT_GT(of_eight.kernel->box_a.lines, 0) << of_eight.kernel->name;
  EXPECT_GT(of_eight.cluster.blocks(), 2);
  EXPECT_TRUE(plan_of(1, 128256, 4096, kResult, "h200").kernel->name.starts_with("strip_bf16"));
}

// Rows of A that are lines of 128 bytes come by TMA, of C and of Cᵀ.
TEST(TallProducts, ComeByTmaWhereKIsLong) {
  TILEWISE_NEEDS_KERNELS();
  const auto chosen = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return plan_of(m, n, k, Dtype::kF32, "h200").kernel->name;
  };
  EXPECT_EQ(chosen(100000, 64, 256), "tall_bf16_boxes_to_f32");
  EXPECT_EQ(chosen(64, 65536, 128), "tall_bf16_boxes_swapped_to_f32");
  EXPECT_EQ(chosen(1000000, 16, 16), "tall_bf16_32_rows_to_f32");
  EXPECT_EQ(chosen(16384, 64, 64), "single_bf16_128x64_to_f32");  // a tile a block
  EXPECT_EQ(chosen(50000, 128, 64), "tall_bf16_boxes_to_f32");
}

// More than 64 columns are read once where k is up to 128 and C is stored as it is, else A would be read twice.
TEST(TallProducts, ReadALargeFactorOnce) {
  TILEWISE_NEEDS_KERNELS();
  const auto is_by_boxes = [](std::int64_t n, std::int64_t k, double beta) {
    return plan_of(100000, n, k, Dtype::kF32, "h200", beta).kernel->unit == "tall_bf16_boxes";
  };
  EXPECT_TRUE(is_by_boxes(128, 128, 0));
  EXPECT_FALSE(is_by_boxes(136, 128, 0));
  EXPECT_FALSE(is_by_boxes(72, 136, 0));
  EXPECT_FALSE(is_by_boxes(72, 128, 1));
  EXPECT_FALSE(is_by_boxes(127, 128, 0));
  EXPECT_TRUE(is_by_boxes(64, 136, 0));
}

}  // namespace
}  // namespace tilewise::test
