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
  using Element = float;
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

// store_one() for four neighbours, aligned to as much.
template <class Type, class C>
__device__ __forceinline__ void store_aligned_four(C* c, float4 sums, float beta) {
  using Element = typename Type::Element;
  auto* const four = reinterpret_cast<FourOf<C>*>(c);
  if (beta != 0) sums = plus_held<Element>(sums, beta, *four);
  *four = narrow_four<Element, C>(sums);
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
