// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the pass is told that splits f32 operands into pairs of f16, the same for host and device.
#pragma once

#include "kernels/gemm/arguments.hpp"

namespace tilewise::kernels {

inline constexpr int kSplitX = 32;             ///< rows of A or columns of B that a block splits
inline constexpr int kSplitK = 128;            ///< and k
inline constexpr int kSplitEach = 8;           ///< neighbours along k of a thread
inline constexpr int kSuspectK = 2 * kSplitK;  ///< k that a word of GemmPairs::suspect is about
inline constexpr int kSplitThreads = kSplitX * kSplitK / kSplitEach;

/// A or B, and where its halves go.
struct SplitFactor {
  GemmFactor source;
  int along_k;   ///< whether neighbours in memory are neighbours in k
  int lines;     ///< rows of A or columns of B
  int blocks;    ///< that a matrix takes: ⌈lines / kSplitX⌉, with halves for each kSplitK k
  int matrices;  ///< 1 for a matrix that all products of a batch share
  GemmDivisor by_across;  ///< ⌈lines / kSplitX⌉
  /// What a scale is made from are 32 elements of a line, in fours of eight neighbours where it lies along k: from one to
  /// the next, or from eight to the next.
  int sample_step;
  /// f16 [matrix][2][lines][pitch]: upper halves, then lower ones; null: only the scales are found.
  unsigned short* halves;
  float* unscale;  ///< as GemmPairs
  unsigned short* suspect;
};

struct SplitArguments {
  SplitFactor factors[2];
  int k, pitch;        ///< pitch: elements from one line of halves to the next, a multiple of 8
  unsigned* arrivals;  ///< GemmSplit.arrivals, which are set to 0 on the way
  int arrivals_count;
};

}  // namespace tilewise::kernels
