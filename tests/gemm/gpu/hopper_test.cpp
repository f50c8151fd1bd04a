// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of what is prepared before, or read through tensor maps, and what accurate f32 does with elements that pairs of
// f16 cannot hold.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "on_gpu.hpp"

namespace tilewise::test {
namespace {

// A kind of product in a mode, and the kernel that has to compute it.
template <class Product, ComputeMode mode = ComputeMode::kIeee> struct In : Product {
  static constexpr ComputeMode kMode = mode;
};
struct AccurateF32 : In<F32, ComputeMode::kAccurate> {
  static constexpr const char* kKernel = "accurate_f32_128x64";
};
struct RawF32 : In<F32, ComputeMode::kAccurate> {
  static constexpr const char* kKernel = "accurate_f32_128x16_raw_b";
};
struct PairsOfTF32 : In<F32, ComputeMode::kAccurate> {
  static constexpr const char* kKernel = "accurate_f32_64x32_tf32_transposed";
};
struct MmaAccurateF32 : In<F32, ComputeMode::kAccurate> {
  static constexpr const char* kKernel = "mma_accurate_f32_64x64";
};
struct WideBF16 : In<BF16ToF32> {
  static constexpr const char* kKernel = "warpgroup_bf16_128x128_to_f32";
};
struct NarrowF16 : In<F16> {
  static constexpr const char* kKernel = "warpgroup_f16_64x64";
};
struct TurnedBF16 : In<BF16> {
  static constexpr const char* kKernel = "warpgroup_bf16_128x32_swapped";
};
struct SingleBF16 : In<BF16ToF32> {
  static constexpr const char* kKernel = "single_bf16_64x64_to_f32";
};
struct SwappedSingleF16 : In<F16> {
  static constexpr const char* kKernel = "single_f16_64x24_swapped";
};
struct HopperF64 : In<F64> {
  static constexpr const char* kKernel = "hopper_f64_32x32";
};

template <class Kind> class HopperBatch : public ::testing::Test {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }
};
using Kinds = ::testing::Types<AccurateF32, RawF32, PairsOfTF32, MmaAccurateF32, WideBF16,
                               NarrowF16, TurnedBF16, SingleBF16, SwappedSingleF16, HopperF64>;
TYPED_TEST_SUITE(HopperBatch, Kinds);

constexpr int kCount = 3;

// A batch is one tall matrix: product i has its rows i·m ….
template <class T> MatrixBatch<T> slices(MatrixView<T> all, bool backwards) {
  MatrixView<T> one = all;
  one.rows = all.rows / kCount;
  const std::int64_t stride = one.rows * all.leading_dimension;
  if (!backwards) return strided(one, stride);
  one.data += (kCount - 1) * stride;
  return strided(one, -stride);
}

template <class Kind>
void expect_batch(std::int64_t gap, bool backwards, std::int64_t k = 72, const char* how = "") {
  using A = typename Kind::A;
  using C = typename Kind::C;
  using Scalar = typename Kind::S;
  const PlanWish wish(std::string(Kind::kKernel) + how);
  Matrix<A> a(kCount * 24, k, {.gap = gap}, 1), b(k, 80, {.gap = gap}, 2);
  Matrix<C> c(kCount * 24, 80, {.gap = gap}, 3);
  const Matrix<C> before = c;
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  gemm_batch(gpu(), kCount, Scalar(1.5), slices<const A>(on_a.view(), backwards),
             strided<const A>(on_b.view(), 0), Scalar(-1), slices<C>(on_c.view(), backwards),
             {.mode = Kind::kMode});
  on_c.fetch();
  expect_clean();
  expect_product<A, A, C, Scalar>(Scalar(1.5), a, b, Scalar(-1), before, c);
}

TYPED_TEST(HopperBatch, StridesWithASharedFactor) { expect_batch<TypeParam>(0, false); }
TYPED_TEST(HopperBatch, StridesOfUnalignedRows) { expect_batch<TypeParam>(3, false); }
TYPED_TEST(HopperBatch, StridesBackwards) { expect_batch<TypeParam>(0, true); }
// More than a cluster adds up, so that each product's are left in the workspace.
TYPED_TEST(HopperBatch, PartsOfK) { expect_batch<TypeParam>(0, true, 9 * 64, ",split=9"); }
TYPED_TEST(HopperBatch, PartsOfUnalignedK) { expect_batch<TypeParam>(3, false, 600, ",split=9"); }

TYPED_TEST(HopperBatch, PointersInDeviceMemory) {
  using A = typename TypeParam::A;
  using C = typename TypeParam::C;
  const PlanWish wish(TypeParam::kKernel);
  std::vector<Matrix<A>> a, b;
  std::vector<Matrix<C>> c;
  std::vector<std::unique_ptr<OnGpu<A>>> on_a, on_b;
  std::vector<std::unique_ptr<OnGpu<C>>> on_c;
  std::vector<const A*> at_a, at_b;
  std::vector<C*> at_c;
  a.reserve(kCount), b.reserve(kCount), c.reserve(kCount);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    on_a.push_back(std::make_unique<OnGpu<A>>(a.emplace_back(40, 70, Stand{}, 10 + i)));
    on_b.push_back(std::make_unique<OnGpu<A>>(b.emplace_back(70, 50, Stand{}, 20 + i), 0));
    on_c.push_back(std::make_unique<OnGpu<C>>(c.emplace_back(40, 50, Stand{}, 30 + i)));
    at_a.push_back(on_a[i]->view().data), at_b.push_back(on_b[i]->view().data);
    at_c.push_back(on_c[i]->view().data);
  }
  const std::vector<Matrix<C>> before = c;
  const ArrayOnGpu<const A*> where_a(at_a), where_b(at_b);
  const ArrayOnGpu<C*> where_c(at_c);
  gemm_batch(gpu(), kCount, 1.0f, from_pointers<const A>(on_a[0]->view(), where_a.data()),
             from_pointers<const A>(on_b[0]->view(), where_b.data()), 1.0f,
             from_pointers<C>(on_c[0]->view(), where_c.data()), {.mode = TypeParam::kMode});
  for (std::size_t i = 0; i < kCount; ++i) {
    on_c[i]->fetch();
    expect_product<A, A, C, float>(1.0f, a[i], b[i], 1.0f, before[i], c[i]);
  }
  expect_clean();
}

