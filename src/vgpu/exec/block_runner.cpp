// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/block_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/location.hpp"

namespace tilewise::vgpu {
namespace {

/// Basic blocks a part of a warp runs before its siblings and other warps get their turn.
constexpr std::uint64_t kTurn = 4096;
/// With AsyncOrder::kSoon warps go side by side, as on a GPU: operations that one runs in its turn, at most a
/// basic block.
constexpr std::ptrdiff_t kSlice = 32;

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::uint32_t lanes_of_warp(std::uint64_t threads, std::size_t warp) {
  const std::uint64_t rest = threads - warp * kLanes;
  return rest >= kLanes ? 0xFFFFFFFFu : (1u << rest) - 1;
}

}  // namespace

BlockRunner::AlignedBytes BlockRunner::allocate(std::size_t bytes) {
  const std::size_t size = std::max<std::size_t>(bytes, 64);
  AlignedBytes memory(static_cast<std::byte*>(::operator new[](size, std::align_val_t{64})));
  std::memset(memory.get(), 0, size);
  return memory;
}

BlockRunner::BlockRunner(const LaunchFacts& facts, Worker& worker, ClusterState& cluster,
                         std::uint32_t rank)
    : facts_(facts), worker_(worker) {
  const Program& p = *facts.program;
  const std::uint64_t threads = facts.block.count();
  const std::size_t warp_count = static_cast<std::size_t>((threads + kLanes - 1) / kLanes);
  const std::size_t register_bytes = align_up(p.register_bytes, 64);
  registers_ = allocate(warp_count * register_bytes);
  shared_ = allocate(facts.shared_bytes);
  local_ = allocate(warp_count * kLanes * p.local_bytes);
  predicates_.assign(warp_count * p.predicate_count, 0);
  state_.grid = facts.grid;
  state_.block = facts.block;
  state_.cluster = &cluster;
  state_.rank = rank;
  state_.reserved_shared = facts.reserved_shared;
  state_.shared_begin = (std::int64_t{rank} << kRankShift) + facts.reserved_shared;
  state_.shared = shared_.get() - state_.shared_begin;
  state_.shared_bytes = facts.shared_bytes;
  state_.dynamic_shared_bytes = facts.dynamic_shared_bytes;
  state_.parameters = facts.parameters;
  state_.sm_count = facts.sm_count;
  warps_.resize(warp_count);
  for (std::size_t i = 0; i < warp_count; ++i) {
    Warp& w = warps_[i].warp;
    w.registers = registers_.get() + i * register_bytes;
    w.predicates = predicates_.data() + i * p.predicate_count;
    w.index = static_cast<int>(i);
    w.local = local_.get() + i * kLanes * p.local_bytes;
    w.local_bytes = p.local_bytes;
    w.block = &state_;
    w.worker = &worker;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t t = i * kLanes + lane;
      w.tid[0][lane] = static_cast<std::uint32_t>(t % facts.block.x);
      w.tid[1][lane] = static_cast<std::uint32_t>(t / facts.block.x % facts.block.y);
      w.tid[2][lane] = static_cast<std::uint32_t>(t / facts.block.x / facts.block.y);
    }
    for (const Constant& c : p.constants) {
      std::uint64_t bits = c.bits;
      if (c.parameter_address) bits += reinterpret_cast<std::uint64_t>(facts.parameters);
      if (c.shared_address) bits += static_cast<std::uint64_t>(state_.shared_begin);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (c.wide) std::memcpy(w.registers + c.offset + 8 * lane, &bits, 8);
        else std::memcpy(w.registers + c.offset + 4 * lane, &bits, 4);
      }
    }
  }
}

void BlockRunner::start(const Dim3& index) {
  state_.index = index;
  const Dim3& g = facts_.grid;
  const std::uint64_t linear =
      index.x + std::uint64_t{g.x} * (index.y + std::uint64_t{g.y} * index.z);
  state_.sm = static_cast<int>(linear % static_cast<std::uint64_t>(facts_.sm_count));
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    WarpState& w = warps_[i];
    w.warp.live = w.warp.active = lanes_of_warp(facts_.block.count(), i);
    w.warp.carry = 0;
    w.parts.assign(1, Part{w.warp.live, 0, -1, State::kReady, 0});
    w.meetings.clear();
    w.warp.copy_groups.clear();
    w.warp.bulk_reads.clear();
    w.warp.bulk_writes.clear();
    w.warp.matrix_groups.clear();
  }
  barriers_.fill(Barrier{});
  turn_ = 0;
}

bool BlockRunner::run_warps(std::uint64_t& budget) {
  bool progress = false;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    WarpState& w = warps_[turn_ % warps_.size()];
    ++turn_;
    if (!w.parts.empty()) progress |= run_warp(w, budget);
  }
  return progress;
}

