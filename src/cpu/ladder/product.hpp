// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every rung of the CPU's ladder computes.
#pragma once

#include <cstdint>

namespace tilewise::cpu::ladder {

/// C = alpha·A·B + beta·C in f32: A m×k, B k×n, C m×n, all row-major; m, n, k >= 0. Element (i, j)
/// of A is a[i·a_row + j], and so on. beta = 0 does not read C. Rungs read A and B whatever alpha
/// is: multiply() (ladder.hpp) gives them k = 0 for alpha = 0.
struct Product {
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1;
  const float* a = nullptr;
  std::int64_t a_row = 0;  ///< elements from one row to the next: k, or more
  const float* b = nullptr;
  std::int64_t b_row = 0;
  float beta = 0;
  float* c = nullptr;
  std::int64_t c_row = 0;
  int threads = 1;  ///< at least 1; most rungs use one all the same
};

/// C = beta·C: what the rungs that add to C begin with.
inline void scale(const Product& p) {
  if (p.beta == 1) return;
  for (std::int64_t i = 0; i < p.m; ++i) {
    float* const c = p.c + i * p.c_row;
    for (std::int64_t j = 0; j < p.n; ++j) c[j] = p.beta == 0 ? 0 : p.beta * c[j];
  }
}

}  // namespace tilewise::cpu::ladder
