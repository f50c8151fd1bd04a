// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async.bulk, its tensor forms and reductions. Each active thread issues a copy of its own; what it will
// do is settled and checked at its issue, its effect happens when the cluster's queue says so.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

#include "tilewise/error.hpp"
#include "vgpu/exec/bulk_modes.hpp"
#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/exec/mbarrier.hpp"
#include "vgpu/exec/tensor_map.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint64_t kAlignment = 16, kTensorMapAlignment = 64;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kRankShift) - 1;
/// Each store is a chain of its own in the queue, apart from those of wgmma: it reads before it writes.
constexpr std::uint64_t kFirstStoreChain = std::uint64_t{1} << 63;

AsyncQueue& queue_of(const Warp& w) { return w.block->cluster->queue; }

Memory::Range find_range(const Worker& worker, std::uint64_t at) {
  Memory::Range range = worker.parameters;
  if (at < range.begin || at >= range.end) range = worker.memory->find(at);
  if (range.end == 0) range = worker.module_memory->find(at);
  return range;
}

/// The thread that issues a copy: for messages, and for what its effect needs later.
struct Issuer {
  Warp* warp;
  const Op* op;
  int lane;

  const BulkCopyFacts& facts() const { return warp->worker->program->bulk_copies[op->imm]; }

  [[noreturn]] void fail(const std::string& what, const char* check = "bounds") const {
    misbehave(*warp, op->instruction, lane, check, "impossible bulk copy", what);
  }

  std::uint64_t address(int slot, const BulkCopyFacts::Place& place) const {
    const std::uint64_t base = place.wide ? cells<std::uint64_t>(*warp, op->r[slot])[lane]
                                          : cells<std::uint32_t>(*warp, op->r[slot])[lane];
    return base + static_cast<std::uint64_t>(place.offset);
  }
  std::uint64_t shared_address(int slot, const BulkCopyFacts::Place& place) const {
    const std::uint64_t at = address(slot, place);
    return place.wide ? at & ~kWindowMask : at;
  }

  /// The allocation, module variable or kernel parameter that holds `bytes` bytes at `at`.
  Memory::Range global_range(std::uint64_t at, std::uint64_t bytes, const char* verb) const {
    const Memory::Range range = find_range(*warp->worker, at);
    if (range.end == 0 || bytes > range.end - at) {
      fail(fmt::format("{} {} bytes of global memory at {:#x}, outside every allocation{}", verb,
                       bytes, at, nearest_allocation(*warp, at)));
    }
    return range;
  }

  std::byte* shared(std::uint64_t at, std::uint64_t bytes) const {
    std::byte* const place = shared_memory(*warp->block, at, bytes);
    if (!place) {
      fail(fmt::format("copies {} bytes at shared address {:#x}, outside the {} bytes of a block",
                       bytes, at, warp->block->shared_bytes));
    }
    return place;
  }

  void expect_aligned(const char* what, std::uint64_t at, std::uint64_t alignment) const {
    if (at % alignment == 0) return;
    fail(fmt::format("copies with the {} {:#x}, which is not a multiple of {}", what, at,
                     alignment));
  }
};

/// Where one block of the cluster receives a copy.
struct Target {
  const BlockState* block = nullptr;
  std::uint64_t address = 0;  ///< in its shared memory
  std::byte* barrier = nullptr;
  std::uint64_t barrier_address = 0;
};

/// One copy, ready to take effect.
struct Transfer {
  Issuer issuer;
  std::vector<Target> targets;
  std::uint64_t shared = 0, other = 0, bytes = 0;
  TensorMapContents map;
  std::array<std::int32_t, kTensorRanks> coordinates{};

  const BulkCopyFacts& facts() const { return issuer.facts(); }
  TensorBox box() const {
    return TensorBox(map, {coordinates.data(), static_cast<std::size_t>(facts().rank)});
  }

  // Into shared memory.
  void run() const {
    for (const Target& target : targets) load(target);
    for (const Target& target : targets) {
      const Mbarrier::Trouble trouble =
          Mbarrier(target.barrier).complete_bytes(static_cast<std::int64_t>(bytes));
      if (trouble != Mbarrier::Trouble::kNone) {
        issuer.fail(fmt::format("completes {} bytes on an mbarrier: {}", bytes, describe(trouble)),
                    "sync");
      }
      if (Checker* const checker = issuer.warp->block->checker)
        checker->mbarrier_changed(target.barrier_address);
    }
    ++issuer.warp->block->cluster->events;
  }

  // Tells a walk over a box how far it may go; the last allocation is remembered.
  Permit permit(const char* verb) const {
    return [this, verb, range = Memory::Range{}](std::uint64_t at, std::uint64_t count) mutable {
      if (!lies_in(at, count, range.begin, range.end)) range = issuer.global_range(at, count, verb);
      return range.end - at;
    };
  }

