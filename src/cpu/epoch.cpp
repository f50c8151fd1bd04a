// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/epoch.hpp"

#include <sched.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#endif

namespace tilewise::cpu {
namespace {

/// Pauses between two looks at the clock: around a microsecond.
constexpr int kPausesPerLook = 32;
/// Before sleeping, the core is offered to whoever is ready: cheaper than being woken.
constexpr int kYields = 16;

// std::atomic's own wait() spins and counts waiters in ways that differ from library to library;
// where the futex is at hand it is used as it is.
#ifdef __linux__
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}
void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}
#else
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept { word.wait(seen); }
void wake_all(std::atomic<std::uint32_t>& word) noexcept { word.notify_all(); }
#endif

}  // namespace

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` is a no-op on most cores
#endif
}

// Sequentially consistent here and in wait_past(): a sleeper announces itself, then looks at the
// number; the advancing thread writes the number, then looks for sleepers. One of them sees the
// other.
void Epoch::advance() noexcept {
  now_.store(now_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) wake_all(now_);
}

bool Epoch::spun_past(std::uint32_t seen, std::chrono::nanoseconds spin) const noexcept {
  if (now() != seen) return true;
  if (spin.count() > 0) {
    const auto start = std::chrono::steady_clock::now();
    do {
      for (int i = 0; i < kPausesPerLook; ++i) {
        if (now() != seen) return true;
        pause();
      }
    } while (std::chrono::steady_clock::now() - start < spin);
  }
  for (int i = 0; i < kYields; ++i) {
    sched_yield();
    if (now() != seen) return true;
  }
  return false;
}

std::uint32_t Epoch::wait_past(std::uint32_t seen, std::chrono::nanoseconds spin) noexcept {
  if (spun_past(seen, spin)) return now();
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  std::uint32_t found;
  while ((found = now_.load(std::memory_order_seq_cst)) == seen) sleep_while(now_, seen);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return found;
}

void Epoch::reset() noexcept {
  now_.store(0, std::memory_order_relaxed);
  sleepers_.store(0, std::memory_order_relaxed);
}

}  // namespace tilewise::cpu
