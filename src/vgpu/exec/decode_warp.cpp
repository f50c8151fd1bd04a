// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of what lanes and warps do together: shuffles, votes, barriers, fences (PTX ISA 9.0, sections
// 9.7.9.6 and 9.7.13).
#include <fmt/format.h>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/warp_modes.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Type;

void Decoder::shfl() {
  take("sync");
  std::uint8_t mode = 0xFF;
  if (take("up")) mode = kShuffleUp;
  else if (take("down")) mode = kShuffleDown;
  else if (take("bfly")) mode = kShuffleButterfly;
  else if (take("idx")) mode = kShuffleIndex;
  if (mode == 0xFF) malformed_here("shfl needs .up, .down, .bfly or .idx");
  const Type type = take_type();
  const bool sync = in_->has("sync");
  const std::size_t sources = sync ? 4 : 3;
  const bool has_predicate = in_->operands.size() == sources + 2;
  expect_operands(sources + 1, sources + 2);
  const std::size_t a = has_predicate ? 2 : 1;
  const std::uint32_t p =
      has_predicate && operand(1).kind != OperandKind::kSink ? predicate(operand(1)) : 0;
  if (has_predicate && operand(1).kind != OperandKind::kSink) mode |= kShufflePredicate;
  Op& op = emit("shfl");
  op.mode = mode;
  op.r[5] = p;
  define(0, operand(0), type);
  use(1, operand(a), type);
  use(2, operand(a + 1), Type::kB32);
  use(3, operand(a + 2), Type::kB32);
}

void Decoder::vote() {
  take("sync");
  std::uint8_t mode = 0xFF;
  if (take("all")) mode = kVoteAll;
  else if (take("any")) mode = kVoteAny;
  else if (take("uni")) mode = kVoteUniform;
  else if (take("ballot")) mode = kVoteBallot;
  if (mode == 0xFF) malformed_here("vote needs .all, .any, .uni or .ballot");
  ignore({"pred", "b32"});
  expect_operands(2, 3);
  const std::uint32_t source = predicate(operand(1));
  const std::uint32_t result = mode == kVoteBallot ? 0 : predicate(operand(0));
  if (operand(1).negated) mode |= kVoteNegated;
  Op& op = emit("vote");
  op.mode = mode;
  op.r[1] = source;
  op.r[0] = result;
  if ((mode & kVoteMask) == kVoteBallot) define(0, operand(0), Type::kB32);
}

void Decoder::match() {
  take("sync");
  const bool all = take("all");
  if (!all && !take("any")) malformed_here("match needs .any or .all");
  const Type type = take_type();
  const bool has_predicate = in_->operands.size() == 4;
  expect_operands(3, 4);
  const std::uint32_t p = has_predicate ? predicate(operand(1)) : 0;
  Op& op = emit("match");
  op.mode =
      static_cast<std::uint8_t>((all ? kMatchAll : 0) | (has_predicate ? kMatchPredicate : 0) |
                                (ptx::size_of(type) == 8 ? kMatchWide : 0));
  op.r[5] = p;
  define(0, operand(0), Type::kB32);
  use(1, operand(has_predicate ? 2 : 1), type);
}

void Decoder::activemask() {
  take("b32");
  expect_operands(1, 1);
  emit("activemask");
  define(0, operand(0), Type::kB32);
}

void Decoder::redux() {
  take("sync");
  std::uint8_t mode = 0xFF;
  for (std::size_t i = 0; i < kReduxNames.size(); ++i) {
    if (take(kReduxNames[i])) mode = static_cast<std::uint8_t>(i);
  }
  if (mode == 0xFF) malformed_here("redux needs an operation such as .add");
  const Type type = take_type();
  if (ptx::size_of(type) != 4 || type == Type::kF32) unsupported_here("redux of this type");
  expect_operands(3, 3);
  Op& op = emit("redux");
  op.mode = static_cast<std::uint8_t>(mode | (type == Type::kS32 ? kReduxSigned : 0));
  define(0, operand(0), Type::kB32);
  use(1, operand(1), Type::kB32);
}

// elect.sync d|p, mask: the lowest active lane.
void Decoder::elect() {
  take("sync");
  expect_operands(3, 3);
  const std::uint32_t p = predicate(operand(1));
  Op& op = emit("elect");
  op.r[1] = p;
  define(0, operand(0), Type::kB32);
}

