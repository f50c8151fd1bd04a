// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 where kernels do not care which: their bits, conversions of sums, and what feeds mma.sync.
#pragma once

#include <type_traits>

#include "kernels/ptx/half_types.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/mma.cuh"

namespace gemm {

using Half = unsigned short;  // f16 or bf16: only tensor cores look at its value

// Two sums as the lower and the upper half of 32 bits, each rounded to nearest even.
template <class Element> __device__ __forceinline__ unsigned pack(float low, float high) {
  unsigned packed;
  if constexpr (std::is_same_v<Element, ptx::BF16>)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

template <class Element> __device__ __forceinline__ float widen(Half bits) {
  float value;
  if constexpr (std::is_same_v<Element, ptx::BF16>) value = __uint_as_float(unsigned{bits} << 16);
  else asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
template <class Element> __device__ __forceinline__ float widen(float value) { return value; }

// The other way, rounded to nearest even. T: Half or float.
template <class Element, class T> __device__ __forceinline__ T narrow(float value) {
  if constexpr (std::is_same_v<T, float>) return value;
  else return static_cast<Half>(pack<Element>(value, 0));
}

// Four neighbours in a row of C, of type T (float or Half), aligned to as much.
template <class T> using FourOf = std::conditional_t<sizeof(T) == 4, float4, uint2>;

// sums + beta · what C holds of four. By value: of a reference to C the compiler loads one by one.
template <class Element>
__device__ __forceinline__ float4 plus_held(float4 sums, float beta, float4 held) {
  return make_float4(fmaf(beta, held.x, sums.x), fmaf(beta, held.y, sums.y),
                     fmaf(beta, held.z, sums.z), fmaf(beta, held.w, sums.w));
}
template <class Element>
__device__ __forceinline__ float4 plus_held(float4 sums, float beta, uint2 held) {
  const auto of = [](unsigned bits) { return widen<Element>(static_cast<Half>(bits)); };
  return plus_held<Element>(
      sums, beta, make_float4(of(held.x), of(held.x >> 16), of(held.y), of(held.y >> 16)));
}

// narrow() of four.
template <class Element, class T> __device__ __forceinline__ FourOf<T> narrow_four(float4 four) {
  if constexpr (std::is_same_v<T, float>) return four;
  else return make_uint2(pack<Element>(four.x, four.y), pack<Element>(four.z, four.w));
}

// Four 8×8 for mma.sync out of shared memory; kTransposed: as they lie there, k runs across the rows.
template <bool kTransposed>
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const unsigned char* row) {
  if constexpr (kTransposed) ptx::ldmatrix_x4_transposed(to, row);
  else ptx::ldmatrix_x4(to, row);
}

// sum += a·b, 16×8 += 16×16 · 16×8.
template <class Element>
__device__ __forceinline__ void add_product(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                            unsigned b1) {
  if constexpr (std::is_same_v<Element, ptx::BF16>) ptx::mma_bf16(sum, a, b0, b1);
  else ptx::mma_f16(sum, a, b0, b1);
}

}  // namespace gemm
