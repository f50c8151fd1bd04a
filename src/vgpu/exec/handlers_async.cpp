// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async, mbarriers, and addresses of other blocks of the cluster.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <iterator>

#include "model/access.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/async_modes.hpp"
#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/exec/mbarrier.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

AsyncQueue& queue_of(const Warp& w) { return w.block->cluster->queue; }

void complete(Warp& w, const std::vector<AsyncTicket>& tickets) {
  for (const AsyncTicket ticket : tickets) queue_of(w).complete(ticket);
}

/// What one cp.async copies; the effect may come later, so it holds everything it needs.
struct Copies {
  std::uint32_t lanes = 0;
  int bytes = 0;
  std::array<std::byte*, kLanes> to{};
  std::array<std::uint64_t, kLanes> from{};
  std::array<std::uint8_t, kLanes> source_bytes{};

  void run() const {
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::size_t count = source_bytes[lane];
      std::memcpy(to[lane], reinterpret_cast<const std::byte*>(from[lane]), count);
      std::memset(to[lane] + count, 0, static_cast<std::size_t>(bytes) - count);
    }
  }
};

[[noreturn]] void fail(const Warp& w, const Op& op, int lane, const std::string& what,
                       const char* check = "bounds", const char* kind = "impossible access") {
  misbehave(w, op.instruction, lane, check, kind, what);
}

// Lanes that only fill with zeros ask global memory for nothing. With .cg they cost as much as the others all
// the same.
model::AsyncCopyCost price(const AsyncCopyFacts& facts, const model::LaneAddresses& to,
                           const model::LaneAddresses& from, std::uint32_t active,
                           std::uint32_t reading) {
  if (!facts.bypasses_l1) return model::async_copy_cached(to, from, active, reading, facts.bytes);
  model::AsyncCopyCost cost = model::async_copy_bypassing(to, from, active);
  if (reading != active) cost.sectors = model::async_copy_bypassing(to, from, reading).sectors;
  return cost;
}

/// The last price of a whole warp's copy. Where lanes lie within lines of 128 bytes decides it, so it stays when
/// all lanes of a side move by whole lines.
class KnownPrice {
 public:
  const model::AsyncCopyCost& of(const AsyncCopyFacts& facts, const model::LaneAddresses& to,
                                 const model::LaneAddresses& from, std::uint32_t reading) {
    const bool is_same = bypasses_l1_ == facts.bypasses_l1 && bytes_ == facts.bytes &&
                         reading_ == reading && is_shifted(to, to_) && is_shifted(from, from_);
    if (is_same) return cost_;
    bypasses_l1_ = facts.bypasses_l1, bytes_ = facts.bytes, reading_ = reading;
    to_ = to, from_ = from;
    return cost_ = price(facts, to, from, ~0u, reading);
  }

 private:
  static bool is_shifted(const model::LaneAddresses& now, const model::LaneAddresses& then) {
    constexpr std::uint64_t kLine = 128;
    const std::uint64_t shift = now[0] - then[0];
    std::uint64_t difference = shift % kLine;
    for (std::size_t lane = 0; lane < kLanes; ++lane) difference |= now[lane] - then[lane] - shift;
    return difference == 0;
  }

  bool bypasses_l1_ = false;
  int bytes_ = 0;  ///< none yet
  std::uint32_t reading_ = 0;
  model::LaneAddresses to_{}, from_{};
  model::AsyncCopyCost cost_;
};