bool BlockRunner::is_done() const {
  return std::all_of(warps_.begin(), warps_.end(),
                     [](const WarpState& w) { return w.parts.empty(); });
}

// Whether any part of the warp ran.
bool BlockRunner::run_warp(WarpState& w, std::uint64_t& budget) {
  bool progress = false;
  for (std::size_t i = 0; i < w.parts.size();) {
    if (w.parts[i].state != State::kReady && !may_go_on(w, w.parts[i])) {
      ++i;
      continue;
    }
    progress = true;
    // Parts that meet or end are removed; the one that moved into their place runs next.
    if (run_part(w, i, budget)) ++i;
    if (w.warp.yields) {
      w.warp.yields = false;
      break;
    }
  }
  return progress;
}

// Returns whether the part still exists at `index`.
bool BlockRunner::run_part(WarpState& w, std::size_t index, std::uint64_t& budget) {
  const Program& program = *facts_.program;
  const bool side_by_side = state_.cluster->queue.order() == AsyncOrder::kSoon;
  for (std::uint64_t turn = 0; turn < (side_by_side ? 1 : kTurn); ++turn) {
    const bool begins = w.parts[index].done == 0;
    if (begins && w.parts[index].meeting >= 0 && arrive_at_meetings(w, index)) return false;
    Part& part = w.parts[index];
    const Block& block = program.blocks[part.block];
    const Terminator& t = block.terminator;
    Warp& warp = w.warp;
    warp.active = part.mask;
    if (begins) {
      ++worker_.block_runs[part.block];
      worker_.block_lanes[part.block] += static_cast<std::uint64_t>(std::popcount(part.mask));
    }
    const Op* op = facts_.ops + block.first + part.done;
    const Op* end = facts_.ops + block.end;
    const bool is_cut = side_by_side && end - op > kSlice;
    if (is_cut) end = op + kSlice;
    part.done = is_cut ? static_cast<std::uint32_t>(end - (facts_.ops + block.first)) : 0;
    if (part.mask == warp.live) {
      for (; op != end; ++op) op->full(warp, *op);
    } else {
      for (; op != end; ++op) op->masked(warp, *op);
    }
    if (budget > 0) --budget;
    if (is_cut) return true;
    switch (t.kind) {
      case TerminatorKind::kNext: part.block = t.next; break;
      case TerminatorKind::kBranch:
      case TerminatorKind::kExit: {
        std::uint32_t taken = part.mask;
        if (t.predicate >= 0) {
          const std::uint32_t p = warp.predicates[t.predicate];
          taken &= t.negated ? ~p : p;
        }
        if (t.kind == TerminatorKind::kBranch) {
          branch(w, index, taken, t.target, t.next);
        } else {
          if (taken == part.mask) {
            end_lanes(w, index, taken);
            return false;
          }
          part.block = t.next;
          if (taken) end_lanes(w, index, taken);
        }
        break;
      }
      case TerminatorKind::kIndexed: indexed_branch(w, index, t); break;
      case TerminatorKind::kBarrier:
        arrive_at_barrier(w, index, t);
        if (index >= w.parts.size() || w.parts[index].state != State::kReady) return true;
        break;
      case TerminatorKind::kWarpBarrier: arrive_at_warp_barrier(w, index, t); return true;
      case TerminatorKind::kClusterArrive: arrive_at_cluster_barrier(w, index, t); break;
      case TerminatorKind::kClusterWait:
        part.state = State::kAtClusterBarrier;
        if (!may_go_on(w, part)) return true;
        break;
      case TerminatorKind::kMbarrierWait:
        part.state = State::kAtMbarrier;
        state_.cluster->queue.pass_time();
        if (!may_go_on(w, part)) return true;
        break;
    }
    if (warp.yields) return true;
  }
  return true;
}

// Lanes in `taken` go to `target`, the others to `next`.
void BlockRunner::branch(WarpState& w, std::size_t index, std::uint32_t taken, int target,
                         int next) {
  Part& part = w.parts[index];
  const std::uint32_t rest = part.mask & ~taken;
  if (rest == 0) {
    part.block = target;
    return;
  }
  if (taken == 0) {
    part.block = next;
    return;
  }
  const int reconvergence = facts_.program->blocks[part.block].reconvergence;
  int meeting = part.meeting;
  // A loop that lanes leave one after the other has one meeting, not one a lane.
  if (reconvergence >= 0 && (meeting < 0 || w.meetings[meeting].block != reconvergence)) {
    meeting = new_meeting(w, reconvergence, part.meeting, part.mask);
  }
  part.mask = rest;
  part.block = next;
  part.meeting = meeting;
  w.parts.push_back(Part{taken, target, meeting, State::kReady, 0});
}

