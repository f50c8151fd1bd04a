// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every rung of the CPU's ladder against a product in f64, at the edges of its tiles and blocks.
#include "cpu/ladder/ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "cpu/instruction_set.hpp"
#include "guarded.hpp"

namespace tilewise::cpu::ladder {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Shape {
  std::int64_t m, n, k;
};

// Around nothing and one; around tiles of 6×2, 4×8, 6×16 and 8×48; around blocks of 128×1024 and
// 256×768; and primes.
constexpr Shape kShapes[] = {
    {0, 5, 7},     {5, 0, 7},    {5, 7, 0},    {0, 0, 0},    {1, 1, 1},    {1, 1, 2},
    {2, 3, 5},     {1, 47, 3},   {47, 1, 3},   {3, 7, 4},    {4, 8, 4},    {5, 9, 4},
    {5, 15, 6},    {6, 16, 6},   {7, 17, 6},   {7, 47, 9},   {8, 48, 1},   {9, 49, 2},
    {15, 95, 31},  {16, 96, 32}, {17, 97, 33}, {11, 13, 17}, {6, 10, 127}, {6, 10, 128},
    {7, 11, 129},  {9, 31, 255}, {9, 31, 256}, {9, 31, 257}, {3, 767, 5},  {3, 768, 5},
    {9, 769, 5},   {2, 1023, 3}, {2, 1024, 3}, {9, 1025, 3}, {8, 61, 519}, {101, 103, 107},
    {2, 1537, 131}};

// A product in memory that ends before a page nobody may touch, its rows `gap` elements apart.
class Case {
 public:
  Case(Shape shape, float alpha, float beta, std::int64_t gap = 0)
      : shape_(shape),
        gap_(gap),
        a_(size(shape.m, shape.k)),
        b_(size(shape.k, shape.n)),
        c_(size(shape.m, shape.n)),
        product_{.m = shape.m,
                 .n = shape.n,
                 .k = shape.k,
                 .alpha = alpha,
                 .a = a_.first(),
                 .a_row = shape.k + gap,
                 .b = b_.first(),
                 .b_row = shape.n + gap,
                 .beta = beta,
                 .c = c_.first(),
                 .c_row = shape.n + gap} {
    fill(a_, 1, shape.k);
    fill(b_, 2, shape.n);
    if (beta == 0) {
      std::fill_n(c_.first(), c_.size(), kNan);
    } else {
      fill(c_, 3, shape.n);
    }
    c0_.assign(c_.first(), c_.first() + c_.size());
  }

  Product& product() { return product_; }
  float& a(std::int64_t i, std::int64_t l) { return a_.first()[i * product_.a_row + l]; }
  float& b(std::int64_t l, std::int64_t j) { return b_.first()[l * product_.b_row + j]; }
  float c(std::int64_t i, std::int64_t j) const { return c_.first()[i * product_.c_row + j]; }
  std::vector<float> result() const { return {c_.first(), c_.first() + c_.size()}; }
  void reset() { std::ranges::copy(c0_, c_.first()); }

  // Holds C against f64 within what f32 may round; what lies between the rows must be as it was.
  void expect_right(const std::string& what) {
    for (std::int64_t i = 0; i < shape_.m; ++i) {
      for (std::int64_t j = 0; j < shape_.n; ++j) {
        if (!is_right(i, j)) {
          ADD_FAILURE() << what << ": " << shape_.m << "×" << shape_.n << "×" << shape_.k
                        << ", alpha " << product_.alpha << ", beta " << product_.beta << ", C[" << i
                        << "][" << j << "] = " << c(i, j);
          return;
        }
      }
      for (std::int64_t j = shape_.n; i + 1 < shape_.m && j < product_.c_row; ++j) {
        const auto index = static_cast<std::size_t>(i * product_.c_row + j);
        EXPECT_TRUE(c_.first()[index] == c0_[index] || std::isnan(c0_[index])) << what;
      }
    }
  }

 private:
  // Elements up to the last one of the last row: nothing follows it.
  std::int64_t size(std::int64_t rows, std::int64_t columns) const {
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * (columns + gap_) + columns;
  }
  // Random in [-1, 1); NaN between the rows of A and B, where nobody may read.
  void fill(const test::Guarded<float>& matrix, std::uint64_t stream, std::int64_t columns) const {
    for (std::int64_t i = 0; i < matrix.size(); ++i) {
      const bool between = i % (columns + gap_) >= columns;
      matrix.first()[i] =
          between ? (stream == 3 ? 7.0f : kNan)
                  : static_cast<float>(random_unit(1, stream, static_cast<std::uint64_t>(i)));
    }
  }
  bool is_right(std::int64_t i, std::int64_t j) {
    double sum = 0, magnitude = 0;
    for (std::int64_t l = 0; product_.alpha != 0 && l < shape_.k; ++l) {
      const double term = double{a(i, l)} * b(l, j);
      sum += term;
      magnitude += std::abs(term);
    }
    sum *= product_.alpha;
    magnitude *= std::abs(product_.alpha);
    if (product_.beta != 0) {
      const double c0 = c0_[static_cast<std::size_t>(i * product_.c_row + j)];
      sum += product_.beta * c0;
      magnitude += std::abs(product_.beta * c0);
    }
    const double roundings = static_cast<double>(shape_.k + 8);
    return std::abs(c(i, j) - sum) <= roundings * 0x1p-24 * magnitude;
  }

  Shape shape_;
  std::int64_t gap_;
  test::Guarded<float> a_, b_, c_;
  Product product_;
  std::vector<float> c0_;
};

class CpuLadder : public testing::TestWithParam<Rung> {
 protected:
  const Rung& rung() const { return param_; }
  const std::string name() const { return std::string(rung().name); }

