// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/counters.hpp"
#include "core/dim3.hpp"
#include "core/dtype.hpp"
#include "core/memory.hpp"
#include "core/random.hpp"
#include "core/thread_pool.hpp"

namespace tilewise {
namespace {

TEST(Counters, SumFieldByField) {
  Counters sum, one;
  std::uint64_t value = 1;
  for (const CounterField& field : kCounterFields) one.*field.member = value++;
  sum += one;
  sum += one;
  value = 1;
  for (const CounterField& field : kCounterFields) EXPECT_EQ(sum.*field.member, 2 * value++);
}

TEST(Counters, TheTableNamesEveryFieldOnce) {
  EXPECT_EQ(sizeof(Counters), kCounterFields.size() * sizeof(std::uint64_t));
  std::set<std::string_view> names;
  Counters counters;
  for (const CounterField& field : kCounterFields) {
    names.insert(field.name);
    EXPECT_EQ(counters.*field.member, 0u) << field.name << " twice in the table";
    counters.*field.member = 1;
  }
  EXPECT_EQ(names.size(), kCounterFields.size());
}

TEST(Dim3, CountsIn64Bits) {
  EXPECT_EQ((Dim3{65536, 65536, 2}).count(), std::uint64_t{1} << 33);
  EXPECT_EQ(Dim3{}.count(), 1u);
}

TEST(Dtype, NamesAndSizes) {
  EXPECT_EQ(name_of(Dtype::kF16), "f16");
  EXPECT_EQ(name_of(Dtype::kF64), "f64");
  EXPECT_EQ(size_of(Dtype::kF16), 2u);
  EXPECT_EQ(size_of(Dtype::kF32), 4u);
  EXPECT_EQ(size_of(Dtype::kF64), 8u);
}

TEST(Random, IsUniformExactInF32AndTheSameEverywhere) {
  double sum = 0, squares = 0;
  constexpr int kSamples = 100000;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const double value = random_unit(7, 1, i);
    ASSERT_GE(value, -1.0);
    ASSERT_LT(value, 1.0);
    ASSERT_EQ(static_cast<double>(static_cast<float>(value)), value);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kSamples, 0.0, 0.01);
  EXPECT_NEAR(squares / kSamples, 1.0 / 3, 0.01);
  EXPECT_NE(random_unit(7, 1, 0), random_unit(7, 2, 0));
  EXPECT_NE(random_unit(7, 1, 0), random_unit(8, 1, 0));
  // First output of SplitMix64 from state 0, as its authors publish it.
  EXPECT_EQ(mix64(0), 0xE220A8397B1DCDAFu);
}

TEST(Memory, IsPlausible) {
  EXPECT_GT(available_memory(), std::uint64_t{1} << 20);
  EXPECT_LT(available_memory(), std::uint64_t{1} << 50);
}

TEST(ParallelFor, CallsEveryIndexOnce) {
  for (const int threads : {0, 1, 3, 16}) {
    std::vector<std::atomic<int>> calls(1000);
    std::atomic<bool> bad_worker{false};
    parallel_for(calls.size(), threads, [&](int worker, std::uint64_t index) {
      ++calls[index];
      const int most = threads == 0 ? available_cores() : threads;
      if (worker < 0 || worker >= most) bad_worker = true;
    });
    for (const auto& count : calls) ASSERT_EQ(count, 1);
    EXPECT_FALSE(bad_worker);
  }
}

TEST(ParallelFor, NothingToDoCallsNothing) {
  parallel_for(0, 4, [](int, std::uint64_t) { FAIL(); });
}

// With one worker it is known which calls come before the failure; with several only that it arrives.
TEST(ParallelFor, ThrowsTheFirstFailureAndStops) {
  for (const int threads : {1, 4}) {
    std::atomic<int> calls{0};
    const auto body = [&](int, std::uint64_t index) {
      ++calls;
      if (index == 3) throw std::runtime_error("index 3");
    };
    try {
      parallel_for(1000000, threads, body);
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "index 3");
    }
    if (threads == 1) {
      EXPECT_EQ(calls, 4);
    }
  }
}

}  // namespace
}  // namespace tilewise