template <bool kCount> struct AsyncCopy {
  static void masked(Warp& w, const Op& op) {
    const AsyncCopyFacts& facts = w.worker->program->async_copies[op.imm];
    Copies copies;
    copies.lanes = w.active;
    copies.bytes = facts.bytes;
    model::LaneAddresses to{}, from{};
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      to[lane] = destination(w, op, facts, lane);
      from[lane] =
          cells<std::uint64_t>(w, op.r[1])[lane] + static_cast<std::uint64_t>(facts.source_offset);
      const std::uint32_t bytes = source_bytes(w, op, facts, lane);
      copies.to[lane] = place(w, op, lane, to[lane], facts.bytes);
      copies.from[lane] = from[lane];
      copies.source_bytes[lane] = static_cast<std::uint8_t>(bytes);
      check_source(w, op, lane, from[lane], bytes, facts.bytes);
    }
    if (kCount) count(w, op, facts, copies, to, from);
    if (w.block->checker) {
      w.block->checker->async_copy(w, op, to.data(), from.data(), copies.source_bytes.data(),
                                   static_cast<std::uint32_t>(facts.bytes));
    }
    AsyncQueue& queue = queue_of(w);
    if (queue.order() == AsyncOrder::kEarliest) return copies.run();
    w.copy_groups.add(queue.add(AsyncQueue::kNoChain, [copies] { copies.run(); }), w.active);
  }

  static std::uint64_t destination(const Warp& w, const Op& op, const AsyncCopyFacts& facts,
                                   int lane) {
    const std::uint64_t base = facts.wide_destination ? cells<std::uint64_t>(w, op.r[0])[lane]
                                                      : cells<std::uint32_t>(w, op.r[0])[lane];
    return base + static_cast<std::uint64_t>(facts.destination_offset);
  }

  static std::uint32_t source_bytes(const Warp& w, const Op& op, const AsyncCopyFacts& facts,
                                    int lane) {
    const auto most = static_cast<std::uint32_t>(facts.bytes);
    if (facts.ignore_predicate >= 0) {
      const bool ignored = is_active(w.predicates[facts.ignore_predicate], lane);
      return ignored != facts.ignore_negated ? 0 : most;
    }
    if (!facts.has_source_bytes) return most;
    const std::uint32_t bytes = cells<std::uint32_t>(w, op.r[2])[lane];
    if (bytes > most) {
      fail(w, op, lane, fmt::format("copies {} source bytes into {}", bytes, most));
    }
    return bytes;
  }

  static std::byte* place(const Warp& w, const Op& op, int lane, std::uint64_t address, int bytes) {
    if ((address & static_cast<unsigned>(bytes - 1)) != 0) {  // 4, 8 or 16: no division
      fail(w, op, lane,
           fmt::format("copies {} bytes to shared address {:#x}, which is not a "
                       "multiple of {}",
                       bytes, address, bytes));
    }
    const std::uint64_t offset = address - static_cast<std::uint64_t>(w.block->shared_begin);
    if (offset > w.block->shared_bytes ||
        static_cast<unsigned>(bytes) > w.block->shared_bytes - offset) {
      fail(w, op, lane,
           fmt::format("copies {} bytes to shared memory at offset {}, but the block has {} bytes",
                       bytes, static_cast<std::int64_t>(offset), w.block->shared_bytes));
    }
    return w.block->shared + address;
  }

  static void check_source(Warp& w, const Op& op, int lane, std::uint64_t address,
                           std::uint32_t count, int bytes) {
    if (count == 0) return;
    if ((address & static_cast<unsigned>(bytes - 1)) != 0) {
      fault(w, op, Fault::kMisaligned, lane, address, bytes);
    }
    AccessSite& site = w.worker->site_data[op.site];
    if (!lies_in(address, count, site.begin, site.end)) {
      find_lane_range(w, op, site, lane, address, static_cast<int>(count));
    }
  }

  static void count(Warp& w, const Op& op, const AsyncCopyFacts& facts, const Copies& copies,
                    const model::LaneAddresses& to, const model::LaneAddresses& from) {
    constexpr std::size_t kPrices = 16;  // sites of a loop
    static thread_local std::array<KnownPrice, kPrices> prices;
    AccessSite& site = w.worker->site_data[op.site];
    std::uint32_t reading = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane) && copies.source_bytes[lane] != 0) reading |= 1u << lane;
    }
    const model::AsyncCopyCost cost =
        w.active == ~0u
            ? prices[static_cast<std::size_t>(op.site) % kPrices].of(facts, to, from, reading)
            : price(facts, to, from, w.active, reading);
    ++site.instructions;
    site.wavefronts += static_cast<unsigned>(cost.wavefronts);
    site.conflicts += static_cast<unsigned>(cost.conflicts);
    site.sectors += static_cast<unsigned>(cost.sectors);
  }
};

struct CommitCopies {
  static void masked(Warp& w, const Op&) {
    if (w.block->checker) w.block->checker->commit_group(w, Checker::kCopies);
    if (queue_of(w).order() != AsyncOrder::kEarliest) w.copy_groups.commit(w.active);
  }
};

struct WaitForCopies {
  static void masked(Warp& w, const Op& op) {
    if (w.block->checker) {
      if (static_cast<WaitKind>(op.mode) == WaitKind::kAll)
        w.block->checker->commit_group(w, Checker::kCopies);
      w.block->checker->wait_group(w, Checker::kCopies, static_cast<std::uint64_t>(op.imm));
    }
    if (queue_of(w).order() == AsyncOrder::kEarliest) return;
    if (static_cast<WaitKind>(op.mode) == WaitKind::kAll) w.copy_groups.commit(w.active);
    complete(w, w.copy_groups.due(static_cast<std::uint64_t>(op.imm), w.active));
  }
};

