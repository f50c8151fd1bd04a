// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/workers.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <climits>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "../core/expect_error.hpp"
#include "allocations.hpp"

namespace tilewise::cpu {
namespace {

using test::expect_error;

/// Runs a function object f(team, member) on a team.
template <class F> void run(Workers& workers, int wanted, F&& f) {
  workers.run(
      wanted,
      [](void* argument, Team& team, int member) noexcept {
        (*static_cast<std::remove_reference_t<F>*>(argument))(team, member);
      },
      const_cast<void*>(static_cast<const void*>(&f)));
}

TEST(Workers, EveryMemberIsCalledOnce) {
  for (int threads = 1; threads <= 8; ++threads) {
    Workers workers(threads);
    for (int wanted = -1; wanted <= threads + 2; ++wanted) {
      const int expected = std::clamp(wanted, 1, threads);
      std::array<std::atomic<int>, 8> calls{};
      std::atomic<int> wrong_sizes{0};
      run(workers, wanted, [&](Team& team, int member) {
        ++calls[static_cast<std::size_t>(member)];
        if (team.size() != expected) ++wrong_sizes;
      });
      for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(calls[static_cast<std::size_t>(i)], i < expected) << threads << ' ' << wanted;
      }
      EXPECT_EQ(wrong_sizes, 0);
    }
  }
}

TEST(Workers, AMemberIsAlwaysTheSameThread) {
  Workers workers(5);
  std::array<std::thread::id, 5> ids;
  const auto note = [&](Team&, int member) {
    ids[static_cast<std::size_t>(member)] = std::this_thread::get_id();
  };
  run(workers, 5, note);
  const auto first = ids;
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 5u);
  for (int wanted = 1; wanted <= 5; ++wanted) {
    ids = {};
    run(workers, wanted, note);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(ids[i], i < static_cast<std::size_t>(wanted) ? first[i] : std::thread::id{});
    }
  }
}

// Plain memory on purpose: the thread sanitizer sees whether run() and meet() order it.
TEST(Workers, WhatMembersWroteIsVisibleAfterMeetAndAfterRun) {
  constexpr int kRounds = 50;
  for (int threads = 1; threads <= 8; ++threads) {
    Workers workers(threads);
    std::array<std::array<int, 16>, 8> cells{};  // a cache line a member
    std::array<long, 8> sums{};
    run(workers, threads, [&](Team& team, int member) {
      for (int round = 1; round <= kRounds; ++round) {
        cells[static_cast<std::size_t>(member)][0] = round * (member + 1);
        team.meet();
        for (int i = 0; i < team.size(); ++i) {
          sums[static_cast<std::size_t>(member)] += cells[static_cast<std::size_t>(i)][0];
        }
        team.meet();
      }
    });
    const long expected = long{kRounds} * (kRounds + 1) / 2 * threads * (threads + 1) / 2;
    for (int i = 0; i < threads; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], expected);
  }
}

// One product after the other with teams of changing size: nobody may be left over from the last
// one.
TEST(Workers, ManyShortRuns) {
  Workers workers(4);
  std::array<long, 4> calls{};
  std::array<long, 4> expected{};
  for (int i = 0; i < 1200; ++i) {
    const int wanted = 1 + i % 4;
    for (int member = 0; member < wanted; ++member) ++expected[static_cast<std::size_t>(member)];
    run(workers, wanted, [&](Team& team, int member) {
      ++calls[static_cast<std::size_t>(member)];
      if (i % 16 < 4) team.meet();
    });
  }
  EXPECT_EQ(calls, expected);
}

TEST(Workers, ManyCallersAtOnce) {
  constexpr int kCallers = 5, kRuns = 600;
  Workers workers(3);
  std::array<long, kCallers> members{}, sizes{};
  std::vector<std::jthread> callers;
  for (std::size_t caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < kRuns; ++i) {
        std::array<int, 3> called{};
        run(workers, 3, [&](Team& team, int member) {
          team.meet();
          called[static_cast<std::size_t>(member)] = team.size();
        });
        sizes[caller] += called[0];
        for (const int size : called) members[caller] += size != 0;
      }
    });
  }
  callers.clear();            // joins
  EXPECT_EQ(members, sizes);  // a team of n had n members, each for its own caller
}

TEST(Workers, ASecondCallerWorksAlone) {
  Workers workers(2);
  int size_of_second = 0;
  run(workers, 2, [&](Team&, int member) {
    if (member != 0) return;
    std::jthread([&] {
      run(workers, 2, [&](Team& team, int) { size_of_second = team.size(); });
    }).join();
  });
  EXPECT_EQ(size_of_second, 1);
  int size_after = 0;
  run(workers, 2, [&](Team& team, int member) {
    if (member == 0) size_after = team.size();
  });
  EXPECT_EQ(size_after, 2);
}