// Tensor cores truncate what they add to: of 4096 positive products 1e-5 is lost in one chain. Narrow single
// tiles end theirs after 1024 k, and after 256 where factors are copied, as cuBLAS then has other kernels.
TEST(SingleTiles, EndChainsOfProducts) {
  TILEWISE_NEEDS_KERNELS();
  constexpr int kK = 4096;
  const auto error = [](const char* plan, std::int64_t gap) {
    const PlanWish wish(plan);
    Matrix<BFloat16> a(16, kK, {.gap = gap}, 1), b(kK, 64, {.gap = gap}, 2);
    Matrix<float> c(16, 64, {}, 3);
    std::mt19937 random(1);
    std::uniform_int_distribution<std::uint16_t> positive(0x3F00, 0x3FBF);  // 0.5 to 1.5
    for (int l = 0; l < kK; ++l) {
      for (int i = 0; i < 16; ++i) a.at(i, l) = {positive(random)};
      for (int j = 0; j < 64; ++j) b.at(l, j) = {positive(random)};
    }
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view());
    on_c.fetch();
    double largest = 0;
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 64; ++j) {
        double right = 0;
        for (int l = 0; l < kK; ++l) right += value_of(a.at(i, l)) * value_of(b.at(l, j));
        largest = std::max(largest, std::abs(c.at(i, j) - right) / right);
      }
    }
    return largest;
  };
  EXPECT_LT(error("single_bf16_64x16_swapped_to_f32,split=1", 0), 2e-6);
  EXPECT_LT(error("single_bf16_64x16_swapped_to_f32,split=1", 3), 2e-7);
}

