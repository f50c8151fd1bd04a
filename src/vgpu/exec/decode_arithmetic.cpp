// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of arithmetic and comparison (PTX ISA 9.0, sections 9.7.1 to 9.7.8).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/modes.hpp"
#include "vgpu/exec/type_names.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void Decoder::binary(const std::string& key, Type type) {
  expect_operands(3, 3);
  emit(key);
  define(0, operand(0), type);
  use(1, operand(1), type);
  use(2, operand(2), type);
}

void Decoder::ternary(const std::string& key, Type type) {
  expect_operands(4, 4);
  emit(key);
  define(0, operand(0), type);
  for (int i = 1; i <= 3; ++i) use(i, operand(i), type);
}

// Rounding, flushing and clamping; 0 is what the vectorised handlers do.
std::uint8_t Decoder::float_mode() {
  std::uint8_t mode = 0;
  if (take("rz")) mode |= kRoundZero;
  else if (take("rm")) mode |= kRoundDown;
  else if (take("rp")) mode |= kRoundUp;
  else take("rn");
  if (take("ftz")) mode |= kFlush;
  if (take("sat")) mode |= kSaturate;
  if (take("NaN")) mode |= kKeepNan;
  if (take("relu")) mode |= kRelu;
  return mode;
}

void Decoder::float_operation(std::string_view name, Type type, std::uint8_t mode, int sources) {
  expect_operands(sources + 1, sources + 1);
  const bool plain = mode == 0 && !is_half(type);
  Op& op = emit(fmt::format("{}{}.{}", plain ? "" : "mode.", name, ptx::name_of(type)));
  op.mode = mode;
  define(0, operand(0), type);
  for (int i = 1; i <= sources; ++i) use(i, operand(i), type);
  if (name == "fma") {
    out_.program.ops.back().is_fma = true;
    out_.program.instructions.back().is_unguarded_fma = in_->guard < 0;
    if (in_->guard < 0) ++out_.program.blocks.back().fmas;
  }
}

void Decoder::add_sub() {
  const bool subtract = in_->opcode.starts_with("sub");
  const bool carry_in = in_->opcode.ends_with('c');
  const Type type = take_type();
  if (is_float(type)) return float_operation(in_->opcode, type, float_mode(), 2);
  const bool carry_out = take("cc");
  if (carry_in || carry_out) {
    binary("addc." + bits_name(type), type);
    std::uint8_t mode = subtract ? kCarrySubtract : 0;
    if (carry_in) mode |= kCarryIn;
    if (carry_out) mode |= kCarryOut;
    out_.program.ops.back().mode = mode;
    return;
  }
  if (take("sat")) return binary(fmt::format("{}.sat.s32", in_->opcode), type);
  binary(fmt::format("{}.{}", in_->opcode, bits_name(type)), type);
  out_.program.ops.back().affine = subtract ? Affine::kSubtract : Affine::kAdd;
}

void Decoder::mul() {
  const Type type = take_type();
  if (is_float(type)) return float_operation("mul", type, float_mode(), 2);
  if (take("lo")) {
    binary("mul.lo." + bits_name(type), type);
    out_.program.ops.back().affine = Affine::kMultiply;
    return;
  }
  if (take("hi")) return binary("mul.hi." + integer_name(type), type);
  if (!take("wide")) malformed_here("mul needs .lo, .hi or .wide");
  expect_operands(3, 3);
  emit("mul.wide." + integer_name(type));
  define(0, operand(0), bits_of(type) == 32 ? Type::kB64 : Type::kB32);
  use(1, operand(1), type);
  use(2, operand(2), type);
}

void Decoder::mad() {
  const Type type = take_type();
  if (is_float(type)) return float_operation("fma", type, float_mode(), 3);
  const bool carry_in = in_->opcode == "madc", carry_out = take("cc");
  if (carry_in || carry_out) {
    const bool high = take("hi");
    if (!high) take("lo");
    ternary(fmt::format("madc.{}.{}", high ? "hi" : "lo", integer_name(type)), type);
    out_.program.ops.back().mode =
        static_cast<std::uint8_t>((carry_in ? kCarryIn : 0) | (carry_out ? kCarryOut : 0));
    return;
  }
  if (take("lo")) {
    ternary("mad.lo." + bits_name(type), type);
    out_.program.ops.back().affine = Affine::kMultiplyAdd;
    return;
  }
  if (take("hi")) {
    return ternary(fmt::format("mad.hi.{}{}", take("sat") ? "sat." : "", integer_name(type)), type);
  }
  if (!take("wide")) malformed_here("mad needs .lo, .hi or .wide");
  expect_operands(4, 4);
  emit("mad.wide." + integer_name(type));
  const Type wide = bits_of(type) == 32 ? Type::kB64 : Type::kB32;
  define(0, operand(0), wide);
  use(1, operand(1), type);
  use(2, operand(2), type);
  use(3, operand(3), wide);
}

