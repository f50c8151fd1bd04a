// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every rung does the same way: find its block, read an element or zero, write a result.
#pragma once

// A grid holds at most 65535 blocks in y; what does not fit there goes on in z.
__device__ __forceinline__ unsigned block_y() { return blockIdx.z * gridDim.y + blockIdx.y; }

// Element (row, column) of a packed row-major matrix, zero outside it: a tile that hangs over the
// edge is filled up with zeros, which add nothing to the sums. Offsets need 64 bits: a matrix of
// more than 2^31 elements is legal.
template <typename T>
__device__ __forceinline__ T load_or_zero(const T* matrix, unsigned row, unsigned column,
                                          unsigned rows, unsigned columns) {
  return row < rows && column < columns ? matrix[size_t{row} * columns + column] : T{0};
}

// c = alpha·sum + beta·c. With beta = 0, c is not read: it may hold anything, NaN included.
template <typename T> __device__ __forceinline__ void store_result(T* c, T alpha, T sum, T beta) {
  *c = beta == T{0} ? alpha * sum : fma(alpha, sum, beta * *c);
}
