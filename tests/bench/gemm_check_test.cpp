// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>

#include "bench/fma_peak.hpp"
#include "bench/multiplier.hpp"
#include "core/float16.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::bench {
namespace {

constexpr std::uint64_t kSeed = 7;

double value_of(float x) { return x; }
double value_of(double x) { return x; }
double value_of(std::int8_t x) { return x; }
double value_of(Float16 x) { return f16_to_f32(x.bits); }
double value_of(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

// The product by its definition, one rounding an element.
template <class T, class C> void multiply(GemmOperands& o) {
  const GemmShape& s = o.shape();
  for (std::int64_t x = 0; x < s.batch * s.m * s.n; ++x) {
    const std::int64_t product = x / (s.m * s.n), i = x / s.n % s.m, j = x % s.n;
    double sum = 0;
    for (std::int64_t l = 0; l < s.k; ++l) {
      sum += value_of(o.a<T>(product)[s.trans_a ? l * o.lda() + i : i * o.lda() + l]) *
             value_of(o.b<T>(product)[s.trans_b ? j * o.ldb() + l : l * o.ldb() + j]);
    }
    const auto& [alpha, beta] = o.scaling();
    o.c<C>(product)[i * o.ldc() + j] =
        static_cast<C>(alpha * sum + (beta == 0 ? 0 : beta * o.first_c(x)));
  }
}

void multiply(GemmOperands& o) {
  switch (o.dtype()) {
    case Dtype::kF32: return multiply<float, float>(o);
    case Dtype::kF64: return multiply<double, double>(o);
    case Dtype::kF16: return multiply<Float16, float>(o);
    case Dtype::kBF16: return multiply<BFloat16, float>(o);
    default: return multiply<std::int8_t, std::int32_t>(o);
  }
}

struct Case {
  Dtype dtype;
  GemmShape shape;
  Scaling scaling = {};
};

class GemmCheck : public testing::TestWithParam<Case> {
 protected:
  GemmOperands operands_{GetParam().shape, GetParam().dtype, kSeed, GetParam().scaling};
};

TEST_P(GemmCheck, ARightProductPasses) {
  multiply(operands_);
  const GemmVerdict verdict = check_gemm(operands_, kSeed);
  EXPECT_TRUE(verdict.verified) << verdict.wrong;
  EXPECT_LT(verdict.error, GetParam().dtype == Dtype::kF64 ? 1e-14 : 1e-6);
}

TEST_P(GemmCheck, OurOwnProductPasses) {
  const auto own = make_own_multiplier(1);
  own->bind(operands_)(1);
  const GemmVerdict verdict = check_gemm(operands_, kSeed);
  EXPECT_TRUE(verdict.verified) << verdict.wrong;
}

// Also in rows and products that are not sampled, where only the product with signs sees them.
TEST_P(GemmCheck, OneWrongElementShowsWhereverItIs) {
  const GemmShape& s = GetParam().shape;
  multiply(operands_);
  const std::int64_t rows = s.batch * s.m;
  std::set<std::int64_t> chosen{0, s.m / 3, s.m / 2, s.m - 1, rows / 2, rows - 1};
  for (std::int64_t product = 0; product < s.batch; ++product) chosen.insert(product * s.m);
  for (const std::int64_t row : chosen) {
    const std::size_t size = size_of(result_dtype(GetParam().dtype));
    std::byte* element =
        operands_.c<std::byte>() + static_cast<std::size_t>(row * s.n + s.n / 2) * size;
    std::byte saved[8], zero[8]{};
    std::memcpy(saved, element, size);
    std::memcpy(element, zero, size);
    EXPECT_FALSE(check_gemm(operands_, kSeed).verified) << "0 in row " << row;
    std::memset(element, 0xFF, size);
    const GemmVerdict verdict = check_gemm(operands_, kSeed);
    EXPECT_FALSE(verdict.verified) << "not written in row " << row;
    EXPECT_FALSE(verdict.wrong.empty());
    std::memcpy(element, saved, size);
  }
  EXPECT_TRUE(check_gemm(operands_, kSeed).verified);
}

TEST_P(GemmCheck, NothingWrittenIsWrong) { EXPECT_FALSE(check_gemm(operands_, kSeed).verified); }

INSTANTIATE_TEST_SUITE_P(
    All, GemmCheck,
    testing::Values(Case{Dtype::kF32, {"", false, false, 1, 1, 1}},
                    Case{Dtype::kF32, {"", false, false, 40, 33, 65}},
                    Case{Dtype::kF32, {"", false, true, 40, 33, 65}},
                    Case{Dtype::kF32, {"", true, false, 40, 33, 65}},
                    Case{Dtype::kF32, {"", true, true, 40, 33, 65}},
                    Case{Dtype::kF32, {"", false, false, 1, 300, 900}},
                    Case{Dtype::kF32, {"", false, false, 300, 1, 3}},
                    Case{Dtype::kF64, {"", false, false, 40, 33, 65}},
                    Case{Dtype::kF64, {"", true, true, 31, 9, 1000}},
                    Case{Dtype::kBF16, {"", false, true, 40, 33, 65}},
                    Case{Dtype::kF16, {"", true, false, 40, 33, 65}},
                    Case{Dtype::kS8, {"", false, false, 40, 33, 65}},
                    Case{Dtype::kS8, {"", true, true, 40, 33, 65}},
                    Case{Dtype::kF32, {"", false, true, 4, 5, 3, 100}},
                    Case{Dtype::kF64, {"", true, false, 9, 8, 7, 40}},
                    Case{Dtype::kBF16, {"", true, true, 17, 33, 65, 3}},
                    Case{Dtype::kF32, {"", true, false, 40, 33, 65}, {1, 1}},
                    Case{Dtype::kF64, {"", false, true, 40, 33, 65}, {-0.1, 1}},
                    Case{Dtype::kF32, {"", false, false, 40, 33, 2}, {0.3, -7}},
                    Case{Dtype::kF16, {"", false, false, 9, 33, 65, 5}, {2, 0.1}},
                    Case{Dtype::kF64, {"", false, false, 40, 33, 65}, {-3, 0}}));

TEST(GemmCheck, EveryProductBeginsWithTheSameC) {
  GemmOperands o({"", false, false, 40, 33, 65, 3}, Dtype::kF32, kSeed, {1, 0.1});
  EXPECT_EQ(o.scaling().beta, 0.1f);
  const auto own = make_own_multiplier(1);
  const auto calls = own->bind(o);
  calls(2);
  EXPECT_FALSE(check_gemm(o, kSeed).verified) << "beta·C twice";
  o.begin();
  EXPECT_EQ(o.c<float>(2)[7], static_cast<float>(o.first_c(2 * 40 * 33 + 7)));
  calls(1);
  EXPECT_TRUE(check_gemm(o, kSeed).verified);
}

TEST(GemmCheck, WholeNumbersAreNotScaled) {
  EXPECT_THROW(GemmOperands({"", false, false, 3, 4, 5}, Dtype::kS8, kSeed, {1, 1}), Error);
}

// Of one column so few elements are sampled that they may be exact by luck, where others are not.
TEST(GemmCheck, FewSampledElementsMayBeBetterThanTheRest) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    GemmOperands o({"", true, false, 1000, 1, 50}, Dtype::kF64, seed);
    multiply(o);
    const GemmVerdict verdict = check_gemm(o, seed);
    ASSERT_TRUE(verdict.verified) << verdict.wrong << ", seed " << seed;
  }
}

