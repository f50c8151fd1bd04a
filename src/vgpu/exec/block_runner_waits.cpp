// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where warps wait: barriers of a block, of a warp and of a cluster, mbarriers; and how a deadlock names
// them.
#include <fmt/format.h>

#include <algorithm>

#include "vgpu/exec/block_runner.hpp"
#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/exec/mbarrier.hpp"

namespace tilewise::vgpu {
namespace {

// The shared address of the mbarrier that a lane waits for.
std::uint64_t mbarrier_address(const Warp& w, const Terminator& t, int lane) {
  std::uint64_t address = 0;
  if (t.wide_address) {
    address = reinterpret_cast<const std::uint64_t*>(w.registers + t.address)[lane] & ~kWindowMask;
  } else {
    address = reinterpret_cast<const std::uint32_t*>(w.registers + t.address)[lane];
  }
  return address + static_cast<std::uint64_t>(t.address_offset);
}

}  // namespace

void BlockRunner::arrive_at_barrier(WarpState& w, std::size_t index, const Terminator& t) {
  Part& part = w.parts[index];
  const int lane = std::countr_zero(part.mask);
  const auto read = [&](std::uint64_t offset) {
    return reinterpret_cast<const std::uint32_t*>(w.warp.registers + offset)[lane];
  };
  const std::uint32_t id = read(t.barrier_id);
  if (id >= barriers_.size()) {
    misbehave(w.warp, t.instruction, lane, "sync", "impossible barrier",
              fmt::format("waits at barrier {}, but a block has barriers 0 to 15", id));
  }
  Barrier& barrier = barriers_[id];
  if (t.barrier_count >= 0) barrier.expected = read(static_cast<std::uint64_t>(t.barrier_count));
  barrier.arrived += static_cast<std::uint64_t>(std::popcount(part.mask));
  if (t.barrier >= BarrierKind::kReduceAnd) {
    const std::uint32_t p = w.warp.predicates[t.reduce_source] ^ (t.reduce_negated ? ~0u : 0u);
    const std::uint32_t bits = p & part.mask;
    barrier.popc += static_cast<std::uint64_t>(std::popcount(bits));
    barrier.all &= bits == part.mask;
    barrier.any |= bits != 0;
  }
  if (state_.checker) {
    check_arrival(w, part, t);
    state_.checker->arrive(w.warp, id);
  }
  if (t.barrier == BarrierKind::kArrive) {
    part.block = t.next;
  } else {
    part.state = State::kAtBarrier;
    part.barrier = id;
  }
  release_barriers();
}

void BlockRunner::arrive_at_warp_barrier(WarpState& w, std::size_t index, const Terminator& t) {
  Part& part = w.parts[index];
  const auto* masks = reinterpret_cast<const std::uint32_t*>(w.warp.registers + t.barrier_id);
  part.state = State::kAtWarpBarrier;
  part.barrier = masks[std::countr_zero(part.mask)];
  release_warp_barriers(w);
}

// Parts go on when all living lanes that they wait for wait too. Parts that stand at the same barrier with
// the same meeting ahead become one again, as the hardware makes them.
void BlockRunner::release_warp_barriers(WarpState& w) {
  std::uint32_t waiting = 0;
  for (const Part& part : w.parts) {
    if (part.state == State::kAtWarpBarrier) waiting |= part.mask;
  }
  std::vector<Part> kept;
  for (Part part : w.parts) {
    const std::uint32_t awaited = (part.barrier | part.mask) & w.warp.live;
    const bool released = part.state == State::kAtWarpBarrier && (awaited & ~waiting) == 0;
    if (!released) {
      kept.push_back(part);
      continue;
    }
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Part& other) {
      return other.state == State::kAtWarpBarrier && other.block == part.block &&
             other.meeting == part.meeting && other.barrier == part.barrier;
    });
    if (same != kept.end()) same->mask |= part.mask;
    else kept.push_back(part);
  }
  for (Part& part : kept) {
    const std::uint32_t awaited = (part.barrier | part.mask) & w.warp.live;
    if (part.state != State::kAtWarpBarrier || (awaited & ~waiting) != 0) continue;
    part.state = State::kReady;
    part.block = facts_.program->blocks[part.block].terminator.next;
  }
  w.parts = std::move(kept);
}

