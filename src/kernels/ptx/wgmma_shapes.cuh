// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma of 16-bit floats in every width: 64×kN += 64×16 · 16×kN, sums in f32. PTX
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

// Operands 0 to width / 2 - 1 of an instruction, and what they are.
#define TILEWISE_REGISTERS_8 "%0, %1, %2, %3"
#define TILEWISE_REGISTERS_16 TILEWISE_REGISTERS_8 ", %4, %5, %6, %7"
#define TILEWISE_REGISTERS_24 TILEWISE_REGISTERS_16 ", %8, %9, %10, %11"
#define TILEWISE_REGISTERS_32 TILEWISE_REGISTERS_24 ", %12, %13, %14, %15"
#define TILEWISE_REGISTERS_40 TILEWISE_REGISTERS_32 ", %16, %17, %18, %19"
#define TILEWISE_REGISTERS_48 TILEWISE_REGISTERS_40 ", %20, %21, %22, %23"
#define TILEWISE_REGISTERS_56 TILEWISE_REGISTERS_48 ", %24, %25, %26, %27"
#define TILEWISE_REGISTERS_64 TILEWISE_REGISTERS_56 ", %28, %29, %30, %31"
#define TILEWISE_REGISTERS_72 TILEWISE_REGISTERS_64 ", %32, %33, %34, %35"
#define TILEWISE_REGISTERS_80 TILEWISE_REGISTERS_72 ", %36, %37, %38, %39"
#define TILEWISE_REGISTERS_88 TILEWISE_REGISTERS_80 ", %40, %41, %42, %43"
#define TILEWISE_REGISTERS_96 TILEWISE_REGISTERS_88 ", %44, %45, %46, %47"
#define TILEWISE_REGISTERS_104 TILEWISE_REGISTERS_96 ", %48, %49, %50, %51"
#define TILEWISE_REGISTERS_112 TILEWISE_REGISTERS_104 ", %52, %53, %54, %55"
#define TILEWISE_REGISTERS_120 TILEWISE_REGISTERS_112 ", %56, %57, %58, %59"
#define TILEWISE_REGISTERS_128 TILEWISE_REGISTERS_120 ", %60, %61, %62, %63"
#define TILEWISE_REGISTERS_136 TILEWISE_REGISTERS_128 ", %64, %65, %66, %67"
#define TILEWISE_REGISTERS_144 TILEWISE_REGISTERS_136 ", %68, %69, %70, %71"
#define TILEWISE_REGISTERS_152 TILEWISE_REGISTERS_144 ", %72, %73, %74, %75"
#define TILEWISE_REGISTERS_160 TILEWISE_REGISTERS_152 ", %76, %77, %78, %79"
#define TILEWISE_REGISTERS_168 TILEWISE_REGISTERS_160 ", %80, %81, %82, %83"
#define TILEWISE_REGISTERS_176 TILEWISE_REGISTERS_168 ", %84, %85, %86, %87"
#define TILEWISE_REGISTERS_184 TILEWISE_REGISTERS_176 ", %88, %89, %90, %91"
#define TILEWISE_REGISTERS_192 TILEWISE_REGISTERS_184 ", %92, %93, %94, %95"
#define TILEWISE_REGISTERS_200 TILEWISE_REGISTERS_192 ", %96, %97, %98, %99"
#define TILEWISE_REGISTERS_208 TILEWISE_REGISTERS_200 ", %100, %101, %102, %103"
#define TILEWISE_REGISTERS_216 TILEWISE_REGISTERS_208 ", %104, %105, %106, %107"
#define TILEWISE_REGISTERS_224 TILEWISE_REGISTERS_216 ", %108, %109, %110, %111"
#define TILEWISE_REGISTERS_232 TILEWISE_REGISTERS_224 ", %112, %113, %114, %115"
#define TILEWISE_REGISTERS_240 TILEWISE_REGISTERS_232 ", %116, %117, %118, %119"
#define TILEWISE_REGISTERS_248 TILEWISE_REGISTERS_240 ", %120, %121, %122, %123"
#define TILEWISE_REGISTERS_256 TILEWISE_REGISTERS_248 ", %124, %125, %126, %127"
#define TILEWISE_SUMS_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define TILEWISE_SUMS_8 TILEWISE_SUMS_4(0)
#define TILEWISE_SUMS_16 TILEWISE_SUMS_8, TILEWISE_SUMS_4(4)
#define TILEWISE_SUMS_24 TILEWISE_SUMS_16, TILEWISE_SUMS_4(8)
#define TILEWISE_SUMS_32 TILEWISE_SUMS_24, TILEWISE_SUMS_4(12)
#define TILEWISE_SUMS_40 TILEWISE_SUMS_32, TILEWISE_SUMS_4(16)
#define TILEWISE_SUMS_48 TILEWISE_SUMS_40, TILEWISE_SUMS_4(20)
#define TILEWISE_SUMS_56 TILEWISE_SUMS_48, TILEWISE_SUMS_4(24)
#define TILEWISE_SUMS_64 TILEWISE_SUMS_56, TILEWISE_SUMS_4(28)
#define TILEWISE_SUMS_72 TILEWISE_SUMS_64, TILEWISE_SUMS_4(32)
#define TILEWISE_SUMS_80 TILEWISE_SUMS_72, TILEWISE_SUMS_4(36)
#define TILEWISE_SUMS_88 TILEWISE_SUMS_80, TILEWISE_SUMS_4(40)
#define TILEWISE_SUMS_96 TILEWISE_SUMS_88, TILEWISE_SUMS_4(44)
#define TILEWISE_SUMS_104 TILEWISE_SUMS_96, TILEWISE_SUMS_4(48)
#define TILEWISE_SUMS_112 TILEWISE_SUMS_104, TILEWISE_SUMS_4(52)
#define TILEWISE_SUMS_120 TILEWISE_SUMS_112, TILEWISE_SUMS_4(56)
#define TILEWISE_SUMS_128 TILEWISE_SUMS_120, TILEWISE_SUMS_4(60)
#define TILEWISE_SUMS_136 TILEWISE_SUMS_128, TILEWISE_SUMS_4(64)
#define TILEWISE_SUMS_144 TILEWISE_SUMS_136, TILEWISE_SUMS_4(68)
#define TILEWISE_SUMS_152 TILEWISE_SUMS_144, TILEWISE_SUMS_4(72)
#define TILEWISE_SUMS_160 TILEWISE_SUMS_152, TILEWISE_SUMS_4(76)
#define TILEWISE_SUMS_168 TILEWISE_SUMS_160, TILEWISE_SUMS_4(80)
#define TILEWISE_SUMS_176 TILEWISE_SUMS_168, TILEWISE_SUMS_4(84)
#define TILEWISE_SUMS_184 TILEWISE_SUMS_176, TILEWISE_SUMS_4(88)
#define TILEWISE_SUMS_192 TILEWISE_SUMS_184, TILEWISE_SUMS_4(92)
#define TILEWISE_SUMS_200 TILEWISE_SUMS_192, TILEWISE_SUMS_4(96)
#define TILEWISE_SUMS_208 TILEWISE_SUMS_200, TILEWISE_SUMS_4(100)
#define TILEWISE_SUMS_216 TILEWISE_SUMS_208, TILEWISE_SUMS_4(104)
#define TILEWISE_SUMS_224 TILEWISE_SUMS_216, TILEWISE_SUMS_4(108)
#define TILEWISE_SUMS_232 TILEWISE_SUMS_224, TILEWISE_SUMS_4(112)
#define TILEWISE_SUMS_240 TILEWISE_SUMS_232, TILEWISE_SUMS_4(116)
#define TILEWISE_SUMS_248 TILEWISE_SUMS_240, TILEWISE_SUMS_4(120)
#define TILEWISE_SUMS_256 TILEWISE_SUMS_248, TILEWISE_SUMS_4(124)

