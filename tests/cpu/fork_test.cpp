// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The child of a fork() has one thread and a copy of the memory, whatever the others were doing to
// it.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../core/expect_error.hpp"
#include "cpu/fork_lock.hpp"
#include "cpu/workers.hpp"
#include "cpu/workspace.hpp"
#include "in_child.hpp"

namespace tilewise::cpu {
namespace {

using test::in_child;

#define SKIP_WHERE_CHILDREN_HAVE_NO_THREADS()                                       \
  if (test::kThreadSanitizer) {                                                     \
    GTEST_SKIP() << "the thread sanitizer cannot follow threads of a fork's child"; \
  }

/// The size of the team that a caller gets, each member having been there.
int team_size(Workers& workers, int wanted) {
  struct Seen {
    std::atomic<int> members{0}, size{0};
  } seen;
  workers.run(
      wanted,
      [](void* argument, Team& team, int) noexcept {
        team.meet();
        ++static_cast<Seen*>(argument)->members;
        static_cast<Seen*>(argument)->size = team.size();
      },
      &seen);
  return seen.members == seen.size ? seen.size.load() : -1;
}

TEST(Fork, TheChildHasThreadsOfItsOwn) {
  SKIP_WHERE_CHILDREN_HAVE_NO_THREADS();
  auto workers = std::make_unique<Workers>(4);
  ASSERT_EQ(team_size(*workers, 4), 4);
  EXPECT_TRUE(in_child([&] {
    bool right = team_size(*workers, 3) == 3 && team_size(*workers, 4) == 4;
    right = right && in_child([&] { return team_size(*workers, 4) == 4; });
    right = right && team_size(*workers, 4) == 4;
    workers.reset();
    return right;
  }));
  EXPECT_EQ(team_size(*workers, 4), 4);
}

TEST(Fork, WorkersThatTheChildNeverUsedAreDestroyed) {
  SKIP_WHERE_CHILDREN_HAVE_NO_THREADS();
  auto workers = std::make_unique<Workers>(3);
  EXPECT_TRUE(in_child([&] {
    workers.reset();
    Workers others(3);
    return team_size(others, 3) == 3;
  }));
}

TEST(Fork, InTheMiddleOfSomebodysProduct) {
  SKIP_WHERE_CHILDREN_HAVE_NO_THREADS();
  Workers workers(3);
  struct Gate {
    std::atomic<int> inside{0};
    std::atomic<bool> open{false};
  } gate;
  std::jthread caller([&] {
    workers.run(
        3,
        [](void* argument, Team& team, int) noexcept {
          auto& shared = *static_cast<Gate*>(argument);
          ++shared.inside;
          shared.inside.notify_all();
          shared.open.wait(false);
          team.meet();
        },
        &gate);
  });
  for (int inside = 0; inside < 3; inside = gate.inside) gate.inside.wait(inside);
  EXPECT_EQ(team_size(workers, 3), 1);  // here the threads are at work
  EXPECT_TRUE(in_child([&] { return team_size(workers, 3) == 3 && team_size(workers, 2) == 2; }));
  gate.open = true;
  gate.open.notify_all();
  caller.join();
  EXPECT_EQ(team_size(workers, 3), 3);
}

TEST(Fork, AtAnyMoment) {
  SKIP_WHERE_CHILDREN_HAVE_NO_THREADS();
  constexpr int kForks = 40;
  Workers workers(2);
  WorkspacePool pool(2);
  std::atomic<bool> stop{false};
  std::vector<std::jthread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!stop) {
        const WorkspacePool::Lease lease(pool, 1 << 12);
        lease.data()[0] = std::byte{1};
        team_size(workers, 2);
      }
    });
  }
  for (int i = 0; i < kForks; ++i) {
    EXPECT_TRUE(in_child([&] {
      for (int run = 0; run < 3; ++run) {
        const WorkspacePool::Lease one(pool, 1 << 12), two(pool, 1 << 13);
        if (one.data() == two.data() || team_size(workers, 2) != 2) return false;
      }
      return true;
    })) << i;
  }
  stop = true;
}

TEST(Fork, TheLockOfALostHolderIsTakenOver) {
  ForkLock lock;
  EXPECT_EQ(lock.try_lock(), ForkLock::Outcome::kLocked);
  EXPECT_EQ(lock.try_lock(), ForkLock::Outcome::kBusy);
  const std::uint32_t forks = fork_count();
  EXPECT_TRUE(in_child([&] {
    return fork_count() == forks + 1 && lock.lock() == ForkLock::Outcome::kTakenOver &&
           lock.try_lock() == ForkLock::Outcome::kBusy &&
           in_child([&] { return lock.try_lock() == ForkLock::Outcome::kTakenOver; }) &&
           (lock.unlock(), lock.try_lock() == ForkLock::Outcome::kLocked);
  }));
  EXPECT_EQ(fork_count(), forks);
  EXPECT_EQ(lock.try_lock(), ForkLock::Outcome::kBusy);
  lock.unlock();
  EXPECT_TRUE(in_child([&] { return lock.lock() == ForkLock::Outcome::kLocked; }));
}

/// A field of /proc/self/status: "VmSize" in KiB, "Threads".
long status_field(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  }
  return 0;
}

/// From now on this program gets `bytes` of address space more.
void limit_memory(long bytes) {
  const rlim_t most = static_cast<rlim_t>(status_field("VmSize") * 1024 + bytes);
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
}

/// The address space that the stack of a thread takes, or 0 when nobody can say.
long stack_size() {
  pthread_attr_t attributes;
  std::size_t size = 0;
  if (pthread_attr_init(&attributes) != 0) return 0;
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return size < std::size_t{1} << 30 ? static_cast<long>(size) : 0;
}

// Address space for few more stacks than one: the second thread or a later one is refused.
TEST(Fork, ThreadsThatTheSystemRefuses) {
  SKIP_WHERE_CHILDREN_HAVE_NO_THREADS();
  if (test::kAddressSanitizer || status_field("Threads") == 0 || stack_size() < 1 << 20) {
    GTEST_SKIP()
        << "the address sanitizer needs space without end; without /proc nothing is limited";
  }
  EXPECT_TRUE(in_child([] {  // the constructor says so, and what had started has ended
    limit_memory(stack_size() * 5 / 2);
    test::expect_error(ErrorCode::kOutOfMemory, {"threads = 64", "the system gave"},
                       [] { Workers workers(64); });
    return !testing::Test::HasFailure() && status_field("Threads") == 1;
  }));
  Workers workers(64);
  EXPECT_EQ(team_size(workers, 64), 64);
  EXPECT_TRUE(in_child([&] {  // the stacks of the parent's threads are used again
    return team_size(workers, 64) == 64 && status_field("Threads") == 64;
  }));
  Workers none(2);
  EXPECT_TRUE(in_child([&] {         // run() goes on with what there is
    limit_memory(stack_size() / 2);  // for what is no stack
    std::vector<std::unique_ptr<Workers>> others;
    for (int i = 0; i < 100; ++i) {
      try {
        others.push_back(std::make_unique<Workers>(2));
      } catch (const Error&) {
        return team_size(none, 2) == 1 && team_size(workers, 64) == 1 && team_size(none, 2) == 1;
      }
    }
    return false;
  }));
}

}  // namespace
}  // namespace tilewise::cpu
