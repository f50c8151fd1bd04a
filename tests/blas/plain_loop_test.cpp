// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What is computed when there is no memory: the loop itself, and that it takes over.
#include "blas/plain_loop.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "operands.hpp"

namespace tilewise::test {
namespace {

template <class T> class PlainLoop : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PlainLoop, Precisions);

template <class T> cpu::Factor<T> factor(const T* first, std::int64_t distance, char trans) {
  return trans == 'N' ? cpu::Factor<T>{first, distance, 1} : cpu::Factor<T>{first, 1, distance};
}

TYPED_TEST(PlainLoop, ComputesEveryTransposition) {
  using T = TypeParam;
  struct Size {
    std::int64_t m, n, k;
  };
  for (const auto [m, n, k] :
       {Size{1, 1, 1}, {5, 300, 3}, {3, 129, 65}, {40, 128, 64}, {2, 3, 200}}) {
    for (const char* trans : {"NN", "NT", "TN", "TT"}) {
      for (const T beta : {T(0), T(1), T(-0.5)}) {
        Ask<T> ask{true, trans[0], trans[1], m, n, k, T(1.5)};
        ask.beta = beta;
        Operands<T> operands(ask, 7);
        const Ask<T>& x = operands.ask();
        blas::plain_loop(cpu::Problem<T, T, T, T>{m, n, k, x.alpha, factor(x.a, x.lda, trans[0]),
                                                  factor(x.b, x.ldb, trans[1]), x.beta, x.c,
                                                  x.ldc});
        operands.check(trans);
      }
    }
  }
}

TYPED_TEST(PlainLoop, LooksAtNeitherFactorWithoutAlpha) {
  using T = TypeParam;
  T c[2] = {3, 4};
  blas::plain_loop(cpu::Problem<T, T, T, T>{1, 2, 5, 0, {}, {}, 2, c, 2});
  EXPECT_EQ(c[0], 6);
  EXPECT_EQ(c[1], 8);
}

// Sanitizers reserve address space of their own, which no limit can tell from the program's.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// From now on this program gets no more memory than it has, but for what malloc keeps in reserve.
void forbid_memory() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit limit{bytes, RLIM_INFINITY};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(2);
}

// In a child without memory: computes one product through `call`. What it says on stderr.
std::string words_without_memory(bool engine_is_there) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    Operands<float> small({false, 'N', 'N', 2, 2, 2, 1}, 1),
        large({false, 'N', 'T', 600, 500, 400, 1}, 2);
    if (engine_is_there) names<float>().front().call(small.ask());
    forbid_memory();
    names<float>().front().call(large.ask());
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_AS, &none);
    large.check("without memory");
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  ::close(ends[1]);
  std::string words;
  char buffer[1024];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    words.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << ": " << words;
  return words;
}

TEST(OutOfMemory, ComputesWithoutAnEngine) {
  EXPECT_NE(words_without_memory(false).find("plain loop"), std::string::npos);
}

TEST(OutOfMemory, ComputesWithoutPackingBuffers) {
  EXPECT_NE(words_without_memory(true).find("plain loop"), std::string::npos);
}
#endif

}  // namespace
}  // namespace tilewise::test
