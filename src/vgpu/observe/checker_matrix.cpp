// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma's operands in shared memory and in registers, setmaxnreg, and what a block leaves behind.
#include <fmt/format.h>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/wgmma_op.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint32_t kAgents = ClusterShape::kAgentsPerWarp, kGroupWarps = 4;

}  // namespace

void Checker::matrix_read(Warp& warp, const Op& op, std::uint64_t descriptor, MatrixMajor major,
                          std::uint32_t first, std::uint32_t rows) {
  const MatrixDescriptor matrix(descriptor, warp.block->reserved_shared);
  const auto begin = static_cast<std::uint64_t>(warp.block->shared_begin);
  for (const auto& run : launch_.matrix_runs(descriptor, major, first, rows)) {
    const auto offset = static_cast<std::uint64_t>(matrix.start + run.offset);
    // What lies outside stops the kernel when the product takes effect.
    if (offset + run.bytes > warp.block->shared_bytes) return;
    async_read(warp, op.instruction, kMatrix, begin + offset, run.bytes);
  }
}

void Checker::matrix_fence(Warp& warp) {
  for (auto& [offset, held] : held_[index_of(warp)]) held.set_by = -1;
}

void Checker::matrix_registers(Warp& warp, const Op& op) {
  const Program& program = launch_.findings.program();
  const WgmmaOp& facts = program.wgmma_ops[static_cast<std::size_t>(op.imm)];
  const MatrixOp& matrix = program.matrix_ops[facts.matrix];
  const Clock clock = groups_of(warp, kMatrix).clock;
  int unfenced = -1;
  const auto touch = [&](const Fragment& f, bool is_result) {
    for (int i = 0; i < f.registers; ++i) {
      HeldRegister& held =
          held_[index_of(warp)][program.operands[f.first + static_cast<std::uint32_t>(i)]];
      if (held.set_by >= 0) unfenced = held.set_by;
      held.clock = clock;
      held.instruction = op.instruction;
      held.is_result = is_result;
    }
  };
  touch(matrix.d, true);
  if (facts.a_in_registers) touch(matrix.a, false);
  if (unfenced < 0 || !launch_.checks.sync) return;
  report(warp, op.instruction, warp.active, "sync", "missing wgmma.fence",
         fmt::format("uses registers that were written ({}) since the last wgmma.fence: put one "
                     "before the first wgmma",
                     line_of(place_of(program, unfenced, ""))));
}

// An ordinary operation on a register of a wgmma that has not been waited for.
void Checker::end_register(Warp& warp, const Op& op, const HeldRegister& held, bool is_definition) {
  const std::uint32_t agent = index_of(warp) * kAgents + kMatrix;
  const bool is_done = warps_[index_of(warp)].now.generic[agent] >= held.clock;
  if (is_done || (!held.is_result && !is_definition) || !launch_.checks.races) return;
  const char* const kind = held.is_result ? "accumulators used before wgmma.wait_group"
                                          : "operand of wgmma overwritten before its wait";
  launch_.findings.add({kind, op.instruction, held.instruction}, [&] {
    Finding f;
    f.check = "races";
    f.kind = kind;
    f.places = {place_of_warp(index_of(warp), op.instruction, warp.active),
                place_of_warp(index_of(warp), held.instruction, 0)};
    f.message = fmt::format(
        "{} ({}) {} a register of the wgmma before ({}) that may still be {}: "
        "wgmma.commit_group and wgmma.wait_group first",
        f.places[0].who, line_of(f.places[0]), is_definition ? "writes" : "reads",
        line_of(f.places[1]), held.is_result ? "on its way" : "being read");
    return f;
  });
}

void Checker::held_use(Warp& warp, const Op& op, std::uint32_t index) {
  const std::vector<HeldUse>& uses = launch_.held_uses.at(index);
  auto& registers = held_[index_of(warp)];
  if (uses[0].is_copy) {  // whatever the source waits for, the copy waits for
    HeldRegister source;
    for (const HeldUse& use : uses) {
      if (!use.is_definition) source = registers[use.offset];
    }
    for (const HeldUse& use : uses) {
      if (use.is_definition) registers[use.offset] = source;
    }
    return;
  }
  for (const HeldUse& use : uses) {
    HeldRegister& held = registers[use.offset];
    if (held.clock > 0) end_register(warp, op, held, use.is_definition);
    // Compilers put a constant into its register wherever they like, mostly right before the wgmma.
    if (use.is_definition) held = {0, -1, false, use.is_constant ? -1 : op.instruction};
  }
}

