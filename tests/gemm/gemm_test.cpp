// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every dtype, layout, scalar and size, against the product's definition.
#include "tilewise/gemm.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "matrices.hpp"

namespace tilewise {
namespace {

using namespace test;

Context& context() {
  static Context two({.threads = 2});
  return two;
}

// Computes c and checks it.
template <class K>
void multiply_and_check(typename K::S alpha, const Matrix<typename K::A>& a,
                        const Matrix<typename K::B>& b, typename K::S beta,
                        Matrix<typename K::C> c) {
  const Matrix<typename K::C> before = c;
  if (beta == 0) c.fill(poison<typename K::C>());
  gemm(context(), alpha, a.view(), b.view(), beta, c.view());
  expect_product(alpha, a, b, beta, before, c);
}

template <class K>
void multiply_and_check(std::int64_t m, std::int64_t n, std::int64_t k, typename K::S alpha,
                        typename K::S beta, Stand a = {}, Stand b = {}, Stand c = {}) {
  SCOPED_TRACE(::testing::Message()
               << m << "x" << n << "x" << k << ", alpha " << alpha << ", beta " << beta);
  multiply_and_check<K>(alpha, Matrix<typename K::A>(m, k, a, 1), Matrix<typename K::B>(k, n, b, 2),
                        beta, Matrix<typename K::C>(m, n, c, 3));
}

std::vector<Stand> all_stands(std::int64_t gap) {
  std::vector<Stand> all;
  for (Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    for (bool transposed : {false, true}) all.push_back({order, transposed, gap});
  }
  return all;
}

template <class K> class Gemm : public ::testing::Test {};
TYPED_TEST_SUITE(Gemm, EveryKind);

TYPED_TEST(Gemm, EveryLayout) {
  for (const Stand& a : all_stands(0)) {
    for (const Stand& b : all_stands(3)) {
      for (const Stand& c : all_stands(5)) {
        multiply_and_check<TypeParam>(13, 9, 21, 2, 1, a, b, c);
        multiply_and_check<TypeParam>(3, 70, 5, 1, 0, a, b, c);
        multiply_and_check<TypeParam>(35, 2, 33, -1, 3, a, b, c);
      }
    }
  }
}

TYPED_TEST(Gemm, EverySmallSize) {
  const Stand by_columns{Order::kColumnMajor, false, 1};
  for (std::int64_t m = 1; m <= 5; ++m) {
    for (std::int64_t n = 1; n <= 5; ++n) {
      for (std::int64_t k = 1; k <= 5; ++k) {
        multiply_and_check<TypeParam>(m, n, k, 1, 0);
        multiply_and_check<TypeParam>(m, n, k, 1, 0, by_columns, by_columns, by_columns);
      }
    }
  }
}

TYPED_TEST(Gemm, LargerThanAnyTile) {
  multiply_and_check<TypeParam>(150, 131, 170, 1, 1);
  multiply_and_check<TypeParam>(67, 129, 600, 2, 0, {Order::kColumnMajor, false, 2}, {}, {});
  multiply_and_check<TypeParam>(129, 67, 65, 1, 1, {}, {Order::kRowMajor, true, 1},
                                {Order::kColumnMajor, false, 4});
}

TYPED_TEST(Gemm, Scalars) {
  for (int alpha : {-2, -1, 0, 1, 3}) {
    for (int beta : {-2, -1, 0, 1, 3}) {
      const auto s = static_cast<typename TypeParam::S>(alpha);
      const auto t = static_cast<typename TypeParam::S>(beta);
      multiply_and_check<TypeParam>(11, 14, 8, s, t);
      multiply_and_check<TypeParam>(11, 14, 8, s, t, {}, {}, {Order::kColumnMajor, false, 2});
    }
  }
}

TYPED_TEST(Gemm, AlphaZeroDoesNotReadTheFactors) {
  Matrix<typename TypeParam::A> a(6, 5);
  Matrix<typename TypeParam::B> b(5, 7);
  a.fill(poison<typename TypeParam::A>());
  b.fill(poison<typename TypeParam::B>());
  multiply_and_check<TypeParam>(0, a, b, 2, Matrix<typename TypeParam::C>(6, 7));
  multiply_and_check<TypeParam>(0, a, b, 0, Matrix<typename TypeParam::C>(6, 7));

  Matrix<typename TypeParam::C> c(6, 7);
  MatrixView<const typename TypeParam::A> no_a{nullptr, 6, 5, 5};
  MatrixView<const typename TypeParam::B> no_b{nullptr, 5, 7, 7};
  const Matrix<typename TypeParam::C> before = c;
  gemm(context(), typename TypeParam::S{0}, no_a, no_b, typename TypeParam::S{2}, c.view());
  expect_product(typename TypeParam::S{0}, a, b, typename TypeParam::S{2}, before, c);
}

TYPED_TEST(Gemm, WithoutProductsCIsScaled) {
  for (int beta : {0, 1, 3}) {
    for (int alpha : {0, 1}) {
      multiply_and_check<TypeParam>(6, 7, 0, static_cast<typename TypeParam::S>(alpha),
                                    static_cast<typename TypeParam::S>(beta), {}, {},
                                    {Order::kColumnMajor, false, 2});
    }
  }
}

TYPED_TEST(Gemm, EmptyResultsNeedNoMemory) {
  using S = typename TypeParam::S;
  for (std::int64_t m : {0, 3}) {
    for (std::int64_t n : {0, 4}) {
      for (std::int64_t k : {0, 5}) {
        if (m != 0 && n != 0) continue;
        MatrixView<const typename TypeParam::A> a{nullptr, m, k, 5};
        MatrixView<const typename TypeParam::B> b{nullptr, k, n, 4};
        MatrixView<typename TypeParam::C> c{nullptr, m, n, 4};
        EXPECT_NO_THROW(gemm(context(), S{1}, a, b, S{0}, c)) << m << " " << n << " " << k;
      }
    }
  }
}

TYPED_TEST(Gemm, OneMatrixMayBeBothFactors) {
  if constexpr (std::is_same_v<typename TypeParam::A, typename TypeParam::B>) {
    const Matrix<typename TypeParam::A> a(12, 12);
    multiply_and_check<TypeParam>(1, a, a, 0, Matrix<typename TypeParam::C>(12, 12));
  }
}

template <class K> class GemmOfFloats : public ::testing::Test {};
TYPED_TEST_SUITE(GemmOfFloats, FloatKinds);

enum class Species { kFinite, kNan, kPlusInfinity, kMinusInfinity };
Species species_of(double x) {
  if (std::isnan(x)) return Species::kNan;
  if (!std::isinf(x)) return Species::kFinite;
  return x > 0 ? Species::kPlusInfinity : Species::kMinusInfinity;
}

// Places NaN and infinities where they meet numbers, zeros and one another, and expects each
// element of C to be of the kind that the triple loop gives.
template <class K> void expect_species(std::int64_t m, std::int64_t n, std::int64_t k) {
  const double infinity = std::numeric_limits<double>::infinity();
  Matrix<typename K::A> a(m, k, {}, 1);
  Matrix<typename K::B> b(k, n, {}, 2);
  Matrix<typename K::C> c(m, n, {}, 3);
  a.at(0, 1) = element_of<typename K::A>(infinity);
  a.at(1, 0) = poison<typename K::A>();
  a.at(2, k - 1) = element_of<typename K::A>(-infinity);
  b.at(1, 2) = element_of<typename K::B>(0);
  b.at(1, 1) = element_of<typename K::B>(-infinity);
  b.at(k - 1, n - 1) = poison<typename K::B>();
  c.at(3, 0) = element_of<typename K::C>(infinity);
  c.at(3, 2) = poison<typename K::C>();
  const Matrix<typename K::C> before = c;
  gemm(context(), typename K::S{2}, a.view(), b.view(), typename K::S{-1}, c.view());
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += value_of(a.at(i, l)) * value_of(b.at(l, j));
      const double expected = 2 * sum - value_of(before.at(i, j));
      ASSERT_EQ(species_of(value_of(c.at(i, j))), species_of(expected))
          << value_of(c.at(i, j)) << " at " << i << ", " << j << ", expected " << expected;
    }
  }
}

