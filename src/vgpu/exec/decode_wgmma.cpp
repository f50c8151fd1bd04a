// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of wgmma (PTX ISA 9.0, section 9.7.15).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/warp.hpp"
#include "vgpu/exec/wgmma_op.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Type;

namespace {

constexpr std::array kIntegerColumns{8,   16,  24,  32,  48,  64,  80,  96,  112,
                                     128, 144, 160, 176, 192, 208, 224, 240, 256};

bool is_fp8(MatrixType type) { return type == MatrixType::kE4m3 || type == MatrixType::kE5m2; }
bool is_byte(MatrixType type) { return type == MatrixType::kS8 || type == MatrixType::kU8; }

bool has_types(const MatrixProduct& p) {
  const bool f32 = p.accumulator == MatrixType::kF32, f16 = p.accumulator == MatrixType::kF16;
  if (is_fp8(p.a) && is_fp8(p.b)) return f32 || f16;
  if (is_byte(p.a) && is_byte(p.b)) return p.accumulator == MatrixType::kS32;
  if (p.a != p.b) return false;
  if (p.a == MatrixType::kF16) return f32 || f16;
  return (p.a == MatrixType::kBf16 || p.a == MatrixType::kTf32) && f32;
}

bool has_columns(const MatrixProduct& p) {
  if (is_byte(p.a)) return std::ranges::find(kIntegerColumns, p.n) != kIntegerColumns.end();
  return p.n >= 8 && p.n <= 256 && p.n % 8 == 0;
}

// m64nNkK
bool read_shape(std::string_view text, MatrixProduct& p) {
  if (!text.starts_with("m64n")) return false;
  const char* const end = text.data() + text.size();
  const auto columns = std::from_chars(text.data() + 4, end, p.n);
  if (columns.ec != std::errc{} || columns.ptr == end || *columns.ptr != 'k') return false;
  const auto depth = std::from_chars(columns.ptr + 1, end, p.k);
  return depth.ec == std::errc{} && depth.ptr == end;
}

}  // namespace

void Decoder::wgmma() {
  ignore({"sync", "aligned"});
  if (take("fence")) {
    expect_operands(0, 0);
    emit("wgmma.fence");
  } else if (take("commit_group")) {
    expect_operands(0, 0);
    emit("wgmma.commit_group");
  } else if (take("wait_group")) {
    expect_operands(1, 1);
    if (operand(0).kind != OperandKind::kInteger) malformed_here("wait_group needs a constant");
    emit("wgmma.wait_group").imm = static_cast<std::int64_t>(operand(0).bits);
  } else if (take("mma_async")) {
    wgmma_product();
  } else {
    malformed_here("expected .mma_async, .fence, .commit_group or .wait_group");
  }
}

// wgmma.mma_async.sync.aligned.shape.d.a.b D, A, B, scale-d{, imm-scale-a, imm-scale-b{, imm-trans-…}}
void Decoder::wgmma_product() {
  if (in_->has("sp")) unsupported_here("sparse wgmma");
  MatrixOp matrix;
  MatrixProduct& p = matrix.product;
  p.m = kWarpRows;
  p.is_wgmma = true;
  const auto shape =
      std::ranges::find_if(in_->modifiers, [&p](std::string_view m) { return read_shape(m, p); });
  if (shape == in_->modifiers.end()) malformed_here("expected a shape such as .m64n128k16");
  take(*shape);
  p.saturate = take("satfinite");
  const std::vector<MatrixType> types = take_matrix_types();
  if (types.size() != 3) malformed_here("expected the types of D, A and B");
  p.accumulator = types[0], p.a = types[1], p.b = types[2];
  if (!has_types(p) || !has_columns(p) || p.k * bits_of(p.a) != 8 * static_cast<int>(kDepthBytes)) {
    unsupported_here(
        fmt::format("{} of .{}.{}.{}", *shape, name_of(p.accumulator), name_of(p.a), name_of(p.b)));
  }
  if (p.saturate && p.accumulator != MatrixType::kS32) malformed_here(".satfinite needs .s32");
  WgmmaOp wgmma;
  wgmma.a_in_registers = operand(1).kind == OperandKind::kVector;
  emit("wgmma.mma_async").imm = static_cast<std::int64_t>(out_.program.wgmma_ops.size());
  wgmma_operands(matrix, wgmma);
  matrix.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  for (auto r = out_.references.rbegin(); r != out_.references.rend(); ++r) {
    if (r->op != out_.program.ops.size() - 1) break;
    r->is_matrix = true;
  }
  const int from_shared = (wgmma.a_in_registers ? 0 : kWarpgroupRows) + p.n;
  matrix.shared_bytes = from_shared * static_cast<int>(kDepthBytes);
  wgmma.matrix = static_cast<std::uint32_t>(out_.program.matrix_ops.size());
  out_.program.matrix_ops.push_back(std::move(matrix));
  out_.program.wgmma_ops.push_back(wgmma);
}

