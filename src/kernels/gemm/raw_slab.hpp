// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device share about factors that lie in shared memory as they do in global memory (raw_slab.cuh).
#pragma once

namespace tilewise::kernels {

/// Pieces of 16 bytes from row to row, of rows that begin anywhere within one: no two rows share one, and an odd number,
/// so that eight rows lie in different banks.
constexpr int raw_row_pieces(int row_bytes) { return (row_bytes / 16 + 1) | 1; }

/// One piece a row more, as each may begin later within its piece than the one before.
constexpr int raw_slab_bytes(int rows, int row_bytes) {
  return rows * (raw_row_pieces(row_bytes) + 1) * 16;
}

}  // namespace tilewise::kernels