/// r = {address, operand, state}.
struct MbarrierOperation {
  static void masked(Warp& w, const Op& op) {
    ClusterState& cluster = *w.block->cluster;
    ++cluster.events;
    cluster.queue.pass_time();
    const bool wide = op.count & kMbarrierWideAddress;
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t base = wide ? cells<std::uint64_t>(w, op.r[0])[lane] & ~kWindowMask
                                      : cells<std::uint32_t>(w, op.r[0])[lane];
      const std::uint64_t address = base + static_cast<std::uint64_t>(op.imm);
      std::byte* const at = shared_memory(*w.block, address, 8);
      if (at == nullptr || address % 8 != 0) {
        fail(w, op, lane,
             fmt::format("uses an mbarrier at shared address {:#x}, which is no place "
                         "of eight aligned bytes in shared memory",
                         address));
      }
      if (w.block->checker) {
        w.block->checker->mbarrier_before(
            w, op.instruction, address,
            static_cast<MbarrierKind>(op.mode) == MbarrierKind::kInitialize);
      }
      std::uint64_t token = 0;
      const Mbarrier::Trouble trouble = run(w, op, lane, at, address, token);
      if (trouble == Mbarrier::Trouble::kNotInitialized && w.block->checker) {
        w.block->checker->mbarrier_missing(
            w, op.instruction, lane, address,
            fmt::format("uses the mbarrier at shared address {:#x}: {}", address,
                        describe(trouble)));
      }
      if (trouble != Mbarrier::Trouble::kNone) {
        fail(w, op, lane,
             fmt::format("uses the mbarrier at shared address {:#x}: {}", address,
                         describe(trouble)),
             "sync", "mbarrier misuse");
      }
      if (w.block->checker) tell_checker(w, op, lane, address);
      if (op.count & kMbarrierHasState) cells<std::uint64_t>(w, op.r[2])[lane] = token;
    }
  }

  static void tell_checker(Warp& w, const Op& op, int lane, std::uint64_t address) {
    const auto kind = static_cast<MbarrierKind>(op.mode);
    const bool copies =
        kind == MbarrierKind::kCopiesArrive || kind == MbarrierKind::kCopiesArriveNoIncrement;
    const bool arrives = !copies && kind != MbarrierKind::kInitialize &&
                         kind != MbarrierKind::kInvalidate && kind != MbarrierKind::kExpectBytes &&
                         kind != MbarrierKind::kCompleteBytes;
    const Checker::MbarrierEvent event = kind == MbarrierKind::kInitialize   ? Checker::kInitialized
                                         : kind == MbarrierKind::kInvalidate ? Checker::kInvalidated
                                         : copies  ? Checker::kCopiesArrive
                                         : arrives ? Checker::kArrived
                                                   : Checker::kCounted;
    const std::uint64_t bytes =
        op.count & kMbarrierHasOperand ? cells<std::uint32_t>(w, op.r[1])[lane] : 0;
    if (kind == MbarrierKind::kCompleteBytes) w.block->checker->reporting_bytes(address, bytes);
    const bool expects = kind == MbarrierKind::kExpectBytes ||
                         kind == MbarrierKind::kArriveExpectBytes ||
                         kind == MbarrierKind::kArriveDropExpectBytes;
    w.block->checker->mbarrier_after(w, op.instruction, lane, address, event,
                                     op.count & kMbarrierRelaxed, expects ? bytes : 0);
  }

  static Mbarrier::Trouble run(Warp& w, const Op& op, int lane, std::byte* at,
                               std::uint64_t address, std::uint64_t& token) {
    Mbarrier barrier(at);
    const bool given = op.count & kMbarrierHasOperand;
    const std::uint32_t operand = given ? cells<std::uint32_t>(w, op.r[1])[lane] : 1;
    switch (static_cast<MbarrierKind>(op.mode)) {
      case MbarrierKind::kInitialize: return barrier.initialize(operand);
      case MbarrierKind::kInvalidate: return barrier.invalidate();
      case MbarrierKind::kArrive: return barrier.arrive(operand, &token);
      case MbarrierKind::kArriveDrop: return barrier.arrive_and_drop(operand, &token);
      case MbarrierKind::kExpectBytes: return barrier.expect_bytes(operand);
      case MbarrierKind::kCompleteBytes: return barrier.complete_bytes(operand);
      case MbarrierKind::kArriveExpectBytes: {
        const Mbarrier::Trouble trouble = barrier.expect_bytes(operand);
        return trouble != Mbarrier::Trouble::kNone ? trouble : barrier.arrive(1, &token);
      }
      case MbarrierKind::kArriveDropExpectBytes: {
        const Mbarrier::Trouble trouble = barrier.expect_bytes(operand);
        return trouble != Mbarrier::Trouble::kNone ? trouble : barrier.arrive_and_drop(1, &token);
      }
      case MbarrierKind::kCopiesArrive: {
        const Mbarrier::Trouble trouble = barrier.expect_arrival();
        return trouble != Mbarrier::Trouble::kNone ? trouble
                                                   : arrive_after_copies(w, lane, at, address);
      }
      case MbarrierKind::kCopiesArriveNoIncrement: return arrive_after_copies(w, lane, at, address);
    }
    return Mbarrier::Trouble::kNone;
  }

  // The thread's cp.async operations up to now take effect, then it arrives.
  static Mbarrier::Trouble arrive_after_copies(Warp& w, int lane, std::byte* at,
                                               std::uint64_t address) {
    AsyncQueue& queue = queue_of(w);
    if (queue.order() == AsyncOrder::kEarliest) return Mbarrier(at).arrive(1, nullptr);
    if (!Mbarrier(at).is_initialized()) return Mbarrier::Trouble::kNotInitialized;
    const std::vector<AsyncTicket> before = w.copy_groups.all(1u << lane);
    ClusterState* const cluster = w.block->cluster;
    Checker* const checker = w.block->checker;
    queue.add(AsyncQueue::kNoChain, [cluster, before, at, checker, address] {
      for (const AsyncTicket ticket : before) cluster->queue.complete(ticket);
      Mbarrier(at).arrive(1, nullptr);
      ++cluster->events;
      if (checker) checker->mbarrier_changed(address);
    });
    return Mbarrier::Trouble::kNone;
  }
};

