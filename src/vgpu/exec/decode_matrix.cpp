// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of mma.sync, ldmatrix, stmatrix and movmatrix (PTX ISA 9.0, section 9.7.14).
#include <fmt/format.h>

#include <array>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/matrix_modes.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

struct MmaShape {
  std::string_view name;
  int m, n, k;
};
constexpr std::array kShapes{
    MmaShape{"m8n8k4", 8, 8, 4},   MmaShape{"m8n8k16", 8, 8, 16},   MmaShape{"m16n8k4", 16, 8, 4},
    MmaShape{"m16n8k8", 16, 8, 8}, MmaShape{"m16n8k16", 16, 8, 16}, MmaShape{"m16n8k32", 16, 8, 32},
};

bool is_fp8(MatrixType type) { return type == MatrixType::kE4m3 || type == MatrixType::kE5m2; }
bool is_byte(MatrixType type) { return type == MatrixType::kS8 || type == MatrixType::kU8; }

// Depths of k that exist for m16n8, and m8n8 where it does.
bool has_mma(const MatrixProduct& p) {
  const bool tall = p.m == 16;
  const bool f32 = p.accumulator == MatrixType::kF32, f16 = p.accumulator == MatrixType::kF16;
  if (is_fp8(p.a) && is_fp8(p.b)) return tall && (p.k == 16 || p.k == 32) && (f32 || f16);
  if (is_byte(p.a) && is_byte(p.b)) {
    return p.accumulator == MatrixType::kS32 && (p.k == 16 || (tall && p.k == 32));
  }
  if (p.a != p.b) return false;
  switch (p.a) {
    case MatrixType::kF16: return tall && (p.k == 8 || p.k == 16) && (f32 || f16);
    case MatrixType::kBf16: return tall && (p.k == 8 || p.k == 16) && f32;
    case MatrixType::kTf32: return tall && (p.k == 4 || p.k == 8) && f32;
    case MatrixType::kF64:
      return p.accumulator == MatrixType::kF64 && (tall ? p.k <= 16 : p.k == 4);
    default: return false;
  }
}

std::optional<MatrixType> find_matrix_type(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(MatrixType::kF64); ++i) {
    const auto type = static_cast<MatrixType>(i);
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

Type register_type_of(const Fragment& f) { return f.element_bits == 64 ? Type::kB64 : Type::kB32; }

}  // namespace

// D, A, B and C types, in the order they are written.
std::vector<MatrixType> Decoder::take_matrix_types() {
  std::vector<MatrixType> types;
  for (const std::string_view m : in_->modifiers) {
    if (const auto type = find_matrix_type(m)) {
      types.push_back(*type);
      take(m);
    }
  }
  return types;
}

std::vector<ptx::Operand> Decoder::register_list(const Operand& o, int count,
                                                 std::string_view what) const {
  std::vector<Operand> list{o};
  if (o.kind == OperandKind::kVector) list = o.elements;
  if (static_cast<int>(list.size()) != count) {
    malformed_here(fmt::format("{} has {} registers, expected {}", what, list.size(), count));
  }
  return list;
}

void Decoder::use_fragment(const Operand& o, Fragment& f, std::string_view what) {
  const std::vector<Operand> list = register_list(o, f.registers, what);
  f.first = static_cast<std::uint32_t>(out_.program.operands.size());
  for (const Operand& each : list) use_listed(each, register_type_of(f));
}

void Decoder::define_fragment(const Operand& o, Fragment& f, std::string_view what) {
  const std::vector<Operand> list = register_list(o, f.registers, what);
  f.first = static_cast<std::uint32_t>(out_.program.operands.size());
  for (const Operand& each : list) define_listed(each, register_type_of(f));
}

