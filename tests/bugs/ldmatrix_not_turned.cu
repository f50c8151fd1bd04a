// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: B lies row by row in shared memory and its fragments need ldmatrix with .trans, which is missing:
// only the numbers are wrong.
#include "matrix.cuh"

template <bool kFixed> __global__ void ldmatrix_not_turned(float* out) {
  __shared__ alignas(16) uint16_t a[16][16], b[16][8];
  for (int i = threadIdx.x; i < 256; i += 32)
    a[i / 16][i % 16] = bf16_bits(a_element(i / 16, i % 16));
  for (int i = threadIdx.x; i < 128; i += 32) b[i / 8][i % 8] = bf16_bits(b_element(i / 8, i % 8));
  __syncwarp();
  uint32_t fragment_a[4], fragment_b[2];
  load_matrix_x4(fragment_a, &a[threadIdx.x % 16][threadIdx.x / 16 * 8]);
  if (kFixed) {
    load_matrix_x2_turned(fragment_b, &b[threadIdx.x % 16][0]);
  } else {
    load_matrix_x2(fragment_b, &b[threadIdx.x % 16][0]);  // BUG: numerics
  }
  float d[4] = {};
  mma_m16n8k16(d, fragment_a, fragment_b);
  const int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
  for (int i = 0; i < 4; ++i) out[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}

TILEWISE_TWINS(ldmatrix_not_turned, float* out);
