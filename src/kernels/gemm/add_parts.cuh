// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How kernels that come second add up what the first has left of parts of k (parts.cu, strip.cuh).
#pragma once

#include <type_traits>

namespace gemm {

__device__ __forceinline__ void add(float4& sum, const float4& more) {
  sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
}
__device__ __forceinline__ void add(double2& sum, const double2& more) {
  sum.x += more.x, sum.y += more.y;
}

// Adds to `sum` what is at from[part · stride] of each `step`-th part from `part` on. Four are on their way before the
// first is added, and of the rest two: behind a condition each, the compiler would wait for one after the other.
template <class Sums>
__device__ __forceinline__ void add_every(Sums& sum, const Sums* from, long long stride, int part,
                                          int step, int parts) {
  const auto add_next = [&](auto count) {
    constexpr int kCount = decltype(count)::value;
    Sums some[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) some[i] = __ldcg(from + (part + i * step) * stride);
#pragma unroll
    for (int i = 0; i < kCount; ++i) add(sum, some[i]);
    part += kCount * step;
  };
#pragma unroll 1
  while (part + 3 * step < parts) add_next(std::integral_constant<int, 4>{});
  if (part + step < parts) add_next(std::integral_constant<int, 2>{});
  if (part < parts) add_next(std::integral_constant<int, 1>{});
}

}  // namespace gemm