void Decoder::fma() {
  const Type type = take_type();
  float_operation("fma", type, float_mode(), 3);
}

void Decoder::div() {
  const Type type = take_type();
  if (!is_float(type)) return binary("div." + integer_name(type), type);
  // .approx and .full promise at most 2 ulp; the correctly rounded quotient keeps that promise.
  ignore({"approx", "full"});
  float_operation("div", type, float_mode(), 2);
}

void Decoder::rem() {
  const Type type = take_type();
  binary("rem." + integer_name(type), type);
}

void Decoder::min_max() {
  const Type type = take_type();
  if (is_float(type)) return float_operation(in_->opcode, type, float_mode(), 2);
  binary(fmt::format("{}.{}", in_->opcode, integer_name(type)), type);
}

void Decoder::abs_neg() {
  const Type type = take_type();
  expect_operands(2, 2);
  if (is_float(type) && (take("ftz") || is_half(type))) {
    const std::uint8_t mode = in_->has("ftz") ? kFlush : 0;
    Op& op = emit(fmt::format("mode.{}.{}", in_->opcode, ptx::name_of(type)));
    op.mode = mode;
  } else if (is_float(type)) {
    emit(fmt::format("{}.{}", in_->opcode, ptx::name_of(type)));
  } else {
    emit(fmt::format("{}.{}", in_->opcode,
                     in_->opcode == "neg" ? bits_name(type) : integer_name(type)));
  }
  define(0, operand(0), type);
  use(1, operand(1), type);
}

void Decoder::logic() {
  const Type type = take_type();
  const bool is_unary = in_->opcode == "not" || in_->opcode == "cnot";
  if (type == Type::kPred) {
    expect_operands(is_unary ? 2 : 3, is_unary ? 2 : 3);
    const std::uint32_t a = predicate_value(operand(1)),
                        b = is_unary ? a : predicate_value(operand(2));
    Op& op = emit(fmt::format("{}.pred", in_->opcode));
    op.r = {predicate(operand(0)), a, b};
    op.mode = static_cast<std::uint8_t>((operand(1).negated ? 1 : 0) |
                                        (!is_unary && operand(2).negated ? 2 : 0));
    return;
  }
  const std::string key = fmt::format("{}.{}", in_->opcode, bits_name(type));
  if (!is_unary) return binary(key, type);
  expect_operands(2, 2);
  emit(key);
  define(0, operand(0), type);
  use(1, operand(1), type);
}

void Decoder::shift() {
  const Type type = take_type();
  expect_operands(3, 3);
  const bool left = in_->opcode == "shl";
  emit(left ? "shl." + bits_name(type) : "shr." + integer_name(type));
  if (left) out_.program.ops.back().affine = Affine::kShiftLeft;
  define(0, operand(0), type);
  use(1, operand(1), type);
  use(2, operand(2), Type::kB32);
}

void Decoder::shf() {
  const bool left = take("l");
  if (!left && !take("r")) malformed_here("shf needs .l or .r");
  const bool wrap = take("wrap");
  if (!wrap && !take("clamp")) malformed_here("shf needs .clamp or .wrap");
  const Type type = take_type();
  ternary(fmt::format("shf.{}.{}.b32", left ? "l" : "r", wrap ? "wrap" : "clamp"), type);
}

void Decoder::sad() {
  const Type type = take_type();
  ternary("sad." + integer_name(type), type);
}

void Decoder::mul24() {
  const bool high = take("hi");
  if (!high) take("lo");
  const Type type = take_type();
  binary(fmt::format("mul24.{}.{}", high ? "hi" : "lo", integer_name(type)), type);
}

void Decoder::mad24() {
  const bool high = take("hi");
  if (!high) take("lo");
  const Type type = take_type();
  const char* saturate = high && take("sat") ? "sat." : "";
  ternary(fmt::format("mad24.{}.{}{}", high ? "hi" : "lo", saturate, integer_name(type)), type);
}

void Decoder::bfe() {
  const Type type = take_type();
  expect_operands(4, 4);
  emit("bfe." + integer_name(type));
  define(0, operand(0), type);
  use(1, operand(1), type);
  use(2, operand(2), Type::kB32);
  use(3, operand(3), Type::kB32);
}

