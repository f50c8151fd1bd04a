// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/matrix_op.hpp"
#include "vgpu/exec/wgmma_op.hpp"

namespace tilewise::vgpu {
namespace {

constexpr int kWarpLanes = 32;

Fragment empty_fragment(int cells, int element_bits) {
  Fragment f;
  f.element_bits = element_bits;
  f.elements = element_bits == 64 ? 1 : 32 / element_bits;
  f.registers = cells / (kWarpLanes * f.elements);
  f.cells.reserve(static_cast<std::size_t>(cells));
  return f;
}

// A and B alike: `outer` rows of A or columns of B, eight to a register, then further along k.
Fragment operand_fragment(int outer, int k, int element_bits) {
  Fragment f = empty_fragment(outer * k, element_bits);
  const int groups = outer / 8;
  for (int r = 0; r < f.registers; ++r) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      for (int e = 0; e < f.elements; ++e) {
        const int line = lane / 4 + 8 * (r % groups);
        const int depth = (r / groups * 4 + lane % 4) * f.elements + e;
        f.cells.push_back(static_cast<std::uint16_t>(line * k + depth));
      }
    }
  }
  return f;
}

}  // namespace

Fragment mma_a_fragment(const MatrixProduct& p) { return operand_fragment(p.m, p.k, bits_of(p.a)); }
Fragment mma_b_fragment(const MatrixProduct& p) { return operand_fragment(p.n, p.k, bits_of(p.b)); }

// Pairs of neighbouring columns: two registers, or the halves of one of f16.
Fragment mma_c_fragment(const MatrixProduct& p) {
  Fragment f = empty_fragment(p.m * p.n, bits_of(p.accumulator));
  const int registers_per_row = 2 / f.elements;
  for (int r = 0; r < f.registers; ++r) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      for (int e = 0; e < f.elements; ++e) {
        const int row = lane / 4 + 8 * (r / registers_per_row);
        const int column = lane % 4 * 2 + r % registers_per_row + e;
        f.cells.push_back(static_cast<std::uint16_t>(row * p.n + column));
      }
    }
  }
  return f;
}

// Tiles of 16×8, each as mma has its C.
Fragment wgmma_c_fragment(const MatrixProduct& p) {
  MatrixProduct tile = p;
  tile.n = 8;
  const Fragment one = mma_c_fragment(tile);
  Fragment f = empty_fragment(p.m * p.n, bits_of(p.accumulator));
  for (int column = 0; column < p.n; column += tile.n) {
    for (const int cell : one.cells) {
      f.cells.push_back(static_cast<std::uint16_t>(cell / tile.n * p.n + column + cell % tile.n));
    }
  }
  return f;
}

}  // namespace tilewise::vgpu