TYPED_TEST(GemmOfFloats, NanAndInfinityGoWhereArithmeticTakesThem) {
  expect_species<TypeParam>(4, 3, 2);
  expect_species<TypeParam>(37, 41, 19);
  expect_species<TypeParam>(131, 117, 260);
}

TYPED_TEST(GemmOfFloats, NanScalarsSpread) {
  using S = typename TypeParam::S;
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const Matrix<typename TypeParam::A> a(5, 4);
  const Matrix<typename TypeParam::B> b(4, 6);
  Matrix<typename TypeParam::C> by_alpha(5, 6), by_beta(5, 6);
  gemm(context(), nan, a.view(), b.view(), S{0}, by_alpha.view());
  gemm(context(), S{0}, a.view(), b.view(), nan, by_beta.view());
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      EXPECT_TRUE(std::isnan(value_of(by_alpha.at(i, j))));
      EXPECT_TRUE(std::isnan(value_of(by_beta.at(i, j))));
    }
  }
}

TYPED_TEST(GemmOfFloats, BetaZeroDoesNotReadC) {
  using S = typename TypeParam::S;
  for (std::int64_t k : {0, 4}) {
    const Matrix<typename TypeParam::A> a(5, k);
    const Matrix<typename TypeParam::B> b(k, 6);
    Matrix<typename TypeParam::C> c(5, 6);
    c.fill(poison<typename TypeParam::C>());
    gemm(context(), S{1}, a.view(), b.view(), S{0}, c.view());
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 6; ++j) EXPECT_FALSE(std::isnan(value_of(c.at(i, j))));
    }
  }
}

