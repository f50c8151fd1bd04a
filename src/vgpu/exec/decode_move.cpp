// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of conversion and movement (PTX ISA 9.0, section 9.7.9).
#include <fmt/format.h>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/modes.hpp"
#include "vgpu/exec/type_names.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

// cvt.D.S: whole numbers of 16 bits and more, and the common float ones, are vectorised; the rest goes
// through one scalar handler that is told both types.
void Decoder::cvt() {
  std::vector<Type> types;
  for (const std::string_view m : in_->modifiers) {
    if (const auto type = ptx::find_type(m)) types.push_back(*type), taken_.insert(m);
  }
  if (take("pack")) return cvt_pack_integers(types);
  if (types.size() != 2) malformed_here("cvt needs two types");
  const Type to = types[0], from = types[1];
  std::uint8_t mode = 0;
  const bool to_integer = take("rni") || take("rzi") || take("rmi") || take("rpi");
  if (in_->has("rzi")) mode = kRoundZero;
  if (in_->has("rmi")) mode = kRoundDown;
  if (in_->has("rpi")) mode = kRoundUp;
  if (to_integer) mode |= kRoundToInteger;
  mode |= float_mode();
  if (take("rna")) mode |= kRoundAway;
  expect_operands(2, in_->operands.size() == 3 ? 3 : 2);
  if (in_->operands.size() == 3) return cvt_packed(to, from, mode);
  const Type to_register = register_type(operand(0));
  const Operand& source = operand(1);
  const bool wide_source =
      source.kind == OperandKind::kRegister && is_wide_register(register_type(source));
  // A register may be wider than the type: 64 bits of which .s32 means the lower half.
  const bool same_slots =
      is_wide_register(to_register) == (ptx::size_of(to) == 8) &&
      (source.kind != OperandKind::kRegister || wide_source == (ptx::size_of(from) == 8));
  const bool integers =
      !is_float(to) && !is_float(from) && bits_of(to) >= 16 && bits_of(from) >= 16;
  std::string key;
  if (integers && mode == 0 && same_slots && bits_of(to_register) == bits_of(to)) {
    key = fmt::format("cvt.{}.{}", integer_name(to), integer_name(from));
  } else if (mode == 0 && !to_integer && same_slots && (is_float(to) || is_float(from))) {
    const std::string plain = fmt::format("cvt.{}{}.{}", in_->has("rn") ? "rn." : "",
                                          ptx::name_of(to), ptx::name_of(from));
    if (find_handler(plain, true)) key = plain;
  }
  Op& op = emit(key.empty() ? "cvt" : key);
  op.mode = mode;
  op.bytes = static_cast<std::uint8_t>(to);
  op.count = static_cast<std::uint8_t>(from);
  op.imm = (is_wide_register(to_register) ? 1 : 0);
  if (wide_source) out_.program.ops.back().imm |= 2;
  define(0, operand(0), is_wide_register(to_register) ? Type::kB64 : Type::kB32);
  use(1, source, wide_source ? Type::kB64 : (ptx::size_of(from) == 8 ? Type::kB64 : from));
  if (!wide_source && source.kind != OperandKind::kRegister && ptx::size_of(from) == 8) {
    out_.program.ops.back().imm |= 2;
  }
}

// cvt.pack.sat.D.s32{.b32} d, a, b{, c}: b clamped in the low bits, a above it, c above both.
void Decoder::cvt_pack_integers(const std::vector<Type>& types) {
  take("sat");
  if (types.size() < 2 || types[1] != Type::kS32)
    malformed_here("cvt.pack needs the types of its halves and .s32");
  const bool has_third = types.size() == 3;
  expect_operands(has_third ? 4 : 3, has_third ? 4 : 3);
  Op& op = emit("cvt.pack.integers");
  op.bytes = static_cast<std::uint8_t>(types[0]);
  op.mode = has_third ? 1 : 0;
  define(0, operand(0), Type::kB32);
  for (int i = 1; i <= (has_third ? 3 : 2); ++i)
    use(i, operand(static_cast<std::size_t>(i)), Type::kB32);
}

// cvt.rn.f16x2.f32 d, a, b: a goes to the upper half.
void Decoder::cvt_packed(Type to, Type from, std::uint8_t mode) {
  if ((to != Type::kF16x2 && to != Type::kBf16x2) || from != Type::kF32) {
    unsupported_here(fmt::format("cvt.{}.{} of two values", ptx::name_of(to), ptx::name_of(from)));
  }
  Op& op = emit("cvt.pack");
  op.mode = mode;
  op.bytes = static_cast<std::uint8_t>(to);
  define(0, operand(0), Type::kB32);
  use(1, operand(1), from);
  use(2, operand(2), from);
}

