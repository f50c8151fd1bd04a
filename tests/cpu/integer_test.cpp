// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of 8-bit integers against the definition, on every instruction set this machine has. Every
// matrix ends directly before a page that must not be touched.
#include "cpu/integer/integer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "allocations.hpp"
#include "core/random.hpp"
#include "cpu/caches.hpp"
#include "cpu/instruction_set.hpp"
#include "cpu/integer/kernel.hpp"
#include "cpu/integer/product.hpp"
#include "guarded.hpp"

namespace tilewise::cpu::integer {
namespace {

using test::Guarded;

constexpr std::int32_t kPoison = 0x5EADBEEF;
constexpr Caches kUsual;
constexpr Caches kTiny{1 << 10, 4 << 10, 8 << 10, 8};  // many blocks in every direction

/// Where the rows of a factor are, and in what order.
struct Form {
  bool transposed = false;
  std::int64_t gap = 0;  ///< leading dimension beyond the least
};

/// rows×columns bytes in guarded memory, element (i, j) being `value(i, j)`.
class Bytes {
 public:
  Bytes(std::int64_t rows, std::int64_t columns, Form form,
        const std::function<std::uint8_t(std::int64_t)>& value)
      : lines_(form.transposed ? columns : rows),
        stride_((form.transposed ? rows : columns) + form.gap),
        memory_(lines_ * stride_ - (lines_ > 0 ? form.gap : 0)),
        transposed_(form.transposed) {
    for (std::int64_t i = 0; i < memory_.size(); ++i) memory_.first()[i] = value(i);
  }

  Factor<std::uint8_t> factor() const {
    const std::uint8_t* const first = memory_.first();
    if (transposed_) return {first, 1, stride_};
    return {first, stride_, 1};
  }

 private:
  std::int64_t lines_, stride_;
  Guarded<std::uint8_t> memory_;
  bool transposed_;
};

std::function<std::uint8_t(std::int64_t)> random_bytes(std::uint64_t seed) {
  return [seed](std::int64_t i) {
    return static_cast<std::uint8_t>(mix64(seed * 1000003 + static_cast<std::uint64_t>(i)) >> 24);
  };
}

std::function<std::uint8_t(std::int64_t)> all(std::uint8_t byte) {
  return [byte](std::int64_t) { return byte; };
}

std::uint32_t value_of(std::uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<std::uint32_t>(static_cast<std::int8_t>(byte)) : byte;
}

/// alpha·A·B + beta·C of one element, by the definition, modulo 2^32.
std::int32_t expected(const ByteProblem& p, Signs signs, std::int64_t i, std::int64_t j,
                      std::int32_t old) {
  std::uint32_t sum = 0;
  for (std::int64_t l = 0; l < p.k && p.alpha != 0; ++l) {
    sum += value_of(p.a.data[i * p.a.row_stride + l * p.a.column_stride], signs != Signs::kU8S8) *
           value_of(p.b.data[l * p.b.row_stride + j * p.b.column_stride], signs != Signs::kS8U8);
  }
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(p.alpha) * sum +
                                   static_cast<std::uint32_t>(p.beta) *
                                       static_cast<std::uint32_t>(old));
}

/// C in guarded memory, full of known values; checks all of it after a product.
class Result {
 public:
  Result(std::int64_t m, std::int64_t n, std::int64_t gap)
      : m_(m), n_(n), stride_(n + gap), memory_(std::max<std::int64_t>(m * stride_ - gap, 0)) {
    for (std::int64_t i = 0; i < memory_.size(); ++i) memory_.first()[i] = before(i);
  }

  void put_into(ByteProblem& problem) const {
    problem.c = memory_.first();
    problem.c_stride = stride_;
  }

  void check(const ByteProblem& problem, Signs signs) const {
    for (std::int64_t i = 0; i < m_; ++i) {
      for (std::int64_t j = 0; j < stride_ && i * stride_ + j < memory_.size(); ++j) {
        const std::int64_t at = i * stride_ + j;
        const std::int32_t right = j < n_ ? expected(problem, signs, i, j, before(at)) : before(at);
        ASSERT_EQ(memory_.first()[at], right)
            << "C(" << i << ", " << j << ") of " << m_ << "x" << n_ << "x" << problem.k
            << ", alpha " << problem.alpha << ", beta " << problem.beta;
      }
    }
  }