void BlockRunner::indexed_branch(WarpState& w, std::size_t index, const Terminator& t) {
  const auto* lanes = reinterpret_cast<const std::uint32_t*>(w.warp.registers + t.index);
  const Part part = w.parts[index];
  std::uint32_t rest = part.mask;
  const int reconvergence = facts_.program->blocks[part.block].reconvergence;
  int meeting = part.meeting;
  bool first = true;
  while (rest) {
    const std::uint32_t value = lanes[std::countr_zero(rest)];
    if (value >= t.targets.size()) {
      misbehave(w.warp, t.instruction, std::countr_zero(rest), "bounds", "jump out of bounds",
                fmt::format("jumps to entry {} of a list of {}", value, t.targets.size()));
    }
    std::uint32_t same = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((rest >> lane & 1) && lanes[lane] == value) same |= 1u << lane;
    }
    if (first && same != part.mask && reconvergence >= 0) {
      meeting = new_meeting(w, reconvergence, part.meeting, part.mask);
    }
    if (first) w.parts[index] = Part{same, t.targets[value], meeting, State::kReady, 0};
    else w.parts.push_back(Part{same, t.targets[value], meeting, State::kReady, 0});
    first = false;
    rest &= ~same;
  }
}

int BlockRunner::new_meeting(WarpState& w, int block, int parent, std::uint32_t expected) {
  for (std::size_t i = 0; i < w.meetings.size(); ++i) {
    if (w.meetings[i].block >= 0) continue;
    w.meetings[i] = Meeting{block, parent, expected, 0};
    return static_cast<int>(i);
  }
  w.meetings.push_back(Meeting{block, parent, expected, 0});
  return static_cast<int>(w.meetings.size()) - 1;
}

// When the part stands where it has to meet others: it waits (and is removed), or, as the last to come,
// goes on with all of them. Returns whether it was removed.
bool BlockRunner::arrive_at_meetings(WarpState& w, std::size_t& index) {
  for (;;) {
    Part& part = w.parts[index];
    if (part.meeting < 0) return false;
    Meeting& meeting = w.meetings[part.meeting];
    if (meeting.block != part.block) return false;
    meeting.arrived |= part.mask;
    if (meeting.arrived != meeting.expected) {
      w.parts.erase(w.parts.begin() + static_cast<std::ptrdiff_t>(index));
      return true;
    }
    part.mask = meeting.arrived;
    part.meeting = meeting.parent;
    meeting.block = -1;
  }
}

// Lanes that exited are not waited for.
void BlockRunner::forget_lanes(WarpState& w, std::uint32_t lanes) {
  for (std::size_t m = 0; m < w.meetings.size(); ++m) {
    Meeting& meeting = w.meetings[m];
    if (meeting.block < 0) continue;
    meeting.expected &= ~lanes;
    if (meeting.arrived == 0 || meeting.arrived != meeting.expected) {
      if (meeting.expected == 0) meeting.block = -1;
      continue;
    }
    w.parts.push_back(Part{meeting.arrived, meeting.block, meeting.parent, State::kReady, 0});
    meeting.block = -1;
  }
}

void BlockRunner::end_lanes(WarpState& w, std::size_t index, std::uint32_t lanes) {
  w.warp.live &= ~lanes;
  Part& part = w.parts[index];
  part.mask &= ~lanes;
  if (part.mask == 0) w.parts.erase(w.parts.begin() + static_cast<std::ptrdiff_t>(index));
  forget_lanes(w, lanes);
  release_warp_barriers(w);
  release_barriers();
}

// A branch to the end of the kernel is a meeting there, where nothing is left to do: the hardware ends such
// lanes at once. Here they wait for the others, so that the end is one instruction of the whole warp, unless
// the others wait for them.
bool BlockRunner::end_lanes_at_exit() {
  bool some = false;
  for (WarpState& w : warps_) {
    for (Meeting& meeting : w.meetings) {
      if (meeting.block < 0 || meeting.arrived == 0) continue;
      const Block& block = facts_.program->blocks[meeting.block];
      const Terminator& t = block.terminator;
      if (block.first != block.end || t.kind != TerminatorKind::kExit || t.predicate >= 0) continue;
      const std::uint32_t lanes = meeting.arrived;
      meeting.arrived = 0;
      ++worker_.block_runs[meeting.block];
      worker_.block_lanes[meeting.block] += static_cast<std::uint64_t>(std::popcount(lanes));
      w.warp.live &= ~lanes;
      forget_lanes(w, lanes);
      release_warp_barriers(w);
      some = true;
    }
  }
  if (some) release_barriers();
  return some;
}

std::uint64_t BlockRunner::live_threads() const {
  std::uint64_t threads = 0;
  for (const WarpState& w : warps_)
    threads += static_cast<std::uint64_t>(std::popcount(w.warp.live));
  return threads;
}

}  // namespace tilewise::vgpu
