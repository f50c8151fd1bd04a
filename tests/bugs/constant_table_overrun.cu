// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bug: the index into a table in constant memory comes from memory and is as large as the table.
#include "ptx.cuh"

__constant__ int table[8] = {7, 6, 5, 4, 3, 2, 1, 0};

template <bool kFixed> __global__ void constant_table_overrun(const int* in, int* out) {
  const int i = in[threadIdx.x] / 4;
  out[threadIdx.x] = table[kFixed ? i % 8 : i];  // BUG: bounds
}

TILEWISE_TWINS(constant_table_overrun, const int* in, int* out);
