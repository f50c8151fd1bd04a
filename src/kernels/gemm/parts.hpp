// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device share about parts of k that one kernel leaves and the next adds up (parts.cu).
#pragma once

#include "kernels/gemm/arguments.hpp"

namespace tilewise::kernels {

inline constexpr int kPartsThreads = 256;  ///< of a block
inline constexpr int kMostPartGroupsLog2 = 4;
inline constexpr int kPartsPiece = 16;  ///< bytes of a row that a thread adds up

struct PartsArguments {
  long long m, n;
  const void* partials;  ///< [matrix][part][m][pitch], of f32 (f64 for f64): times alpha
  long long pitch;       ///< a multiple of 4
  int parts;
  /// So many threads share the parts of a piece: 2^groups_log2.
  int groups_log2;
  GemmScalar beta;
  GemmResult c;
};

}  // namespace tilewise::kernels
