// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of elements that strips are of, where they stand within 16 bytes, and how sums become elements of C: f32, or the
// type of A and B.
#pragma once

#include "kernels/gemm/halves.cuh"

namespace gemm {

struct StripF32 {
  using Stored = float;
};
struct StripF16 {
  using Stored = Half;
  using Element = ptx::F16;
};
struct StripBF16 {
  using Stored = Half;
  using Element = ptx::BF16;
};

// How far behind a multiple of 16 bytes it is, in elements.
template <class T> __device__ __forceinline__ int shift_of(const T* at) {
  return static_cast<int>(reinterpret_cast<size_t>(at) % 16 / sizeof(T));
}

// C = alpha·sum, already multiplied, + beta·C.
template <class Type> __device__ __forceinline__ void store_one(float* c, float sum, float beta) {
  *c = beta == 0 ? sum : fmaf(beta, *c, sum);
}
template <class Type> __device__ __forceinline__ void store_one(Half* c, float sum, float beta) {
  using Element = typename Type::Element;
  if (beta != 0) sum = fmaf(beta, widen<Element>(*c), sum);
  *c = static_cast<Half>(pack<Element>(sum, 0));
}

// What C holds of four neighbours, aligned to as much; and sums + beta · that.
__device__ __forceinline__ float4 held_four(const float* c) {
  return *reinterpret_cast<const float4*>(c);
}
__device__ __forceinline__ uint2 held_four(const Half* c) {
  return *reinterpret_cast<const uint2*>(c);
}
template <class Type>
__device__ __forceinline__ float4 added_four(const float4& sums, float beta, const float4& held) {
  return make_float4(fmaf(beta, held.x, sums.x), fmaf(beta, held.y, sums.y),
                     fmaf(beta, held.z, sums.z), fmaf(beta, held.w, sums.w));
}
template <class Type>
__device__ __forceinline__ float4 added_four(const float4& sums, float beta, const uint2& held) {
  using Element = typename Type::Element;
  const auto of = [](unsigned bits) { return widen<Element>(static_cast<Half>(bits)); };
  return added_four<Type>(sums, beta,
                          make_float4(of(held.x), of(held.x >> 16), of(held.y), of(held.y >> 16)));
}

// store_one() for four neighbours, aligned to as much.
template <class Type>
__device__ __forceinline__ void store_aligned_four(float* c, float4 sums, float beta) {
  if (beta != 0) sums = added_four<Type>(sums, beta, held_four(c));
  *reinterpret_cast<float4*>(c) = sums;
}
template <class Type>
__device__ __forceinline__ void store_aligned_four(Half* c, float4 sums, float beta) {
  using Element = typename Type::Element;
  if (beta != 0) sums = added_four<Type>(sums, beta, held_four(c));
  *reinterpret_cast<uint2*>(c) =
      make_uint2(pack<Element>(sums.x, sums.y), pack<Element>(sums.z, sums.w));
}

// Of four neighbours those that are there: `left` from the first on.
template <class Type, class C>
__device__ __forceinline__ void store_four(C* c, const float4& sums, long long left, float beta) {
  if (left >= 4 && reinterpret_cast<size_t>(c) % (4 * sizeof(C)) == 0) {
    store_aligned_four<Type>(c, sums, beta);
    return;
  }
  if (left > 0) store_one<Type>(c, sums.x, beta);
  if (left > 1) store_one<Type>(c + 1, sums.y, beta);
  if (left > 2) store_one<Type>(c + 2, sums.z, beta);
  if (left > 3) store_one<Type>(c + 3, sums.w, beta);
}

}  // namespace gemm