void BlockRunner::release_barriers() {
  for (std::uint32_t id = 0; id < barriers_.size(); ++id) {
    Barrier& barrier = barriers_[id];
    if (barrier.arrived == 0) continue;
    const std::uint64_t expected = barrier.expected != 0 ? barrier.expected : live_threads();
    if (barrier.arrived < expected) continue;
    if (state_.checker) check_release(id);
    for (WarpState& w : warps_) {
      for (Part& part : w.parts) {
        if (part.state != State::kAtBarrier || part.barrier != id) continue;
        const Terminator& t = facts_.program->blocks[part.block].terminator;
        deliver_reduction(w, part, t, barrier);
        if (state_.checker) state_.checker->leave(w.warp, id);
        part.state = State::kReady;
        part.block = t.next;
      }
    }
    barrier = Barrier{};
    if (state_.checker) state_.checker->reset_barrier(warps_[0].warp, id);
  }
}

// bar.sync and its like are for whole warps (PTX ISA 9.0, section 9.7.13.1).
void BlockRunner::check_arrival(WarpState& w, const Part& part, const Terminator& t) {
  if (!facts_.checker->checks.sync || !t.aligned || part.mask == w.warp.live) return;
  state_.checker->report(
      w.warp, t.instruction, part.mask, "sync", "barrier in diverged code",
      fmt::format("waits at a barrier that {} of the same warp do not execute with it: "
                  "move the barrier out of the branch",
                  lanes_name(w.warp.live & ~part.mask)));
}

// A barrier without a thread count is for all threads of the block. The hardware does not wait for those
// that have exited; a kernel that relies on it has lost threads on the way.
void BlockRunner::check_release(std::uint32_t id) {
  if (!facts_.checker->checks.sync || barriers_[id].expected != 0) return;
  const std::uint64_t all = facts_.block.count(), missing = all - live_threads();
  if (missing == 0) return;
  for (WarpState& w : warps_) {
    for (const Part& part : w.parts) {
      if (part.state != State::kAtBarrier || part.barrier != id) continue;
      const Terminator& t = facts_.program->blocks[part.block].terminator;
      state_.checker->report(
          w.warp, t.instruction, part.mask, "sync", "barrier that not all threads reach",
          fmt::format("waits at barrier {} for the whole block, but {} of its {} threads "
                      "have exited and never reach it: let all threads reach it, or give "
                      "the barrier a thread count",
                      id, missing, all));
      return;
    }
  }
}

void BlockRunner::arrive_at_cluster_barrier(WarpState& w, std::size_t index, const Terminator& t) {
  Part& part = w.parts[index];
  state_.cluster->arrived += static_cast<std::uint64_t>(std::popcount(part.mask));
  w.cluster_phase = state_.cluster->phase;
  if (state_.checker) state_.checker->cluster_arrive(w.warp, !t.relaxed);
  part.block = t.next;
}

// Whether a part that waits for something outside of its block may go on; then it is ready again.
bool BlockRunner::may_go_on(WarpState& w, Part& part) {
  if (part.state == State::kAtClusterBarrier) {
    if (state_.cluster->phase == w.cluster_phase) return false;
    if (state_.checker) state_.checker->cluster_leave(w.warp);
    part.state = State::kReady;
    part.block = facts_.program->blocks[part.block].terminator.next;
    return true;
  }
  if (part.state != State::kAtMbarrier) return false;
  const std::uint32_t passed = lanes_past(w, part, facts_.program->blocks[part.block].terminator);
  if (passed != part.mask) return false;
  end_wait(w, part, passed);
  return true;
}

// The lanes whose mbarrier has finished the phase they wait for.
std::uint32_t BlockRunner::lanes_past(WarpState& w, const Part& part, const Terminator& t) const {
  std::uint32_t passed = 0;
  for (std::uint32_t rest = part.mask; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto read = [&](std::uint32_t offset, bool wide) -> std::uint64_t {
      if (wide) return reinterpret_cast<const std::uint64_t*>(w.warp.registers + offset)[lane];
      return reinterpret_cast<const std::uint32_t*>(w.warp.registers + offset)[lane];
    };
    const std::uint64_t address = mbarrier_address(w.warp, t, lane);
    std::byte* const at = shared_memory(state_, address, 8);
    const char* trouble = nullptr;
    if (at == nullptr || address % 8 != 0) {
      trouble = "no place of eight aligned bytes in shared memory";
    } else if (!Mbarrier(at).is_initialized()) {
      trouble = describe(Mbarrier::Trouble::kNotInitialized);
    }
    if (trouble != nullptr) {
      const std::string what =
          fmt::format("waits for the mbarrier at shared address {:#x}: {}", address, trouble);
      if (at != nullptr && address % 8 == 0 && state_.checker)
        state_.checker->mbarrier_missing(w.warp, t.instruction, lane, address, what);
      misbehave(w.warp, t.instruction, lane, "sync", "mbarrier misuse", what);
    }
    const std::uint64_t awaited = read(t.awaited, !t.awaits_parity);
    const bool is_over = t.awaits_parity
                             ? Mbarrier(at).is_parity_over(static_cast<std::uint32_t>(awaited))
                             : Mbarrier(at).is_over(awaited);
    if (is_over) passed |= 1u << lane;
  }
  return passed;
}