TEST(GemmCheck, SaysWhichProductOfABatchIsWrong) {
  GemmOperands o({"", false, false, 3, 4, 5, 50}, Dtype::kF32, kSeed);
  multiply(o);
  o.c<float>(37)[2] += 1;
  EXPECT_NE(check_gemm(o, kSeed).wrong.find("product 37: "), std::string::npos);
}

TEST(GemmCheck, WholeNumbersHaveNoBatchesOfOurs) {
  const GemmOperands o({"", false, false, 3, 4, 5, 2}, Dtype::kS8, kSeed);
  EXPECT_FALSE(make_own_multiplier(1)->bind(o));
}

TEST(GemmOperands, StandAtTheSamePlacesWithinPagesInEveryProcess) {
  const auto places = [](std::int64_t size) {
    const GemmOperands o({"", false, false, size, size, size}, Dtype::kF32, 1);
    std::array<std::uintptr_t, 3> all{};
    std::ranges::transform(
        std::array<const void*, 3>{o.a<float>(), o.b<float>(), o.c<float>()}, all.begin(),
        [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 4096; });
    return all;
  };
  const auto first = places(32);
  for (const std::uintptr_t place : first) EXPECT_EQ(place % 64, 0u);
  EXPECT_TRUE(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
  EXPECT_EQ(places(33), first);
  EXPECT_EQ(places(500), first);
}

TEST(GemmOperands, AreRandomInOneToMinusOneAndPoisoned) {
  const GemmOperands o({"", false, false, 50, 3, 40}, Dtype::kF64, 3);
  double least = 2, most = -2;
  std::set<double> values;
  for (int i = 0; i < 50 * 40; ++i) {
    least = std::min(least, o.a<double>()[i]);
    most = std::max(most, o.a<double>()[i]);
    values.insert(o.a<double>()[i]);
  }
  EXPECT_GE(least, -1);
  EXPECT_LT(least, -0.9);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.9);
  EXPECT_EQ(values.size(), 2000u);
  EXPECT_NE(o.a<double>()[0], o.b<double>()[0]);
  for (int i = 0; i < 50 * 3; ++i) EXPECT_TRUE(std::isnan(o.c<double>()[i]));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(o.a<double>()) % 64, 0u);
}

TEST(FmaPeak, IsMeasuredForFloatsOnly) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64}) {
    EXPECT_GT(measure_fma_peak("portable", dtype, 1, 1e-4), 1e6);
    EXPECT_GT(measure_fma_peak(cpu_instruction_set(), dtype, 2, 1e-4), 1e6);
  }
  EXPECT_EQ(measure_fma_peak("portable", Dtype::kS8, 1, 1e-4), 0);
}

}  // namespace
}  // namespace tilewise::bench