  // Rows of a box may take more room than bytes.
  std::uint64_t shared_bytes() const { return facts().rank > 0 ? box().shared_bytes() : bytes; }

  void load(const Target& target) const {
    std::byte* const to = target.block->shared;
    if (facts().rank > 0) {
      load_box(box(), to, static_cast<std::uint32_t>(target.address), permit("reads"));
    } else if (facts().path == BulkPath::kToShared) {
      std::memcpy(to + target.address, reinterpret_cast<const std::byte*>(other), bytes);
    } else {
      const std::byte* const from = issuer.shared(other, bytes);
      if (facts().reduction) {
        reduce(*facts().reduction, facts().type, to + target.address, from, bytes);
      } else {
        std::memmove(to + target.address, from, bytes);
      }
    }
  }
};

/// A store or reduction on its way. It reads shared memory at one moment and writes global memory at a later
/// one, maybe when its block is long gone.
class BulkStore {
 public:
  explicit BulkStore(Transfer transfer)
      : t_(std::move(transfer)), facts_(&t_.facts()), worker_(t_.issuer.warp->worker) {}

  void read() {
    const std::uint64_t bytes = t_.shared_bytes();
    at_ = static_cast<std::uint32_t>(t_.shared % kSwizzleBytes);
    source_.resize(at_ + bytes);
    std::memcpy(source_.data() + at_, t_.issuer.warp->block->shared + t_.shared, bytes);
    if (facts_->rank > 0) check_rows();
  }

  void write() const {
    auto* const to = reinterpret_cast<std::byte*>(t_.other);
    const std::byte* const from = source_.data();
    if (facts_->rank > 0 && facts_->reduction) {
      reduce_box(box(), *facts_->reduction, from, at_, permit());
    } else if (facts_->rank > 0) {
      store_box(box(), from, at_, permit());
    } else if (facts_->reduction) {
      reduce(*facts_->reduction, facts_->type, to, from + at_, t_.bytes);
    } else {
      std::memcpy(to, from + at_, t_.bytes);
    }
  }

 private:
  static constexpr std::uint64_t kSwizzleBytes =
      1024;  ///< a swizzle looks at the address modulo that

  TensorBox box() const {
    return TensorBox(t_.map, {t_.coordinates.data(), static_cast<std::size_t>(facts_->rank)});
  }

  // Says what is wrong with rows that lie outside while the thread that stores them can be named.
  void check_rows() const {
    const Permit check = t_.permit(facts_->reduction ? "reduces into" : "writes");
    const TensorBox box = this->box();
    for (std::uint32_t i = 0; i < box.rows(); ++i) {
      const TensorBox::Row row = box.row(i);
      if (row.first < row.end) check(row.address + row.first, row.end - row.first);
    }
  }

  Permit permit() const {
    return
        [worker = worker_, range = Memory::Range{}](std::uint64_t at, std::uint64_t count) mutable {
          if (at < range.begin || at + count > range.end) range = find_range(*worker, at);
          return range.end - at;
        };
  }

  Transfer t_;
  const BulkCopyFacts* facts_;
  const Worker* worker_;  ///< knows the allocations
  std::vector<std::byte> source_;
  std::uint32_t at_ = 0;  ///< of the box in source_
};

