// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory runs out at every allocation in turn: the error says so, C is as it was, and the next call
// works. And small products allocate nothing at all.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "../matrices.hpp"
#include "faulty_new.hpp"
#include "tilewise/gemm.hpp"
#include "tilewise/tilewise.h"

namespace tilewise {
namespace {

using namespace test;

// What became of a call that may run out of memory.
enum class Outcome { kDone, kOutOfMemory, kOther };

template <class Call> Outcome outcome_of(Call&& call) {
  try {
    call();
    return Outcome::kDone;
  } catch (const Error& error) {
    return error.code() == ErrorCode::kOutOfMemory ? Outcome::kOutOfMemory : Outcome::kOther;
  } catch (...) {
    return Outcome::kOther;
  }
}

Outcome outcome_of(tw_status status) {
  if (status == TW_OK) return Outcome::kDone;
  return status == TW_OUT_OF_MEMORY ? Outcome::kOutOfMemory : Outcome::kOther;
}

// One way to call the library, on operands and a context that are new for every attempt.
struct Attempt {
  virtual ~Attempt() = default;
  virtual Outcome call() = 0;
  virtual bool c_is_untouched() const = 0;
  virtual bool c_is_right() const = 0;
};

// Fails allocation 1, 2, 3, ... of a call until it needs no more; returns how many it needed.
int fail_each_allocation(Failing failing, const std::function<std::unique_ptr<Attempt>()>& make) {
  for (int number = 1; number < 1000; ++number) {
    const std::unique_ptr<Attempt> attempt = make();
    Allocations allocations(failing, number);
    const Outcome outcome = attempt->call();
    allocations.stop();
    if (!allocations.failed()) {
      EXPECT_EQ(outcome, Outcome::kDone);
      EXPECT_TRUE(attempt->c_is_right());
      return number - 1;
    }
    if (outcome == Outcome::kDone) {  // it could do without
      EXPECT_TRUE(attempt->c_is_right()) << "allocation " << number;
    } else {
      EXPECT_EQ(outcome, Outcome::kOutOfMemory) << "allocation " << number;
      EXPECT_TRUE(attempt->c_is_untouched()) << "allocation " << number;
      EXPECT_EQ(attempt->call(), Outcome::kDone) << "after allocation " << number << " failed";
      EXPECT_TRUE(attempt->c_is_right()) << "after allocation " << number << " failed";
    }
  }
  ADD_FAILURE() << "a thousand allocations";
  return 1000;
}

// Must be the first test: later ones find the context of the program made.
TEST(AllocationFailure, AtTheFirstUseOfTheDefaultContext) {
  const float a = 3, b = 5;
  float c = -1;
  const auto multiply = [&] {
    return outcome_of(tw_gemm_f32(nullptr, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 1, 1, 1,
                                  1, &a, 1, &b, 1, 0, &c, 1));
  };
  int needed = 0;
  for (;; ++needed) {
    Allocations allocations(Failing::kAllFrom, needed + 1);
    const Outcome outcome = multiply();
    allocations.stop();
    if (!allocations.failed()) break;
    ASSERT_EQ(outcome, Outcome::kOutOfMemory);
    ASSERT_EQ(c, -1.0f);
  }
  EXPECT_GT(needed, 0);
  EXPECT_EQ(c, 15.0f);
}

TEST(AllocationFailure, MakingAContext) {
  for (const Failing failing : {Failing::kOne, Failing::kAllFrom}) {
    int needed = 0;
    for (;; ++needed) {
      tw_context* context = nullptr;
      Allocations allocations(failing, needed + 1);
      const Outcome in_cpp = outcome_of([] { Context two({.threads = 2}); });
      const bool failed = allocations.failed();
      allocations.stop();
      Allocations again(failing, needed + 1);
      const Outcome in_c = outcome_of(tw_context_create(2, &context));
      again.stop();
      tw_context_destroy(context);
      if (!failed && !again.failed()) break;
      EXPECT_EQ(in_cpp, failed ? Outcome::kOutOfMemory : Outcome::kDone) << needed;
      EXPECT_EQ(in_c, Outcome::kOutOfMemory) << needed;
      EXPECT_EQ(context, nullptr);
    }
    EXPECT_GT(needed, 0);
  }
}

struct Sizes {
  std::int64_t m, n, k;
};
constexpr Sizes kSizes[] = {{5, 6, 7},     {64, 64, 64},  {65, 70, 90}, {200, 190, 210},
                            {3, 400, 300}, {400, 2, 300}, {90, 100, 5}, {5, 4, 2000}};

// gemm(), through C++ or C.
template <class K> struct Product : Attempt {
  Product(const Sizes& sizes, Stand c_stand)
      : a(sizes.m, sizes.k, {Order::kColumnMajor, false, 1}, 1),
        b(sizes.k, sizes.n, {}, 2),
        c(sizes.m, sizes.n, c_stand, 3) {}

  Outcome call() override {
    using S = typename K::S;
    return outcome_of([&] { gemm(context, S{1}, a.view(), b.view(), S{2}, c.view()); });
  }
  bool c_is_untouched() const override { return same_bits(c.memory(), before.memory()); }
  bool c_is_right() const override {
    expect_product(typename K::S{1}, a, b, typename K::S{2}, before, c);
    return !::testing::Test::HasFailure();
  }

  Context context{{.threads = 2}};
  const Matrix<typename K::A> a;
  const Matrix<typename K::B> b;
  Matrix<typename K::C> c;
  const Matrix<typename K::C> before = c;
};

template <class K> class AllocationFailureIn : public ::testing::Test {};
TYPED_TEST_SUITE(AllocationFailureIn, EveryKind);

TYPED_TEST(AllocationFailureIn, Gemm) {
  for (const Failing failing : {Failing::kOne, Failing::kAllFrom}) {
    for (const Sizes& sizes : kSizes) {
      SCOPED_TRACE(::testing::Message() << sizes.m << "x" << sizes.n << "x" << sizes.k);
      fail_each_allocation(failing,
                           [&] { return std::make_unique<Product<TypeParam>>(sizes, Stand{}); });
    }
    fail_each_allocation(failing, [&] {
      return std::make_unique<Product<TypeParam>>(kSizes[3], Stand{Order::kColumnMajor, false, 3});
    });
  }
}

// A product large enough to be packed does allocate: the test above must have had something to
// fail.
TEST(AllocationFailure, HasSomethingToFail) {
  Context context({.threads = 1});
  const Matrix<float> a(500, 500), b(500, 500);
  Matrix<float> c(500, 500);
  const Allocations allocations;
  gemm(context, 1.0f, a.view(), b.view(), 0.0f, c.view());
  EXPECT_GT(allocations.count(), 0);
}

// tw_gemm_f32 and, from memory that has run out, its message.
struct ProductInC : Product<F32> {
  using Product<F32>::Product;
  ProductInC(const ProductInC&) = delete;
  ~ProductInC() override { tw_context_destroy(own); }

