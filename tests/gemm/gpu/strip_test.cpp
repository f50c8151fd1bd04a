// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Strips, and products with a handful of rows: what kernels_test.cpp, which knows nothing of rings of warps, of second kernels
// and of how much of A a block has at a time, does not reach.
#include "core/divide.hpp"
#include "kernels/gemm/thin.hpp"
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

constexpr Stand kRows{}, kColumns{.order = Order::kColumnMajor};

class EveryStrip : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
  const GemmKernel& kernel() const { return *GetParam(); }

  // As the kernel sees it.
  Sizes sized(std::int64_t rows, std::int64_t columns, std::int64_t k) const {
    return kernel().transposes_result ? Sizes{columns, rows, k} : Sizes{rows, columns, k};
  }
};

// Every warp goes round its ring and meets the end of k within a step. Rows are aligned, or end anywhere where the kernel reads
// such in place.
TEST_P(EveryStrip, GoesRoundTheRingsOfAllWarps) {
  const std::int64_t k = (kernel().stages + 1) * kernel().steps_together * kernel().bk + 27;
  const Sizes sizes = sized(kernel().bm + 5, kernel().bn - 1, k);
  const PlanWish wish(std::string(kernel().name) + ",split=1");
  const auto stand = [&](Order order, std::int64_t width) {
    const std::int64_t gap = round_up(width, std::int64_t{8}) - width;
    return Stand{.order = order, .gap = kernel().alignment == 0 ? 3 : gap};
  };
  with_kind(kernel(), [&]<class Kind>(Kind) {
    for (const Stand& b : {stand(Order::kRowMajor, sizes.n), stand(Order::kColumnMajor, k)}) {
      expect_right<Kind>(sizes, {stand(Order::kRowMajor, k), b, kRows}, 1, 0);
      expect_right<Kind>(sizes, {stand(Order::kColumnMajor, sizes.m), b, kColumns}, -1.5, 0.5);
    }
  });
}

// A part more than the warps of the second kernel add up at a time.
TEST_P(EveryStrip, AddsUpManyParts) {
  const Sizes sizes = sized(9, 3, 130 * kernel().bk);
  const PlanWish wish(std::string(kernel().name) + ",split=130");
  with_kind(kernel(), [&]<class Kind>(Kind) {
    const auto first = expect_right<Kind>(sizes, {kColumns, kRows, kRows}, 2, 1);
    EXPECT_TRUE(same_bits(first, expect_right<Kind>(sizes, {kColumns, kRows, kRows}, 2, 1)));
  });
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryStrip,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return !kernel.part_entries[0][0].empty();
                         })),
                         name_of_kernel);

class EveryThin : public EveryStrip {};

// Rows of B shorter than 16 bytes, several of which a piece would reach into: behind the last of them there is nothing.
TEST_P(EveryThin, ReadsNothingBehindTheLastRow) {
  const PlanWish wish(std::string(kernel().name));
  with_kind(kernel(), [&]<class Kind>(Kind) {
    for (const std::int64_t columns : {1, 2, 5, 7})
      for (const std::int64_t k : {1, 2, 5, 7, 20})
        for (const Stand& b : {kRows, kColumns})
          expect_right<Kind>(sized(1, columns, k), {kRows, b, kRows}, 1, 0);
  });
}

// A is brought three times, or once and not whole; rows of B begin anywhere.
TEST_P(EveryThin, BringsAOnceMore) {
  const int rows = kernel().bm;
  for (const std::int64_t k : {2 * std::int64_t{kernels::thin_depth(rows)} + 27, std::int64_t{5}}) {
    const Sizes sizes = sized(rows, kernel().bn + 5, k);
    for (const char* const parts : {"1", "3"}) {
      const PlanWish wish(std::string(kernel().name) + ",split=" + parts);
      with_kind(kernel(), [&]<class Kind>(Kind) {
        for (const Stand& b : {kRows, kColumns, Stand{.gap = 3}}) {
          expect_right<Kind>(sizes, {kRows, b, kRows}, 1, 0);
          expect_right<Kind>(sizes, {kColumns, b, kColumns}, -1.5, 0.5);
        }
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryThin,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.unit.starts_with("thin");
                         })),
                         name_of_kernel);

class Strips : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
};

TEST_F(Strips, OfABatchInParts) {
  constexpr int kCount = 3;
  for (const char* const name : {"strip_f32_32x8,split=3", "strip_f32_32x16_transposed,split=2"}) {
    const PlanWish wish(name);
    Matrix<float> a(kCount * 12, 200, {}, 1), b(200, 8, {}, 2), c(kCount * 12, 8, {}, 3);
    const Matrix<float> before = c;
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    const auto slices = []<class T>(MatrixView<T> all) {
      all.rows = 12;
      return strided(all, 12 * all.leading_dimension);
    };
    gemm_batch(gpu(), kCount, 1.5f, slices(MatrixView<const float>(on_a.view())),
               strided(MatrixView<const float>(on_b.view()), 0), -1.0f, slices(on_c.view()));
    on_c.fetch();
    expect_clean();
    expect_product<float, float, float, float>(1.5f, a, b, -1.0f, before, c);
  }
}

TEST_F(Strips, DoNotReadFactorsWhereAlphaOnTheDeviceIsZero) {
  const ArrayOnGpu<float> scalars({0, 2});
  for (const char* const plan : {"strip_f32_32x8,split=1", "strip_f32_32x8,split=3",
                                 "strip_f32_32x16_any,split=3", "thin_f32_8_transposed,split=1"}) {
    const PlanWish wish(plan);
    Matrix<float> a(20, 300), b(300, 8), c(20, 8, {}, 3);
    a.fill(poison<float>());
    b.fill(poison<float>());
    const Matrix<float> before = c;
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    gemm(gpu(), GpuScalar<float>::on_device(scalars.data()), on_a.view(), on_b.view(),
         GpuScalar<float>::on_device(scalars.data() + 1), on_c.view());
    on_c.fetch();
    expect_clean();
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 8; ++j) EXPECT_EQ(c.at(i, j), 2 * before.at(i, j));
  }
}

}  // namespace
}  // namespace tilewise::test
