// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the pass is told that copies factors to where their rows begin aligned, the same for host and device.
#pragma once

#include "kernels/gemm/arguments.hpp"

namespace tilewise::kernels {

inline constexpr int kRestrideThreads = 256;
inline constexpr int kRestridePieces = 2;  ///< in as many rows, that a thread copies
inline constexpr int kRestridePiece = 8;   ///< halves: 16 bytes of the copy

/// Of each row of the copy the first piece and the last two are its ends: what they are made of may begin before the
/// row or end behind it. Other threads copy these.
inline constexpr int kRestrideEnds = 3;

/// A or B, and where it goes. Everything counts halves: two bytes, which all elements are multiples of.
struct RestrideFactor {
  GemmFactor source;
  void* to;                 ///< [matrix][rows][pitch], aligned to 16 bytes
  long long rows, width;    ///< width: of a row
  long long pitch, stride;  ///< from row to row, a multiple of 8, and from matrix to matrix
  int lanes_log2;  ///< 2 to the power of this many threads of a block share a row, others take more rows
  unsigned across;      ///< blocks that a row takes, without its ends
  unsigned blocks;      ///< that a matrix takes, without its ends
  unsigned end_blocks;  ///< that the ends of its rows take; 0: there is nothing to copy
  int matrices;         ///< 1 for a matrix that all products of a batch share
};

struct RestrideArguments {
  RestrideFactor factors[2];
  unsigned* arrivals;  ///< GemmSplit.arrivals, which are set to 0 on the way
  int arrivals_count;
};

}  // namespace tilewise::kernels
