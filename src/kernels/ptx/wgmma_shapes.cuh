// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma of 16-bit floats in every width that is used here: 64×kN += 64×16 · 16×kN, sums in f32. PTX
// ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". sm_90a.
//
// Warp w of the warpgroup holds rows 16w to 16w + 15: sum[4j] and sum[4j + 1] are columns 8j + 2·(lane %
// 4) and the next of row 16w + lane / 4, sum[4j + 2] and sum[4j + 3] the same columns of row 16w + lane
// / 4 + 8.
#pragma once

#include <type_traits>

#include "kernels/ptx/half_types.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace ptx {

// Whether k runs along the rows of 128 (or 64) bytes in which the tile lies, or across them.
enum class Along { kK, kOther };

#define TILEWISE_REGISTERS_0_4 "%0, %1, %2, %3"
#define TILEWISE_REGISTERS_4_8 "%4, %5, %6, %7"
#define TILEWISE_REGISTERS_8_16 "%8, %9, %10, %11, %12, %13, %14, %15"
#define TILEWISE_REGISTERS_16_32 \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TILEWISE_REGISTERS_32_64                                                     \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TILEWISE_REGISTERS_64_96                                                     \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define TILEWISE_REGISTERS_96_128                                                                \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define TILEWISE_SUMS_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define TILEWISE_SUMS_8(i) TILEWISE_SUMS_4(i), TILEWISE_SUMS_4(i + 4)
#define TILEWISE_SUMS_16(i) TILEWISE_SUMS_8(i), TILEWISE_SUMS_8(i + 8)
#define TILEWISE_SUMS_32(i) TILEWISE_SUMS_16(i), TILEWISE_SUMS_16(i + 16)
#define TILEWISE_SUMS_64(i) TILEWISE_SUMS_32(i), TILEWISE_SUMS_32(i + 32)

// kKeep: whether what the sums hold is added to.
#define TILEWISE_WGMMA(width, type, a_operand, b_operand, keep, across_a, across_b, registers,   \
                       ...)                                                                      \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" width "k16.f32." type "." type " {" registers \
               "}, " a_operand ", " b_operand ", " keep ", 1, 1, " across_a ", " across_b ";"    \
               : __VA_ARGS__                                                                     \
               : "l"(a), "l"(b), "n"(kKeep), "n"(kAlongA == Along::kOther),                      \
                 "n"(kAlongB == Along::kOther))
#define TILEWISE_WGMMA_OF(width, a_operand, b_operand, keep, across_a, across_b, registers, ...) \
  if constexpr (std::is_same_v<Element, BF16>)                                                   \
    TILEWISE_WGMMA(width, "bf16", a_operand, b_operand, keep, across_a, across_b, registers,     \
                   __VA_ARGS__);                                                                 \
  else                                                                                           \
    TILEWISE_WGMMA(width, "f16", a_operand, b_operand, keep, across_a, across_b, registers,      \
                   __VA_ARGS__)

// Starts sum = A·B + (kKeep ? sum : 0); `a` and `b` describe tiles in shared memory (describe_tile()).
template <class Element, int kN, Along kAlongA, Along kAlongB, int kKeep>
__device__ __forceinline__ void wgmma(float (&sum)[kN / 2], unsigned long long a,
                                      unsigned long long b) {
  if constexpr (kN == 8) {
    TILEWISE_WGMMA_OF("8", "%4", "%5", "%6", "%7", "%8", TILEWISE_REGISTERS_0_4,
                      TILEWISE_SUMS_4(0));
  } else if constexpr (kN == 16) {
    TILEWISE_WGMMA_OF("16", "%8", "%9", "%10", "%11", "%12",
                      TILEWISE_REGISTERS_0_4 ", " TILEWISE_REGISTERS_4_8, TILEWISE_SUMS_8(0));
  } else if constexpr (kN == 32) {
    TILEWISE_WGMMA_OF("32", "%16", "%17", "%18", "%19", "%20",
                      TILEWISE_REGISTERS_0_4 ", " TILEWISE_REGISTERS_4_8
                                             ", " TILEWISE_REGISTERS_8_16,
                      TILEWISE_SUMS_16(0));
  } else if constexpr (kN == 64) {
    TILEWISE_WGMMA_OF("64", "%32", "%33", "%34", "%35", "%36",
                      TILEWISE_REGISTERS_0_4 ", " TILEWISE_REGISTERS_4_8
                                             ", " TILEWISE_REGISTERS_8_16
                                             ", " TILEWISE_REGISTERS_16_32,
                      TILEWISE_SUMS_32(0));
  } else if constexpr (kN == 128) {
    TILEWISE_WGMMA_OF("128", "%64", "%65", "%66", "%67", "%68",
                      TILEWISE_REGISTERS_0_4
                      ", " TILEWISE_REGISTERS_4_8 ", " TILEWISE_REGISTERS_8_16
                      ", " TILEWISE_REGISTERS_16_32 ", " TILEWISE_REGISTERS_32_64,
                      TILEWISE_SUMS_64(0));
  } else if constexpr (kN == 192) {
    TILEWISE_WGMMA_OF("192", "%96", "%97", "%98", "%99", "%100",
                      TILEWISE_REGISTERS_0_4
                      ", " TILEWISE_REGISTERS_4_8 ", " TILEWISE_REGISTERS_8_16
                      ", " TILEWISE_REGISTERS_16_32 ", " TILEWISE_REGISTERS_32_64
                      ", " TILEWISE_REGISTERS_64_96,
                      TILEWISE_SUMS_64(0), TILEWISE_SUMS_32(64));
  } else if constexpr (kN == 256) {
    TILEWISE_WGMMA_OF("256", "%128", "%129", "%130", "%131", "%132",
                      TILEWISE_REGISTERS_0_4
                      ", " TILEWISE_REGISTERS_4_8 ", " TILEWISE_REGISTERS_8_16
                      ", " TILEWISE_REGISTERS_16_32 ", " TILEWISE_REGISTERS_32_64
                      ", " TILEWISE_REGISTERS_64_96 ", " TILEWISE_REGISTERS_96_128,
                      TILEWISE_SUMS_64(0), TILEWISE_SUMS_64(64));
  } else {
    static_assert(kN == 0, "a width that is not listed");
  }
}