 private:
  static std::int32_t before(std::int64_t i) {
    return static_cast<std::int32_t>(kPoison ^ static_cast<std::int32_t>(i * 2654435));
  }

  std::int64_t m_, n_, stride_;
  Guarded<std::int32_t> memory_;
};

struct Case {
  std::int64_t m = 1, n = 1, k = 1;
  std::int32_t alpha = 1, beta = 0;
  Form a = {}, b = {};
  std::int64_t c_gap = 0;
  std::function<std::uint8_t(std::int64_t)> a_bytes = random_bytes(1), b_bytes = random_bytes(2);
};

void check_case(const Kernel& kernel, Signs signs, const Case& c, const Limits& limits = {}) {
  static Engine engine(4);
  const Bytes a(c.m, c.k, c.a, c.a_bytes), b(c.k, c.n, c.b, c.b_bytes);
  const Result result(c.m, c.n, c.c_gap);
  ByteProblem problem{c.m, c.n, c.k, c.alpha, a.factor(), b.factor(), c.beta, nullptr, 1};
  result.put_into(problem);
  multiply(engine, kernel, problem, limits);
  result.check(problem, signs);
}

std::vector<KernelSet> sets_of_this_machine() {
  constexpr std::uint32_t kVnni = 1u << 11;  // CPUID leaf 7, ECX
  std::vector<KernelSet> sets = {KernelSet::kPortable};
  const FeatureWords words = feature_words();
  const InstructionSet best = best_of(words);
  if (best >= InstructionSet::kAvx2) sets.push_back(KernelSet::kAvx2);
  if (best >= InstructionSet::kAvx512) sets.push_back(KernelSet::kAvx512);
  if (sets.back() == KernelSet::kAvx512 && (words.leaf7_ecx & kVnni) != 0) {
    sets.push_back(KernelSet::kAvx512Vnni);
  }
  return sets;
}

class IntegerProduct : public testing::TestWithParam<std::tuple<KernelSet, Signs>> {
 protected:
  Signs signs() const { return std::get<1>(GetParam()); }
  const Kernel& kernel() const { return kernel_of(std::get<0>(GetParam()), signs()); }
  void check(const Case& c, const Limits& limits = {}) { check_case(kernel(), signs(), c, limits); }
};

std::string name_of_case(const testing::TestParamInfo<IntegerProduct::ParamType>& info) {
  const auto [set, signs] = info.param;
  const std::array names = {"u8s8", "s8u8", "s8s8"};
  return std::string(kernel_of(set, signs).name) + "_" + names[static_cast<std::size_t>(signs)];
}

INSTANTIATE_TEST_SUITE_P(Cpu, IntegerProduct,
                         testing::Combine(testing::ValuesIn(sets_of_this_machine()),
                                          testing::Values(Signs::kU8S8, Signs::kS8U8,
                                                          Signs::kS8S8)),
                         name_of_case);

TEST_P(IntegerProduct, EveryEdgeOfTheTileInEveryTransposition) {
  const int rows = kernel().rows, columns = kernel().columns;
  for (const std::int64_t m : {1, rows - 1, rows + 1, 2 * rows + 3}) {
    for (const std::int64_t n : {1, columns - 1, columns + 1, 2 * columns + 7}) {
      for (const std::int64_t k : {1, 2, 3, 5, 31, 64}) {
        for (int form = 0; form < 4; ++form) {
          check({m, n, k, 1, form % 2, {(form & 1) != 0, form}, {(form & 2) != 0, k % 3}, n % 3});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(IntegerProduct, EveryNumberOfRowsAndColumnsOfATile) {
  for (int m = 1; m <= kernel().rows; ++m) {
    for (int n = 1; n <= kernel().columns; ++n) {
      check({m, n, 9, -3, 2, {m % 2 == 0, 0}, {n % 2 == 0, 0}, 0});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(IntegerProduct, ManyBlocksOnAnyNumberOfThreads) {
  for (int form = 0; form < 4; ++form) {
    const Form a{(form & 1) != 0, 3}, b{(form & 2) != 0, 1};
    check({67, 203, 65, 7, -5, a, b, 2}, {kTiny, 1, true});
    check({67, 203, 65, 7, -5, a, b, 2}, {kTiny, form + 1, true});
    check({1, 500, 33, 1, 1, a, b}, {kTiny, form + 1, true});
    check({300, 2, 33, 1, 1, a, b}, {kTiny, form + 1, true});
    if (HasFatalFailure()) return;
  }
}

TEST_P(IntegerProduct, BlocksOfTheUsualCaches) {
  check({37, 101, 2051, 1, 1, {}, {true, 0}, 0}, {kUsual, 2, true});
  check({530, 49, 600, 1, 0, {true, 0}, {}, 0}, {kUsual, 3, true});
}

TEST_P(IntegerProduct, ExtremeValues) {
  for (const int a : {0, 1, 127, 128, 255}) {
    for (const int b : {0, 1, 127, 128, 255}) {
      Case c{9, 50, 65, 1, 0};
      c.a_bytes = all(static_cast<std::uint8_t>(a));
      c.b_bytes = all(static_cast<std::uint8_t>(b));
      check(c);
      if (HasFatalFailure()) return;
    }
  }
}

// 140000 products of the largest magnitude exceed 2^31, and wrap as int32_t arithmetic does.
TEST_P(IntegerProduct, LongSumsWrap) {
  for (const int a : {128, 255}) {
    for (const int b : {127, 128}) {
      Case c{2, 3, 140001, 1, 1, {}, {true, 0}, 0};
      c.a_bytes = all(static_cast<std::uint8_t>(a));
      c.b_bytes = all(static_cast<std::uint8_t>(b));
      check(c);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(IntegerProduct, AlphaAndBetaModuloTwoToThe32) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::array scalars = {0, 1, -1, 3, -70001, kLeast, kMost};
  for (const std::int32_t alpha : scalars) {
    for (const std::int32_t beta : scalars) {
      check({11, 53, 21, alpha, beta, {}, {}, 1});
      check({11, 53, 60, alpha, beta, {}, {}, 1}, {kTiny, 1, true});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(IntegerProduct, EmptySizes) {
  for (const std::int32_t beta : {0, 1, -7}) {
    check({0, 5, 7, 1, beta});
    check({5, 0, 7, 1, beta});
    check({5, 7, 0, 1, beta, {}, {}, 3});
    check({0, 0, 0, 1, beta});
  }
}

TEST_P(IntegerProduct, AlphaZeroDoesNotReadTheFactors) {
  Engine engine(1);
  for (const std::int32_t beta : {0, 1, 12345677}) {
    const Result result(5, 70, 2);
    ByteProblem problem{5, 70, 1000, 0, {nullptr, 1000, 1}, {nullptr, 1, 1000}, beta, nullptr, 1};
    result.put_into(problem);
    multiply(engine, kernel(), problem, {});
    result.check(problem, signs());
  }
}

TEST_P(IntegerProduct, RandomProblems) {
  std::uint64_t state = 12345;
  const auto below = [&state](std::int64_t limit) {
    return static_cast<std::int64_t>(mix64(++state) % static_cast<std::uint64_t>(limit));
  };
  for (int i = 0; i < 150; ++i) {
    Case c{1 + below(90), 1 + below(130), 1 + below(200)};
    c.alpha = static_cast<std::int32_t>(below(1u << 31));
    c.beta = static_cast<std::int32_t>(below(3) - 1);
    c.a = {below(2) == 0, below(4)};
    c.b = {below(2) == 0, below(4)};
    c.c_gap = below(4);
    c.a_bytes = random_bytes(state);
    c.b_bytes = random_bytes(state + 1);
    check(c, {below(2) == 0 ? kTiny : kUsual, i % 30 == 0 ? 3 : 1, true});
    if (HasFatalFailure()) return;
  }
}

TEST_P(IntegerProduct, SmallProductsPackOnTheStack) {
  for (const Caches& caches : {kTiny, kUsual, Caches{64 << 10, 4 << 20, 64 << 20, 8}}) {
    for (int m = 1; m <= 64; ++m) {
      for (int n = 1; n <= 64; ++n) {
        ASSERT_EQ(workspace_bytes(kernel(), m, n, 64, {caches, 4, false}), 0) << m << "x" << n;
        ASSERT_EQ(workspace_bytes(kernel(), 64, m, n, {caches, 4, false}), 0) << m << "x" << n;
      }
    }
  }
}

TEST_P(IntegerProduct, SmallProductsAllocateNothing) {
  Engine engine(2);
  const Bytes a(64, 64, {}, random_bytes(5)), b(64, 64, {}, random_bytes(6));
  const Result result(64, 64, 0);
  ByteProblem problem{64, 64, 64, 1, a.factor(), b.factor(), 0, nullptr, 1};
  result.put_into(problem);
  const long before = test::allocations();
  multiply(engine, kernel(), problem, {});
  EXPECT_EQ(test::allocations(), before);
  result.check(problem, signs());
}

// The test fails every allocation in turn until the product does without the one that fails.
TEST_P(IntegerProduct, WithoutMemoryNothingIsWritten) {
  const Bytes a(90, 300, {}, random_bytes(5)), b(300, 110, {}, random_bytes(6));
  int failed = 0;
  for (bool happened = true; happened; ++failed) {
    Engine engine(2);
    const Result result(90, 110, 0);
    ByteProblem problem{90, 110, 300, 1, a.factor(), b.factor(), 1, nullptr, 1};
    result.put_into(problem);
    const test::FailingAllocation failing(failed);
    try {
      multiply(engine, kernel(), problem, {kUsual, 2, false});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
      problem.alpha = 0;  // C as it was
    }
    result.check(problem, signs());
    happened = failing.happened();
  }
  EXPECT_GE(failed, 2);
}

TEST_P(IntegerProduct, WorkspacesStaySmall) {
  constexpr std::int64_t kMiB = 1 << 20, kHuge = std::int64_t{1} << 40;
  for (const Caches& caches : {kTiny, kUsual, Caches{64 << 10, 64 << 20, 1 << 30, 8}}) {
    for (const int threads : {1, 2, 64}) {
      const Limits limits{caches, threads, false};
      EXPECT_LE(workspace_bytes(kernel(), kHuge, kHuge, kHuge, limits), (8 + 4 * threads) * kMiB);
      EXPECT_LE(workspace_bytes(kernel(), kHuge, 1, 1, limits), (8 + 4 * threads) * kMiB);
      EXPECT_LE(workspace_bytes(kernel(), 1, kHuge, 1, limits), (8 + 4 * threads) * kMiB);
      EXPECT_LE(workspace_bytes(kernel(), 1, 1, kHuge, limits), (8 + 4 * threads) * kMiB);
    }
  }
}

template <class P> P typed(const ByteProblem& p) {
  P problem;
  problem.m = p.m, problem.n = p.n, problem.k = p.k;
  problem.alpha = p.alpha, problem.beta = p.beta, problem.c = p.c, problem.c_stride = p.c_stride;
  problem.a = {reinterpret_cast<decltype(problem.a.data)>(p.a.data), p.a.row_stride,
               p.a.column_stride};
  problem.b = {reinterpret_cast<decltype(problem.b.data)>(p.b.data), p.b.row_stride,
               p.b.column_stride};
  return problem;
}

template <class P> void check_face(Engine& engine, Signs signs, int threads) {
  const Bytes a(150, 321, {}, random_bytes(3)), b(321, 215, {true, 1}, random_bytes(4));
  const Result result(150, 215, 5);
  ByteProblem problem{150, 215, 321, 2, a.factor(), b.factor(), -1, nullptr, 1};
  result.put_into(problem);
  gemm_integer(engine, typed<P>(problem), threads);
  result.check(problem, signs);
}

TEST(IntegerFace, EveryPairOfTypes) {
  Engine engine(2);
  for (const int threads : {0, 1, 2, 100}) {
    check_face<ProblemU8S8>(engine, Signs::kU8S8, threads);
    check_face<ProblemS8U8>(engine, Signs::kS8U8, threads);
    check_face<ProblemS8S8>(engine, Signs::kS8S8, threads);
  }
}

TEST(IntegerFace, ManyCallersOfOneEngine) {
  Engine engine(3);
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&engine] {
      for (int round = 0; round < 3; ++round) check_face<ProblemS8S8>(engine, Signs::kS8S8, 3);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(IntegerFace, UsesTheInstructionSetInUse) {
  const std::string name = kernel_of(kernel_set(), Signs::kU8S8).name;
  EXPECT_EQ(name, std::string(name_of(instruction_set())) + (has_vnni() ? "vnni" : ""));
}

}  // namespace
}  // namespace tilewise::cpu::integer