void Checker::set_registers(Warp& warp, const Op& op, int count, bool gives_up) {
  if (launch_.findings.program().lacks_setmaxnreg) return;
  std::vector<RegisterCount>& counts = register_counts_[index_of(warp)];
  const int before = counts.empty() ? launch_.findings.program().registers : counts.back().count;
  counts.push_back({op.instruction, count});
  if (!launch_.checks.sync) return;
  if (warp.active != warp.live) {
    report(warp, op.instruction, warp.active, "sync", "setmaxnreg in diverged code",
           "executes setmaxnreg without the other lanes of its warp");
  }
  if (before > 0 && (gives_up ? count > before : count < before)) {
    report(warp, op.instruction, warp.active, "sync", "setmaxnreg the wrong way round",
           fmt::format("{} to {} registers, but has {}", gives_up ? "gives up" : "grows", count,
                       before));
  }
}

void Checker::finish() {
  if (!launch_.checks.sync) return;
  check_register_counts();
  check_exits();
}

// All warps of a warpgroup change their count together, and in the end there are not more registers than
// the block was given.
void Checker::check_register_counts() {
  const int given = (launch_.findings.program().registers + 7) / 8 * 8;
  for (std::uint32_t first = 0; first < warps_.size(); first += warps_per_block_) {
    int sum = 0;
    const RegisterCount* largest = nullptr;
    std::uint32_t who = 0;
    for (std::uint32_t i = first; i < first + warps_per_block_; ++i) {
      const std::vector<RegisterCount>& counts = register_counts_[i];
      const std::uint32_t leader = first + (i - first) / kGroupWarps * kGroupWarps;
      const bool leads = counts.size() > register_counts_[leader].size();
      if (counts.size() != register_counts_[leader].size()) {
        const RegisterCount& odd = leads ? counts.back() : register_counts_[leader].back();
        report_at(place_of_warp(leads ? i : leader, odd.instruction, 0), odd.instruction, "sync",
                  "setmaxnreg by a part of a warpgroup",
                  "executes setmaxnreg, but not all warps of its warpgroup do");
      }
      sum += counts.empty() ? given : counts.back().count;
      if (!counts.empty() && (!largest || counts.back().count > largest->count)) {
        largest = &counts.back();
        who = i;
      }
    }
    const int most = given * static_cast<int>(warps_per_block_);
    if (!largest || given == 0 || sum <= most) continue;
    report_at(
        place_of_warp(who, largest->instruction, 0), largest->instruction, "sync",
        "setmaxnreg asks for more registers than there are",
        fmt::format("asks for {} registers a thread; with what the other warps keep that is {} "
                    "a lane of the block, which has {}, so a warp waits forever: let others "
                    "give up more",
                    largest->count, sum, most));
  }
}

// When a block ends, its shared memory goes to another. Whoever else still uses it must be known to be
// done.
void Checker::check_exits() {
  for (std::uint32_t i = 0; i < warps_.size(); ++i) {
    const Groups& groups = groups_[i][kBulk];
    if (groups.last == 0 || warps_[i].now.generic[i * kAgents + kBulk] >= groups.last) continue;
    report_at(
        place_of_warp(i, groups.instruction, 0), groups.instruction, "sync",
        "block ends before its bulk copy has read",
        "copies from shared memory and ends without cp.async.bulk.wait_group(.read): the block "
        "may be gone before the copy has read it");
  }
  for (std::uint32_t rank = 0; rank < shadows_.size(); ++rank) {
    Knowledge known;
    for (std::uint32_t i = 0; i < warps_per_block_; ++i)
      known.join(warps_[rank * warps_per_block_ + i].now);
    const std::uint32_t begin = rank * warps_per_block_ * kAgents,
                        end = begin + warps_per_block_ * kAgents;
    for (const Conflict& c : shadows_[rank].not_known(known, begin, end)) {
      const std::uint32_t warp = c.earlier.agent / kAgents;
      const int instruction = launch_.instruction_of(c.earlier.place);
      const bool is_copy = warp >= warps_.size();
      report_at(
          is_copy ? place_of(launch_.findings.program(), instruction, "a bulk copy")
                  : place_of_warp(warp, instruction, 0),
          instruction, "sync",
          is_copy ? "block ends before a copy into it" : "block ends while others use its memory",
          is_copy ? "copies into the shared memory of a block that ends without waiting for it"
                  : "uses the shared memory of another block, which may have ended: let both "
                    "meet at a cluster barrier before they end");
    }
  }
}

}  // namespace tilewise::vgpu
