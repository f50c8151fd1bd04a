// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The same bits for any number of threads and of callers.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "matrices.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise {
namespace {

using namespace test;

struct Sizes {
  std::int64_t m, n, k;
};
// Square, skinny each way, short and long k, and small: what engines treat differently.
constexpr Sizes kSizes[] = {{203, 187, 301}, {7, 500, 120}, {500, 7, 120}, {130, 150, 6},
                            {3, 4, 3000},    {33, 17, 20},  {1, 300, 300}};

template <class K>
std::vector<typename K::C> product(Context& context, const Sizes& sizes, int threads = 0) {
  using S = typename K::S;
  const Matrix<typename K::A> a(sizes.m, sizes.k, {}, 1);
  const Matrix<typename K::B> b(sizes.k, sizes.n, {}, 2);
  Matrix<typename K::C> c(sizes.m, sizes.n, {}, 3);
  gemm(context, S{1}, a.view(), b.view(), S{1}, c.view(), {.threads = threads});
  return c.memory();
}

template <class K> class Threads : public ::testing::Test {};
TYPED_TEST_SUITE(Threads, EveryKind);

TYPED_TEST(Threads, NumberDoesNotChangeBits) {
  Context one({.threads = 1}), two({.threads = 2}), three({.threads = 3});
  for (const Sizes& sizes : kSizes) {
    SCOPED_TRACE(::testing::Message() << sizes.m << "x" << sizes.n << "x" << sizes.k);
    const auto expected = product<TypeParam>(one, sizes);
    EXPECT_TRUE(same_bits(product<TypeParam>(one, sizes), expected)) << "1 thread, again";
    EXPECT_TRUE(same_bits(product<TypeParam>(two, sizes), expected)) << "2 threads";
    EXPECT_TRUE(same_bits(product<TypeParam>(three, sizes), expected)) << "3 threads";
    EXPECT_TRUE(same_bits(product<TypeParam>(three, sizes, 2), expected)) << "2 of 3 threads";
    EXPECT_TRUE(same_bits(product<TypeParam>(two, sizes, 99), expected)) << "99 of 2 threads";
  }
}

template <class K> class Callers : public ::testing::Test {};
TYPED_TEST_SUITE(Callers, BatchKinds);

TYPED_TEST(Callers, ShareAContext) {
  Context alone({.threads = 1}), shared({.threads = 2});
  std::vector<std::vector<typename TypeParam::C>> expected;
  for (const Sizes& sizes : kSizes) expected.push_back(product<TypeParam>(alone, sizes));

  std::atomic<int> different{0};
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&, caller] {
      for (std::size_t i = 0; i < 2 * std::size(kSizes); ++i) {
        const std::size_t which = (caller + i) % std::size(kSizes);
        if (!same_bits(product<TypeParam>(shared, kSizes[which]), expected[which])) ++different;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(different, 0);
}

TEST(CallersOfTheDefaultContext, MeetAtItsFirstUse) {
  std::vector<Context*> seen(8);
  std::vector<std::thread> callers;
  for (Context*& mine : seen) callers.emplace_back([&mine] { mine = &default_context(); });
  for (std::thread& caller : callers) caller.join();
  for (Context* context : seen) EXPECT_EQ(context, &default_context());
}

}  // namespace
}  // namespace tilewise
