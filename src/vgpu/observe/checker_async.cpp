// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous operations and mbarriers. What is recorded is who may rely on an operation, not when it
// takes effect: findings are the same in every AsyncOrder.
#include <fmt/format.h>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/location.hpp"
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
  std::uint32_t reading = 0;
  bool is_partial = false;
  for (std::uint32_t rest = warp.active; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (source_bytes[lane] != 0) reading |= 1u << lane;
    is_partial |= source_bytes[lane] != 0 && source_bytes[lane] != bytes;
  }
  CopyFootprints& f = launch_.copies[op.site];
  if (!f.matches(warp.active, reading, to, from))
    f.set(warp.active, reading, to, from, bytes, launch_.granule_bytes);
  if (is_partial || f.to.has_overlap)
    return async_copy_lanes(warp, op, to, from, source_bytes, bytes, who, reader);
  access_shared_rows(warp, op.instruction, to[warp.first_lane()], f.to, who, true);
  if (reading != 0) {
    access_global_rows(warp, op.instruction, from[std::countr_zero(reading)], f.from, reader,
                       false);
  }
}

void Checker::async_copy_lanes(Warp& warp, const Op& op, const std::uint64_t* to,
                               const std::uint64_t* from, const std::uint8_t* source_bytes,
                               std::uint32_t bytes, const Accessor& who,
                               const GlobalAccessor& reader) {
  std::uint8_t lanes[16];
  for (std::uint32_t rest = warp.active; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::fill_n(lanes, sizeof lanes, static_cast<std::uint8_t>(lane));
    access_shared(warp, op.instruction, to[lane], bytes, lanes, who, true);
    if (source_bytes[lane] == 0) continue;
    if (launch_.checks.partial_copies && source_bytes[lane] < bytes)
      check_partial_copy(warp, op, lane, from[lane], source_bytes[lane], bytes);
    access_global(warp, op.instruction, from[lane], source_bytes[lane], lanes, reader, false, true);
  }
}

// As machine code has it, and with it compute-sanitizer: LDGSTS's address is so far behind the first byte that as many as
// are read are left up to the next multiple of what is copied.
void Checker::check_partial_copy(Warp& warp, const Op& op, int lane, std::uint64_t from,
                                 std::uint32_t source_bytes, std::uint32_t bytes) {
  const std::uint64_t seen = from + bytes - source_bytes;
  const WrittenBytes* const allocation = launch_.written(from);
  if (allocation == nullptr || seen + bytes <= allocation->end()) return;
  report(
      warp, op.instruction, 1u << lane, "partial-copies", "cp.async beside the end of memory",
      fmt::format(
          "reads {} bytes and copies {}; memory ends {} bytes behind the first. That is right, but "
          "compute-sanitizer's memcheck sees a read of {} bytes at {:#x}. For its sake load and "
          "store "
          "such elements instead",
          source_bytes, bytes, allocation->end() - from, bytes, seen));
}

void Checker::async_read(Warp& warp, int instruction, AsyncKind kind, std::uint64_t address,
                         std::uint32_t bytes) {
  Groups& groups = groups_of(warp, kind);
  groups.last = groups.clock;
  groups.instruction = instruction;
  Accessor who = accessor(warp, instruction, false);
  who.agent += kind;
  who.clock = groups.clock;
  who.is_async = true;
  access_shared(warp, instruction, address, bytes, nullptr, who, false);
}

void Checker::reporting_access(Warp& warp, int instruction, std::uint64_t address,
                               std::uint32_t bytes, std::uint64_t mbarrier, bool is_write,
                               bool is_strong) {
  MbarrierOrder& order = mbarrier_at(mbarrier);
  const Accessor who{order.agent, static_cast<Clock>(order.issued.size() + 1),
                     launch_.place(instruction), is_strong, true};
  access_shared(warp, instruction, address, bytes, nullptr, who, is_write);
}

void Checker::reporting_bytes(std::uint64_t mbarrier, std::uint64_t bytes) {
  std::vector<std::uint64_t>& issued = mbarrier_at(mbarrier).issued;
  issued.push_back((issued.empty() ? 0 : issued.back()) + bytes);
}

