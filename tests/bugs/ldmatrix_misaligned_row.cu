// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: rows padded to 18 elements begin at multiples of four bytes; ldmatrix needs multiples of sixteen.
#include "matrix.cuh"

template <bool kFixed> __global__ void ldmatrix_misaligned_row(float* out) {
  constexpr int kRow = kFixed ? 24 : 18;
  __shared__ alignas(16) uint16_t a[16 * kRow], b[16 * 8];
  for (int i = threadIdx.x; i < 256; i += 32) {
    a[i / 16 * kRow + i % 16] = bf16_bits(a_element(i / 16, i % 16));
  }
  for (int i = threadIdx.x; i < 128; i += 32) b[i] = bf16_bits(b_element(i / 8, i % 8));
  __syncwarp();
  uint32_t fragment_a[4], fragment_b[2];
  load_matrix_x4(fragment_a, a + threadIdx.x % 16 * kRow + threadIdx.x / 16 * 8);  // BUG: bounds
  load_matrix_x2_turned(fragment_b, b + threadIdx.x % 16 * 8);
  float d[4] = {};
  mma_m16n8k16(d, fragment_a, fragment_b);
  const int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
  for (int i = 0; i < 4; ++i) out[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}

TILEWISE_TWINS(ldmatrix_misaligned_row, float* out);
