// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where matrices of f64 are, and how results reach C.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/prefetch.cuh"

namespace gemm::f64 {

// Of one matrix of a batch.
__device__ __forceinline__ const double* address_of(const GemmFactor& factor, int matrix) {
  if (factor.pointers) return static_cast<const double*>(factor.pointers[matrix]);
  return static_cast<const double*>(factor.address) + matrix * factor.stride;
}
__device__ __forceinline__ double* address_of(const GemmResult& result, int matrix, int part) {
  if (result.pointers) return static_cast<double*>(result.pointers[matrix]);
  return static_cast<double*>(result.address) + matrix * result.stride + part * result.part_stride;
}

// Where results go.
struct Result {
  double* c;
  long long leading;
  long long row, column;  // the first of a warp's or of a block's
  long long m, n;
  double alpha, beta;
  bool is_aligned;  // pairs of neighbours can be stored as such
  bool is_plain;    // that, beta is 0, and all of a warp's results are inside
};

// Of kRows × kColumns results of a warp, of part number `part` of k.
template <int kRows, int kColumns>
__device__ __forceinline__ Result result_of(const GemmArguments& g, int matrix, int part,
                                            long long row, long long column, double alpha,
                                            double beta) {
  double* const c = address_of(g.c, matrix, part);
  const bool is_aligned =
      reinterpret_cast<unsigned long long>(c) % 16 == 0 && g.c.leading_dimension % 2 == 0;
  return {c,          g.c.leading_dimension,
          row,        column,
          g.m,        g.n,
          alpha,      beta,
          is_aligned, is_aligned && beta == 0 && row + kRows <= g.m && column + kColumns <= g.n};
}

// Asks for what C holds of a warp's kRows × kColumns: into the second-level cache, before it is added to.
template <int kRows, int kColumns>
__device__ __forceinline__ void ask_for_result(const Result& to) {
  constexpr int kLine = 128 / sizeof(double), kAcross = kColumns / kLine + 1;
#pragma unroll 1
  for (int i = threadIdx.x % 32; i < kRows * kAcross; i += 32) {
    const long long row = to.row + i / kAcross, column = to.column + i % kAcross * kLine;
    if (row < to.m && column < to.n) ptx::prefetch_to_l2(to.c + row * to.leading + column);
  }
}

// What C holds of two neighbours, where they are inside.
__device__ __forceinline__ double2 held_pair(const double* c, long long columns_left,
                                             const Result& to) {
  if (to.is_aligned && columns_left >= 2) return *reinterpret_cast<const double2*>(c);
  return {columns_left > 0 ? c[0] : 0, columns_left > 1 ? c[1] : 0};
}

// C = alpha·sum + beta·held at two neighbours. Where beta is 0, what they hold does not count.
__device__ __forceinline__ void store_pair(double* c, long long columns_left, const Result& to,
                                           double first, double second, const double2& held) {
  double2 pair = make_double2(to.alpha * first, to.alpha * second);
  if (to.beta != 0)
    pair = make_double2(fma(to.alpha, first, to.beta * held.x),
                        fma(to.alpha, second, to.beta * held.y));
  if (to.is_aligned && columns_left >= 2) {
    *reinterpret_cast<double2*>(c) = pair;
    return;
  }
  if (columns_left > 0) c[0] = pair.x;
  if (columns_left > 1) c[1] = pair.y;
}
// The same of what C holds now.
__device__ __forceinline__ void store_pair(double* c, long long columns_left, const Result& to,
                                           double first, double second) {
  double2 held = {};
  if (to.beta != 0) held = held_pair(c, columns_left, to);
  store_pair(c, columns_left, to, first, second, held);
}

}  // namespace gemm::f64
