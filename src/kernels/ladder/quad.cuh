// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Four floats at a time, for the rungs that move 128 bits an instruction. Each of those rungs is
// compiled twice: kVector = true needs the row length to be a multiple of 4, so that every quad of a
// row is aligned; kVector = false takes any shape with four guarded 32-bit accesses.
#pragma once

#include "kernels/ladder/element.cuh"

// Elements (row, column … column + 3) of a packed row-major matrix, zero outside it.
template <bool kVector>
__device__ __forceinline__ float4 load_quad_or_zero(const float* matrix, unsigned row,
                                                    unsigned column, unsigned rows,
                                                    unsigned columns) {
  const float* source = matrix + size_t{row} * columns + column;
  float4 quad = make_float4(0, 0, 0, 0);
  if constexpr (kVector) {
    if (row < rows && column < columns) quad = *reinterpret_cast<const float4*>(source);
  } else {
    if (row < rows && column < columns) quad.x = source[0];
    if (row < rows && column + 1 < columns) quad.y = source[1];
    if (row < rows && column + 2 < columns) quad.z = source[2];
    if (row < rows && column + 3 < columns) quad.w = source[3];
  }
  return quad;
}

// C(row, column … column + 3) = alpha·sum + beta·C, for the elements inside C. beta = 0 does not
// read C.
template <bool kVector>
__device__ __forceinline__ void store_quad(float* matrix, unsigned row, unsigned column,
                                           unsigned rows, unsigned columns, float alpha,
                                           const float* sum, float beta) {
  if (row >= rows) return;
  float* target = matrix + size_t{row} * columns + column;
  if constexpr (kVector) {
    if (column >= columns) return;
    float4 quad = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
    if (beta != 0) {
      const float4 old = *reinterpret_cast<const float4*>(target);
      quad = make_float4(fmaf(alpha, sum[0], beta * old.x), fmaf(alpha, sum[1], beta * old.y),
                         fmaf(alpha, sum[2], beta * old.z), fmaf(alpha, sum[3], beta * old.w));
    }
    *reinterpret_cast<float4*>(target) = quad;
  } else {
    for (int i = 0; i < 4; ++i) {
      if (column + i >= columns) return;
      store_result(target + i, alpha, sum[i], beta);
    }
  }
}

// Four consecutive floats of shared memory in one 128-bit access; `from` and `to` must be aligned
// to 16 bytes.
__device__ __forceinline__ void read_quad(float* to, const float* from) {
  const float4 quad = *reinterpret_cast<const float4*>(from);
  to[0] = quad.x;
  to[1] = quad.y;
  to[2] = quad.z;
  to[3] = quad.w;
}
__device__ __forceinline__ void write_quad(float* to, float4 quad) {
  *reinterpret_cast<float4*>(to) = quad;
}