// --- rows that are copied to where they begin aligned --------------------------------------------------

// Rows that are all ends (restride.cu), that have insides, and so many of these that several blocks share a row; from
// every element of 16 bytes on, from row to row at another.
TEST(CopiedRows, OfEveryWidthAndAlignment) {
  TILEWISE_NEEDS_KERNELS();
  const PlanWish wish(WideBF16::kKernel);
  const auto expect = [](int width, std::int64_t gap, int shift) {
    SCOPED_TRACE("width " + std::to_string(width) + ", gap " + std::to_string(gap) + ", shift " +
                 std::to_string(shift));
    const Stand rows{.gap = gap}, columns{.order = Order::kColumnMajor, .gap = gap};
    expect_right<BF16ToF32>({9, 5, width}, {rows, columns, Stand{}, shift, 7 - shift, 0}, 1, 0);
    expect_right<BF16ToF32>({width, 3, 5}, {columns, rows, Stand{}, shift, 7 - shift, 0}, 1, 0);
  };
  for (int width = 1; width <= 34; ++width) expect(width, width % 3, width % 8);
  for (int shift = 0; shift < 8; ++shift) expect(1100 + shift, 1, shift);
}

// --- accurate f32 --------------------------------------------------------------------------------------

// By plan: both factors in pairs, or one that is split where it is multiplied; k in parts of a cluster, or of the
// workspace.
std::string name_of_plan(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

class Accurate : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { TILEWISE_NEEDS_KERNELS(); }

  void multiply(Matrix<float>& a, Matrix<float>& b, Matrix<float>& c) {
    const PlanWish wish(GetParam());
    c.fill(poison<float>());
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view(),
         {.mode = ComputeMode::kAccurate});
    on_c.fetch();
    expect_clean();
  }

  // Holds each element against f64, in units of what f32 arithmetic may lose.
  void expect_as_exact_as_f32(Matrix<float>& a, Matrix<float>& b, const Matrix<float>& c) {
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      for (std::int64_t j = 0; j < b.columns(); ++j) {
        double sum = 0, size = 0;
        for (std::int64_t l = 0; l < a.columns(); ++l) {
          const double product = static_cast<double>(a.at(i, l)) * b.at(l, j);
          sum += product, size += std::abs(product);
        }
        const double allowed =
            size * 0x1p-24 * (4 + std::sqrt(static_cast<double>(a.columns()))) + 1e-44;
        ASSERT_NEAR(const_cast<Matrix<float>&>(c).at(i, j), sum, allowed) << i << ", " << j;
      }
    }
  }
};

TEST_P(Accurate, RowsAndColumnsOfAnySize) {
  Matrix<float> a(70, 130, {}, 1), b(130, 67, {.order = Order::kColumnMajor}, 2), c(70, 67, {}, 3);
  for (int i = 0; i < 70; ++i)
    for (int l = 0; l < 130; ++l)
      a.at(i, l) = std::ldexp(a.at(i, l), std::min(i * 2 - 70, 60));  // sums in f32
  for (int l = 0; l < 130; ++l)
    for (int j = 0; j < 67; ++j) b.at(l, j) = std::ldexp(b.at(l, j), 60 - j * 2);
  multiply(a, b, c);
  expect_as_exact_as_f32(a, b, c);
}

TEST_P(Accurate, BlocksThatAreLargeOppositeZeros) {
  // Half of k is a million times larger than the rest, and meets zeros: what is left must not have
  // been cut off with it.
  Matrix<float> a(40, 128, {}, 1), b(128, 40, {}, 2), c(40, 40, {}, 3);
  for (int i = 0; i < 40; ++i)
    for (int l = 0; l < 64; ++l) a.at(i, l) *= 0x1p20f, b.at(l, i) = 0;
  multiply(a, b, c);
  expect_as_exact_as_f32(a, b, c);
}

