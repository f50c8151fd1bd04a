// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of tensormap.replace and tensormap.cp_fenceproxy (PTX ISA 9.0, sections 9.7.9.28 and
// 9.7.13.17).
#include <fmt/format.h>

#include "vgpu/exec/decode.hpp"
#include "vgpu/exec/tensor_map_field.hpp"

namespace tilewise::vgpu {

using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void Decoder::tensormap() {
  if (take("cp_fenceproxy")) return tensormap_copy();
  if (!take("replace") || !take("tile")) unsupported_here("this operation on tensor maps");
  std::size_t index = 0;
  while (index < kTensorMapFields.size() && !take(kTensorMapFields[index].name)) ++index;
  if (index == kTensorMapFields.size()) unsupported_here("this field of tensor maps");
  const TensorMapFieldFacts& field = kTensorMapFields[index];
  const bool shared = take("shared::cta");
  take("global");
  if (!take("b1024")) malformed_here("expected .b1024");
  if (!take(field.wide ? "b64" : "b32")) {
    malformed_here(fmt::format(".{} has the type .{}", field.name, field.wide ? "b64" : "b32"));
  }
  expect_operands(field.ordinals > 0 ? 3 : 2, field.ordinals > 0 ? 3 : 2);
  std::uint64_t ordinal = 0;
  if (field.ordinals > 0) {
    const Operand& o = operand(1);
    ordinal = o.bits;
    if (o.kind != OperandKind::kInteger || ordinal >= static_cast<unsigned>(field.ordinals)) {
      malformed_here(fmt::format("the ordinal of .{} must be a constant below {}", field.name,
                                 field.ordinals));
    }
  }
  const Operand& value = operand(field.ordinals > 0 ? 2 : 1);
  if (field.is_immediate && value.kind != OperandKind::kInteger)
    malformed_here(fmt::format("the value of .{} must be a constant", field.name));
  Op& op = emit("tensormap.replace");
  op.mode = static_cast<std::uint8_t>(index);
  op.count = static_cast<std::uint8_t>(ordinal);
  Space space = shared ? Space::kShared : Space::kGeneric;
  bool wide = false;
  address(0, operand(0), space, wide);
  out_.program.ops.back().bytes = wide ? 8 : 4;
  use(1, value, field.wide ? Type::kB64 : Type::kB32);
}

// tensormap.cp_fenceproxy.global.shared::cta.… [to], [from], 128: by all threads of a warp together.
void Decoder::tensormap_copy() {
  ignore({"global", "shared::cta", "tensormap::generic", "release", "cta", "cluster", "gpu", "sys",
          "sync", "aligned"});
  expect_operands(3, 3);
  if (operand(2).kind != OperandKind::kInteger || operand(2).bits != sizeof(TensorMap))
    malformed_here("tensormap.cp_fenceproxy copies 128 bytes");
  emit("tensormap.cp_fenceproxy");
  Space global = Space::kGlobal, shared = Space::kShared;
  bool wide = false;
  address(0, operand(0), global, wide);
  if (out_.program.ops.back().imm != 0) unsupported_here("an offset behind this address");
  address(1, operand(1), shared, wide);
  out_.program.ops.back().bytes = wide ? 8 : 4;
}

}  // namespace tilewise::vgpu
