// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/flow.hpp"

#include <algorithm>
#include <queue>

namespace tilewise::vgpu {

std::vector<int> successors(const Block& block) {
  const Terminator& t = block.terminator;
  std::vector<int> result;
  switch (t.kind) {
    case TerminatorKind::kNext:
    case TerminatorKind::kBarrier:
    case TerminatorKind::kWarpBarrier:
    case TerminatorKind::kClusterArrive:
    case TerminatorKind::kClusterWait:
    case TerminatorKind::kMbarrierWait: result = {t.next}; break;
    case TerminatorKind::kBranch:
      result = {t.target};
      if (t.predicate >= 0) result.push_back(t.next);
      break;
    case TerminatorKind::kIndexed: result = t.targets; break;
    case TerminatorKind::kExit:
      if (t.predicate >= 0) result = {t.next};
      break;
  }
  std::erase(result, -1);
  return result;
}

namespace {

/// Post-dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm",
/// 2001) on the reversed graph, with one added node that all exits lead to.
class PostDominators {
 public:
  explicit PostDominators(const Program& program) : exit_(static_cast<int>(program.blocks.size())) {
    next_.resize(exit_);
    previous_.resize(exit_ + 1);
    for (int b = 0; b < exit_; ++b) {
      next_[b] = successors(program.blocks[b]);
      if (next_[b].empty()) next_[b] = {exit_};
      for (const int s : next_[b]) previous_[s].push_back(b);
    }
  }

  std::vector<int> run() {
    order_from_exit();
    std::vector<int> dominator(exit_ + 1, -1);
    dominator[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (const int b : order_) {
        if (b == exit_) continue;
        int best = -1;
        for (const int s : next_[b]) {
          if (dominator[s] < 0) continue;
          best = best < 0 ? s : intersect(dominator, best, s);
        }
        if (best != dominator[b]) dominator[b] = best, changed = true;
      }
    }
    dominator.pop_back();
    for (int& d : dominator) {
      if (d == exit_) d = -1;
    }
    return dominator;
  }

 private:
  // Reverse post-order of the reversed graph; blocks that never reach an exit are left out.
  void order_from_exit() {
    number_.assign(exit_ + 1, -1);
    std::vector<std::pair<int, std::size_t>> stack{{exit_, 0}};
    std::vector<bool> seen(exit_ + 1, false);
    seen[exit_] = true;
    while (!stack.empty()) {
      auto& [node, child] = stack.back();
      if (child < previous_[node].size()) {
        const int p = previous_[node][child++];
        if (!seen[p]) seen[p] = true, stack.push_back({p, 0});
      } else {
        order_.push_back(node);
        stack.pop_back();
      }
    }
    std::reverse(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i) number_[order_[i]] = static_cast<int>(i);
  }

  int intersect(const std::vector<int>& dominator, int a, int b) const {
    while (a != b) {
      while (number_[a] > number_[b]) a = dominator[a];
      while (number_[b] > number_[a]) b = dominator[b];
    }
    return a;
  }

  int exit_;
  std::vector<std::vector<int>> next_, previous_;
  std::vector<int> order_, number_;
};

using Bits = std::vector<std::uint64_t>;
bool has_bit(const Bits& bits, std::uint32_t i) { return (bits[i / 64] >> (i % 64)) & 1; }
void set_bit(Bits& bits, std::uint32_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }

struct Interval {
  std::uint32_t reg = 0;
  std::int64_t begin = INT64_MAX, end = -1;
};

class RegisterAssignment {
 public:
  explicit RegisterAssignment(Decoded& decoded) : d_(decoded) {}

  void run() {
    number_registers();
    group_references();
    find_liveness();
    find_intervals();
    hold_registers();
    place_constants();
    place_registers();
    // Handlers with fewer operands than slots may read the first bytes without using them.
    d_.program.register_bytes = std::max<std::uint32_t>(d_.program.register_bytes, 256);
    patch();
  }

