// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Eight 16-bit elements at a time, for the rungs that compute on f16 and bf16. Each of those rungs is
// compiled twice: kVector = true needs the row length to be a multiple of 8, so that every eight of a
// row are aligned to 16 bytes; kVector = false takes any shape with eight guarded 16-bit accesses.
#pragma once

#include "kernels/ladder/element.cuh"

// f16 or bf16 on its way to a tensor core: nothing here looks at its value.
using Half = unsigned short;

// Elements (row, column … column + 7) of a packed row-major matrix, zero outside it.
template <bool kVector>
__device__ __forceinline__ uint4 load_8_or_zero(const Half* matrix, unsigned row, unsigned column,
                                                unsigned rows, unsigned columns) {
  const Half* source = matrix + size_t{row} * columns + column;
  uint4 eight = make_uint4(0, 0, 0, 0);
  if constexpr (kVector) {
    if (row < rows && column < columns) eight = *reinterpret_cast<const uint4*>(source);
  } else {
    unsigned e[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) e[i] = row < rows && column + i < columns ? source[i] : 0;
    eight = make_uint4(e[0] | e[1] << 16, e[2] | e[3] << 16, e[4] | e[5] << 16, e[6] | e[7] << 16);
  }
  return eight;
}

// C(row, column) and C(row, column + 1) = alpha·sum + beta·C, for those inside C. beta = 0 does not
// read C. kVector: columns is even.
template <bool kVector, typename T>
__device__ __forceinline__ void store_pair(T* matrix, unsigned row, unsigned column, unsigned rows,
                                           unsigned columns, T alpha, T sum0, T sum1, T beta) {
  if (row >= rows || column >= columns) return;
  T* target = matrix + size_t{row} * columns + column;
  if constexpr (kVector) {
    struct alignas(2 * sizeof(T)) Pair {
      T first, second;
    } pair{alpha * sum0, alpha * sum1};
    if (beta != 0) {
      const Pair old = *reinterpret_cast<const Pair*>(target);
      pair = {fma(alpha, sum0, beta * old.first), fma(alpha, sum1, beta * old.second)};
    }
    *reinterpret_cast<Pair*>(target) = pair;
  } else {
    store_result(target, alpha, sum0, beta);
    if (column + 1 < columns) store_result(target + 1, alpha, sum1, beta);
  }
}
