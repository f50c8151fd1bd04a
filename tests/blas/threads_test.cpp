// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls from many threads at once, and in a child after fork(); how many threads a context gets.
#include "blas/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "operands.hpp"

namespace tilewise::test {
namespace {

template <class T> void call_all(unsigned seed) {
  for (const Name<T>& name : names<T>()) {
    Ask<T> ask{false, 'N', 'T', 5 + 7 * (seed % 8), 61, 40, 1};
    ask.beta = T(0.5);
    ask.count = name.is_batch ? 4 : 1;
    Operands<T> operands(ask, seed);
    name.call(operands.ask());
    operands.check(name.name);
  }
}

TEST(Threads, AsManyAsTheEnvironmentSays) {
  const auto of_openmp = [](const char* text) { return blas::threads_in(nullptr, text, 8); };
  EXPECT_EQ(of_openmp(nullptr), 0);
  EXPECT_EQ(of_openmp("1"), 1);
  EXPECT_EQ(of_openmp(" 3 "), 3);
  EXPECT_EQ(of_openmp("4,2"), 4);
  EXPECT_EQ(of_openmp("4 , 2"), 4);
  EXPECT_EQ(of_openmp("64"), 8);
  for (const char* const text : {"", " ", "0", "-2", "two", "2x", "2 x", "1e3", "99999999999"})
    EXPECT_EQ(of_openmp(text), 0) << text;
  // Whatever it says, ours counts; what it says wrong the context refuses.
  for (const char* const ours : {"2", "none"}) EXPECT_EQ(blas::threads_in(ours, "1", 8), 0);
  EXPECT_EQ(blas::threads_in("", "1", 8), 1);
  EXPECT_EQ(blas::threads_in(nullptr, "3", 0), 1);
}

TEST(Threads, CallAtOnce) {
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([seed] {
      for (unsigned round = 0; round < 3; ++round) {
        call_all<float>(seed + 8 * round);
        call_all<double>(seed + 8 * round);
      }
    });
  }
}

TEST(Threads, ShareOneLargeProductEach) {
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([seed] {
      Operands<double> operands({true, 'N', 'N', 200, 180, 150, 1}, seed);
      const Ask<double>& x = operands.ask();
      cblas_dgemm(101, 111, 111, int(x.m), int(x.n), int(x.k), x.alpha, x.a, int(x.lda), x.b,
                  int(x.ldb), x.beta, x.c, int(x.ldc));
      operands.check("cblas_dgemm");
    });
  }
}

// ThreadSanitizer does not support threads in a child of a program with threads.
#ifndef __SANITIZE_THREAD__
TEST(Threads, StartAgainAfterFork) {
  call_all<float>(1);  // the parent has its threads
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    call_all<float>(2);
    Operands<double> large({false, 'N', 'N', 200, 200, 200, 1}, 5);
    names<double>().front().call(large.ask());
    large.check("after fork");
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  call_all<float>(3);  // and the parent still has them
}
#endif

}  // namespace
}  // namespace tilewise::test
