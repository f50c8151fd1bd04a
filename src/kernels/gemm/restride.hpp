// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the pass is told that copies a factor to where its rows begin aligned, the same for host and device.
#pragma once

#include "kernels/gemm/arguments.hpp"

namespace tilewise::kernels {

inline constexpr int kRestrideThreads = 256;
inline constexpr int kRestrideBytes =
    2048;  ///< of a row, that a block copies at a time: 16 for each of 128 threads
inline constexpr int kRestrideRows = 4;  ///< and rows

struct RestrideArguments {
  GemmFactor source;
  void* to;               ///< [matrix][rows][pitch], aligned to 16 bytes
  long long rows, width;  ///< width: elements of a row
  long long pitch,
      stride;  ///< elements from row to row, a multiple of 16 bytes, and from matrix to matrix
};

}  // namespace tilewise::kernels
