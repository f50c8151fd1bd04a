// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/context.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "../core/expect_error.hpp"
#include "core/thread_pool.hpp"
#include "matrices.hpp"

namespace tilewise {
namespace {

using namespace test;

// Sets an environment variable while it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    had_ = std::getenv(name) != nullptr;
    if (value != nullptr) setenv(name, value, 1);
    else unsetenv(name);
  }
  ~Environment() {
    if (had_) setenv(name_, before_.c_str(), 1);
    else unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_ = false;
};

constexpr char kVariable[] = "TILEWISE_NUM_THREADS";

TEST(Context, HasTheThreadsAskedFor) {
  EXPECT_EQ(Context({.threads = 1}).threads(), 1);
  EXPECT_EQ(Context({.threads = 3}).threads(), 3);
}

TEST(Context, TakesTheEnvironmentsNumberOrTheCores) {
  {
    const Environment unset(kVariable, nullptr);
    EXPECT_EQ(Context().threads(), available_cores());
  }
  {
    const Environment empty(kVariable, "");
    EXPECT_EQ(Context().threads(), available_cores());
  }
  const Environment three(kVariable, "3");
  EXPECT_EQ(Context().threads(), 3);
  EXPECT_EQ(Context({.threads = 2}).threads(), 2) << "the argument outranks the environment";
}

TEST(Context, RefusesMalformedEnvironment) {
  for (const char* text :
       {"0", "-1", "4097", "many", "2 ", " 2", "2.5", "0x2", "1e3", "+2", "99999999999999999999"}) {
    const Environment malformed(kVariable, text);
    expect_error(
        ErrorCode::kInvalidArgument,
        {"TILEWISE_NUM_THREADS=" + std::string(text), "expected a whole number from 1 to 4096"},
        [] { Context context; });
    EXPECT_EQ(Context({.threads = 1}).threads(), 1) << "not asked, hence no error";
  }
  const std::string endless(5000, '7');
  const Environment long_text(kVariable, endless.c_str());
  expect_error(ErrorCode::kInvalidArgument, {"TILEWISE_NUM_THREADS=777"}, [] { Context context; });
}

TEST(Context, RefusesNumbersOfThreadsThatNobodyMeans) {
  for (int threads : {-1, -2147483647, 4097, 2147483647}) {
    expect_error(ErrorCode::kInvalidArgument,
                 {"threads = " + std::to_string(threads), "0 ", "4096"},
                 [threads] { Context context({.threads = threads}); });
  }
}

TEST(Context, Moves) {
  const Matrix<float> a(9, 8), b(8, 7);
  Matrix<float> c(9, 7);
  const Matrix<float> before = c;

  Context first({.threads = 2});
  Context second(std::move(first));
  EXPECT_EQ(second.threads(), 2);
  EXPECT_EQ(first.threads(), 0);  // NOLINT(bugprone-use-after-move): that is the test
  expect_error(ErrorCode::kInvalidArgument, {"context", "moved from"},
               [&] { gemm(first, 1.0f, a.view(), b.view(), 0.0f, c.view()); });
  EXPECT_TRUE(same_bits(c.memory(), before.memory()));

  first = Context({.threads = 1});
  EXPECT_EQ(first.threads(), 1);
  gemm(first, 1.0f, a.view(), b.view(), 1.0f, c.view());
  expect_product(1.0f, a, b, 1.0f, before, c);

  second = std::move(first);
  EXPECT_EQ(second.threads(), 1);
  c = before;
  gemm(second, 1.0f, a.view(), b.view(), 1.0f, c.view());
  expect_product(1.0f, a, b, 1.0f, before, c);
}

TEST(Context, DefaultIsOneAndTheSame) {
  EXPECT_EQ(&default_context(), &default_context());
  EXPECT_GE(default_context().threads(), 1);
}

}  // namespace
}  // namespace tilewise
