// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device share about products with a handful of rows (thin.cuh): the shape of a block.
#pragma once

namespace tilewise::kernels {

inline constexpr int kThinThreads = 512, kThinWarps = kThinThreads / 32;
inline constexpr int kThinColumns = 32;  ///< of C, of a block

/// k that a block has of A, in f32, at a time.
constexpr int thin_depth(int rows) { return rows == 1 ? 4096 : 16384 / rows; }

/// Of a block: A, and later what its threads have added up.
constexpr int thin_shared_bytes(int rows, int element_bytes) {
  const int each = 16 / element_bytes;
  const int of_a = rows * (thin_depth(rows) + 2 * each) * 4;
  const int pieces = kThinColumns / each + 1;  // of a row of B, by as many lanes
  const int sums = kThinWarps * (32 / pieces) * rows * pieces * each * 4;
  return of_a > sums ? of_a : sums;
}

}  // namespace tilewise::kernels
