// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A lock that fork() cannot leave locked. The child of a fork has one thread; a lock that another
// thread held in the parent would never open there. This one holds the generation of its holder,
// and a lock of an earlier generation may be taken over.
#pragma once

#include <atomic>
#include <cstdint>

namespace tilewise::cpu {

/// How many fork()s lie between the process that loaded this library and the one that asks: 0, or
/// in its child 1. Counted from the first ForkLock on.
std::uint32_t fork_count() noexcept;

/// For critical sections of a few instructions, and for those that nobody waits for.
class ForkLock {
 public:
  /// kTakenOver: locked, but its holder was lost in a fork(), perhaps half-way through what it did.
  enum class Outcome { kBusy, kLocked, kTakenOver };

  /// Throws Error{kOutOfMemory} when fork() cannot be watched.
  ForkLock();
  ForkLock(const ForkLock&) = delete;
  ForkLock& operator=(const ForkLock&) = delete;

  Outcome try_lock() noexcept;
  /// Waits while the lock is busy.
  Outcome lock() noexcept;
  void unlock() noexcept { holder_.store(0, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> holder_{0};  ///< 0: nobody, else the holder's fork_count() + 1
};

}  // namespace tilewise::cpu
