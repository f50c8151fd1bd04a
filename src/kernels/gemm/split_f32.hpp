// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the pass is told that splits f32 operands into pairs of f16, the same for host and device.
#pragma once

namespace tilewise::kernels {

inline constexpr int kSplitX = 32;   ///< rows of A or columns of B that a block splits
inline constexpr int kSplitK = 512;  ///< and k

/// A or B, and where its halves go.
struct SplitFactor {
  const float* source;
  long long leading_dimension;  ///< elements
  int along_k;                  ///< whether neighbours in memory are neighbours in k
  int count;                    ///< rows of A or columns of B
  unsigned short* halves;       ///< f16 [2][count][pitch]: upper halves, then lower ones
  float* unscale;               ///< [count]: what a product with this row is multiplied by
  unsigned* suspects;  ///< [⌈k / kSplitK⌉][⌈count / kSplitX⌉]: 1 where halves do not do
};

struct SplitArguments {
  SplitFactor factors[2];
  int k, pitch;  ///< pitch: elements from one row of halves to the next, a multiple of 8
};

}  // namespace tilewise::kernels