 private:
  // Only registers that something refers to have a bit for each block: files declare far more.
  void number_registers() {
    number_.assign(d_.registers.size(), kNotUsed);
    for (const Reference& r : d_.references) {
      if (!r.is_constant) number(r.index);
    }
    for (const TerminatorReference& r : d_.terminator_references) {
      if (!r.is_constant) number(r.index);
    }
    words_ = (used_.size() + 63) / 64;
  }

  void number(std::uint32_t reg) {
    if (number_[reg] != kNotUsed) return;
    number_[reg] = static_cast<std::uint32_t>(used_.size());
    used_.push_back(reg);
  }

  // Positions: two for each operation (reads, then writes), two for each block's terminator.
  void group_references() {
    const Program& p = d_.program;
    position_.resize(p.ops.size());
    block_begin_.resize(p.blocks.size());
    block_end_.resize(p.blocks.size());
    by_op_.resize(p.ops.size());
    by_block_.resize(p.blocks.size());
    std::int64_t position = 0;
    for (std::size_t b = 0; b < p.blocks.size(); ++b) {
      block_begin_[b] = position++;
      for (std::uint32_t i = p.blocks[b].first; i < p.blocks[b].end; ++i)
        position_[i] = position, position += 2;
      block_end_[b] = position, position += 2;
    }
    for (const Reference& r : d_.references) {
      if (!r.is_constant) by_op_[r.op].push_back(&r);
    }
    for (const TerminatorReference& r : d_.terminator_references) {
      if (!r.is_constant) by_block_[r.block].push_back(&r);
    }
  }

