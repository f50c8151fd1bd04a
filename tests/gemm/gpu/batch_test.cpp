// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels by teams of warps (kernels/gemm/batch.cuh): many products, each of whose matrices begins somewhere else within
// 16 bytes.
#include <memory>
#include <string>
#include <vector>

#include "kernels/gemm/catalogue.hpp"
#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

using kernels::GemmKernel;

constexpr Stand kRows{}, kColumns{.order = Order::kColumnMajor};

/// Matrices of one shape, of which each begins an element later than the one before it does.
template <class T> struct Scattered {
  std::vector<Matrix<T>> matrices;
  std::vector<std::unique_ptr<OnGpu<T>>> on_gpu;
  std::vector<T*> pointers;

  Scattered(int count, std::int64_t rows, std::int64_t columns, const Stand& stand, unsigned seed) {
    for (int i = 0; i < count; ++i)
      matrices.emplace_back(rows, columns, stand, seed + static_cast<unsigned>(i));
  }
  void upload() {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      on_gpu.push_back(std::make_unique<OnGpu<T>>(matrices[i], static_cast<int>(i % 9)));
      pointers.push_back(on_gpu.back()->view().data);
    }
  }
  MatrixView<T> shape() const { return on_gpu[0]->view(); }
};

class EveryTeam : public ::testing::TestWithParam<const GemmKernel*> {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
  const GemmKernel& kernel() const { return *GetParam(); }

  // As the kernel sees them.
  Sizes sized(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return kernel().transposes_result ? Sizes{n, m, k} : Sizes{m, n, k};
  }

  template <class Function> void with_kind(const Function& function) const {
    const PlanWish wish{std::string(kernel().name)};
    test::with_kind(kernel(), function);
  }
};

template <class Kind>
void expect_scattered(int count, const Sizes& sizes, const Layout& layout, double alpha,
                      double beta) {
  using A = typename Kind::A;
  using C = typename Kind::C;
  using S = typename Kind::S;
  Scattered<A> a(count, sizes.m, sizes.k, layout.a, 10), b(count, sizes.k, sizes.n, layout.b, 200);
  Scattered<C> c(count, sizes.m, sizes.n, layout.c, 3000);
  if (beta == 0)
    for (Matrix<C>& each : c.matrices) each.fill(poison<C>());
  const std::vector<Matrix<C>> before = c.matrices;
  a.upload(), b.upload(), c.upload();
  const ArrayOnGpu<A*> at_a(a.pointers), at_b(b.pointers);
  const ArrayOnGpu<C*> at_c(c.pointers);
  const auto f = static_cast<S>(alpha), g = static_cast<S>(beta);
  gemm_batch(gpu(), count, f, MatrixBatch<const A>(from_pointers(a.shape(), at_a.data())),
             MatrixBatch<const A>(from_pointers(b.shape(), at_b.data())), g,
             from_pointers(c.shape(), at_c.data()));
  for (std::size_t i = 0; i < c.matrices.size(); ++i) {
    c.on_gpu[i]->fetch();
    expect_product<A, A, C, S>(f, a.matrices[i], b.matrices[i], g, before[i], c.matrices[i]);
  }
  expect_clean();
}

// Seven products, so that the last block has teams without work.
TEST_P(EveryTeam, OfMatricesThatBeginAnywhere) {
  const int bm = kernel().bm, bn = kernel().bn, bk = kernel().bk;
  with_kind([&]<class Kind>(Kind) {
    for (const Stand a : {kRows, Stand{.order = Order::kColumnMajor, .gap = 1}})
      for (const Stand b : {Stand{.gap = 3}, kColumns}) {
        expect_scattered<Kind>(7, sized(bm - 3, bn - 1, bk + 3), {a, b, kRows}, 1, 0);
        expect_scattered<Kind>(7, sized(bm, bn, 2 * bk), {a, b, Stand{.gap = 1}}, 1.5, -1);
      }
  });
}

