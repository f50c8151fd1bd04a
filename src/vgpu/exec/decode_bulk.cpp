// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of cp.async.bulk, its tensor forms and reductions (PTX ISA 9.0, sections 9.7.9.25.5 and
// 9.7.9.27).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vgpu/exec/async_modes.hpp"
#include "vgpu/exec/bulk_modes.hpp"
#include "vgpu/exec/decode.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

constexpr std::array<std::string_view, 5> kRanks{"1d", "2d", "3d", "4d", "5d"};

// The type of a reduction without a tensor; add.noftz is what f16 and bf16 have.
std::optional<TensorType> reduced_type(std::string_view name) {
  if (name == "b32") return TensorType::kU32;
  if (name == "b64") return TensorType::kU64;
  const std::optional<TensorType> type = find_tensor_type(name);
  return type && *type > TensorType::kBf16 ? std::nullopt : type;
}

}  // namespace

void Decoder::bulk() {
  take("bulk");
  if (take("commit_group")) {
    expect_operands(0, 0);
    emit("cp.async.bulk.commit_group");
  } else if (take("wait_group")) {
    const bool only_reads = take("read");
    expect_operands(1, 1);
    if (operand(0).kind != OperandKind::kInteger) malformed_here("wait_group needs a constant");
    Op& op = emit("cp.async.bulk.wait_group");
    op.imm = static_cast<std::int64_t>(operand(0).bits);
    op.mode = only_reads;
  } else {
    bulk_copy();
  }
}

BulkCopyFacts Decoder::take_bulk_facts() {
  BulkCopyFacts facts;
  facts.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  if (take("tensor")) {
    const auto rank = std::ranges::find_if(kRanks, [this](std::string_view r) { return take(r); });
    if (rank == kRanks.end()) malformed_here("a tensor copy needs .1d to .5d");
    facts.rank = static_cast<int>(rank - kRanks.begin()) + 1;
    take("tile");
  }
  if (in_->opcode == "cp" && take("reduce")) take_bulk_reduction(facts);
  const bool from_shared = in_->has("shared::cta"), cluster = take("shared::cluster");
  take("shared::cta");
  if (take("prefetch")) {
    take("L2");
    take("global");
    facts.path = BulkPath::kPrefetch;
  } else if (take("mbarrier::complete_tx::bytes")) {
    facts.path = take("global") ? BulkPath::kToShared : BulkPath::kSharedToShared;
    facts.to_cluster = cluster;
    facts.is_multicast = take("multicast::cluster");
  } else if (take("bulk_group")) {
    if (!take("global") || !from_shared) malformed_here(".bulk_group needs .global.shared::cta");
    facts.path = BulkPath::kToGlobal;
  } else {
    malformed_here("expected .mbarrier::complete_tx::bytes or .bulk_group");
  }
  return facts;
}

void Decoder::take_bulk_reduction(BulkCopyFacts& facts) {
  for (const std::string_view m : in_->modifiers) {
    if (const auto reduction = find_bulk_reduction(m); reduction && take(m)) {
      facts.reduction = reduction;
    }
  }
  if (!facts.reduction) malformed_here("expected a reduction such as .add");
  if (facts.rank > 0) return;  // the tensor map knows its type
  const bool keeps_subnormals = take("noftz");
  std::optional<TensorType> type;
  for (const std::string_view m : in_->modifiers) {
    if (const auto found = reduced_type(m); found && take(m)) type = found;
  }
  if (!type) malformed_here("expected a type");
  const bool is_half = *type == TensorType::kF16 || *type == TensorType::kBf16;
  if (keeps_subnormals != (is_half && *facts.reduction == BulkReduction::kAdd)) {
    malformed_here(".noftz belongs to .add of .f16 and .bf16, and only there");
  }
  facts.type = *type;
  const bool to_shared = !in_->has("bulk_group");
  const bool shared_has_it = size_of(*type) == 4 && *type != TensorType::kF32;
  const bool is_sum = *facts.reduction == BulkReduction::kAdd;
  if (!is_reduction(*facts.reduction, *type) ||
      (to_shared && !shared_has_it && !(is_sum && *type == TensorType::kU64))) {
    unsupported_here("this reduction of this type");
  }
}

void Decoder::bulk_copy() {
  for (const char* mode :
       {"im2col", "im2col::w", "im2col::w::128", "im2col_no_offs", "tile::gather4",
        "tile::scatter4", "cp_mask", "cta_group::1", "cta_group::2", "ignore_oob"}) {
    if (in_->has(mode)) unsupported_here(fmt::format("cp.async.bulk with .{}", mode));
  }
  BulkCopyFacts facts = take_bulk_facts();
  const bool has_policy = take("L2::cache_hint");
  const bool signals = facts.path == BulkPath::kToShared || facts.path == BulkPath::kSharedToShared;
  const bool has_shared = facts.path != BulkPath::kPrefetch;
  const std::size_t count = (has_shared ? 2u : 1u) + (facts.rank == 0 ? 1u : 0u) +
                            (signals ? 1u : 0u) + (facts.is_multicast ? 1u : 0u) +
                            (has_policy ? 1u : 0u);
  expect_operands(count, count);
  emit("cp.async.bulk");
  const bool stores = facts.path == BulkPath::kToGlobal;
  std::size_t next = 0;
  const Operand& first = operand(next++);
  const Operand& second = has_shared ? operand(next++) : first;
  const Operand& other = stores ? first : second;
  if (has_shared) facts.shared = bulk_place(0, stores ? second : first, Space::kShared);
  const bool from_shared = facts.path == BulkPath::kSharedToShared;
  if (facts.rank > 0) bulk_tensor(facts, other);
  else facts.other = bulk_place(1, other, from_shared ? Space::kShared : Space::kGlobal);
  if (facts.rank == 0) use(3, operand(next++), Type::kB32);
  if (signals) facts.barrier = bulk_place(2, operand(next++), Space::kShared);
  if (facts.is_multicast) use(4, operand(next++), Type::kB16);
  out_.program.ops.back().imm = static_cast<std::int64_t>(out_.program.bulk_copies.size());
  out_.program.bulk_copies.push_back(facts);
}

BulkCopyFacts::Place Decoder::bulk_place(int slot, const Operand& o, Space space) {
  BulkCopyFacts::Place place;
  address(slot, o, space, place.wide);
  place.offset = out_.program.ops.back().imm;
  return place;
}

// [map, {coordinates}]
void Decoder::bulk_tensor(BulkCopyFacts& facts, const Operand& o) {
  const bool is_tensor = o.kind == OperandKind::kAddress && o.elements.size() == 2 &&
                         o.elements[1].kind == OperandKind::kVector;
  if (!is_tensor) malformed_here("expected [tensor map, {coordinates}]");
  const std::vector<Operand>& coordinates = o.elements[1].elements;
  if (static_cast<int>(coordinates.size()) != facts.rank) {
    malformed_here(fmt::format("{} coordinates for a tensor of {} dimensions", coordinates.size(),
                               facts.rank));
  }
  Operand map = o;
  map.elements.resize(1);
  facts.other = bulk_place(1, map, Space::kGlobal);
  facts.coordinates = static_cast<std::uint32_t>(out_.program.operands.size());
  for (const Operand& c : coordinates) use_listed(c, Type::kB32);
}

}  // namespace tilewise::vgpu
