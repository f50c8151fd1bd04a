// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How threads wait for one another without paying the operating system when the wait is short:
// watch for some microseconds, let others run for a moment, then sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tilewise::cpu {

/// A number that goes up by one; any number of threads wait to see it go. One thread at a time
/// advances it. It must outlive the call of advance(), not only the waits that this ends.
class Epoch {
 public:
  std::uint32_t now() const noexcept { return now_.load(std::memory_order_acquire); }

  /// What this thread wrote before is visible to those who wait.
  void advance() noexcept;

  /// Returns now() once it is not `seen`. Watches for `spin` before it sleeps: 0 where threads
  /// outnumber cores, because then the one waited for may need this very core.
  std::uint32_t wait_past(std::uint32_t seen, std::chrono::nanoseconds spin) noexcept;

  /// Back to 0 with nobody waiting: in the child of a fork(), whose waiters stayed with the parent.
  void reset() noexcept;

 private:
  bool spun_past(std::uint32_t seen, std::chrono::nanoseconds spin) const noexcept;

  std::atomic<std::uint32_t> now_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// One turn of a loop that watches memory: tells the core to leave its resources to its sibling.
void pause() noexcept;

}  // namespace tilewise::cpu