void Decoder::bfi() {
  const Type type = take_type();
  expect_operands(5, 5);
  emit("bfi." + bits_name(type));
  define(0, operand(0), type);
  use(1, operand(1), type);
  use(2, operand(2), type);
  use(3, operand(3), Type::kB32);
  use(4, operand(4), Type::kB32);
}

void Decoder::bfind() {
  const bool shift_amount = take("shiftamt");
  const Type type = take_type();
  expect_operands(2, 2);
  emit(fmt::format("bfind.{}{}", shift_amount ? "shiftamt." : "", integer_name(type)));
  define(0, operand(0), Type::kB32);
  use(1, operand(1), type);
}

void Decoder::bits_to_32() {
  const Type type = take_type();
  expect_operands(2, 2);
  emit(fmt::format("{}.{}", in_->opcode, bits_name(type)));
  define(0, operand(0), Type::kB32);
  use(1, operand(1), type);
}

void Decoder::brev() {
  const Type type = take_type();
  expect_operands(2, 2);
  emit("brev." + bits_name(type));
  define(0, operand(0), type);
  use(1, operand(1), type);
}

void Decoder::prmt() {
  static constexpr std::array<std::string_view, 6> kModes{"f4e", "b4e", "rc8",
                                                          "ecl", "ecr", "rc16"};
  std::uint8_t mode = 0;
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    if (take(kModes[i])) mode = static_cast<std::uint8_t>(i + 1);
  }
  const Type type = take_type();
  ternary("prmt.b32", type);
  out_.program.ops.back().mode = mode;
}

void Decoder::lop3() {
  const Type type = take_type();
  expect_operands(5, 5);
  if (operand(4).kind != OperandKind::kInteger) malformed_here("lop3 needs a constant table");
  emit("lop3.b32").mode = static_cast<std::uint8_t>(operand(4).bits);
  define(0, operand(0), type);
  for (int i = 1; i <= 3; ++i) use(i, operand(i), type);
}

void Decoder::bmsk() {
  const bool wrap = take("wrap");
  if (!wrap && !take("clamp")) malformed_here("bmsk needs .clamp or .wrap");
  const Type type = take_type();
  binary(fmt::format("bmsk.{}.b32", wrap ? "wrap" : "clamp"), type);
}

void Decoder::szext() {
  const bool wrap = take("wrap");
  if (!wrap && !take("clamp")) malformed_here("szext needs .clamp or .wrap");
  const Type type = take_type();
  binary(fmt::format("szext.{}.{}", wrap ? "wrap" : "clamp", integer_name(type)), type);
}

// dp4a, and dp2a with .lo or .hi.
void Decoder::dot_product() {
  std::string key(in_->opcode);
  if (take("lo")) key += ".lo";
  else if (take("hi")) key += ".hi";

  std::vector<Type> types;
  for (const std::string_view m : in_->modifiers) {
    if (const auto type = ptx::find_type(m)) types.push_back(*type), taken_.insert(m);
  }
  if (types.size() != 2) malformed_here("a dot product needs two types");
  ternary(fmt::format("{}.{}.{}", key, integer_name(types[0]), integer_name(types[1])), Type::kB32);
}

void Decoder::unary_float() {
  const Type type = take_type();
  take("approx");
  float_operation(in_->opcode, type, float_mode(), 1);
}

void Decoder::copysign() {
  const Type type = take_type();
  binary(fmt::format("copysign.{}", ptx::name_of(type)), type);
}

void Decoder::testp() {
  static constexpr std::array<std::string_view, 6> kTests{"finite",     "infinite", "number",
                                                          "notanumber", "normal",   "subnormal"};
  std::uint8_t mode = 0xFF;
  for (std::size_t i = 0; i < kTests.size(); ++i) {
    if (take(kTests[i])) mode = static_cast<std::uint8_t>(i);
  }
  if (mode == 0xFF) malformed_here("testp needs a test such as .finite");
  const Type type = take_type();
  expect_operands(2, 2);
  const std::uint32_t destination = predicate(operand(0));
  Op& op = emit(fmt::format("testp.{}", ptx::name_of(type)));
  op.mode = mode;
  op.r[0] = destination;
  use(1, operand(1), type);
}

static std::string comparison_key(std::string_view comparison, Type type) {
  if (is_float(type)) return fmt::format("setp.{}.{}", comparison, ptx::name_of(type));
  const bool equality = comparison == "eq" || comparison == "ne";
  if (comparison == "lo") comparison = "lt";
  if (comparison == "ls") comparison = "le";
  if (comparison == "hi") comparison = "gt";
  if (comparison == "hs") comparison = "ge";
  return fmt::format("setp.{}.{}", comparison, equality ? bits_name(type) : integer_name(type));
}

