// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// ldmatrix: 8×8 matrices of 16-bit elements from shared memory into the registers of a warp, in the
// arrangement that mma.sync takes. Lane i of each eight gives the address of a row: 16 bytes.
// PTX ISA, "Warp-level matrix load instruction: ldmatrix". sm_75.
#pragma once

#include "kernels/ptx/address.cuh"

namespace ptx {

// Four matrices; lanes 0–7 point at the rows of the first, 8–15 of the second, and so on. Register i
// gets the elements 2·(lane % 4) and the next of row lane / 4 of matrix i.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row)));
}

// The same with each matrix transposed: elements 2·(lane % 4) and the next of column lane / 4.
__device__ __forceinline__ void ldmatrix_x4_transposed(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row)));
}

// stmatrix, the other way: register i holds elements 2·(lane % 4) and the next of row lane / 4 of matrix i,
// and lanes point at rows as above. sm_90.
__device__ __forceinline__ void stmatrix_x4(void* row, unsigned first, unsigned second,
                                            unsigned third, unsigned fourth) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(first), "r"(second), "r"(third), "r"(fourth)
      : "memory");
}

// The same with each matrix transposed: lanes point at where its columns go.
__device__ __forceinline__ void stmatrix_x4_transposed(void* column, unsigned first,
                                                       unsigned second, unsigned third,
                                                       unsigned fourth) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(column)),
               "r"(first), "r"(second), "r"(third), "r"(fourth)
               : "memory");
}

}  // namespace ptx