class BulkCopy {
 public:
  static void masked(Warp& w, const Op& op) {
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1)
      issue({&w, &op, std::countr_zero(rest)});
  }

 private:
  static void issue(const Issuer& issuer) {
    Warp& w = *issuer.warp;
    Transfer t;
    t.issuer = issuer;
    const BulkCopyFacts& facts = t.facts();
    if (facts.path != BulkPath::kPrefetch) t.shared = issuer.shared_address(0, facts.shared);
    t.other = facts.path == BulkPath::kSharedToShared ? issuer.shared_address(1, facts.other)
                                                      : issuer.address(1, facts.other);
    if (facts.rank > 0) settle_tensor(t);
    else settle_bytes(t);
    if (facts.path == BulkPath::kPrefetch) return;
    if (facts.path == BulkPath::kToGlobal) check_own_shared(t);
    else settle_targets(t);
    w.worker->bulk_bytes[issuer.op->imm] +=
        t.bytes * (facts.path == BulkPath::kToGlobal ? 1 : t.targets.size());
    if (w.block->checker) tell_checker(t, *w.block->checker);
    if (facts.path == BulkPath::kToGlobal) return store(std::move(t));
    queue_of(w).add(AsyncQueue::kNoChain, [transfer = std::move(t)] { transfer.run(); });
  }

  static void store(Transfer t) {
    Warp& w = *t.issuer.warp;
    const std::uint32_t lane = 1u << t.issuer.lane;
    AsyncQueue& queue = queue_of(w);
    const auto store = std::make_shared<BulkStore>(std::move(t));
    const std::uint64_t chain = kFirstStoreChain + queue.next_ticket();
    const AsyncTicket read = queue.add(chain, [store] { store->read(); });
    const AsyncTicket written = queue.add(
        chain, [store] { store->write(); }, true);
    if (queue.order() == AsyncOrder::kEarliest) return;
    w.bulk_reads.add(read, lane);
    w.bulk_writes.add(written, lane);
  }

  static void tell_checker(const Transfer& t, Checker& checker) {
    Warp& w = *t.issuer.warp;
    const int instruction = t.issuer.op->instruction;
    const BulkCopyFacts& facts = t.facts();
    const bool stores = facts.path == BulkPath::kToGlobal, reduces = facts.reduction.has_value();
    const auto bytes = static_cast<std::uint32_t>(t.shared_bytes());
    if (facts.rank > 0) {
      const TensorBox box = t.box();
      for (std::uint32_t i = 0; i < box.rows(); ++i) {
        const TensorBox::Row row = box.row(i);
        if (row.first == row.end) continue;
        checker.async_global(w, instruction, row.address + row.first, row.end - row.first, stores,
                             reduces);
      }
    } else if (facts.path != BulkPath::kSharedToShared) {
      checker.async_global(w, instruction, t.other, t.bytes, stores, reduces);
    }
    if (stores) {
      checker.async_read(w, instruction, Checker::kBulk, t.shared, bytes);
      return;
    }
    for (const Target& target : t.targets) {
      if (facts.path == BulkPath::kSharedToShared) {
        checker.reporting_access(w, instruction, t.other, bytes, target.barrier_address, false,
                                 false);
      }
      checker.reporting_access(w, instruction, target.address, bytes, target.barrier_address, true,
                               reduces);
      checker.reporting_bytes(target.barrier_address, t.bytes);
    }
  }

  static void settle_tensor(Transfer& t) {
    const Issuer& issuer = t.issuer;
    const Memory::Range range = issuer.global_range(t.other, sizeof(TensorMap), "reads");
    const bool is_parameter = range.begin == issuer.warp->worker->parameters.begin;
    issuer.expect_aligned("tensor map's address", is_parameter ? t.other - range.begin : t.other,
                          kTensorMapAlignment);
    const auto map = read_tensor_map(reinterpret_cast<const std::byte*>(t.other));
    if (!map) issuer.fail(fmt::format("uses a tensor map at {:#x}, where there is none", t.other));
    t.map = *map;
    const BulkCopyFacts& facts = t.facts();
    if (map->rank != facts.rank) {
      issuer.fail(fmt::format("copies a box of {} dimensions of a tensor of {}", facts.rank,
                              static_cast<int>(map->rank)));
    }
    const std::uint32_t* registers =
        issuer.warp->worker->program->operands.data() + facts.coordinates;
    for (int i = 0; i < facts.rank; ++i)
      t.coordinates[i] = cells<std::int32_t>(*issuer.warp, registers[i])[issuer.lane];
    if (facts.reduction && !is_reduction(*facts.reduction, map->type)) {
      issuer.fail(fmt::format("reduces elements of {} with .{}, which the hardware does not",
                              name_of(map->type), name_of(*facts.reduction)));
    }
    if (facts.path == BulkPath::kPrefetch) return;
    const std::string flaw = flaw_of(t.map);
    if (!flaw.empty()) issuer.fail("copies a box of a tensor map that cannot be: " + flaw);
    const bool stores = facts.path == BulkPath::kToGlobal;
    const std::string refusal =
        t.box().refusal(static_cast<std::uint32_t>(t.shared),
                        stores ? TensorBox::Direction::kToGlobal : TensorBox::Direction::kToShared);
    if (!refusal.empty()) issuer.fail("copies a box of a tensor: " + refusal);
    t.bytes = t.box().transferred_bytes();
  }

  static void settle_bytes(Transfer& t) {
    const Issuer& issuer = t.issuer;
    const BulkCopyFacts& facts = t.facts();
    t.bytes = cells<std::uint32_t>(*issuer.warp, issuer.op->r[3])[issuer.lane];
    if (t.bytes % kAlignment != 0) {
      issuer.fail(
          fmt::format("copies {} bytes, which is not a multiple of {}", t.bytes, kAlignment));
    }
    issuer.expect_aligned("shared address", t.shared, kAlignment);
    if (facts.path == BulkPath::kSharedToShared) {
      issuer.expect_aligned("source address", t.other, kAlignment);
      issuer.shared(t.other, t.bytes);
      return;
    }
    issuer.expect_aligned("global address", t.other, kAlignment);
    if (t.bytes > 0)
      issuer.global_range(t.other, t.bytes, facts.path == BulkPath::kToGlobal ? "writes" : "reads");
  }

  static void check_own_shared(const Transfer& t) {
    const std::uint64_t begin = static_cast<std::uint64_t>(t.issuer.warp->block->shared_begin);
    if ((t.shared & ~kOffsetMask) != (begin & ~kOffsetMask)) {
      t.issuer.fail(fmt::format("copies from shared address {:#x} of another block", t.shared));
    }
    t.issuer.shared(t.shared, t.shared_bytes());
  }

  static void settle_targets(Transfer& t) {
    const Issuer& issuer = t.issuer;
    const BulkCopyFacts& facts = t.facts();
    const std::uint64_t barrier = issuer.shared_address(2, facts.barrier);
    if (!facts.is_multicast) {
      if (barrier >> kRankShift != t.shared >> kRankShift) {
        issuer.fail(
            fmt::format("copies to shared address {:#x} with an mbarrier at {:#x}, in "
                        "another block",
                        t.shared, barrier));
      }
      add_target(t, t.shared, barrier);
      return;
    }
    const std::uint32_t blocks = cells<std::uint32_t>(*issuer.warp, issuer.op->r[4])[issuer.lane];
    const std::uint64_t size = issuer.warp->block->cluster->blocks.size();
    for (std::uint32_t rest = blocks & 0xFFFF; rest; rest &= rest - 1) {
      const auto rank = static_cast<std::uint64_t>(std::countr_zero(rest));
      if (rank >= size)
        issuer.fail(fmt::format("copies to block {} of a cluster of {}", rank, size));
      add_target(t, rank << kRankShift | (t.shared & kOffsetMask),
                 rank << kRankShift | (barrier & kOffsetMask));
    }
  }

  static void add_target(Transfer& t, std::uint64_t address, std::uint64_t barrier) {
    t.issuer.shared(address, t.shared_bytes());
    std::byte* const at = shared_memory(*t.issuer.warp->block, barrier, 8);
    if (!at || barrier % 8 != 0) {
      t.issuer.fail(
          fmt::format("uses an mbarrier at shared address {:#x}, which is no place of "
                      "eight aligned bytes in shared memory",
                      barrier));
    }
    if (!Mbarrier(at).is_initialized() && t.issuer.warp->block->checker) {
      t.issuer.warp->block->checker->mbarrier_missing(
          *t.issuer.warp, t.issuer.op->instruction, t.issuer.lane, barrier,
          fmt::format("uses the mbarrier at shared address {:#x}: {}", barrier,
                      describe(Mbarrier::Trouble::kNotInitialized)));
    }
    if (!Mbarrier(at).is_initialized()) {
      t.issuer.fail(fmt::format("uses the mbarrier at shared address {:#x}: {}", barrier,
                                describe(Mbarrier::Trouble::kNotInitialized)),
                    "sync");
    }
    const BlockState* block = t.issuer.warp->block->cluster->blocks[address >> kRankShift];
    t.targets.push_back({block, address, at, barrier});
  }
};