static constexpr std::array<std::string_view, 18> kComparisons{
    "eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
    "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

void Decoder::setp() {
  std::string_view comparison;
  for (const std::string_view c : kComparisons) {
    if (take(c)) comparison = c;
  }
  if (comparison.empty()) malformed_here("setp needs a comparison such as .lt");
  std::uint8_t mode = 0;
  if (take("and")) mode = kCombineAnd;
  else if (take("or")) mode = kCombineOr;
  else if (take("xor")) mode = kCombineXor;
  if (take("ftz")) mode |= kSetpFlush;
  const Type type = take_type();
  const std::size_t expected = 3 + (mode & kCombineMask ? 1 : 0);
  expect_operands(expected, expected + 1);
  const bool second = in_->operands.size() == expected + 1;
  const std::size_t a = second ? 2 : 1;
  const bool q_is_sink = second && operand(1).kind == OperandKind::kSink;
  const bool p_is_sink = operand(0).kind == OperandKind::kSink;
  const std::uint32_t p =
      p_is_sink ? dense_predicate(new_register(Type::kPred)) : predicate(operand(0));
  const std::uint32_t q = second && !q_is_sink ? predicate(operand(1)) : 0;
  const std::uint32_t c = mode & kCombineMask ? predicate_value(operand(a + 2)) : 0;
  if (second && !q_is_sink) mode |= kSetpSecond;
  if ((mode & kCombineMask) && operand(a + 2).negated) mode |= kSetpNegated;
  std::string key = comparison_key(comparison, type);
  if (is_half(type) || (mode & kSetpFlush)) key = "mode." + key;
  Op& op = emit(key);
  op.mode = mode;
  op.r = {p, q, 0, 0, c, 0};
  use(2, operand(a), type);
  use(3, operand(a + 1), type);
}

// set d, a, b: 1 or all ones (1.0 for f32) where the comparison holds. A setp and a selp do it.
void Decoder::set() {
  std::string_view comparison;
  for (const std::string_view c : kComparisons) {
    if (take(c)) comparison = c;
  }
  if (comparison.empty()) malformed_here("set needs a comparison such as .lt");
  std::uint8_t mode = 0;
  if (take("and")) mode = kCombineAnd;
  else if (take("or")) mode = kCombineOr;
  else if (take("xor")) mode = kCombineXor;
  if (take("ftz")) mode |= kSetpFlush;
  const Type to = take_type();
  const Type from = in_->modifiers.back() == ptx::name_of(to) ? to : take_type();
  expect_operands(3 + (mode & kCombineMask ? 1 : 0), 4);
  const std::uint32_t c = mode & kCombineMask ? predicate_value(operand(3)) : 0;
  if ((mode & kCombineMask) && operand(3).negated) mode |= kSetpNegated;
  const std::uint32_t p = dense_predicate(new_register(Type::kPred));
  std::string key = comparison_key(comparison, from);
  if (is_half(from) || (mode & kSetpFlush)) key = "mode." + key;
  Op& compare = emit(key);
  compare.mode = mode;
  compare.r = {p, 0, 0, 0, c, 0};
  use(2, operand(1), from);
  use(3, operand(2), from);
  emit("selp.b32").r[3] = p;
  define(0, operand(0), to);
  const std::uint64_t yes = to == Type::kF32 ? 0x3F800000u : 0xFFFFFFFFu;
  reference(1, false, true, constant(yes, false));
  reference(2, false, true, constant(0, false));
}

void Decoder::selp() {
  const Type type = take_type();
  expect_operands(4, 4);
  const std::uint32_t p = predicate_value(operand(3));
  const bool negated = operand(3).negated;
  emit("selp." + bits_name(type)).r[3] = p;
  define(0, operand(0), type);
  use(negated ? 2 : 1, operand(1), type);
  use(negated ? 1 : 2, operand(2), type);
}

void Decoder::slct() {
  std::vector<Type> types;
  const bool flush = take("ftz");
  for (const std::string_view m : in_->modifiers) {
    if (const auto type = ptx::find_type(m)) types.push_back(*type), taken_.insert(m);
  }
  if (types.size() != 2) malformed_here("slct needs two types");
  expect_operands(4, 4);
  emit(fmt::format("slct.{}{}.{}", flush ? "ftz." : "", bits_name(types[0]),
                   ptx::name_of(types[1])));
  define(0, operand(0), types[0]);
  use(1, operand(1), types[0]);
  use(2, operand(2), types[0]);
  use(3, operand(3), types[1]);
}

}  // namespace tilewise::vgpu
