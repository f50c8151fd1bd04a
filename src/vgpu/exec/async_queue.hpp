// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the asynchronous engines of a cluster have still to do: copies, and tensor-core operations on
// shared memory. On hardware they take effect at some moment between their issue and the wait for them.
// Here the user says when: at once, not before something waits, or at random moments in between.
//
// Instructions that issue an operation hand its effect to add(). Threads gather operations in groups and
// wait for groups (AsyncGroups); an mbarrier's waiters are served when nothing else can run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <vector>

#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

/// Names an operation in its cluster's queue; they grow with time.
using AsyncTicket = std::uint64_t;

class AsyncQueue {
 public:
  /// Applies to operations added from now on.
  void set_order(AsyncOrder order, std::uint64_t seed);

  /// Operations of one `chain` take effect in the order of their issue: pass a number that
  /// names it (kNoChain: in any order). With AsyncOrder::kEarliest the effect happens before add() returns.
  static constexpr std::uint64_t kNoChain = 0;
  /// `outlives_cluster`: see end_cluster().
  AsyncTicket add(std::uint64_t chain, std::function<void()> effect, bool outlives_cluster = false);

  /// Lets the operation take effect now, and those before it in its chain; nothing when it already did.
  void complete(AsyncTicket ticket);
  /// The oldest one. Returns whether there was one.
  bool complete_oldest();
  void complete_all();
  /// The cluster is done: everything takes effect but, with kLatest, what needs no cluster any more (a bulk
  /// copy that has read its source). That goes to the end of `to`.
  void end_cluster(std::vector<std::function<void()>>& to);
  /// At moments that a program can observe: with kRandom some operations take effect.
  void pass_time();
  /// Every warp has had its turn, if it could run at all. With kSoon, all operations take effect when warps
  /// have had a few turns, or when none could run.
  void end_round(bool any_ran);

  AsyncOrder order() const { return order_; }
  bool empty() const { return pending_.empty(); }
  std::size_t size() const { return pending_.size(); }
  /// Of the next operation.
  AsyncTicket next_ticket() const { return next_; }

 private:
  struct Operation {
    AsyncTicket ticket = 0;
    std::uint64_t chain = 0;
    std::function<void()> effect;
    bool outlives_cluster = false;
  };
  void take_effect(std::size_t index);

  /// Of kSlice operations: some 500 instructions a warp, about as long as memory takes.
  static constexpr int kRoundsOfACopy = 16;

  AsyncOrder order_ = AsyncOrder::kEarliest;
  std::mt19937_64 random_;
  std::deque<Operation> pending_;  // by ticket
  AsyncTicket next_ = 1;
  int rounds_ = 0;  // with kSoon, since operations took effect
};

/// The groups of a warp's threads for one kind of operation (cp.async, bulk copies, wgmma). Threads of a
/// warp may have committed different groups.
class AsyncGroups {
 public:
  /// Into the open group of each of `lanes`.
  void add(AsyncTicket ticket, std::uint32_t lanes);
  /// Closes the open groups of `lanes`, empty ones too.
  void commit(std::uint32_t lanes);
  /// The operations of all but the `pending` youngest groups of each of `lanes`, oldest first.
  std::vector<AsyncTicket> due(std::uint64_t pending, std::uint32_t lanes);
  /// Everything that `lanes` have issued, committed or not.
  std::vector<AsyncTicket> all(std::uint32_t lanes) const;
  void clear();

 private:
  struct Member {
    AsyncTicket ticket = 0;
    std::uint32_t lanes = 0;
  };
  struct Group {
    std::uint32_t lanes = 0;
    std::vector<Member> members;
  };
  std::vector<Member> open_;
  std::deque<Group> committed_;  // oldest first
};

}  // namespace tilewise::vgpu