void Decoder::mov() {
  const Type type = take_type();
  expect_operands(2, 2);
  const Operand& to = operand(0);
  const Operand& from = operand(1);
  if (type == Type::kPred) {
    if (from.kind == OperandKind::kInteger) return set_predicate(predicate(to), from);
    if (from.kind == OperandKind::kSpecial) {
      if (from.text != "is_explicit_cluster")
        unsupported_here(fmt::format("the register %{} as a predicate", from.text));
      const std::uint32_t p = predicate(to);
      emit("mov.pred.is_explicit_cluster").r[0] = p;
      return;
    }
    const std::uint32_t p = predicate(to), q = predicate(from);
    Op& op = emit("mov.pred");
    op.r = {p, q, q};
    op.mode = from.negated ? 1 : 0;
    return;
  }
  if (from.kind == OperandKind::kSpecial) {
    const bool is_wide = from.text.ends_with("64") || from.text == "globaltimer";
    if (is_wide != (ptx::size_of(type) == 8) || is_float(type))
      malformed_here(fmt::format("%{} is no .{}", from.text, ptx::name_of(type)));
    return emit_special(from.text, flat_register(to));
  }
  if (from.kind == OperandKind::kVector || to.kind == OperandKind::kVector) return mov_vector();
  emit("mov." + bits_name(type)).affine = Affine::kCopy;
  define(0, to, type);
  use(1, from, type);
  if (ptx::size_of(type) == 4 && from.kind == OperandKind::kRegister &&
      to.kind == OperandKind::kRegister) {
    copies_.push_back({out_.program.ops.size() - 1, flat_register(from), flat_register(to)});
  }
  if (from.kind == OperandKind::kInteger || from.kind == OperandKind::kFloat)
    out_.constant_moves.insert(static_cast<std::uint32_t>(out_.program.ops.size() - 1));
}

// mov.b64 {lo, hi}, x and mov.b64 x, {lo, hi}, with 2 or 4 parts.
void Decoder::mov_vector() {
  const Operand& to = operand(0);
  const Operand& from = operand(1);
  const bool pack = from.kind == OperandKind::kVector;
  const Operand& vector = pack ? from : to;
  const Operand& whole = pack ? to : from;
  const std::size_t parts = vector.elements.size();
  if ((parts != 2 && parts != 4) || whole.kind == OperandKind::kVector)
    malformed_here("mov of a vector needs 2 or 4 parts");
  const Type whole_type = whole.kind == OperandKind::kRegister ? register_type(whole) : Type::kB64;
  const int part_bits = bits_of(whole_type) / static_cast<int>(parts);
  const Type part_type = part_bits == 32 ? Type::kB32 : part_bits == 16 ? Type::kB16 : Type::kB8;
  if (whole_type == Type::kB128) unsupported_here("128-bit registers");
  Op& op = emit(pack ? "mov.pack" : "mov.unpack");
  op.bytes = static_cast<std::uint8_t>(part_bits / 8);
  op.count = static_cast<std::uint8_t>(parts);
  if (pack) define(0, whole, whole_type);
  else use(0, whole, whole_type);
  for (std::size_t i = 0; i < parts; ++i) {
    if (pack) use(static_cast<int>(1 + i), vector.elements[i], part_type);
    else define(static_cast<int>(1 + i), vector.elements[i], part_type);
  }
}

void Decoder::emit_special(std::string_view name, int destination) {
  const auto special = find_special(name);
  if (!special) unsupported_here(fmt::format("the register %{}", name));
  Operand to;
  to.kind = OperandKind::kRegister;
  to.index = destination - (instance_ >= 0 ? flat_.instances[instance_].register_base : 0);
  // A 32-bit special register may be read into a 64-bit one and the other way round.
  const Type type = register_type(to);
  Op& op = emit(is_wide_register(type) ? "mov.special.wide" : "mov.special");
  op.mode = static_cast<std::uint8_t>(*special);
  define(0, to, is_wide_register(type) ? Type::kB64 : Type::kB32);
}

void Decoder::cvta() {
  const bool to_space = take("to");
  const bool shared = take("shared") || take("shared::cta") || take("shared::cluster"),
             local = take("local");
  const bool flat_space = take("global") || take("const") || take("param");
  if (!shared && !local && !flat_space) unsupported_here("this state space of cvta");
  const Type type = take_type();
  expect_operands(2, 2);
  if (flat_space) {
    emit("mov." + bits_name(type));
    define(0, operand(0), type);
    use(1, operand(1), type);
    return;
  }
  if (ptx::size_of(type) != 8) unsupported_here("32-bit cvta");
  emit(to_space ? "and.b64" : "or.b64");
  define(0, operand(0), type);
  use(1, operand(1), type);
  const std::uint64_t window = shared ? kSharedWindow : kLocalWindow;
  reference(2, false, true, constant(to_space ? ~kWindowMask : window, true));
}

void Decoder::isspacep() {
  std::uint8_t mode = 0xFF;
  if (take("global")) mode = 0;
  else if (take("shared") || take("shared::cta") || take("shared::cluster")) mode = 1;
  else if (take("local")) mode = 2;
  else if (take("const") || take("param")) mode = 3;
  if (mode == 0xFF) unsupported_here("this state space of isspacep");
  expect_operands(2, 2);
  const std::uint32_t p = predicate(operand(0));
  Op& op = emit("isspacep");
  op.mode = mode;
  op.r[0] = p;
  use(1, operand(1), Type::kB64);
}

}  // namespace tilewise::vgpu