TEST_P(Accurate, ElementsThatAreLargeOppositeZeros) {
  // The same, element by element.
  Matrix<float> a(40, 128, {}, 1), b(128, 40, {}, 2), c(40, 40, {}, 3);
  for (int i = 0; i < 40; ++i)
    for (int l = 0; l < 128; l += 2) a.at(i, l) *= 0x1p20f, b.at(l, i) = 0;
  multiply(a, b, c);
  expect_as_exact_as_f32(a, b, c);
}

TEST_P(Accurate, StepsOfManySizes) {
  // Every 64 k of A are a hundred times larger than the 64 before, and those of B smaller.
  Matrix<float> a(40, 640, {}, 1), b(640, 40, {}, 2), c(40, 40, {}, 3);
  for (int i = 0; i < 40; ++i) {
    for (int l = 0; l < 640; ++l) {
      a.at(i, l) = std::ldexp(a.at(i, l), l / 64 * 7);
      b.at(l, i) = std::ldexp(b.at(l, i), -l / 64 * 7);
    }
  }
  multiply(a, b, c);
  expect_as_exact_as_f32(a, b, c);
}

TEST_P(Accurate, FewElementsAmongZeros) {
  Matrix<float> a(130, 300, {}, 1), b(300, 70, {}, 2), c(130, 70, {}, 3);
  a.fill(0), b.fill(0);
  for (int i = 0; i < 130; ++i) a.at(i, (i * 37) % 300) = std::ldexp(1.7f, i % 90 - 45);
  for (int j = 0; j < 70; ++j)
    for (int l = 0; l < 300; l += 7) b.at(l, j) = std::ldexp(-1.3f, (l + j) % 40 - 20);
  multiply(a, b, c);
  expect_as_exact_as_f32(a, b, c);
}

TEST_P(Accurate, WholeNumbersAreExact) {
  // Up to 2^22 where the other factor's are below 2^11, sums below 2^24.
  const auto expect_exact = [&](std::int64_t k, auto of_a, auto of_b) {
    Matrix<float> a(65, k, {}, 1), b(k, 66, {}, 2), c(65, 66, {}, 3);
    for (int i = 0; i < 65; ++i)
      for (int l = 0; l < k; ++l) a.at(i, l) = static_cast<float>(of_a(i, l));
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < 66; ++j) b.at(l, j) = static_cast<float>(of_b(l, j));
    multiply(a, b, c);
    for (int i = 0; i < 65; ++i) {
      for (int j = 0; j < 66; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += static_cast<double>(a.at(i, l)) * b.at(l, j);
        ASSERT_LT(std::abs(sum), 0x1p24);
        ASSERT_EQ(c.at(i, j), sum) << i << ", " << j;
      }
    }
  };
  const auto small = [](int i, int l) { return (i * 7 + l * 3) % 201 - 100; };
  expect_exact(200, small, [](int l, int j) { return (l * 5 + j) % 301 - 150; });
  const auto large = [](int i, int l) {
    return (i * 75'011 + l * 1'234'577) % 8'388'609 - 4'194'304;
  };
  const auto few = [](int l, int j) { return l % 67 == j % 67 ? 3 - 2 * (l % 2) : 0; };
  expect_exact(134, large, few);
  expect_exact(134, few, large);
  expect_exact(
      2, [](int i, int l) { return 2048 - i - l; }, [](int l, int j) { return 4095 - j + l; });
}