// kKeep: whether what the sums hold is added to.
#define TILEWISE_WGMMA(width, type, a_operand, b_operand, keep, across_a, across_b)           \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #width "k16.f32." type "." type            \
               " {" TILEWISE_REGISTERS_##width "}, %" #a_operand ", %" #b_operand ", %" #keep \
                                               ", 1, 1, %" #across_a ", %" #across_b ";"      \
               : TILEWISE_SUMS_##width                                                        \
               : "l"(a), "l"(b), "n"(kKeep), "n"(kAlongA == Along::kOther),                   \
                 "n"(kAlongB == Along::kOther))
#define TILEWISE_WGMMA_OF(width, ...)                                                        \
  if constexpr (kN == width) {                                                               \
    if constexpr (std::is_same_v<Element, BF16>) TILEWISE_WGMMA(width, "bf16", __VA_ARGS__); \
    else TILEWISE_WGMMA(width, "f16", __VA_ARGS__);                                          \
  }

// Starts sum = A·B + (kKeep ? sum : 0); `a` and `b` describe tiles in shared memory (describe_tile()).
template <class Element, int kN, Along kAlongA, Along kAlongB, int kKeep>
__device__ __forceinline__ void wgmma(float (&sum)[kN / 2], unsigned long long a,
                                      unsigned long long b) {
  // Width, and the numbers of the operands behind the sums.
  TILEWISE_WGMMA_OF(8, 4, 5, 6, 7, 8)
  TILEWISE_WGMMA_OF(16, 8, 9, 10, 11, 12)
  TILEWISE_WGMMA_OF(24, 12, 13, 14, 15, 16)
  TILEWISE_WGMMA_OF(32, 16, 17, 18, 19, 20)
  TILEWISE_WGMMA_OF(40, 20, 21, 22, 23, 24)
  TILEWISE_WGMMA_OF(48, 24, 25, 26, 27, 28)
  TILEWISE_WGMMA_OF(56, 28, 29, 30, 31, 32)
  TILEWISE_WGMMA_OF(64, 32, 33, 34, 35, 36)
  TILEWISE_WGMMA_OF(72, 36, 37, 38, 39, 40)
  TILEWISE_WGMMA_OF(80, 40, 41, 42, 43, 44)
  TILEWISE_WGMMA_OF(88, 44, 45, 46, 47, 48)
  TILEWISE_WGMMA_OF(96, 48, 49, 50, 51, 52)
  TILEWISE_WGMMA_OF(104, 52, 53, 54, 55, 56)
  TILEWISE_WGMMA_OF(112, 56, 57, 58, 59, 60)
  TILEWISE_WGMMA_OF(120, 60, 61, 62, 63, 64)
  TILEWISE_WGMMA_OF(128, 64, 65, 66, 67, 68)
  TILEWISE_WGMMA_OF(136, 68, 69, 70, 71, 72)
  TILEWISE_WGMMA_OF(144, 72, 73, 74, 75, 76)
  TILEWISE_WGMMA_OF(152, 76, 77, 78, 79, 80)
  TILEWISE_WGMMA_OF(160, 80, 81, 82, 83, 84)
  TILEWISE_WGMMA_OF(168, 84, 85, 86, 87, 88)
  TILEWISE_WGMMA_OF(176, 88, 89, 90, 91, 92)
  TILEWISE_WGMMA_OF(184, 92, 93, 94, 95, 96)
  TILEWISE_WGMMA_OF(192, 96, 97, 98, 99, 100)
  TILEWISE_WGMMA_OF(200, 100, 101, 102, 103, 104)
  TILEWISE_WGMMA_OF(208, 104, 105, 106, 107, 108)
  TILEWISE_WGMMA_OF(216, 108, 109, 110, 111, 112)
  TILEWISE_WGMMA_OF(224, 112, 113, 114, 115, 116)
  TILEWISE_WGMMA_OF(232, 116, 117, 118, 119, 120)
  TILEWISE_WGMMA_OF(240, 120, 121, 122, 123, 124)
  TILEWISE_WGMMA_OF(248, 124, 125, 126, 127, 128)
  TILEWISE_WGMMA_OF(256, 128, 129, 130, 131, 132)
  static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);
}