 private:
  const Rung& param_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Rungs, CpuLadder, testing::ValuesIn(rungs().begin(), rungs().end()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(CpuLadder, IsRightAtEveryEdge) {
  for (const Shape& shape : kShapes) {
    Case each(shape, 1, 0);
    multiply(rung(), each.product());
    each.expect_right(name());
  }
}

TEST_P(CpuLadder, IsRightForEveryScalar) {
  for (const Shape& shape : {Shape{13, 51, 300}, Shape{8, 48, 8}, Shape{3, 5, 0}}) {
    for (const float alpha : {0.0f, 1.0f, -1.5f}) {
      for (const float beta : {0.0f, 1.0f, -0.5f}) {
        Case each(shape, alpha, beta);
        multiply(rung(), each.product());
        each.expect_right(name());
      }
    }
  }
}

TEST_P(CpuLadder, TouchesNothingBetweenTheRows) {
  for (const Shape& shape : {Shape{9, 49, 130}, Shape{17, 31, 5}, Shape{5, 800, 260}}) {
    for (const float beta : {0.0f, 2.0f}) {
      Case each(shape, 1.25f, beta, 3);
      each.product().threads = 3;
      multiply(rung(), each.product());
      each.expect_right(name());
    }
  }
}

TEST_P(CpuLadder, IsRightOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 4, 7, 12}) {
    for (const Shape& shape : {Shape{1, 1, 9}, Shape{100, 7, 40}, Shape{7, 500, 40},
                               Shape{65, 193, 70}, Shape{0, 3, 2}}) {
      Case each(shape, 1, 1);
      each.product().threads = threads;
      multiply(rung(), each.product());
      each.expect_right(name() + " on " + std::to_string(threads) + " threads");
    }
  }
}

TEST_P(CpuLadder, TheSameCallGivesTheSameBits) {
  Case each({66, 130, 300}, 1.5f, -0.5f);
  each.product().threads = 3;
  multiply(rung(), each.product());
  const std::vector<float> first = each.result();
  for (int i = 0; i < 3; ++i) {
    each.reset();
    multiply(rung(), each.product());
    EXPECT_EQ(each.result(), first);
  }
}

TEST_P(CpuLadder, AlphaZeroDoesNotReadAAndB) {
  Case each({9, 50, 20}, 0, 2);
  each.product().threads = 2;
  Product product = each.product();
  product.a = product.b = nullptr;
  multiply(rung(), product);
  each.expect_right(name());
}

// What lies beside an odd value in a tile, and the zeros that fill up a copy, do not see it.
TEST_P(CpuLadder, NanAndInfinityGoWhereArithmeticTakesThem) {
  Case each({11, 53, 140}, 1, 0);
  for (std::int64_t i = 0; i < 11; ++i) each.a(i, 139) = 0.5f;
  each.a(4, 3) = kNan;
  each.b(139, 52) = -kInfinity;
  multiply(rung(), each.product());
  for (std::int64_t i = 0; i < 11; ++i) {
    for (std::int64_t j = 0; j < 53; ++j) {
      if (i == 4) {
        EXPECT_TRUE(std::isnan(each.c(i, j))) << j;
      } else if (j == 52) {
        EXPECT_EQ(each.c(i, j), -kInfinity) << i;
      } else {
        EXPECT_TRUE(std::isfinite(each.c(i, j))) << i << ' ' << j;
      }
    }
  }
}

// One accumulator an element, k ascending in blocks of 128: with fused operations where the
// instruction set has them. So the bits tell which one ran.
TEST(CpuLadderSimd, ComputesWithTheInstructionSetInUse) {
  const auto simd = std::ranges::find(rungs(), "simd", &Rung::name);
  ASSERT_NE(simd, rungs().end());
  Case each({20, 70, 300}, 1, 0);
  multiply(*simd, each.product());
  const bool is_fused = instruction_set() != InstructionSet::kPortable;
  const auto multiply_add = [&](float a, float b, float c) {
    return is_fused ? std::fma(a, b, c) : a * b + c;
  };
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j < 70; ++j) {
      float c = 0;
      for (std::int64_t first = 0; first < 300; first += 128) {
        float sum = 0;
        for (std::int64_t l = first; l < std::min<std::int64_t>(300, first + 128); ++l) {
          sum = multiply_add(each.a(i, l), each.b(l, j), sum);
        }
        c = multiply_add(1.0f, sum, c);
      }
      ASSERT_EQ(each.c(i, j), c) << i << ' ' << j;
    }
  }
}

TEST(CpuLadderCatalogue, EveryRungHasItsFile) {
  const std::filesystem::path folder =
      std::filesystem::path(TILEWISE_TESTS_DIR) / "../src/cpu/ladder";
  std::set<std::string_view> names;
  int number = 0;
  for (const Rung& rung : rungs()) {
    ++number;
    EXPECT_TRUE(names.insert(rung.name).second) << rung.name;
    EXPECT_EQ(rung.unit, "0" + std::to_string(number) + "_" + std::string(rung.name));
    EXPECT_TRUE(std::filesystem::exists(folder / (std::string(rung.unit) + ".cpp"))) << rung.unit;
    EXPECT_FALSE(rung.title.empty() || rung.idea.empty()) << rung.name;
    EXPECT_TRUE(rung.idea.ends_with('.')) << rung.name;
  }
  EXPECT_EQ(rungs().back().name, "engine");
}

}  // namespace
}  // namespace tilewise::cpu::ladder
