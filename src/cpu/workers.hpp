// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of a context. They sleep between products; a product wakes as many as it needs, and
// they watch for the next one for some microseconds before they sleep again, because products come
// in rows.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "cpu/epoch.hpp"

namespace tilewise::cpu {

/// What the threads of one product share while they work together.
class Team {
 public:
  int size() const noexcept { return size_; }
  /// Waits until every member has arrived. What members wrote before is visible to all after.
  void meet() noexcept;

 private:
  friend class Workers;
  Team() = default;

  int size_ = 1;
  std::chrono::nanoseconds spin_{0};
  alignas(64) std::atomic<int> arrived_{0};  ///< members in the current meeting
  alignas(64) Epoch meetings_;               ///< goes up when a meeting is complete
};

class Workers {
 public:
  /// More are a mistake: no machine has so many cores.
  static constexpr int kMostThreads = 4096;

  /// `threads`, the caller's included: starts threads - 1. Throws Error{kInvalidArgument} unless it
  /// is 1 to kMostThreads, Error{kOutOfMemory} when the system gives fewer (those it gave have
  /// ended).
  explicit Workers(int threads);
  /// Ends the threads. Nobody may be in run().
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// The body of a product: called by every member of the team, member 0 being the caller. The
  /// threads are sent no signals and compute with the caller's floating-point settings (rounding,
  /// subnormal numbers, traps).
  using Body = void (*)(void* argument, Team& team, int member) noexcept;

  /// Runs `body` on a team of `wanted` members (at most all threads), or of the caller alone while
  /// the threads are at work: for another caller, or for the body that calls this. Returns when all
  /// have returned. Member i is the same thread each time, so that it finds in its caches what it
  /// left there. In the child of a fork() the first call starts new threads; when the system gives
  /// none, or fewer, teams are so much smaller. Allocates nothing.
  void run(int wanted, Body body, void* argument) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewise::cpu
