// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a tensor-core operation knows beyond its Op: the product, and where its matrices' elements lie in
// the registers of a warp.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/exec/tensor_core.hpp"

namespace tilewise::vgpu {

/// Which register of which lane holds which element of a matrix.
struct Fragment {
  int registers = 0;                 ///< a lane
  int element_bits = 32;             ///< 64: registers of 64 bits, one element each
  int elements = 1;                  ///< of a register
  std::uint32_t first = 0;           ///< of its registers in Program::operands
  std::vector<std::uint16_t> cells;  ///< [register][lane][element]: index in the matrix, see below
};

/// One mma or wmma.mma. Cells of A are m×k by rows, of B k×n by columns, of C and D m×n by rows.
struct MatrixOp {
  MatrixProduct product;
  Fragment a, b, c, d;
  int instruction = -1;  ///< index in Program::instructions
};

/// The fragments of mma.sync (PTX ISA 9.0, section 9.7.14.5): lane / 4 is a row of A, a column of B, a row
/// of C; lane % 4 says which elements along the other dimension.
Fragment mma_a_fragment(const MatrixProduct& product);
Fragment mma_b_fragment(const MatrixProduct& product);
Fragment mma_c_fragment(const MatrixProduct& product);

}  // namespace tilewise::vgpu