TEST(Workers, ABodyThatRunsAnotherDoesSoAlone) {
  Workers workers(3);
  std::array<int, 3> inner_sizes{};
  run(workers, 3, [&](Team& team, int member) {
    run(workers, 3, [&](Team& inner, int) {
      inner.meet();
      inner_sizes[static_cast<std::size_t>(member)] = inner.size();
    });
    team.meet();
  });
  EXPECT_EQ(inner_sizes, (std::array<int, 3>{1, 1, 1}));
}

// Longer than anybody watches: caller and threads fall asleep at every place where they wait.
TEST(Workers, WakeFromSleep) {
  constexpr std::chrono::milliseconds kLong{2};
  Workers workers(3);
  for (int late = 0; late < 3; ++late) {
    std::this_thread::sleep_for(kLong);
    std::atomic<int> members{0};
    run(workers, 3, [&](Team& team, int member) {
      if (member == late) std::this_thread::sleep_for(kLong);
      team.meet();
      ++members;
      if (member == late) std::this_thread::sleep_for(kLong);
    });
    EXPECT_EQ(members, 3);
  }
}

TEST(Workers, StartAndStop) {
  for (int i = 0; i < 100; ++i) {
    Workers workers(1 + i % 5);
    if (i % 2 == 0) continue;
    std::atomic<int> members{0};
    run(workers, 8, [&](Team&, int) { ++members; });
    EXPECT_EQ(members, 1 + i % 5);
  }
}

TEST(Workers, RunAllocatesNothing) {
  Workers workers(2);
  std::array<long, 2> allocations{};
  const long before = test::allocations();
  for (int i = 0; i < 100; ++i) {
    run(workers, 2, [&](Team& team, int member) {
      team.meet();
      allocations[static_cast<std::size_t>(member)] = test::allocations();
    });
  }
  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(allocations, (std::array<long, 2>{before, 0}));
}

TEST(Workers, ReportAllocationsThatFail) {
  long failed = 0;
  for (bool made = false; !made;) {
    const test::FailingAllocation failure(failed);
    try {
      Workers workers(4);
      made = true;
      EXPECT_FALSE(failure.happened());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory) << error.what();
      ++failed;
    }
  }
  EXPECT_GE(failed, 2);
}

TEST(Workers, NumbersThatMakeNoSense) {
  for (const int threads : {0, -1, INT_MIN, Workers::kMostThreads + 1, INT_MAX}) {
    expect_error(ErrorCode::kInvalidArgument,
                 {"threads = " + std::to_string(threads), "expected 1 to 4096"},
                 [&] { Workers workers(threads); });
  }
}

TEST(Workers, SignalsGoToTheProgramsThreads) {
  sigset_t before, after, inside;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  Workers workers(2);
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  run(workers, 2, [&](Team&, int member) {
    if (member == 1) pthread_sigmask(SIG_BLOCK, nullptr, &inside);
  });
  for (const int blocked : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM}) {
    EXPECT_EQ(sigismember(&inside, blocked), 1) << blocked;
    EXPECT_EQ(sigismember(&before, blocked), sigismember(&after, blocked)) << blocked;
  }
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE}) EXPECT_EQ(sigismember(&inside, own), 0) << own;
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(Workers, RoundAsTheirCallerDoes) {
  Workers workers(3);
  volatile float one = 1, three = 3, smallest = std::numeric_limits<float>::min();
  for (const int rounding : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    fesetround(rounding);
    std::array<std::array<float, 3>, 3> results{};
    run(workers, 3, [&](Team&, int member) {
      results[static_cast<std::size_t>(member)] = {one / three, -one / three, smallest / three};
    });
    const std::array<float, 3> own{one / three, -one / three, smallest / three};
    fesetround(FE_TONEAREST);
    for (const auto& result : results) EXPECT_EQ(result, own) << rounding;
  }
}
#endif

#ifdef __linux__
TEST(Workers, ThreadsHaveAName) {
  Workers workers(2);
  std::array<char, 16> name{};
  run(workers, 2, [&](Team&, int member) {
    if (member == 1) pthread_getname_np(pthread_self(), name.data(), name.size());
  });
  EXPECT_STREQ(name.data(), "tilewise");
}
#endif

}  // namespace
}  // namespace tilewise::cpu