void Checker::async_global(Warp& warp, int instruction, std::uint64_t address, std::uint64_t bytes,
                           bool is_write, bool is_strong) {
  GlobalAccessor who = global_accessor(warp, instruction, is_strong);
  who.is_async = true;
  if (is_write) who.clock = groups_of(warp, kBulk).clock;
  access_global(warp, instruction, address, static_cast<std::uint32_t>(bytes), nullptr, who,
                is_write, !is_write);
}

void Checker::commit_group(Warp& warp, AsyncKind kind) {
  Groups& groups = groups_of(warp, kind);
  groups.committed.push_back(groups.clock++);
  if (groups.clock > SharedShadow::kLastClock) forget();
}

void Checker::wait_group(Warp& warp, AsyncKind kind, std::uint64_t pending, bool only_reads) {
  const std::vector<Clock>& committed = groups_of(warp, kind).committed;
  if (committed.size() <= pending) return;
  const Clock done = committed[committed.size() - 1 - pending];
  const std::uint32_t own = index_of(warp) * ClusterShape::kAgentsPerWarp;
  VectorClock& known = warps_[index_of(warp)].now.generic;
  known.raise(own + kind, done);
  if (kind == kBulk && !only_reads) known.raise(own + ClusterShape::kBulkWriter, done);
}

Checker::MbarrierOrder& Checker::mbarrier_at(std::uint64_t address) {
  const auto [found, is_new] = mbarriers_.try_emplace(address);
  if (is_new) {
    found->second.agent = static_cast<std::uint32_t>(warps_.size() * ClusterShape::kAgentsPerWarp +
                                                     mbarriers_.size() - 1);
  }
  return found->second;
}

// One change of an mbarrier ends at most one phase, and each is told. The copies that the phase waited
// for are those whose bytes were expected: of more copies than that, some may still be under way.
void Checker::settle(MbarrierOrder& order, std::uint64_t address) {
  std::byte* const at = shared_memory(*cluster_.blocks[0], address, 8);
  if (at == nullptr || !Mbarrier(at).is_initialized()) return;
  const std::uint32_t parity = Mbarrier(at).parity();
  if (parity == order.parity) return;
  order.parity = parity;
  while (order.done < order.issued.size() && order.issued[order.done] <= order.expected)
    ++order.done;
  order.completed.join(order.pending);
  order.completed.generic.raise(order.agent, order.done);
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
  const std::uint32_t offset = offset_of(warp, address);
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
                             MbarrierEvent event, bool is_relaxed, std::uint64_t expected) {
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
      order.done = static_cast<Clock>(order.issued.size());
      order.expected = order.issued.empty() ? 0 : order.issued.back();
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
  order.expected += expected;
  const std::uint32_t before = order.parity;
  settle(order, address);
  if (event == kArrived) count_arrival(warp, instruction, address, order.parity != before);
}

void Checker::mbarrier_passed(Warp& warp, int instruction, std::uint64_t address, bool is_relaxed) {
  MbarrierOrder& order = mbarrier_at(address);
  settle(order, address);
  check_initializer(warp, instruction, address, order);
  access_shared(warp, instruction, address, 8, nullptr, accessor(warp, instruction, true), false);
  WarpKnowledge& known = warps_[index_of(warp)];
  (is_relaxed ? known.observed : known.now).join(order.completed);
}

void Checker::mbarrier_missing(const Warp& warp, int instruction, int lane, std::uint64_t address,
                               const std::string& what) const {
  // Initialised by another instruction than those that ran for this barrier: all of them are named.
  const std::vector<int>& initializers = launch_.initializers;
  const auto known = mbarriers_.find(address);
  const bool was_there = known != mbarriers_.end() && known->second.is_live;
  if (initializers.empty() || was_there || !launch_.checks.races)
    misbehave(warp, instruction, lane, "sync", "mbarrier misuse", what);
  const Program& program = launch_.findings.program();
  Finding finding;
  finding.check = "races";
  finding.kind = "mbarrier used before its initialisation";
  finding.places.push_back(
      place_of(program, instruction, who_name(warp.block->index, warp.index, 1u << lane)));
  for (const int initializer : initializers)
    finding.places.push_back(place_of(program, initializer, "mbarrier.init"));
  finding.message = fmt::format(
      "{}: {} {}. Nothing orders it after mbarrier.init ({}): put a barrier between them",
      where(program, instruction), thread_name(warp, lane), what, line_of(finding.places[1]));
  throw KernelError(finding.message, {finding});
}

}  // namespace tilewise::vgpu