// mma.sync.aligned.shape.row.col.d.a.b.c d, a, b, c
void Decoder::mma() {
  ignore({"sync", "aligned"});
  MatrixOp matrix;
  MatrixProduct& p = matrix.product;
  std::string_view shape;
  for (const MmaShape& each : kShapes) {
    if (take(each.name)) shape = each.name, p.m = each.m, p.n = each.n, p.k = each.k;
  }
  if (shape.empty()) unsupported_here("this shape of mma");
  if (!take("row") || !take("col")) unsupported_here("mma of other layouts than .row.col");
  p.saturate = take("satfinite");
  const std::vector<MatrixType> types = take_matrix_types();
  if (types.size() != 4) unsupported_here("these types of mma");
  p.accumulator = types[0], p.a = types[1], p.b = types[2];
  if (types[3] != types[0]) unsupported_here("an mma whose C and D differ in type");
  if (!has_mma(p)) {
    unsupported_here(
        fmt::format("{} of .{}.{}.{}", shape, name_of(p.accumulator), name_of(p.a), name_of(p.b)));
  }
  if (p.saturate && p.accumulator != MatrixType::kS32) malformed_here(".satfinite needs .s32");
  expect_operands(4, 4);
  matrix.d = matrix.c = mma_c_fragment(p);
  matrix.a = mma_a_fragment(p);
  matrix.b = mma_b_fragment(p);
  matrix_product(std::move(matrix));
}

// What mma and wmma.mma have in common, once the fragments are known.
void Decoder::matrix_product(MatrixOp matrix) {
  Op& op = emit(matrix.product.a == MatrixType::kF64 ? "mma.f64" : "mma");
  op.imm = static_cast<std::int64_t>(out_.program.matrix_ops.size());
  define_fragment(operand(0), matrix.d, "D");
  use_fragment(operand(1), matrix.a, "A");
  use_fragment(operand(2), matrix.b, "B");
  use_fragment(operand(3), matrix.c, "C");
  matrix.instruction = static_cast<int>(out_.program.instructions.size()) - 1;
  out_.program.matrix_ops.push_back(std::move(matrix));
}

// ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 r, [p]; stmatrix the other way round.
void Decoder::matrix_access(bool is_store) {
  ignore({"sync", "aligned"});
  if (!take("m8n8")) unsupported_here("other shapes than .m8n8");
  int count = 0;
  for (const auto& [name, value] : {std::pair{"x1", 1}, {"x2", 2}, {"x4", 4}}) {
    if (take(name)) count = value;
  }
  if (count == 0) malformed_here(".x1, .x2 or .x4 is missing");
  const bool transposed = take("trans");
  bool shared = take("shared");
  if (take("shared::cta")) shared = true;
  if (!take("b16")) unsupported_here("other elements than .b16");
  expect_operands(2, 2);
  const Operand& at = operand(is_store ? 0 : 1);
  const std::vector<Operand> registers =
      register_list(operand(is_store ? 1 : 0), count, "the list");

  Access access{shared ? Space::kShared : Space::kGeneric, Type::kB32, count};
  settle_space(at, access);
  shared = access.space == Space::kShared;
  access.space = Space::kShared;
  Op& op = emit(is_store ? "stmatrix" : "ldmatrix");
  op.bytes = 16;
  op.count = static_cast<std::uint8_t>(count);
  op.site = new_site(access, is_store);
  out_.program.sites.back().is_matrix = true;
  Space space = shared ? Space::kShared : Space::kGeneric;
  bool wide = false;
  address(0, at, space, wide);
  out_.program.ops.back().mode =
      static_cast<std::uint8_t>((transposed ? kMatrixTransposed : 0) |
                                (wide ? kMatrixWideAddress : 0) | (shared ? 0 : kMatrixGeneric));
  for (int i = 0; i < count; ++i) {
    if (is_store) use(1 + i, registers[i], Type::kB32);
    else define(1 + i, registers[i], Type::kB32);
  }
}

void Decoder::ldmatrix() { matrix_access(false); }
void Decoder::stmatrix() { matrix_access(true); }

void Decoder::movmatrix() {
  ignore({"sync", "aligned"});
  if (!take("m8n8") || !take("trans") || !take("b16"))
    unsupported_here("movmatrix that is not .m8n8.trans.b16");
  expect_operands(2, 2);
  emit("movmatrix");
  define(0, operand(0), Type::kB32);
  use(1, operand(1), Type::kB32);
}

}  // namespace tilewise::vgpu
