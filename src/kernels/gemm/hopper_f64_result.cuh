// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How results of f64 reach C.
#pragma once

#include "kernels/gemm/block.cuh"

namespace gemm::f64 {

// Where results go.
struct Result {
  double* c;
  long long leading;
  long long row, column;  // the first of a warp's or of a block's
  long long m, n;
  double alpha, beta;
  bool is_aligned;
};

// C = alpha·sum + beta·C at two neighbours. beta = 0 does not read C.
__device__ __forceinline__ void store_pair(double* c, long long columns_left, const Result& to,
                                           double first, double second) {
  if (to.is_aligned && columns_left >= 2) {
    double2 pair = make_double2(to.alpha * first, to.alpha * second);
    if (to.beta != 0) {
      const double2 old = *reinterpret_cast<const double2*>(c);
      pair = make_double2(fma(to.alpha, first, to.beta * old.x),
                          fma(to.alpha, second, to.beta * old.y));
    }
    *reinterpret_cast<double2*>(c) = pair;
    return;
  }
  if (columns_left > 0)
    c[0] = to.beta == 0 ? to.alpha * first : fma(to.alpha, first, to.beta * c[0]);
  if (columns_left > 1)
    c[1] = to.beta == 0 ? to.alpha * second : fma(to.alpha, second, to.beta * c[1]);
}

}  // namespace gemm::f64
