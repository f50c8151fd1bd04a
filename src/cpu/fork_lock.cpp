// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/fork_lock.hpp"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "cpu/epoch.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cpu {
namespace {

std::atomic<std::uint32_t> forks{0};

void count_fork() noexcept { forks.fetch_add(1, std::memory_order_relaxed); }

/// Once a process: the count goes on in its children.
void watch_forks() {
  static const int failure = pthread_atfork(nullptr, nullptr, count_fork);
  if (failure != 0) throw Error(ErrorCode::kOutOfMemory, "pthread_atfork: no memory for a handler");
}

/// The n-th wait for a lock: short at first; from some point on asleep, so that a holder of lower
/// priority gets the core.
void wait_a_little(int n) noexcept {
  constexpr int kPauses = 100, kYields = 100;
  if (n < kPauses) {
    pause();
  } else if (n < kPauses + kYields) {
    sched_yield();
  } else {
    const timespec moment{0, 50'000};
    nanosleep(&moment, nullptr);
  }
}

}  // namespace

std::uint32_t fork_count() noexcept { return forks.load(std::memory_order_relaxed); }

ForkLock::ForkLock() { watch_forks(); }

ForkLock::Outcome ForkLock::try_lock() noexcept {
  const std::uint32_t mine = fork_count() + 1;
  std::uint32_t holder = holder_.load(std::memory_order_relaxed);
  if (holder == mine) return Outcome::kBusy;
  if (!holder_.compare_exchange_strong(holder, mine, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
    return Outcome::kBusy;
  }
  return holder == 0 ? Outcome::kLocked : Outcome::kTakenOver;
}

ForkLock::Outcome ForkLock::lock() noexcept {
  Outcome outcome = try_lock();
  for (int n = 0; outcome == Outcome::kBusy; ++n) {
    wait_a_little(n);
    outcome = try_lock();
  }
  return outcome;
}

}  // namespace tilewise::cpu