/// r = {count, state}.
struct PendingCount {
  static void masked(Warp& w, const Op& op) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const std::uint64_t token = cells<std::uint64_t>(w, op.r[1])[lane];
      cells<std::uint32_t>(w, op.r[0])[lane] =
          static_cast<std::uint32_t>(Mbarrier::pending_arrivals(token));
    }
  }
};

/// r = {address there, address here, rank}; mode: 1 for generic addresses.
struct MapAddress {
  static void masked(Warp& w, const Op& op) {
    constexpr std::uint64_t kOffset = (1u << kRankShift) - 1;
    const std::uint64_t blocks = w.block->cluster->blocks.size();
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const bool wide = op.bytes == 8;
      const std::uint64_t here =
          wide ? cells<std::uint64_t>(w, op.r[1])[lane] : cells<std::uint32_t>(w, op.r[1])[lane];
      const std::uint64_t rank = cells<std::uint32_t>(w, op.r[2])[lane];
      if (rank >= blocks) {
        fail(w, op, lane, fmt::format("asks for block {} of a cluster of {}", rank, blocks));
      }
      const std::uint64_t window = op.mode == 1 ? kSharedWindow : 0;
      const std::uint64_t there = window | rank << kRankShift | (here & kOffset);
      if (wide) cells<std::uint64_t>(w, op.r[0])[lane] = there;
      else cells<std::uint32_t>(w, op.r[0])[lane] = static_cast<std::uint32_t>(there);
    }
  }
};

struct RankOfAddress {
  static void masked(Warp& w, const Op& op) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const std::uint64_t address = op.bytes == 8 ? cells<std::uint64_t>(w, op.r[1])[lane]
                                                  : cells<std::uint32_t>(w, op.r[1])[lane];
      cells<std::uint32_t>(w, op.r[0])[lane] =
          static_cast<std::uint32_t>((address & ~kWindowMask) >> kRankShift);
    }
  }
};

// Registers are not scarce here: only the checkers look. mode 1: .dec.
struct SetRegisters {
  static void masked(Warp& w, const Op& op) {
    if (w.block->checker) w.block->checker->set_registers(w, op, static_cast<int>(op.imm), op.mode);
  }
};

struct ProxyFence {
  static void masked(Warp& w, const Op&) {
    if (w.block->checker) w.block->checker->proxy_fence(w);
  }
};

constexpr HandlerEntry kTable[] = {
    {"cp.async.commit_group", CommitCopies::masked, CommitCopies::masked},
    {"cp.async.wait_group", WaitForCopies::masked, WaitForCopies::masked},
    {"mbarrier", MbarrierOperation::masked, MbarrierOperation::masked},
    {"mbarrier.pending_count", PendingCount::masked, PendingCount::masked},
    {"mapa", MapAddress::masked, MapAddress::masked},
    {"getctarank", RankOfAddress::masked, RankOfAddress::masked},
    {"setmaxnreg", SetRegisters::masked, SetRegisters::masked},
    {"fence.proxy", ProxyFence::masked, ProxyFence::masked},
};
constexpr HandlerEntry kCounted[] = {
    {"cp.async", AsyncCopy<true>::masked, AsyncCopy<true>::masked},
};
constexpr HandlerEntry kPlain[] = {
    {"cp.async", AsyncCopy<false>::masked, AsyncCopy<false>::masked},
};

}  // namespace

HandlerTables handlers_async() {
  return {
      {kTable, std::size(kTable)}, {kCounted, std::size(kCounted)}, {kPlain, std::size(kPlain)}};
}

}  // namespace tilewise::vgpu