void Decoder::wgmma_operands(MatrixOp& matrix, WgmmaOp& wgmma) {
  const MatrixProduct& p = matrix.product;
  const bool is_integer = p.accumulator == MatrixType::kS32;
  const bool may_turn = bits_of(p.a) == 16;
  const std::size_t turns = !may_turn ? 0 : wgmma.a_in_registers ? 1 : 2;
  const std::size_t count = 4 + (is_integer ? 0 : 2) + turns;
  expect_operands(count, count);
  matrix.c = matrix.d = wgmma_c_fragment(p);
  accumulate_fragment(operand(0), matrix.d);
  matrix.c.first = matrix.d.first;
  if (wgmma.a_in_registers) {
    matrix.a = mma_a_fragment(p);
    use_fragment(operand(1), matrix.a, "A");
    for (int i = 0; i < matrix.a.registers; ++i) hold_listed(matrix.a.first + i);
  } else {
    use(0, operand(1), Type::kB64);
  }
  use(1, operand(2), Type::kB64);
  const Operand& scale = operand(3);
  if (scale.kind == OperandKind::kInteger) {
    if (scale.bits > 1) malformed_here("scale-d must be 0, 1 or a predicate");
    wgmma.constant_scale = scale.bits != 0;
  } else {
    wgmma.scale_predicate = static_cast<int>(predicate(scale));
    wgmma.scale_negated = scale.negated;
  }
  if (is_integer) return;
  wgmma.negates_a = wgmma_sign(operand(4));
  wgmma.negates_b = wgmma_sign(operand(5));
  if (turns == 2) wgmma.a_major = wgmma_major(operand(6));
  if (turns > 0) wgmma.b_major = wgmma_major(operand(count - 1));
}

bool Decoder::wgmma_sign(const Operand& o) const {
  const auto value = static_cast<std::int64_t>(o.bits);
  if (o.kind != OperandKind::kInteger || (value != 1 && value != -1)) {
    malformed_here("imm-scale-a and imm-scale-b must be 1 or -1");
  }
  return value == -1;
}

MatrixMajor Decoder::wgmma_major(const Operand& o) const {
  if (o.kind != OperandKind::kInteger || o.bits > 1) malformed_here("imm-trans must be 0 or 1");
  return o.bits == 1 ? MatrixMajor::kMN : MatrixMajor::kK;
}

// Registers that are read and written, at a time of the operation's own: nobody else gets their slots.
void Decoder::accumulate_fragment(const Operand& o, Fragment& f) {
  define_fragment(o, f, "D");
  for (int i = 0; i < f.registers; ++i) {
    const std::uint32_t slot = f.first + static_cast<std::uint32_t>(i);
    hold_listed(slot);
    const Operand& each = o.kind == OperandKind::kVector ? o.elements[i] : o;
    if (each.kind != OperandKind::kRegister) malformed_here("an accumulator must be a register");
    Reference& use = refer(false, false, static_cast<std::uint32_t>(flat_register(each)));
    use.is_listed = true;
    use.slot = slot;
    accumulators_.insert(flat_register(each));
  }
}

// The slot of that entry of Program::operands is kept for its register all the time.
void Decoder::hold_listed(std::uint32_t slot) {
  for (auto r = out_.references.rbegin(); r != out_.references.rend(); ++r) {
    if (!r->is_listed || r->slot != slot || r->is_constant) continue;
    out_.held_registers.insert(r->index);
    return;
  }
}

// Copies of held registers, and copies of those, hold results on their way too.
void Decoder::hold_copies() {
  for (bool grows = true; grows;) {
    grows = false;
    for (const RegisterCopy& copy : copies_) {
      if (!out_.held_registers.contains(static_cast<std::uint32_t>(copy.from))) continue;
      out_.held_copies.insert(static_cast<std::uint32_t>(copy.op));
      grows |= out_.held_registers.insert(static_cast<std::uint32_t>(copy.to)).second;
    }
  }
}

// A copy of an accumulator on its way, which compilers make where the machine code has none, waits for it.
void Decoder::settle_copies() {
  hold_copies();
  for (const RegisterCopy& copy : copies_) {
    if (!accumulators_.contains(copy.from) && !accumulators_.contains(copy.to)) continue;
    const HandlerEntry* const settled = find_handler("mov.b32.settled", true);
    Op& op = out_.program.ops[copy.op];
    PlainHandlers& plain = out_.plain[copy.op];
    if (op.body) op.body = plain.body = settled->masked;
    else op.full = op.masked = plain.full = plain.masked = settled->masked;
  }
}

}  // namespace tilewise::vgpu
