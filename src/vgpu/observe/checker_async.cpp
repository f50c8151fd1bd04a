// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous operations and mbarriers. What is recorded is who may rely on an operation, not when it
// takes effect: findings are the same in every AsyncOrder.
#include <fmt/format.h>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/mbarrier.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {

Checker::Groups& Checker::groups_of(const Warp& warp, AsyncKind kind) {
  return groups_[index_of(warp)][kind];
}

void Checker::async_copy(Warp& warp, const Op& op, const std::uint64_t* to,
                         const std::uint64_t* from, const std::uint8_t* source_bytes,
                         std::uint32_t bytes) {
  Accessor who = accessor(warp, op.instruction, false);
  who.agent += kCopies;
  who.clock = groups_of(warp, kCopies).clock;
  const GlobalAccessor reader = global_accessor(warp, op.instruction, false);
  std::uint8_t lanes[16];
  for (std::uint32_t rest = warp.active; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::fill_n(lanes, sizeof lanes, static_cast<std::uint8_t>(lane));
    access_shared(warp, op.instruction, to[lane], bytes, lanes, who, true);
    if (source_bytes[lane] == 0) continue;
    access_global(warp, op.instruction, from[lane], source_bytes[lane], lanes, reader, false, true);
  }
}

void Checker::async_shared(Warp& warp, int instruction, AsyncKind kind, std::uint64_t address,
                           std::uint32_t bytes, bool is_write) {
  Accessor who = accessor(warp, instruction, false);
  who.agent += kind;
  who.clock = groups_of(warp, kind).clock;
  who.is_async = true;
  access_shared(warp, instruction, address, bytes, nullptr, who, is_write);
}

void Checker::bulk_write(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                         std::uint64_t mbarrier) {
  MbarrierOrder& order = mbarrier_at(mbarrier);
  settle(order, mbarrier);
  const Accessor who{order.agent, order.phases + 1, launch_.place(instruction), false, true};
  access_shared(warp, instruction, address, bytes, nullptr, who, true);
}

void Checker::commit_group(Warp& warp, AsyncKind kind) {
  Groups& groups = groups_of(warp, kind);
  groups.committed.push_back(groups.clock++);
  if (groups.clock > SharedShadow::kLastClock) forget();
}

void Checker::wait_group(Warp& warp, AsyncKind kind, std::uint64_t pending) {
  const std::vector<Clock>& committed = groups_of(warp, kind).committed;
  if (committed.size() <= pending) return;
  const std::uint32_t agent = index_of(warp) * ClusterShape::kAgentsPerWarp + kind;
  warps_[index_of(warp)].now.generic.raise(agent, committed[committed.size() - 1 - pending]);
}

Checker::MbarrierOrder& Checker::mbarrier_at(std::uint64_t address) {
  const auto [found, is_new] = mbarriers_.try_emplace(address);
  if (is_new) {
    found->second.agent = static_cast<std::uint32_t>(warps_.size() * ClusterShape::kAgentsPerWarp +
                                                     mbarriers_.size() - 1);
  }
  return found->second;
}

// One change of an mbarrier ends at most one phase, and each is told.
void Checker::settle(MbarrierOrder& order, std::uint64_t address) {
  std::byte* const at = shared_memory(*cluster_.blocks[0], address, 8);
  if (at == nullptr || !Mbarrier(at).is_initialized()) return;
  const std::uint32_t parity = Mbarrier(at).parity();
  if (parity == order.parity) return;
  order.parity = parity;
  ++order.phases;
  order.completed.join(order.pending);
  order.completed.generic.raise(order.agent, order.phases);
  order.pending.clear();
}

void Checker::mbarrier_changed(std::uint64_t address) { settle(mbarrier_at(address), address); }

