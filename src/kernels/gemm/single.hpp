// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device have to agree on of single tiles (single.cuh).
#pragma once

#include "kernels/gemm/any_width.hpp"

namespace tilewise::kernels {

inline constexpr int kMostSingleColumns = 128;
inline constexpr int kSinglePanel = 64;  ///< columns of B that lie side by side where k does not

/// Whether there are tiles of `columns`. Where B lies across k, they come in panels.
constexpr bool has_single_width(int columns, bool b_along_k) {
  if (columns > kMostSingleColumns) return false;
  if (!b_along_k) return columns > 0 && columns % kSinglePanel == 0;
  return columns >= 16 && columns % 8 == 0;
}

}  // namespace tilewise::kernels
