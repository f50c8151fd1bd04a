// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every argument that gemm() and gemm_batch() refuse: what they say, and that C stays as it was.
#include <gtest/gtest.h>

#include <functional>

#include "../core/expect_error.hpp"
#include "matrices.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise {
namespace {

using namespace test;

Context& context() {
  static Context one({.threads = 1});
  return one;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// The arguments of a good product, 3×4 times 4×5, to be spoilt.
struct Call {
  MatrixView<const float> a, b;
  MatrixView<float> c;
  GemmOptions options;
  float alpha = 1, beta = 1;
};

void expect_refused(const std::vector<std::string>& parts,
                    const std::function<void(Call&)>& spoil) {
  const Matrix<float> a(3, 4), b(4, 5);
  Matrix<float> c(3, 5);
  const Matrix<float> before = c;
  Call call{a.view(), b.view(), c.view(), {}};
  spoil(call);
  expect_error(ErrorCode::kInvalidArgument, parts, [&] {
    gemm(context(), call.alpha, call.a, call.b, call.beta, call.c, call.options);
  });
  EXPECT_TRUE(same_bits(c.memory(), before.memory())) << "C was written";
}

TEST(BadInput, NothingSpoiltIsNoError) {
  const Matrix<float> a(3, 4), b(4, 5);
  Matrix<float> c(3, 5);
  EXPECT_NO_THROW(gemm(context(), 1.0f, a.view(), b.view(), 1.0f, c.view()));
}

TEST(BadInput, NegativeSizes) {
  expect_refused({"a.rows = -3: expected 0 or more"}, [](Call& x) { x.a.rows = -3; });
  expect_refused({"a.columns = -1: "}, [](Call& x) { x.a.columns = -1; });
  expect_refused({"b.rows = -9223372036854775808: "}, [](Call& x) { x.b.rows = -kMost - 1; });
  expect_refused({"b.columns = -1: "}, [](Call& x) { x.b.columns = -1; });
  expect_refused({"c.rows = -1: "}, [](Call& x) { x.c.rows = -1; });
  expect_refused({"c.columns = -1: "}, [](Call& x) { x.c.columns = -1; });
}

TEST(BadInput, SizesThatDoNotFit) {
  expect_refused({"b.rows = 3: expected 4, as many as a.columns"}, [](Call& x) { x.b.rows = 3; });
  expect_refused({"c.rows = 2: expected 3, as many as a.rows"}, [](Call& x) { x.c.rows = 2; });
  expect_refused({"c.columns = 4: expected 5, as many as b.columns"},
                 [](Call& x) { x.c.columns = 4; });
  expect_refused({"b.rows = 0: expected 4"}, [](Call& x) { x.b.rows = 0; });
  // Also where nothing would be computed.
  expect_refused({"b.rows = 3: expected 4"}, [](Call& x) {
    x.b.rows = 3;
    x.alpha = 0;
  });
}

TEST(BadInput, LeadingDimensions) {
  expect_refused({"a.leading_dimension = 3: expected at least 4 (a.columns)"},
                 [](Call& x) { x.a.leading_dimension = 3; });
  expect_refused({"b.leading_dimension = 0: expected at least 5 (b.columns)"},
                 [](Call& x) { x.b.leading_dimension = 0; });
  expect_refused({"c.leading_dimension = -5: expected at least 5 (c.columns)"},
                 [](Call& x) { x.c.leading_dimension = -5; });
  expect_refused({"a.leading_dimension = 2: expected at least 3 (a.rows)"}, [](Call& x) {
    x.a.order = Order::kColumnMajor;
    x.a.leading_dimension = 2;
  });
  expect_refused({"b.leading_dimension = 3: expected at least 4 (b.rows)"}, [](Call& x) {
    x.b = transposed(MatrixView<const float>{x.b.data, 5, 4, 3});
  });
  expect_refused({"a.leading_dimension = 0: expected at least 1"}, [](Call& x) {
    x.a = {nullptr, 3, 0, 0};
    x.b = {nullptr, 0, 5, 5};
  });
}

TEST(BadInput, NullPointers) {
  expect_refused({"a.data = null: expected 3×4 elements"}, [](Call& x) { x.a.data = nullptr; });
  expect_refused({"b.data = null: expected 4×5 elements"}, [](Call& x) { x.b.data = nullptr; });
  expect_refused({"c.data = null: expected 3×5 elements"}, [](Call& x) { x.c.data = nullptr; });
  expect_refused({"c.data = null"}, [](Call& x) {
    x.c.data = nullptr;
    x.alpha = 0;
    x.a.data = x.b.data = nullptr;
  });
}

TEST(BadInput, BytesBeyond63Bits) {
  expect_refused({"a of 3×4 elements", "a.leading_dimension = 4611686018427387904", "63 bits"},
                 [](Call& x) { x.a.leading_dimension = std::int64_t{1} << 62; });
  expect_refused({"b of 4×5", "b.leading_dimension = 9223372036854775807"},
                 [](Call& x) { x.b.leading_dimension = kMost; });
  // 2^61 floats are 2^63 bytes; one fewer would fit.
  expect_refused({"c of 1×2305843009213693952 elements"}, [](Call& x) {
    x.a = {x.a.data, 1, 4, 4};
    x.b = {x.b.data, 4, std::int64_t{1} << 61, std::int64_t{1} << 61};
    x.c = {x.c.data, 1, std::int64_t{1} << 61, std::int64_t{1} << 61};
    x.b.rows = x.a.columns = 1;
    x.b.columns = x.b.leading_dimension = (std::int64_t{1} << 61) - 1;
  });
  expect_refused({"a of 9223372036854775807×9223372036854775807 elements"}, [](Call& x) {
    x.a = {x.a.data, kMost, kMost, kMost};
  });
}

TEST(BadInput, OptionsAndOrders) {
  expect_refused({"options.threads = -1: expected 0 (all that are useful) or more"},
                 [](Call& x) { x.options.threads = -1; });
  expect_refused({"a.order = 7: expected"}, [](Call& x) { x.a.order = static_cast<Order>(7); });
  expect_refused({"b.order = 2: expected"}, [](Call& x) { x.b.order = static_cast<Order>(2); });
  expect_refused({"c.order = -1: expected"}, [](Call& x) { x.c.order = static_cast<Order>(-1); });
}

#ifndef NDEBUG
TEST(BadInput, OverlapInDebugBuilds) {
  expect_refused({"c.data = 0x", "does not overlap a"},
                 [](Call& x) { x.c.data = const_cast<float*>(x.a.data) + 2; });
  expect_refused({"c.data = 0x", "does not overlap b"},
                 [](Call& x) { x.c.data = const_cast<float*>(x.b.data); });
}
#endif

// The arguments of a good batch of three, to be spoilt.
struct BatchCall {
  std::int64_t count = 3;
  MatrixBatch<const double> a, b;
  MatrixBatch<double> c;
  GemmOptions options;
  double alpha = 1;
};

void expect_batch_refused(const std::vector<std::string>& parts,
                          const std::function<void(BatchCall&)>& spoil) {
  const Matrix<double> a(9, 4), b(12, 5);
  Matrix<double> c(9, 5);
  const Matrix<double> before = c;
  BatchCall call;
  call.a = strided(MatrixView<const double>{a.view().data, 3, 4, 4}, 12);
  call.b = strided(MatrixView<const double>{b.view().data, 4, 5, 5}, 20);
  call.c = strided(MatrixView<double>{c.view().data, 3, 5, 5}, 15);
  spoil(call);
  expect_error(ErrorCode::kInvalidArgument, parts, [&] {
    gemm_batch(context(), call.count, call.alpha, call.a, call.b, 1.0, call.c, call.options);
  });
  EXPECT_TRUE(same_bits(c.memory(), before.memory())) << "C was written";
}

TEST(BadBatch, CountsAndShapes) {
  expect_batch_refused({"count = -1: expected 0 or more"}, [](BatchCall& x) { x.count = -1; });
  expect_batch_refused({"a.shape.rows = -1"}, [](BatchCall& x) { x.a.shape.rows = -1; });
  expect_batch_refused({"b.shape.rows = 3: expected 4, as many as a.shape.columns"},
                       [](BatchCall& x) { x.b.shape.rows = 3; });
  expect_batch_refused({"c.shape.leading_dimension = 4: expected at least 5 (c.shape.columns)"},
                       [](BatchCall& x) { x.c.shape.leading_dimension = 4; });
  expect_batch_refused({"b.shape.data = null: expected 4×5 elements"},
                       [](BatchCall& x) { x.b.shape.data = nullptr; });
  expect_batch_refused({"options.threads = -2"}, [](BatchCall& x) { x.options.threads = -2; });
  // Shapes are checked although there is nothing to multiply.
  expect_batch_refused({"c.shape.rows = 2: expected 3"}, [](BatchCall& x) {
    x.count = 0;
    x.c.shape.rows = 2;
  });
}

TEST(BadBatch, StridesOfResults) {
  expect_batch_refused({"c.stride = 0: expected results that do not overlap", "number 1"},
                       [](BatchCall& x) { x.c.stride = 0; });
  expect_batch_refused({"c.stride = 14: "}, [](BatchCall& x) { x.c.stride = 14; });
  expect_batch_refused({"c.stride = -1: "}, [](BatchCall& x) { x.c.stride = -1; });
  expect_batch_refused({"c.stride = 7: ", "number 2"}, [](BatchCall& x) {
    x.c.shape = {x.c.shape.data, 2, 5, 14};  // 7 between neighbours fits in, 14 is the next line
    x.a.shape.rows = 2;
    x.c.stride = 7;
  });
}

TEST(BadBatch, StridesBeyond63Bits) {
  expect_batch_refused({"a.stride = 1152921504606846976", "3 matrices", "63 bits"},
                       [](BatchCall& x) { x.a.stride = std::int64_t{1} << 60; });
  expect_batch_refused({"b.stride = -9223372036854775808"},
                       [](BatchCall& x) { x.b.stride = -kMost - 1; });
  expect_batch_refused({"c.stride = 15", "9223372036854775807 matrices"}, [](BatchCall& x) {
    x.count = kMost;
    x.a.stride = x.b.stride = 0;
  });
}

TEST(BadBatch, NullAmongThePointers) {
  const Matrix<double> a(3, 4), b(4, 5);
  Matrix<double> c0(3, 5), c1(3, 5);
  const Matrix<double> before = c0;
  const double *as[] = {a.view().data, a.view().data}, *bs[] = {b.view().data, nullptr};
  double* cs[] = {c0.view().data, c1.view().data};
  const auto multiply = [&] {
    gemm_batch(context(), 2, 1.0, from_pointers(a.view(), as), from_pointers(b.view(), bs), 0.0,
               from_pointers(c0.view(), cs));
  };
  expect_error(ErrorCode::kInvalidArgument, {"b.pointers[1] = null: expected 4×5 elements"},
               multiply);
  bs[1] = bs[0];
  as[0] = nullptr;
  expect_error(ErrorCode::kInvalidArgument, {"a.pointers[0] = null"}, multiply);
  as[0] = as[1];
  cs[1] = nullptr;
  expect_error(ErrorCode::kInvalidArgument, {"c.pointers[1] = null: expected 3×5 elements"},
               multiply);
  EXPECT_TRUE(same_bits(c0.memory(), before.memory())) << "C was written";
  cs[1] = c1.view().data;
  EXPECT_NO_THROW(multiply());
}

}  // namespace
}  // namespace tilewise