// The same for f16 with A in registers: of rows lane / 4 and lane / 4 + 8 of the warp's 16, in turn, a[0] and a[1]
// hold k 2·(lane % 4) and the next, a[2] and a[3] those 8 further. They must stay as they are until the group has
// been waited for. B lies along k.
#define TILEWISE_WGMMA_A(width, a0, a1, a2, a3, b_operand, keep)                                \
  if constexpr (kN == width)                                                                    \
  asm volatile(                                                                                 \
      "wgmma.mma_async.sync.aligned.m64n" #width "k16.f32.f16.f16 {" TILEWISE_REGISTERS_##width \
      "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b_operand ", %" #keep ", 1, 1, 0;"      \
      : TILEWISE_SUMS_##width                                                                   \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(kKeep))
template <int kN, int kKeep>
__device__ __forceinline__ void wgmma_a_in_registers(float (&sum)[kN / 2], const unsigned (&a)[4],
                                                     unsigned long long b) {
  TILEWISE_WGMMA_A(16, 8, 9, 10, 11, 12, 13);
  TILEWISE_WGMMA_A(32, 16, 17, 18, 19, 20, 21);
  TILEWISE_WGMMA_A(64, 32, 33, 34, 35, 36, 37);
  TILEWISE_WGMMA_A(128, 64, 65, 66, 67, 68, 69);
  static_assert(kN == 16 || kN == 32 || kN == 64 || kN == 128, "a width that is not listed");
}

// The same for tf32, f32 whose 13 low bits are not read, eight k at a time: of rows lane / 4 and lane / 4 + 8 of the
// warp's 16, in turn, a[0] and a[1] hold k lane % 4, a[2] and a[3] the one four further.
#define TILEWISE_WGMMA_TF32_A(width, a0, a1, a2, a3, b_operand, keep)                            \
  if constexpr (kN == width)                                                                     \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #width                                        \
               "k8.f32.tf32.tf32 {" TILEWISE_REGISTERS_##width                                   \
               "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b_operand ", %" #keep ", 1, 1;" \
               : TILEWISE_SUMS_##width                                                           \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(kKeep))
template <int kN, int kKeep>
__device__ __forceinline__ void wgmma_tf32_a_in_registers(float (&sum)[kN / 2],
                                                          const unsigned (&a)[4],
                                                          unsigned long long b) {
  TILEWISE_WGMMA_TF32_A(16, 8, 9, 10, 11, 12, 13);
  TILEWISE_WGMMA_TF32_A(32, 16, 17, 18, 19, 20, 21);
  static_assert(kN == 16 || kN == 32, "a width that is not listed");
}

#undef TILEWISE_WGMMA
#undef TILEWISE_WGMMA_OF
#undef TILEWISE_WGMMA_A
#undef TILEWISE_WGMMA_TF32_A

}  // namespace ptx