TEST_P(Accurate, NanAndInfinityGoWhereArithmeticTakesThem) {
  constexpr int kK = 700;
  Matrix<float> a(150, kK, {}, 1), b(kK, 140, {}, 2), c(150, 140, {}, 3);
  a.at(3, 5) = poison<float>();
  a.at(140, 17) = std::numeric_limits<float>::infinity();
  b.at(610, 9) = -std::numeric_limits<float>::infinity();
  multiply(a, b, c);
  for (int i = 0; i < 150; ++i) {
    for (int j = 0; j < 140; ++j) {
      float sum = 0;
      for (int l = 0; l < kK; ++l) sum += a.at(i, l) * b.at(l, j);
      if (std::isfinite(sum)) {
        ASSERT_NEAR(c.at(i, j), sum, 1e-4) << i << ", " << j;
      } else {
        ASSERT_EQ(std::isnan(c.at(i, j)), std::isnan(sum)) << i << ", " << j;
        ASSERT_EQ(std::signbit(c.at(i, j)) && std::isinf(sum),
                  std::signbit(sum) && std::isinf(sum));
      }
    }
  }
}

// Of the result's Frobenius norm.
double error_of(Matrix<float>& a, Matrix<float>& b, Matrix<float>& c) {
  double error = 0, norm = 0;
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t j = 0; j < b.columns(); ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < a.columns(); ++l)
        sum += static_cast<double>(a.at(i, l)) * b.at(l, j);
      error += (c.at(i, j) - sum) * (c.at(i, j) - sum), norm += sum * sum;
    }
  }
  return std::sqrt(error / norm);
}

TEST_P(Accurate, ErrorsOfDeepSumsDoNotPileUp) {
  // One f32 that takes in a positive product after the other is off by 3e-7 in the end.
  constexpr int kK = 2048;
  Matrix<float> a(33, kK, {}, 1), b(kK, 33, {}, 2), c(33, 33, {}, 3);
  std::mt19937 random(1);  // all 24 bits
  std::uniform_real_distribution<float> positive(0.5f, 1.5f);
  for (int i = 0; i < 33; ++i)
    for (int l = 0; l < kK; ++l) a.at(i, l) = positive(random), b.at(l, i) = positive(random);
  multiply(a, b, c);
  EXPECT_LT(error_of(a, b, c), 1.1e-7);
  // Elements that pairs do not do for: all in f32 arithmetic.
  for (int i = 0; i < 33; ++i)
    for (int l = 0; l < kK; l += 8) a.at(i, l) = std::ldexp(a.at(i, l), -20);
  multiply(a, b, c);
  EXPECT_LT(error_of(a, b, c), 1.0e-7);
}

TEST_P(Accurate, NumbersNearTheEndsOfF32) {
  Matrix<float> a(33, 40, {}, 1), b(40, 35, {}, 2), c(33, 35, {}, 3);
  for (int i = 0; i < 33; ++i)
    for (int l = 0; l < 40; ++l) a.at(i, l) = std::ldexp(a.at(i, l), i < 16 ? 115 : -125);
  multiply(a, b, c);
  expect_as_exact_as_f32(a, b, c);
}

TEST_P(Accurate, ExponentsSoWideThatFewProductsMakeUpASum) {
  // Pairs would be off by 1.1e-7, as they miss the last bits of these few.
  if (std::string_view(GetParam()).starts_with("strip"))
    GTEST_SKIP() << "is not planned for so short a k (GemmKernel::least_k)";
  constexpr int kK = 256;
  Matrix<float> a(96, kK, {}, 1), b(kK, 96, {}, 2), c(96, 96, {}, 3);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> exponent(-20, 20);
  for (int i = 0; i < 96; ++i) {
    for (int l = 0; l < kK; ++l) {
      a.at(i, l) = std::ldexp(normal(random), exponent(random));
      b.at(l, i) = std::ldexp(normal(random), exponent(random));
    }
  }
  multiply(a, b, c);
  EXPECT_LT(error_of(a, b, c), 1e-7);
}

