// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of cp.async, mbarriers and clusters (PTX ISA 9.0, sections 9.7.9.25, 9.7.13.15, 9.7.13.4).
#include <fmt/format.h>

#include "vgpu/exec/async_modes.hpp"
#include "vgpu/exec/bulk_reduction.hpp"
#include "vgpu/exec/decode.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void Decoder::cp() {
  if (!take("async")) unsupported_here("cp without .async");
  if (in_->has("bulk")) return bulk();
  if (take("commit_group")) {
    expect_operands(0, 0);
    emit("cp.async.commit_group");
  } else if (in_->has("wait_group") || in_->has("wait_all")) {
    cp_async_wait();
  } else if (in_->has("mbarrier")) {
    mbarrier();
  } else {
    cp_async();
  }
}

void Decoder::cp_async_wait() {
  const bool all = take("wait_all");
  if (!all) take("wait_group");
  expect_operands(all ? 0 : 1, all ? 0 : 1);
  std::int64_t groups = 0;
  if (!all) {
    if (operand(0).kind != OperandKind::kInteger) malformed_here("wait_group needs a constant");
    groups = static_cast<std::int64_t>(operand(0).bits);
  }
  Op& op = emit("cp.async.wait_group");
  op.mode = static_cast<std::uint8_t>(all ? WaitKind::kAll : WaitKind::kGroups);
  op.imm = groups;
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes{, source bytes | ignored?}{, cache policy}
void Decoder::cp_async() {
  const bool bypasses_l1 = take("cg");
  if (!bypasses_l1 && !take("ca")) malformed_here("cp.async needs .ca or .cg");
  if (!take("shared") && !take("shared::cta")) malformed_here("cp.async needs .shared");
  if (!take("global")) malformed_here("cp.async needs .global");
  ignore({"L2::64B", "L2::128B", "L2::256B"});
  const bool has_policy = take("L2::cache_hint");
  std::size_t operands = in_->operands.size() - (has_policy ? 1 : 0);
  expect_operands(3, has_policy ? 5 : 4);
  AsyncCopyFacts facts;
  facts.bypasses_l1 = bypasses_l1;
  if (operand(2).kind != OperandKind::kInteger) malformed_here("the size must be a constant");
  facts.bytes = static_cast<int>(operand(2).bits);
  const bool is_size =
      facts.bytes == 16 || (!bypasses_l1 && (facts.bytes == 4 || facts.bytes == 8));
  if (!is_size) malformed_here("cp.async copies 4, 8 or 16 bytes with .ca, 16 with .cg");
  const bool ignores = operands == 4 && operand(3).kind == OperandKind::kRegister &&
                       register_type(operand(3)) == Type::kPred;
  if (ignores) {
    facts.ignore_predicate = static_cast<int>(predicate(operand(3)));
    facts.ignore_negated = operand(3).negated;
  }
  facts.has_source_bytes = operands == 4 && !ignores;
  if (facts.has_source_bytes && operand(3).kind == OperandKind::kInteger &&
      operand(3).bits > static_cast<std::uint64_t>(facts.bytes)) {
    malformed_here("cp.async cannot read more bytes than it copies");
  }
  Op& op = emit("cp.async");
  op.bytes = static_cast<std::uint8_t>(facts.bytes);
  op.count = 1;
  Access access;
  access.space = Space::kGlobal;
  access.type = Type::kB8;
  access.count = facts.bytes;
  op.site = new_site(access, false);
  out_.program.sites.back().is_async_copy = true;
  Space shared = Space::kShared, global = Space::kGlobal;
  bool wide = false;
  address(0, operand(0), shared, facts.wide_destination);
  facts.destination_offset = out_.program.ops.back().imm;
  address(1, operand(1), global, wide);
  facts.source_offset = out_.program.ops.back().imm;
  if (facts.has_source_bytes) use(2, operand(3), Type::kB32);
  out_.program.ops.back().imm = static_cast<std::int64_t>(out_.program.async_copies.size());
  out_.program.async_copies.push_back(facts);
}

// An address in shared memory: 32 bits, or generic with 64.
void Decoder::shared_address(int slot, const Operand& o) {
  Space space = Space::kShared;
  bool wide = false;
  address(slot, o, space, wide);
  if (wide) out_.program.ops.back().count |= kMbarrierWideAddress;
}

static MbarrierKind arrival(bool drops, bool expects) {
  if (drops) return expects ? MbarrierKind::kArriveDropExpectBytes : MbarrierKind::kArriveDrop;
  return expects ? MbarrierKind::kArriveExpectBytes : MbarrierKind::kArrive;
}

void Decoder::mbarrier() {
  const bool copies = in_->opcode == "cp";
  ignore({"release", "relaxed", "acquire", "cta", "cluster", "shared", "shared::cta",
          "shared::cluster", "b64"});
  if (take("pending_count")) {
    expect_operands(2, 2);
    emit("mbarrier.pending_count");
    define(0, operand(0), Type::kB32);
    use(1, operand(1), Type::kB64);
    return;
  }
  MbarrierKind kind = MbarrierKind::kArrive;
  bool has_state = false;
  if (copies) {
    take("mbarrier");
    take("arrive");
    kind = take("noinc") ? MbarrierKind::kCopiesArriveNoIncrement : MbarrierKind::kCopiesArrive;
  } else if (take("init")) {
    kind = MbarrierKind::kInitialize;
  } else if (take("inval")) {
    kind = MbarrierKind::kInvalidate;
  } else if (in_->has("arrive") || in_->has("arrive_drop")) {
    const bool drops = take("arrive_drop");
    if (!drops) take("arrive");
    kind = arrival(drops, take("expect_tx"));
    take("noComplete");
    has_state = operand(0).kind != OperandKind::kAddress;
  } else if (take("expect_tx")) {
    kind = MbarrierKind::kExpectBytes;
  } else if (take("complete_tx")) {
    kind = MbarrierKind::kCompleteBytes;
  } else {
    malformed_here("mbarrier needs an operation such as .init or .arrive");
  }
  const std::size_t at = has_state ? 1 : 0;
  const bool has_operand = in_->operands.size() == at + 2;
  expect_operands(at + 1, at + 2);
  Op& op = emit("mbarrier");
  op.mode = static_cast<std::uint8_t>(kind);
  op.count = static_cast<std::uint8_t>((has_operand ? kMbarrierHasOperand : 0) |
                                       (has_state ? kMbarrierHasState : 0) |
                                       (in_->has("relaxed") ? kMbarrierRelaxed : 0));
  shared_address(0, operand(at));
  if (has_operand) use(1, operand(at + 1), Type::kB32);
  if (has_state) define(2, operand(0), Type::kB64);
}

void Decoder::terminator_operand(TerminatorReference::Field field, const Operand& o, bool wide) {
  const Source from = source(o, wide ? Type::kB64 : Type::kB32);
  TerminatorReference r;
  r.block = static_cast<int>(out_.program.blocks.size()) - 1;
  r.field = field;
  r.is_constant = from.is_constant;
  r.index = from.index;
  out_.terminator_references.push_back(r);
}

// mbarrier.{test,try}_wait{.parity}.b64 done, [address], state or parity{, time}
void Decoder::mbarrier_wait() {
  skip_without_guard();
  ignore({"test_wait", "try_wait", "acquire", "relaxed", "cta", "cluster", "shared", "shared::cta",
          "b64"});
  expect_operands(3, 4);
  Terminator t;
  t.kind = TerminatorKind::kMbarrierWait;
  t.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  t.awaits_parity = take("parity");
  t.relaxed = in_->has("relaxed");
  if (operand(0).kind != OperandKind::kSink) {
    t.result = static_cast<std::int64_t>(predicate(operand(0)));
  }
  const Operand& at = operand(1);
  if (at.kind != OperandKind::kAddress || at.elements.size() != 1) {
    malformed_here("expected an address [ ]");
  }
  const Operand& base = at.elements[0];
  t.wide_address = base.kind == OperandKind::kRegister && is_wide_register(register_type(base));
  // The offset of a name is part of the name's value.
  t.address_offset = at.offset;
  terminator_operand(TerminatorReference::kAddress, base, t.wide_address);
  terminator_operand(TerminatorReference::kAwaited, operand(2), !t.awaits_parity);
  end_block(std::move(t));
}

// A guarded instruction that ends a basic block: lanes whose guard does not hold jump over it.
void Decoder::skip_without_guard() {
  if (in_->guard < 0) return;
  Operand guard;
  guard.kind = OperandKind::kRegister;
  guard.index = in_->guard;
  Terminator t;
  t.kind = TerminatorKind::kBranch;
  t.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  t.predicate = static_cast<int>(predicate(guard));
  t.negated = !in_->guard_negated;
  t.target = static_cast<int>(block_of_label_.size());
  block_of_label_.push_back(-1);
  end_block(t);
  start_block();
  next_block_label_ = t.target;
}

// st.async.….shared::cluster.mbarrier::complete_tx::bytes{.v2,.v4}.type [to], value, [mbarrier], and red.async
// with an operation in the vector's place.
void Decoder::remote_store() {
  const bool reduces = in_->opcode == "red";
  ignore({"weak", "relaxed", "cluster", "shared::cluster"});
  if (!take("mbarrier::complete_tx::bytes")) {
    unsupported_here("a completion other than .mbarrier::complete_tx::bytes");
  }
  std::optional<BulkReduction> reduction;
  for (const std::string_view m : in_->modifiers) {
    if (!reduces || reduction) break;
    if ((reduction = find_bulk_reduction(m))) take(m);
  }
  const int count = take("v2") ? 2 : take("v4") ? 4 : 1;
  const Type type = take_type();
  expect_operands(3, 3);
  const std::string name = type == Type::kB32 ? "u32" : std::string(ptx::name_of(type));
  const auto element = find_tensor_type(type == Type::kB64 ? "u64" : name);
  const bool is_known = ptx::size_of(type) >= 4 && element && count * ptx::size_of(type) <= 16 &&
                        (!reduces || (reduction && is_reduction(*reduction, *element)));
  if (!is_known) unsupported_here(fmt::format("this operation on .{}", ptx::name_of(type)));
  const std::vector<Operand> values = access_registers(operand(1), count);
  AsyncCopyFacts facts;
  facts.bytes = count * ptx::size_of(type);
  Op& op = emit(reduces ? "red.async" : "st.async");
  op.bytes = static_cast<std::uint8_t>(ptx::size_of(type));
  op.count = static_cast<std::uint8_t>(count);
  if (reduces) {
    op.mode = static_cast<std::uint8_t>(static_cast<unsigned>(*reduction) |
                                        static_cast<unsigned>(*element) << 4);
  }
  Space shared = Space::kShared;
  bool wide = false;
  address(0, operand(0), shared, wide);
  facts.destination_offset = out_.program.ops.back().imm;
  bool wide_barrier = false;
  address(1, operand(2), shared, wide_barrier);
  if (wide || wide_barrier) unsupported_here("64-bit shared::cluster addresses");
  facts.source_offset = out_.program.ops.back().imm;
  for (int i = 0; i < count; ++i) use(2 + i, values[static_cast<std::size_t>(i)], type);
  out_.program.ops.back().imm = static_cast<std::int64_t>(out_.program.async_copies.size());
  out_.program.async_copies.push_back(facts);
}

// mapa{.shared::cluster}.type d, address, rank: the same place in another block of the cluster.
void Decoder::mapa() {
  const bool is_shared = take("shared::cluster");
  const Type type = take_type();
  expect_operands(3, 3);
  Op& op = emit("mapa");
  op.mode = is_shared ? 0 : 1;
  op.bytes = static_cast<std::uint8_t>(ptx::size_of(type));
  define(0, operand(0), type);
  use(1, operand(1), type);
  use(2, operand(2), Type::kB32);
}

void Decoder::getctarank() {
  take("shared::cluster");
  take_type();  // of the rank
  expect_operands(2, 2);
  const bool wide =
      operand(1).kind == OperandKind::kRegister && is_wide_register(register_type(operand(1)));
  Op& op = emit("getctarank");
  op.bytes = wide ? 8 : 4;
  define(0, operand(0), Type::kB32);
  use(1, operand(1), wide ? Type::kB64 : Type::kB32);
}

// Registers are not scarce here; the rules are checked all the same.
void Decoder::setmaxnreg() {
  const bool gives_up = take("dec");
  if (!gives_up && !take("inc")) malformed_here("setmaxnreg needs .inc or .dec");
  ignore({"sync", "aligned", "u32"});
  expect_operands(1, 1);
  const std::uint64_t count = operand(0).bits;
  if (operand(0).kind != OperandKind::kInteger || count < 24 || count > 256 || count % 8 != 0) {
    malformed_here("setmaxnreg needs a constant: a multiple of 8 from 24 to 256");
  }
  const int most = most_registers();
  if (gives_up && static_cast<int>(count) > most) {
    malformed_here(
        fmt::format("setmaxnreg.dec to {} registers, but no warp of this kernel has more than {}",
                    count, most));
  }
  Op& op = emit("setmaxnreg");
  op.imm = static_cast<std::int64_t>(count);
  op.mode = gives_up ? 1 : 0;
}

// The most that a warp can have: at its begin as many as .maxnreg or the block's size leave it, later what
// setmaxnreg.inc asks for.
int Decoder::most_registers() const {
  constexpr int kRegisters = 65536, kMost = 256, kUnit = 8, kGroup = 4 * 32;  // warps come in fours
  int most = kernel_.most_registers > 0 ? std::min(kernel_.most_registers, kMost) : kMost;
  if (kernel_.max_threads > 0) {
    const int threads = (kernel_.max_threads + kGroup - 1) / kGroup * kGroup;
    const int each = kRegisters / threads / std::max(1, kernel_.least_blocks);
    most = std::min(most, each / kUnit * kUnit);
  }
  for (const FlatItem& item : flat_.items) {
    const ptx::Instruction* const in = item.label >= 0 ? nullptr : item.instruction;
    if (!in || in->opcode != "setmaxnreg" || !in->has("inc") || in->operands.empty()) continue;
    most = std::max(most, static_cast<int>(std::min<std::uint64_t>(in->operands[0].bits, kMost)));
  }
  return most;
}

// Kernels run one after the other, so the one before is always done.
void Decoder::griddepcontrol() { ignore({"launch_dependents", "wait"}); }

// Cache policies change nothing here; their register holds some value. The forms say what is well written.
void Decoder::createpolicy() {
  for (const std::string_view m : in_->modifiers) take(m);
  emit("mov.b64");
  define(0, operand(0), Type::kB64);
  reference(1, false, true, constant(0, true));
}

}  // namespace tilewise::vgpu
