// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// mma.sync: sum += a·b for one small tile, computed by the 32 lanes of a warp together.
// PTX ISA, "Multiply-and-Accumulate Instruction: mma". sm_80, but for the f64 shape.
//
// Who holds what, with row = lane / 4 and pair = lane % 4: sum[0], sum[1] are columns 2·pair and
// 2·pair + 1 of the tile's row `row`, sum[2] and sum[3] the same columns of row + 8.
#pragma once

namespace ptx {

// 16×8 += 16×16 · 16×8, f16. A register holds two neighbouring k.
__device__ __forceinline__ void mma_f16(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                        unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The first of a chain: 16×8 = 16×16 · 16×8, f16.
__device__ __forceinline__ void mma_f16_from_zero(float (&sum)[4], const unsigned (&a)[4],
                                                  unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
      : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0f));
}

// 16×8 += 16×16 · 16×8, bf16.
__device__ __forceinline__ void mma_bf16(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 16×8 += 16×8 · 8×8, tf32: f32 whose 13 low bits are not read. a[0] is row `row`, k = pair; a[1] row
// + 8; a[2] and a[3] the same at k + 4. b0 is column `row`, k = pair; b1 k + 4.
__device__ __forceinline__ void mma_tf32(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The nearest tf32, ties away from zero: what mma_tf32 would else cut off is rounded. cvt.rna.tf32.f32
__device__ __forceinline__ unsigned round_to_tf32(unsigned f32_bits) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(f32_bits)));
  return rounded;
}

// 8×8 += 8×4 · 4×8, f64. a is row `row`, k = pair; b column `row`, k = pair; sum[0], sum[1] columns
// 2·pair and 2·pair + 1 of row `row`.
__device__ __forceinline__ void mma_f64_k4(double& sum0, double& sum1, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(sum0), "+d"(sum1)
               : "d"(a), "d"(b));
}

#if __CUDA_ARCH__ >= 900
// 16×8 += 16×8 · 8×8, f64: operands as mma_tf32 has them. sm_90.
__device__ __forceinline__ void mma_f64_k8(double (&sum)[4], const double (&a)[4], double b0,
                                           double b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
}

// 16×8 += 16×16 · 16×8, f64: a[i] is row `row` (+ 8 where i is odd), k = pair + 4·(i / 2); b[i] column `row`,
// k = pair + 4·i. sm_90.
__device__ __forceinline__ void mma_f64_k16(double (&sum)[4], const double (&a)[8],
                                            const double (&b)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}
#endif

}  // namespace ptx