TEST_P(EveryTeam, OfSeveralTiles) {
  const int bm = kernel().bm, bn = kernel().bn, bk = kernel().bk, stages = kernel().stages;
  with_kind([&]<class Kind>(Kind) {
    const Sizes sizes = sized(bm + 5, 2 * bn + 3, (stages + 2) * bk - 3);
    expect_scattered<Kind>(3, sizes, {kRows, kColumns, kRows}, -0.5, 2);
    expect_scattered<Kind>(3, sizes, {kColumns, kRows, kColumns}, 1, 0);
  });
}

TEST_P(EveryTeam, OfTinyProducts) {
  with_kind([&]<class Kind>(Kind) {
    for (const std::int64_t size : {1, 2, 3, 5, 7})
      expect_scattered<Kind>(13, {size, 8 - size, size + 1}, {kRows, kRows, kRows}, 1, 0.5);
    expect_scattered<Kind>(5, {3, 4, 0}, {kRows, kRows, kRows}, 1, 0.5);
  });
}

// One tall A whose products have rows one after the other, from the last ones on where `backwards`, one B for all, and C as A.
// For alpha = 0 A and B are poisoned.
template <class Kind>
void expect_strided(const Sizes& one, double alpha, double beta, bool backwards) {
  using A = typename Kind::A;
  using C = typename Kind::C;
  using S = typename Kind::S;
  constexpr int kCount = 9;
  Matrix<A> a(kCount * one.m, one.k, {}, 1), b(one.k, one.n, {}, 2);
  const Matrix<A> readable_a = a, readable_b = b;
  if (alpha == 0) a.fill(poison<A>()), b.fill(poison<A>());
  Matrix<C> c(kCount * one.m, one.n, {.gap = 4}, 3);
  const Matrix<C> before = c;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  MatrixView<A> first_a = on_a.view();
  MatrixView<C> first_c = on_c.view();
  first_a.rows = first_c.rows = one.m;
  std::int64_t stride_a = one.m * first_a.leading_dimension,
               stride_c = one.m * first_c.leading_dimension;
  if (backwards) {
    first_a.data += (kCount - 1) * stride_a, first_c.data += (kCount - 1) * stride_c;
    stride_a = -stride_a, stride_c = -stride_c;
  }
  gemm_batch(gpu(), kCount, static_cast<S>(alpha), MatrixBatch<const A>(strided(first_a, stride_a)),
             MatrixBatch<const A>(strided(on_b.view(), 0)), static_cast<S>(beta),
             strided(first_c, stride_c));
  on_c.fetch();
  expect_clean();
  expect_product<A, A, C, S>(static_cast<S>(alpha), readable_a, readable_b, static_cast<S>(beta),
                             before, c);
}

TEST_P(EveryTeam, OfStridesAndASharedFactor) {
  with_kind([&]<class Kind>(Kind) { expect_strided<Kind>({5, 11, 37}, 1, 2, true); });
}

TEST_P(EveryTeam, ReadNoFactorsWhereAlphaIsZero) {
  with_kind([&]<class Kind>(Kind) { expect_strided<Kind>({6, 7, 40}, 0, 2, false); });
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryTeam,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.tiles_of_block > 0;
                         })),
                         name_of_kernel);

// Tall products have a block for so many units of each matrix, few outer products one for so many rounds.
class EveryOtherOfBatches : public EveryTeam {};

TEST_P(EveryOtherOfBatches, OfMatricesThatBeginAnywhere) {
  const int bm = kernel().bm, bn = kernel().bn, bk = kernel().bk;
  const bool by_columns = kernel().transposes_result;  // as that is given the other way round
  const Stand a{.gap = 1}, b{.order = by_columns ? Order::kRowMajor : Order::kColumnMajor};
  with_kind([&]<class Kind>(Kind) {
    expect_scattered<Kind>(3, sized(bm + 5, bn - 1, bk + 3), {a, b, kRows}, 1, 0);
    expect_scattered<Kind>(3, sized(bm, bn, 2 * bk), {a, b, Stand{.gap = 1}}, 1.5, -1);
  });
}

INSTANTIATE_TEST_SUITE_P(Gemm, EveryOtherOfBatches,
                         ::testing::ValuesIn(kernels_that([](const GemmKernel& kernel) {
                           return kernel.strides_tiles || kernel.goes_by_rounds;
                         })),
                         name_of_kernel);

}  // namespace
}  // namespace tilewise::test