// bar.sync a{, b}; bar.arrive a, b; bar.red.op p, a{, b}, c; barrier.… with .aligned or without.
void Decoder::barrier() {
  skip_without_guard();
  if (take("cluster")) return cluster_barrier();
  ignore({"cta", "aligned"});
  Terminator t;
  t.kind = TerminatorKind::kBarrier;
  t.aligned = in_->opcode == "bar" || in_->has("aligned");
  t.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  const int block = static_cast<int>(out_.program.blocks.size()) - 1;
  std::size_t id = 0, count = 1;
  if (take("warp")) {
    t.kind = TerminatorKind::kWarpBarrier;
    take("sync");
    expect_operands(1, 1);
  } else if (take("arrive")) {
    t.barrier = BarrierKind::kArrive;
  } else if (take("red")) {
    const bool popc = take("popc");
    if (popc) t.barrier = BarrierKind::kReducePopc;
    else if (take("and")) t.barrier = BarrierKind::kReduceAnd;
    else if (take("or")) t.barrier = BarrierKind::kReduceOr;
    else malformed_here("bar.red needs .popc, .and or .or");
    ignore({"u32", "pred"});
    id = 1;
    count = in_->operands.size() == 4 ? 2 : 99;
    const Operand& source = operand(in_->operands.size() - 1);
    t.reduce_source = predicate(source);
    t.reduce_negated = source.negated;
    if (popc) {
      out_.terminator_references.push_back({block, TerminatorReference::kReduceResult, true, false,
                                            static_cast<std::uint32_t>(flat_register(operand(0)))});
    } else {
      t.reduce_result = predicate(operand(0));
    }
  } else {
    take("sync");
  }
  barrier_operand(block, operand(id), TerminatorReference::kBarrierId);
  if (count < in_->operands.size()) {
    t.barrier_count = 0;
    barrier_operand(block, operand(count), TerminatorReference::kBarrierCount);
  }
  end_block(std::move(t));
}

void Decoder::cluster_barrier() {
  const bool arrives = take("arrive");
  if (!arrives && !take("wait")) malformed_here("barrier.cluster needs .arrive or .wait");
  ignore({"release", "relaxed", "acquire", "aligned"});
  expect_operands(0, 0);
  Terminator t;
  t.relaxed = in_->has("relaxed");
  t.kind = arrives ? TerminatorKind::kClusterArrive : TerminatorKind::kClusterWait;
  t.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  end_block(std::move(t));
}

void Decoder::barrier_operand(int block, const Operand& o, TerminatorReference::Field field) {
  TerminatorReference r;
  r.block = block;
  r.field = field;
  if (o.kind == OperandKind::kInteger) {
    const bool is_id = field == TerminatorReference::kBarrierId;
    const bool is_mask = in_->has("warp");
    if (is_id && !is_mask && o.bits > 15) malformed_here("barriers are numbered from 0 to 15");
    if (!is_id && o.bits % 32 != 0)
      malformed_here("a barrier's number of threads must be a multiple of 32");
    r.is_constant = true;
    r.index = constant(o.bits, false);
  } else {
    r.index = static_cast<std::uint32_t>(flat_register(o));
  }
  out_.terminator_references.push_back(r);
}

// Memory of the virtual GPU is sequentially consistent between warps of a block, and host threads
// exchange atomics with full ordering.
void Decoder::fence() {
  ignore({"cta", "cluster", "gpu", "sys", "gl", "sc", "acq_rel", "acquire", "release",
          "mbarrier_init", "sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  if (!take("proxy")) {
    emit("fence");
    return;
  }
  const bool of_maps = take("tensormap::generic");  // [map], 128 behind .acquire
  if (!of_maps && !take("async") && !take("alias")) unsupported_here("this proxy fence");
  ignore({"global", "shared", "shared::cta", "shared::cluster"});
  emit("fence.proxy");
}

void Decoder::nanosleep() {
  take("u32");
  expect_operands(1, 1);
  emit("nanosleep");
}

void Decoder::trap() { emit("trap"); }

// Hints: no effect on results, and none on the counters.
void Decoder::nothing() {
  for (const std::string_view m : in_->modifiers) take(m);
}

}  // namespace tilewise::vgpu
