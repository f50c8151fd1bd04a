// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One wgmma.mma_async as a warp executes it: its 16 rows of the warpgroup's 64. Op::imm is its index in
// Program::wgmma_ops. r = {descriptor of A, descriptor of B}.
#pragma once

#include <cstdint>

#include "vgpu/exec/matrix_op.hpp"
#include "vgpu/exec/wgmma.hpp"

namespace tilewise::vgpu {

struct WgmmaOp {
  std::uint32_t matrix = 0;  ///< in Program::matrix_ops; its D is its C, its A may be in registers
  bool a_in_registers = false;
  bool negates_a = false, negates_b = false;
  MatrixMajor a_major = MatrixMajor::kK, b_major = MatrixMajor::kK;
  int scale_predicate = -1;  ///< D = A·B where it does not hold; -1: see below
  bool scale_negated = false;
  bool constant_scale = true;
};

/// D and C of wgmma: 16 rows a warp, eight columns to each two rows of registers (PTX ISA 9.0, figures of
/// section 9.7.15.5.1).
Fragment wgmma_c_fragment(const MatrixProduct& product);

}  // namespace tilewise::vgpu