  void find_liveness() {
    const std::size_t count = d_.program.blocks.size();
    std::vector<Bits> used(count, Bits(words_)), defined(count, Bits(words_));
    for (std::size_t b = 0; b < count; ++b) {
      const Block& block = d_.program.blocks[b];
      const auto see_use = [&](std::uint32_t reg) {
        if (!has_bit(defined[b], number_[reg])) set_bit(used[b], number_[reg]);
      };
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        for (const Reference* r : by_op_[i]) {
          if (!r->is_definition || r->keeps_old) see_use(r->index);
        }
        for (const Reference* r : by_op_[i]) {
          if (r->is_definition) set_bit(defined[b], number_[r->index]);
        }
      }
      for (const TerminatorReference* r : by_block_[b]) {
        if (!r->is_definition) see_use(r->index);
      }
      for (const TerminatorReference* r : by_block_[b]) {
        if (r->is_definition) set_bit(defined[b], number_[r->index]);
      }
    }
    live_in_ = used;
    live_out_.assign(count, Bits(words_));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = count; b-- > 0;) {
        for (const int s : successors(d_.program.blocks[b])) {
          for (std::size_t w = 0; w < words_; ++w) {
            const std::uint64_t out = live_out_[b][w] | live_in_[s][w];
            if (out == live_out_[b][w]) continue;
            live_out_[b][w] = out;
            live_in_[b][w] |= out & ~defined[b][w];
            changed = true;
          }
        }
      }
    }
  }

  void extend(std::uint32_t reg, std::int64_t from, std::int64_t to) {
    Interval& interval = intervals_[reg];
    interval.reg = reg;
    interval.begin = std::min(interval.begin, from);
    interval.end = std::max(interval.end, to);
  }

  void find_intervals() {
    intervals_.resize(d_.registers.size());
    for (std::size_t b = 0; b < d_.program.blocks.size(); ++b) {
      for (std::uint32_t i = 0; i < used_.size(); ++i) {
        if (has_bit(live_in_[b], i)) extend(used_[i], block_begin_[b], block_begin_[b]);
        if (has_bit(live_out_[b], i)) extend(used_[i], block_end_[b] + 1, block_end_[b] + 1);
      }
      for (const TerminatorReference* r : by_block_[b])
        extend(r->index, block_end_[b], block_end_[b] + 1);
    }
    for (std::size_t i = 0; i < by_op_.size(); ++i) {
      for (const Reference* r : by_op_[i]) {
        const std::int64_t at = position_[i] + (r->is_definition ? 1 : 0);
        // A result occupies its slot for a moment even if nobody reads it.
        extend(r->index, at, r->is_definition ? at + 1 : at);
      }
    }
  }

  // Whoever writes them late must not find somebody else there.
  void hold_registers() {
    const std::int64_t end = block_end_.back() + 2;
    for (const std::uint32_t reg : d_.held_registers) extend(reg, 0, end);
  }

  std::uint32_t take_bytes(std::uint32_t bytes) {
    const std::uint32_t offset = d_.program.register_bytes;
    d_.program.register_bytes += bytes;
    return offset;
  }

  void place_constants() {
    for (Constant& c : d_.program.constants) c.offset = take_bytes(c.wide ? 256 : 128);
  }

  void place_registers() {
    std::vector<Interval> order;
    for (const Interval& i : intervals_) {
      if (i.end >= 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [](const Interval& a, const Interval& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.reg < b.reg;
    });
    offsets_.assign(d_.registers.size(), 0);
    using Ending = std::pair<std::int64_t, std::uint32_t>;
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
    std::vector<std::uint32_t> free_slots[2];
    for (const Interval& interval : order) {
      while (!active.empty() && active.top().first <= interval.begin) {
        const std::uint32_t done = active.top().second;
        free_slots[is_wide(done)].push_back(offsets_[done]);
        active.pop();
      }
      auto& slots = free_slots[is_wide(interval.reg)];
      if (slots.empty()) slots.push_back(take_bytes(is_wide(interval.reg) ? 256 : 128));
      offsets_[interval.reg] = slots.back();
      slots.pop_back();
      active.push({interval.end, interval.reg});
    }
  }

  bool is_wide(std::uint32_t reg) const { return ptx::size_of(d_.registers[reg]) == 8; }

  std::uint32_t offset_of(bool is_constant, std::uint32_t index) const {
    return is_constant ? d_.program.constants[index].offset : offsets_[index];
  }

  void patch() {
    for (const Reference& r : d_.references) {
      const std::uint32_t offset = offset_of(r.is_constant, r.index);
      if (r.is_listed) d_.program.operands[r.slot] = offset;
      else d_.program.ops[r.op].r[r.slot] = offset;
      if (!r.is_constant && d_.held_registers.contains(r.index)) note_held_use(r, offset);
    }
    for (const TerminatorReference& r : d_.terminator_references) {
      Terminator& t = d_.program.blocks[r.block].terminator;
      const std::uint32_t offset = offset_of(r.is_constant, r.index);
      switch (r.field) {
        case TerminatorReference::kIndex: t.index = offset; break;
        case TerminatorReference::kBarrierId: t.barrier_id = offset; break;
        case TerminatorReference::kBarrierCount: t.barrier_count = offset; break;
        case TerminatorReference::kReduceResult: t.reduce_result = offset; break;
        case TerminatorReference::kAddress: t.address = offset; break;
        case TerminatorReference::kAwaited: t.awaited = offset; break;
      }
    }
  }

  void note_held_use(const Reference& r, std::uint32_t offset) {
    if (r.is_matrix) return;
    d_.program.held_uses.push_back({r.op, offset, r.is_definition, d_.held_copies.contains(r.op),
                                    d_.constant_moves.contains(r.op)});
  }

  static constexpr std::uint32_t kNotUsed = UINT32_MAX;

  Decoded& d_;
  std::size_t words_ = 0;
  std::vector<std::uint32_t> number_, used_;  // of a register among those used, and the reverse
  std::vector<std::int64_t> position_, block_begin_, block_end_;
  std::vector<std::vector<const Reference*>> by_op_;
  std::vector<std::vector<const TerminatorReference*>> by_block_;
  std::vector<Bits> live_in_, live_out_;
  std::vector<Interval> intervals_;
  std::vector<std::uint32_t> offsets_;
};

}  // namespace

void find_reconvergence(Program& program) {
  const std::vector<int> dominators = PostDominators(program).run();
  for (std::size_t b = 0; b < program.blocks.size(); ++b)
    program.blocks[b].reconvergence = dominators[b];
}

void assign_registers(Decoded& decoded) { RegisterAssignment(decoded).run(); }

}  // namespace tilewise::vgpu