struct CommitBulk {
  static void masked(Warp& w, const Op&) {
    if (w.block->checker) w.block->checker->commit_group(w, Checker::kBulk);
    if (queue_of(w).order() == AsyncOrder::kEarliest) return;
    w.bulk_reads.commit(w.active);
    w.bulk_writes.commit(w.active);
  }
};

// mode 1: .read.
struct WaitForBulk {
  static void masked(Warp& w, const Op& op) {
    const auto pending = static_cast<std::uint64_t>(op.imm);
    if (w.block->checker) w.block->checker->wait_group(w, Checker::kBulk, pending, op.mode);
    if (queue_of(w).order() == AsyncOrder::kEarliest) return;
    complete(w, w.bulk_reads.due(pending, w.active));
    if (!op.mode) complete(w, w.bulk_writes.due(pending, w.active));
  }

  static void complete(Warp& w, const std::vector<AsyncTicket>& tickets) {
    for (const AsyncTicket ticket : tickets) queue_of(w).complete(ticket);
  }
};

constexpr HandlerEntry kTable[] = {
    {"cp.async.bulk", BulkCopy::masked, BulkCopy::masked},
    {"cp.async.bulk.commit_group", CommitBulk::masked, CommitBulk::masked},
    {"cp.async.bulk.wait_group", WaitForBulk::masked, WaitForBulk::masked},
};

}  // namespace

HandlerSpan handlers_bulk() { return {kTable, std::size(kTable)}; }

}  // namespace tilewise::vgpu
