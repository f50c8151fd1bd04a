// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a tensor-core operation knows beyond its Op: the product, and where its matrices' elements lie in
// the registers of a warp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vgpu/exec/tensor_core.hpp"

namespace tilewise::vgpu {

/// Which register of which lane holds which element of a matrix.
struct Fragment {
  int registers = 0;                 ///< a lane
  int copies = 1;                    ///< wmma's f16: registers repeat the first 1 / copies of them
  int element_bits = 32;             ///< 64: registers of 64 bits, one element each
  int elements = 1;                  ///< of a register
  std::uint32_t first = 0;           ///< of its registers in Program::operands
  std::vector<std::uint16_t> cells;  ///< [register][lane][element]: index in the matrix, see below
};

/// One mma or wmma.mma. Cells of A are m×k by rows, of B k×n by columns, of C and D m×n by rows.
struct MatrixOp {
  MatrixProduct product;
  bool narrow_c = false, narrow_d = false;  ///< f16 beside an accumulator of f32
  Fragment a, b, c, d;
  int instruction = -1;  ///< index in Program::instructions
  int shared_bytes =
      0;  ///< wgmma: read from shared memory by the four warps of a warpgroup together
};

/// The fragments of mma.sync (PTX ISA 9.0, section 9.7.14.5): lane / 4 is a row of A, a column of B, a row
/// of C; lane % 4 says which elements along the other dimension.
Fragment mma_a_fragment(const MatrixProduct& product);
Fragment mma_b_fragment(const MatrixProduct& product);
Fragment mma_c_fragment(const MatrixProduct& product);

enum class FragmentRole : std::uint8_t { kA, kB, kC };

/// The fragments of wmma. PTX leaves them open; these are what an H200 uses (the same as sm_80's).
Fragment wmma_fragment(FragmentRole role, const MatrixProduct& product);

/// One machine access of a wmma.load or wmma.store: what each lane touches, in units of elements: `line`
/// times the leading dimension plus `position`.
struct TileAccess {
  int site = -1;
  int bytes = 0;  ///< a lane
  int tiles = 0;  ///< ldmatrix of so many matrices, a row of 16 bytes a lane; 0: an ordinary access
  std::array<std::uint8_t, 32> line{}, position{};
};

/// One wmma.load or wmma.store.
struct FragmentMove {
  Fragment fragment;  ///< cells: line * kLineCells + position
  int element_bytes = 0;
  int lines = 0,
      positions = 0;  ///< of the matrix in memory: rows and columns, or the other way round
  std::vector<TileAccess> accesses;
};
inline constexpr int kLineCells = 256;

/// How the machine moves a fragment whose rows (`by_rows`) or columns lie together in memory. `in_shared`:
/// ldmatrix can do it.
FragmentMove wmma_move(FragmentRole role, const MatrixProduct& product, MatrixType type,
                       bool by_rows, bool in_shared);

}  // namespace tilewise::vgpu
