// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every exported name computes, in every layout and transposition.
#include <gtest/gtest.h>

#include "operands.hpp"

namespace tilewise::test {
namespace {

template <class T> class Product : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Product, Precisions);

struct Size {
  std::int64_t m, n, k;
};
constexpr Size kSizes[] = {{1, 1, 1}, {3, 2, 4}, {7, 13, 5}, {17, 1, 9}, {1, 19, 6}, {33, 29, 70}};

template <class T> void check_name(const Name<T>& name, bool row_major, const char* trans) {
  unsigned seed = 1;
  for (const auto [m, n, k] : kSizes) {
    for (const auto& [alpha, beta] : {std::pair<T, T>{1, 0}, {T(-0.5), 1}, {2, T(0.25)}}) {
      Ask<T> ask{row_major, trans[0], trans[1], m, n, k, alpha};
      ask.beta = beta;
      ask.count = name.is_batch ? 3 : 1;
      Operands<T> operands(ask, ++seed);
      name.call(operands.ask());
      operands.check(name.name + (row_major ? " row-major " : " column-major ") + trans);
    }
  }
}

TYPED_TEST(Product, OfEveryName) {
  const auto all = names<TypeParam>();
  ASSERT_EQ(all.size(), 18u);
  for (const auto& name : all) {
    for (const bool row_major : {false, true}) {
      if (row_major && !name.is_c) continue;
      for (const char* trans : {"NN", "NT", "TN", "TT", "CN", "NC", "CC", "TC"}) {
        check_name(name, row_major, trans);
      }
    }
  }
}

TYPED_TEST(Product, TakesLowerCaseLetters) {
  for (const auto& name : names<TypeParam>()) {
    if (name.is_c) continue;
    for (const char* trans : {"nn", "nt", "tn", "tt", "cn", "nc"}) check_name(name, false, trans);
  }
}

// What must be C afterwards follows from no product at all.
template <class T> void check_degenerate(const Name<T>& name, const Size& size, T alpha, T beta) {
  Ask<T> ask{false, 'N', 'T', size.m, size.n, size.k, alpha};
  ask.beta = beta;
  ask.count = name.is_batch ? 2 : 1;
  Operands<T> operands(ask, 11);
  Ask<T> call = operands.ask();
  if (alpha == 0 || size.k == 0) call.a = call.b = nullptr;  // must not be looked at
  if (size.m == 0 || size.n == 0) call.c = nullptr;
  name.call(call);
  operands.check(name.name);
}

TYPED_TEST(Product, OfNothing) {
  for (const auto& name : names<TypeParam>()) {
    for (const TypeParam beta : {TypeParam(0), TypeParam(1), TypeParam(-2)}) {
      check_degenerate<TypeParam>(name, {4, 5, 0}, 1, beta);
      check_degenerate<TypeParam>(name, {4, 5, 6}, 0, beta);
      check_degenerate<TypeParam>(name, {0, 5, 6}, 1, beta);
      check_degenerate<TypeParam>(name, {4, 0, 6}, 1, beta);
      check_degenerate<TypeParam>(name, {0, 0, 0}, 1, beta);
    }
  }
}

TYPED_TEST(Product, OfNoBatch) {
  for (const auto& name : names<TypeParam>()) {
    if (!name.is_batch) continue;
    Ask<TypeParam> ask{false, 'N', 'N', 2, 2, 2};
    ask.lda = ask.ldb = ask.ldc = 2;
    ask.count = 0;
    name.call(ask);  // all pointers are null
  }
}

// A factor that every product shares has stride 0; strides may also lead backwards.
TYPED_TEST(Product, OfBatchesWithAnyStride) {
  using T = TypeParam;
  const T a[] = {1, 2, 3, 4}, b[] = {1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3};
  for (const auto& name : names<T>()) {
    if (!name.is_batch) continue;
    T c[12];
    std::fill(std::begin(c), std::end(c), std::numeric_limits<T>::quiet_NaN());
    Ask<T> ask{false, 'N', 'N', 2, 2, 2, 1, a, 2, 0, b + 8, 2, -4, 0, c, 2, 4, 3};
    name.call(ask);
    for (int i = 0; i < 12; ++i) {
      ASSERT_EQ(c[i], a[i % 4] * static_cast<T>(3 - i / 4)) << name.name << " " << i;
    }
  }
}

TYPED_TEST(Product, LetsNaNAndInfinityThrough) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  const T a[] = {1, infinity}, b[] = {0, 1};
  for (const auto& name : names<T>()) {
    T c[2] = {5, 5};
    Ask<T> ask{false, 'N', 'T', 2, 1, 1, 1, a, 2, 0, b, 1, 0, 1, c, 2, 2, 1};
    name.call(ask);  // [1; inf]·[0] + C
    EXPECT_EQ(c[0], 5) << name.name;
    EXPECT_TRUE(std::isnan(c[1])) << name.name;
  }
}

// Larger than every cache block, so that all parts of the engine take part.
TYPED_TEST(Product, OfLargeMatrices) {
  for (const auto& name : names<TypeParam>()) {
    if (name.name.find("_64") == std::string::npos || name.is_batch) continue;
    Ask<TypeParam> ask{false, 'T', 'N', 150, 170, 530, TypeParam(0.5)};
    ask.beta = 2;
    Operands<TypeParam> operands(ask, 3);
    name.call(operands.ask());
    operands.check(name.name);
  }
}

}  // namespace
}  // namespace tilewise::test