  Outcome call() override {
    if (own == nullptr) {
      const tw_status status = tw_context_create(2, &own);
      if (status != TW_OK) return outcome_of(status);
    }
    return outcome_of(
        tw_gemm_f32(own, TW_ROW_MAJOR, TW_TRANSPOSE, TW_NO_TRANSPOSE, c.rows(), c.columns(),
                    a.columns(), 1, a.view().data, a.view().leading_dimension, b.view().data,
                    b.view().leading_dimension, 2, c.view().data, c.view().leading_dimension));
  }

  tw_context* own = nullptr;
};

TEST(AllocationFailure, InTheCInterface) {
  for (const Failing failing : {Failing::kOne, Failing::kAllFrom}) {
    for (const Sizes& sizes : kSizes) {
      const int needed = fail_each_allocation(
          failing, [&] { return std::make_unique<ProductInC>(sizes, Stand{}); });
      EXPECT_GT(needed, 0) << "the context at least";
    }
  }
}

// Errors other than for want of memory cannot be told when there is none for their message: then
// they are reported as out of memory, and never end the program.
TEST(AllocationFailure, WhileAnotherErrorIsReported) {
  Context context({.threads = 1});
  float c = -1;
  const MatrixView<const float> wrong{nullptr, 1, 1, 1};
  for (int number = 1;; ++number) {
    Allocations allocations(Failing::kAllFrom, number);
    const Outcome in_cpp =
        outcome_of([&] { gemm(context, 1.0f, wrong, wrong, 0.0f, row_major(&c, 1, 1)); });
    const bool failed = allocations.failed();
    allocations.stop();
    EXPECT_EQ(in_cpp, failed ? Outcome::kOutOfMemory : Outcome::kOther);
    EXPECT_EQ(c, -1.0f);
    if (!failed) break;
  }
}

// Three products at a stride, or by pointers.
template <class K> struct Batch : Attempt {
  Batch(const Sizes& sizes_of_one, bool by_pointers_)
      : sizes(sizes_of_one), by_pointers(by_pointers_) {
    for (std::int64_t i = 0; i < 3; ++i) {
      as[i] = a.view().data + i * sizes.m * sizes.k;
      bs[i] = b.view().data;
      cs[i] = c.view().data + i * sizes.m * sizes.n;
    }
  }

  Outcome call() override {
    using S = typename K::S;
    const auto one_a = row_major(as[0], sizes.m, sizes.k);
    const auto one_c = row_major(cs[0], sizes.m, sizes.n);
    return outcome_of([&] {
      if (by_pointers) {
        gemm_batch(context, 3, S{1}, from_pointers(one_a, as), from_pointers(b.view(), bs), S{2},
                   from_pointers(one_c, cs));
      } else {
        gemm_batch(context, 3, S{1}, strided(one_a, sizes.m * sizes.k), strided(b.view(), 0), S{2},
                   strided(one_c, sizes.m * sizes.n));
      }
    });
  }
  bool c_is_untouched() const override { return same_bits(c.memory(), before.memory()); }
  // Rows of A below one another give rows of C below one another: three products are one.
  bool c_is_right() const override {
    expect_product(typename K::S{1}, a, b, typename K::S{2}, before, c);
    return !::testing::Test::HasFailure();
  }

  Sizes sizes;
  bool by_pointers;
  Context context{{.threads = 2}};
  const Matrix<typename K::A> a{3 * sizes.m, sizes.k, {}, 1};
  const Matrix<typename K::B> b{sizes.k, sizes.n, {}, 2};
  Matrix<typename K::C> c{3 * sizes.m, sizes.n, {}, 3};
  const Matrix<typename K::C> before = c;
  const typename K::A* as[3];
  const typename K::B* bs[3];
  typename K::C* cs[3];
};

template <class K> class AllocationFailureInBatches : public ::testing::Test {};
TYPED_TEST_SUITE(AllocationFailureInBatches, BatchKinds);

TYPED_TEST(AllocationFailureInBatches, Gemm) {
  for (const Failing failing : {Failing::kOne, Failing::kAllFrom}) {
    for (const bool by_pointers : {false, true}) {
      for (const Sizes& sizes : {Sizes{5, 6, 7}, Sizes{70, 65, 90}, Sizes{150, 140, 160}}) {
        fail_each_allocation(
            failing, [&] { return std::make_unique<Batch<TypeParam>>(sizes, by_pointers); });
      }
    }
  }
}

// The allocations of a second call of the same product.
template <class T> std::int64_t allocations_of_a_second(const Sizes& sizes, Stand stand) {
  Context context({.threads = 2});
  const Matrix<T> a(sizes.m, sizes.k, stand), b(sizes.k, sizes.n, stand);
  Matrix<T> c(sizes.m, sizes.n, stand);
  gemm(context, T{1}, a.view(), b.view(), T{0}, c.view());
  const Allocations allocations;
  gemm(context, T{1}, a.view(), b.view(), T{0}, c.view());
  return allocations.count();
}

TEST(SmallProducts, AllocateNothing) {
#ifndef NDEBUG
  SCOPED_TRACE("a debug build, which also looks for overlaps");
#endif
  for (const Stand& stand :
       {Stand{}, Stand{Order::kColumnMajor, false, 3}, Stand{Order::kRowMajor, true, 1}}) {
    for (std::int64_t size : {1, 2, 3, 5, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64}) {
      EXPECT_EQ(allocations_of_a_second<float>({size, size, size}, stand), 0) << size;
      EXPECT_EQ(allocations_of_a_second<double>({size, size, size}, stand), 0) << size;
    }
    for (const Sizes& sizes :
         {Sizes{64, 3, 17}, Sizes{1, 64, 64}, Sizes{64, 1, 64}, Sizes{2, 2, 64}}) {
      EXPECT_EQ(allocations_of_a_second<float>(sizes, stand), 0) << sizes.m << " " << sizes.n;
      EXPECT_EQ(allocations_of_a_second<double>(sizes, stand), 0) << sizes.m << " " << sizes.n;
    }
  }
}

TEST(SmallProducts, AllocateNothingThroughC) {
  const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  double c[4];
  for (const bool counted : {false, true}) {
    const Allocations allocations;
    ASSERT_EQ(tw_gemm_f64(nullptr, TW_COLUMN_MAJOR, TW_TRANSPOSE, TW_NO_TRANSPOSE, 2, 2, 2, 1, a, 2,
                          b, 2, 0, c, 2),
              TW_OK);
    EXPECT_TRUE(!counted || allocations.count() == 0);
  }
}

}  // namespace
}  // namespace tilewise