// The same for f16 with A in registers: of rows lane / 4 and lane / 4 + 8 of the warp's 16, in turn, a[0] and a[1]
// hold k 2·(lane % 4) and the next, a[2] and a[3] those 8 further. They must stay as they are until the group has
// been waited for. B lies along k.
#define TILEWISE_WGMMA_A(width, a_operands, b_operand, keep, registers, ...)           \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" width "k16.f32.f16.f16 {" registers \
               "}, {" a_operands "}, " b_operand ", " keep ", 1, 1, 0;"                \
               : __VA_ARGS__                                                           \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(kKeep))
template <int kN, int kKeep>
__device__ __forceinline__ void wgmma_a_in_registers(float (&sum)[kN / 2], const unsigned (&a)[4],
                                                     unsigned long long b) {
  if constexpr (kN == 16) {
    TILEWISE_WGMMA_A("16", "%8, %9, %10, %11", "%12", "%13",
                     TILEWISE_REGISTERS_0_4 ", " TILEWISE_REGISTERS_4_8, TILEWISE_SUMS_8(0));
  } else if constexpr (kN == 32) {
    TILEWISE_WGMMA_A("32", "%16, %17, %18, %19", "%20", "%21",
                     TILEWISE_REGISTERS_0_4 ", " TILEWISE_REGISTERS_4_8
                                            ", " TILEWISE_REGISTERS_8_16,
                     TILEWISE_SUMS_16(0));
  } else if constexpr (kN == 64) {
    TILEWISE_WGMMA_A("64", "%32, %33, %34, %35", "%36", "%37",
                     TILEWISE_REGISTERS_0_4 ", " TILEWISE_REGISTERS_4_8 ", " TILEWISE_REGISTERS_8_16
                                            ", " TILEWISE_REGISTERS_16_32,
                     TILEWISE_SUMS_32(0));
  } else if constexpr (kN == 128) {
    TILEWISE_WGMMA_A("128", "%64, %65, %66, %67", "%68", "%69",
                     TILEWISE_REGISTERS_0_4 ", " TILEWISE_REGISTERS_4_8 ", " TILEWISE_REGISTERS_8_16
                                            ", " TILEWISE_REGISTERS_16_32
                                            ", " TILEWISE_REGISTERS_32_64,
                     TILEWISE_SUMS_64(0));
  } else {
    static_assert(kN == 0, "a width that is not listed");
  }
}

#undef TILEWISE_REGISTERS_0_4
#undef TILEWISE_REGISTERS_4_8
#undef TILEWISE_REGISTERS_8_16
#undef TILEWISE_REGISTERS_16_32
#undef TILEWISE_REGISTERS_32_64
#undef TILEWISE_REGISTERS_64_96
#undef TILEWISE_REGISTERS_96_128
#undef TILEWISE_SUMS_4
#undef TILEWISE_SUMS_8
#undef TILEWISE_SUMS_16
#undef TILEWISE_SUMS_32
#undef TILEWISE_SUMS_64
#undef TILEWISE_WGMMA
#undef TILEWISE_WGMMA_OF
#undef TILEWISE_WGMMA_A

}  // namespace ptx