// Tensor cores truncate: one sum of 2048 k would be off by 2e-6.
TEST(NarrowTiles, AddUpDeepSumsInTwoLevels) {
  TILEWISE_NEEDS_KERNELS();
  for (const char* kernel : {"warpgroup_bf16_64x64_to_f32", "warpgroup_bf16_128x64_to_f32"}) {
    const PlanWish wish(kernel);
    constexpr int kK = 2048 + 64;  // the last level is short
    Matrix<BFloat16> a(33, kK, {}, 1), b(kK, 40, {}, 2);
    Matrix<float> c(33, 40, {}, 3);
    OnGpu on_a(a);
    OnGpu on_b(b);
    OnGpu on_c(c);
    gemm(gpu(), 1.0f, on_a.view(), on_b.view(), 0.0f, on_c.view(), {});
    on_c.fetch();
    expect_clean();
    double error = 0, norm = 0;
    for (int i = 0; i < 33; ++i) {
      for (int j = 0; j < 40; ++j) {
        double sum = 0;
        for (int l = 0; l < kK; ++l) sum += value_of(a.at(i, l)) * value_of(b.at(l, j));
        error += (c.at(i, j) - sum) * (c.at(i, j) - sum), norm += sum * sum;
      }
    }
    EXPECT_LT(std::sqrt(error / norm), 5e-7) << kernel;
  }
}

// More tiles than blocks, in groups of rows of which the last is not whole, and where they are few side by side or few one
// below the other: each has its number, and whoever begins with one knows which (units.cuh).
template <class T, class C>
void expect_every_tile(const char* kernel, std::int64_t m, std::int64_t n, int k = 16,
                       ComputeMode mode = ComputeMode::kIeee) {
  SCOPED_TRACE(::testing::Message() << kernel << ' ' << m << 'x' << n << 'x' << k);
  const PlanWish wish(kernel);
  Matrix<T> a(m, k, {}, 1), b(k, n, {}, 2);
  Matrix<C> c(m, n, {}, 3);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) c.at(i, j) = std::numeric_limits<C>::quiet_NaN();
  OnGpu on_a(a);
  OnGpu on_b(b);
  OnGpu on_c(c);
  gemm(gpu(), C{1}, on_a.view(), on_b.view(), C{0}, on_c.view(), {.mode = mode});
  on_c.fetch();
  expect_clean();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += value_of(a.at(i, l)) * value_of(b.at(l, j));
      wrong += !(std::abs(c.at(i, j) - sum) <= 1e-5);
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Tiles, AreAllComputed) {
  TILEWISE_NEEDS_KERNELS();
  for (const auto& [m, n] : {std::pair{1100, 600}, {1100, 100}, {100, 1100}}) {
    expect_every_tile<BFloat16, float>("warpgroup_bf16_64x64_to_f32", m, n);
    expect_every_tile<double, double>("hopper_f64_64x64", m, n);
  }
}

// So many that a block's scouts are units ahead of its teams, and where they vote comes round (warpgroup_pairs.cuh): of
// one step of k, of which three teams have none, and of several.
TEST(Tiles, OfPairsOfTF32AreAllComputed) {
  TILEWISE_NEEDS_KERNELS();
  for (const int k : {16, 200})
    expect_every_tile<float, float>("accurate_f32_64x16_tf32_transposed", 1100, 700, k,
                                    ComputeMode::kAccurate);
}

INSTANTIATE_TEST_SUITE_P(
    Plans, Accurate,
    ::testing::Values("accurate_f32_128x128", "accurate_f32_128x64", "accurate_f32_128x64,split=2",
                      "accurate_f32_128x16_raw_a", "accurate_f32_128x64_raw_a,split=3",
                      "accurate_f32_128x64_raw_b", "accurate_f32_128x128_raw_b,split=11",
                      "accurate_f32_64x80", "accurate_f32_64x80,split=2",
                      "accurate_f32_64x16_tf32_transposed",
                      "accurate_f32_64x16_tf32_transposed,split=3", "accurate_f32_64x32_tf32",
                      "accurate_f32_64x32_tf32_transposed,split=3", "mma_accurate_f32_128x128",
                      "mma_accurate_f32_64x64,split=2", "strip_accurate_f32_64x32",
                      "strip_accurate_f32_64x32_transposed,split=2"),
    [](const auto& plan) { return name_of_plan(plan.param); });

}  // namespace
}  // namespace tilewise::test