// 16-bit results are rounded once, to nearest even: 1 + ulp/2 goes down, 1 + 3·ulp/2 up.
template <class T> void expect_rounding(double ulp) {
  for (const auto& [halves, expected] : {std::pair{1, 1.0}, std::pair{3, 1 + 2 * ulp}}) {
    Matrix<T> a(1, 2), b(2, 1), c(1, 1);
    a.at(0, 0) = element_of<T>(1);
    b.at(0, 0) = element_of<T>(1);
    a.at(0, 1) = element_of<T>(halves);
    b.at(1, 0) = element_of<T>(ulp / 2);
    gemm(context(), 1.0f, a.view(), b.view(), 0.0f, c.view());
    EXPECT_EQ(value_of(c.at(0, 0)), expected) << halves;
  }
}

TEST(GemmOf16Bits, RoundsToNearestEven) {
  expect_rounding<Float16>(0x1p-10);
  expect_rounding<BFloat16>(0x1p-7);
}

TEST(GemmOf16Bits, SumsInF32) {
  // 4096 ones: sums in f16 would stick at 2048, in bf16 at 256.
  Matrix<Float16> a(1, 4096), b(4096, 1);
  Matrix<BFloat16> d(1, 4096), e(4096, 1);
  a.fill(element_of<Float16>(1));
  b.fill(element_of<Float16>(1));
  d.fill(element_of<BFloat16>(1));
  e.fill(element_of<BFloat16>(1));
  Matrix<float> c(1, 1);
  gemm(context(), 1.0f, a.view(), b.view(), 0.0f, c.view());
  EXPECT_EQ(c.at(0, 0), 4096.0f);
  gemm(context(), 1.0f, d.view(), e.view(), 0.0f, c.view());
  EXPECT_EQ(c.at(0, 0), 4096.0f);
}

TEST(GemmOfIntegers, WrapsModulo2To32) {
  Matrix<std::uint8_t> a(1, 70'000);
  Matrix<std::int8_t> b(70'000, 1);
  a.fill(255);
  b.fill(-128);
  const std::int64_t exact = -70'000LL * 255 * 128;  // below -2^31
  Matrix<std::int32_t> c(1, 1);
  gemm(context(), 1, a.view(), b.view(), 0, c.view());
  EXPECT_EQ(c.at(0, 0), static_cast<std::int32_t>(static_cast<std::uint32_t>(exact)));
  c.at(0, 0) = std::numeric_limits<std::int32_t>::max();
  gemm(context(), 1'000'003, a.view(), b.view(), 77, c.view());
  const auto expected = static_cast<std::uint32_t>(exact) * 1'000'003u + 77u * 0x7FFFFFFFu;
  EXPECT_EQ(c.at(0, 0), static_cast<std::int32_t>(expected));
}

// Two lines 8 GiB apart, in memory of which only the pages in use exist.
TEST(GemmFarApart, OffsetsHave64Bits) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 31) + 5;
  constexpr std::size_t kBytes = static_cast<std::size_t>(kFar + 16) * sizeof(float);
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no 8 GiB of addresses";
  float* const far = static_cast<float*>(memory);
  far[0] = 3;
  far[kFar] = 5;
  const float two = 2;
  float c[2] = {-1, -1};
  gemm(context(), 1.0f, row_major<const float>(far, 2, 1, kFar), row_major(&two, 1, 1), 0.0f,
       row_major(c, 2, 1));
  EXPECT_EQ(c[0], 6.0f);
  EXPECT_EQ(c[1], 10.0f);
  gemm(context(), 1.0f, row_major<const float>(c, 2, 1), row_major(&two, 1, 1), 0.0f,
       row_major(far, 2, 1, kFar));
  EXPECT_EQ(far[0], 12.0f);
  EXPECT_EQ(far[kFar], 20.0f);
  munmap(memory, kBytes);
}

TEST(CpuInstructionSet, IsOneOfThree) {
  const std::string name = cpu_instruction_set();
  EXPECT_TRUE(name == "avx512" || name == "avx2" || name == "portable") << name;
}

}  // namespace
}  // namespace tilewise