void Checker::mbarrier_before(Warp& warp, int instruction, std::uint64_t address,
                              bool initializes) {
  MbarrierOrder& order = mbarrier_at(address);
  settle(order, address);
  if (!initializes || !order.is_live || !launch_.checks.sync) return;
  std::byte* const at = shared_memory(*cluster_.blocks[0], address, 8);
  if (at == nullptr || !Mbarrier(at).is_initialized()) return;
  report(warp, instruction, warp.active, "sync", "mbarrier initialised twice",
         fmt::format("initialises the mbarrier at shared address {:#x} a second time; use "
                     "mbarrier.inval first, or let one thread do it once",
                     address));
}

// Operations on an mbarrier do not race with each other, but with its initialisation they do, and that
// record does not stay.
void Checker::check_initializer(Warp& warp, int instruction, std::uint64_t address,
                                const MbarrierOrder& order) {
  const Accessor& who = order.initializer;
  if (!launch_.checks.races || warps_[index_of(warp)].now.generic[who.agent] >= who.clock) return;
  const std::uint32_t offset = static_cast<std::uint32_t>(address) & ((1u << kRankShift) - 1);
  const Granules g{offset / launch_.granule_bytes, 8 / launch_.granule_bytes, nullptr};
  report_shared(warp, instruction, static_cast<std::uint32_t>(address >> kRankShift), g,
                {{Conflict::kWrite, g.begin, who, kManyLanes}}, true);
}

// A phase that some lanes of an instruction end while others arrive in the next one waits for fewer
// threads than arrive.
void Checker::count_arrival(Warp& warp, int instruction, std::uint64_t address, bool ended) {
  if (ended_by_this_ == address + 1 && launch_.checks.sync) {
    report(
        warp, instruction, warp.active, "sync", "mbarrier with too small a count",
        fmt::format("arrives at the mbarrier at shared address {:#x} in two phases at once: some "
                    "lanes end a phase, others arrive in the next; initialise it with the number "
                    "of threads that arrive, or let one lane arrive",
                    address));
  }
  if (ended) ended_by_this_ = address + 1;
}

void Checker::mbarrier_after(Warp& warp, int instruction, int lane, std::uint64_t address,
                             MbarrierEvent event, bool is_relaxed) {
  if (lane == warp.first_lane()) ended_by_this_ = 0;
  MbarrierOrder& order = mbarrier_at(address);
  if (event != kInitialized) check_initializer(warp, instruction, address, order);
  const bool is_strong = event != kInitialized && event != kInvalidated;
  access_shared(warp, instruction, address, 8, nullptr, accessor(warp, instruction, is_strong),
                true);
  WarpKnowledge& known = warps_[index_of(warp)];
  switch (event) {
    case kInitialized:
      order.is_live = true;
      order.initializer = accessor(warp, instruction, false);
      order.parity = 0;
      order.pending.clear();
      order.completed.clear();
      break;
    case kInvalidated: order.is_live = false; break;
    case kArrived:
      order.pending.join(is_relaxed ? known.at_fence : known.now);
      if (!is_relaxed) tick(warp);
      break;
    case kCopiesArrive: {
      Groups& groups = groups_of(warp, kCopies);
      const std::uint32_t agent = index_of(warp) * ClusterShape::kAgentsPerWarp + kCopies;
      order.pending.generic.raise(agent, groups.clock++);
      break;
    }
    case kCounted: break;
  }
  const Clock before = order.phases;
  settle(order, address);
  if (event == kArrived) count_arrival(warp, instruction, address, order.phases != before);
}

void Checker::mbarrier_passed(Warp& warp, int instruction, std::uint64_t address, bool is_relaxed) {
  MbarrierOrder& order = mbarrier_at(address);
  settle(order, address);
  check_initializer(warp, instruction, address, order);
  access_shared(warp, instruction, address, 8, nullptr, accessor(warp, instruction, true), false);
  WarpKnowledge& known = warps_[index_of(warp)];
  (is_relaxed ? known.observed : known.now).join(order.completed);
}

}  // namespace tilewise::vgpu