void BlockRunner::end_wait(WarpState& w, Part& part, std::uint32_t passed) {
  const Terminator& t = facts_.program->blocks[part.block].terminator;
  for (std::uint32_t rest = state_.checker ? passed : 0; rest; rest &= rest - 1) {
    const std::uint64_t address = mbarrier_address(w.warp, t, std::countr_zero(rest));
    state_.checker->mbarrier_passed(w.warp, t.instruction, address, t.relaxed);
  }
  if (t.result >= 0) {
    std::uint32_t& p = w.warp.predicates[t.result];
    p = (p & ~part.mask) | passed;
  }
  part.state = State::kReady;
  part.block = t.next;
}

bool BlockRunner::time_out_waits() {
  bool some = false;
  for (WarpState& w : warps_) {
    for (Part& part : w.parts) {
      if (part.state != State::kAtMbarrier) continue;
      end_wait(w, part, lanes_past(w, part, facts_.program->blocks[part.block].terminator));
      some = true;
    }
  }
  return some;
}

void BlockRunner::deliver_reduction(WarpState& w, const Part& part, const Terminator& t,
                                    const Barrier& barrier) {
  if (t.barrier == BarrierKind::kReducePopc) {
    auto* lanes = reinterpret_cast<std::uint32_t*>(w.warp.registers + t.reduce_result);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (part.mask >> lane & 1) lanes[lane] = static_cast<std::uint32_t>(barrier.popc);
    }
  } else if (t.barrier == BarrierKind::kReduceAnd || t.barrier == BarrierKind::kReduceOr) {
    const bool result = t.barrier == BarrierKind::kReduceAnd ? barrier.all : barrier.any;
    std::uint32_t& p = w.warp.predicates[t.reduce_result];
    p = (p & ~part.mask) | (result ? part.mask : 0);
  }
}

std::string BlockRunner::what_it_waits_for(const WarpState& w, const Part& part) const {
  switch (part.state) {
    case State::kReady:
    case State::kAtBarrier: return fmt::format("barrier {}", part.barrier);
    case State::kAtWarpBarrier:
      return fmt::format("the warp barrier of lanes {:#010x}", part.barrier);
    case State::kAtClusterBarrier: return "the barrier of its cluster";
    case State::kAtMbarrier: break;
  }
  const Terminator& t = facts_.program->blocks[part.block].terminator;
  const std::uint64_t address = mbarrier_address(w.warp, t, std::countr_zero(part.mask));
  const Mbarrier barrier(shared_memory(state_, address, 8));
  return fmt::format(
      "the mbarrier at shared address {:#x}, whose phase of parity {} still lacks {} "
      "arrivals and {} bytes",
      address, barrier.parity(), barrier.pending_arrivals(), barrier.pending_bytes());
}

void BlockRunner::describe_waits(std::string& text, int& listed, int& total) const {
  constexpr int kMost = 4;
  for (const WarpState& w : warps_) {
    for (const Part& part : w.parts) {
      if (++total > kMost) continue;
      text += fmt::format(
          "{}{} warp {} (lanes {:#010x}) at {} of {}", ++listed > 1 ? ";" : "",
          state_.cluster->blocks.size() > 1 ? fmt::format(" rank {}", state_.rank) : "",
          w.warp.index, part.mask, what_it_waits_for(w, part),
          where(*facts_.program, facts_.program->blocks[part.block].terminator.instruction));
    }
    for (const Meeting& m : w.meetings) {
      if (m.block < 0 || m.arrived == 0 || ++total > kMost) continue;
      text +=
          fmt::format("{} warp {}: lanes {:#010x} wait for lanes {:#010x} of their warp",
                      ++listed > 1 ? ";" : "", w.warp.index, m.arrived, m.expected & ~m.arrived);
    }
  }
}

void BlockRunner::add_waiting_places(std::vector<Finding::Place>& places) const {
  for (const WarpState& w : warps_) {
    for (const Part& part : w.parts) {
      places.push_back(place_of(*facts_.program,
                                facts_.program->blocks[part.block].terminator.instruction,
                                who_name(state_.index, w.warp.index, part.mask)));
    }
  }
}

}  // namespace tilewise::vgpu
