// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of wmma.load, wmma.store and wmma.mma (PTX ISA 9.0, section 9.7.14.4).
#include <fmt/format.h>

#include <array>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/matrix_modes.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

struct WmmaShape {
  std::string_view name;
  int m, n, k;
};
constexpr std::array kShapes{
    WmmaShape{"m16n16k16", 16, 16, 16}, WmmaShape{"m8n32k16", 8, 32, 16},
    WmmaShape{"m32n8k16", 32, 8, 16},   WmmaShape{"m16n16k8", 16, 16, 8},
    WmmaShape{"m8n8k4", 8, 8, 4},
};

/// Which shapes an element type of A and B has: told by k alone.
int depth_of(MatrixType type) {
  switch (type) {
    case MatrixType::kF16:
    case MatrixType::kBf16:
    case MatrixType::kS8:
    case MatrixType::kU8: return 16;
    case MatrixType::kTf32: return 8;
    case MatrixType::kF64: return 4;
    default: return 0;
  }
}

// The accumulators there are for a depth.
bool has_sum(MatrixType type, int k) {
  if (type == MatrixType::kF64) return k == 4;
  if (type == MatrixType::kF32) return k == 8 || k == 16;
  return k == 16 && (type == MatrixType::kF16 || type == MatrixType::kS32);
}

MatrixType sum_type_of(MatrixType operand) {
  switch (operand) {
    case MatrixType::kS8:
    case MatrixType::kU8: return MatrixType::kS32;
    case MatrixType::kF64: return MatrixType::kF64;
    default: return MatrixType::kF32;
  }
}

}  // namespace

MatrixProduct Decoder::take_wmma_shape() {
  MatrixProduct p;
  for (const WmmaShape& each : kShapes) {
    if (!take(each.name)) continue;
    p.m = each.m, p.n = each.n, p.k = each.k;
    return p;
  }
  unsupported_here("this shape of wmma");
}

bool Decoder::take_by_rows() {
  const bool rows = take("row");
  if (!rows && !take("col")) malformed_here("a layout, .row or .col, is missing");
  return rows;
}

void Decoder::wmma() {
  ignore({"sync", "aligned"});
  if (take("mma")) return wmma_mma();
  if (take("load")) return wmma_move(false);
  if (take("store")) return wmma_move(true);
  malformed_here("wmma needs .load, .store or .mma");
}

// Each machine access of the move gets a site of its own, one behind the other.
std::uint32_t Decoder::add_move(FragmentMove move, Space space, bool is_store) {
  Program& p = out_.program;
  p.ops.back().site = static_cast<std::int32_t>(p.sites.size());
  for (TileAccess& access : move.accesses) {
    access.site = static_cast<int>(p.sites.size());
    Site site;
    site.space = space;
    site.is_store = is_store;
    site.is_fragment = true;
    site.is_matrix = access.tiles > 0;
    site.bytes = site.counted_bytes = access.bytes;
    site.instruction = static_cast<int>(p.instructions.size()) - 1;
    p.sites.push_back(site);
  }
  p.fragment_moves.push_back(std::move(move));
  return static_cast<std::uint32_t>(p.fragment_moves.size()) - 1;
}

// wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type r, [p] {, stride}; wmma.store.d the other way.
void Decoder::wmma_move(bool is_store) {
  FragmentRole role = FragmentRole::kC;
  if (is_store) {
    if (!take("d")) malformed_here("wmma.store needs .d");
  } else if (take("a")) {
    role = FragmentRole::kA;
  } else if (take("b")) {
    role = FragmentRole::kB;
  } else if (!take("c")) {
    malformed_here("wmma.load needs .a, .b or .c");
  }
  MatrixProduct p = take_wmma_shape();
  const bool by_rows = take_by_rows();
  Access access;
  if (take("global")) access.space = Space::kGlobal;
  else if (take("shared") || take("shared::cta")) access.space = Space::kShared;
  const std::vector<MatrixType> types = take_matrix_types();
  if (types.size() != 1) malformed_here("wmma.load and wmma.store need one type");
  const MatrixType type = types[0];
  const bool known = role == FragmentRole::kC ? has_sum(type, p.k) : depth_of(type) == p.k;
  if (!known) unsupported_here(fmt::format("this shape of .{}", name_of(type)));
  p.a = p.b = p.accumulator = type;
  expect_operands(2, 3);
  const Operand& at = operand(is_store ? 0 : 1);
  settle_space(at, access);

  Op& op = emit(is_store ? "wmma.store" : "wmma.load");
  op.bytes = static_cast<std::uint8_t>(bits_of(type) / 8);
  op.count = 1;
  FragmentMove move = vgpu::wmma_move(role, p, type, by_rows, access.space == Space::kShared);
  Space space = access.space;
  bool wide = false;
  address(0, at, space, wide);
  out_.program.ops.back().mode = static_cast<std::uint8_t>(wide ? kMatrixWideAddress : 0);
  if (in_->operands.size() == 3) {
    use(1, operand(2), Type::kB32);
  } else {
    reference(1, false, true, constant(static_cast<std::uint64_t>(move.positions), false));
  }
  if (is_store) use_fragment(operand(1), move.fragment, "D");
  else define_fragment(operand(0), move.fragment, "the fragment");
  const std::uint32_t index = add_move(std::move(move), access.space, is_store);
  out_.program.ops.back().r[5] = index;
}

// wmma.mma.sync.aligned.alayout.blayout.shape.d{.a.b}.c d, a, b, c: the types of A and B are written
// unless they are f16.
void Decoder::wmma_mma() {
  MatrixOp matrix;
  matrix.product = take_wmma_shape();
  MatrixProduct& p = matrix.product;
  const bool rows = take("row"), columns = take("col");
  if (!rows && !columns) malformed_here("the layouts of A and B are missing");
  p.saturate = take("satfinite");
  if (in_->has("rn")) take("rn");
  const std::vector<MatrixType> types = take_matrix_types();
  if (types.size() != 2 && types.size() != 4) unsupported_here("these types of wmma.mma");
  const MatrixType d = types.front(), c = types.back();
  p.a = types.size() == 4 ? types[1] : MatrixType::kF16;
  p.b = types.size() == 4 ? types[2] : MatrixType::kF16;
  const bool halves = p.a == MatrixType::kF16;
  p.accumulator = halves && d == MatrixType::kF16 && c == d ? d : sum_type_of(p.a);
  matrix.narrow_c = c == MatrixType::kF16 && p.accumulator == MatrixType::kF32;
  matrix.narrow_d = d == MatrixType::kF16 && p.accumulator == MatrixType::kF32;
  if (p.a != p.b || depth_of(p.a) != p.k || (!matrix.narrow_c && c != p.accumulator) ||
      (!matrix.narrow_d && d != p.accumulator) ||
      (!halves && (matrix.narrow_c || matrix.narrow_d))) {
    unsupported_here(fmt::format("wmma.mma of .{}.{}.{}.{} in this shape", name_of(d), name_of(p.a),
                                 name_of(p.b), name_of(c)));
  }
  if (p.saturate && p.accumulator != MatrixType::kS32) unsupported_here(".satfinite of floats");
  expect_operands(4, 4);
  if (p.a == MatrixType::kTf32) p.step = 4;  // two machine instructions
  matrix.a = wmma_fragment(FragmentRole::kA, p);
  matrix.b = wmma_fragment(FragmentRole::kB, p);
  MatrixProduct sum = p;
  sum.accumulator = c;
  matrix.c = wmma_fragment(FragmentRole::kC, sum);
  sum.accumulator = d;
  matrix.d = wmma_fragment(FragmentRole::kC, sum);
  matrix_product(std::move(matrix));
}

}  // namespace tilewise::vgpu
