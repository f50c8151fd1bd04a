// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How the blocks that share a tile bring their sums together: each leaves them in global memory, and the
// last to arrive adds them up. It does so in the order of the parts, whoever is last: the same bits
// always.
#pragma once

#include "kernels/gemm/block.cuh"

namespace gemm {

// `sums`: kCount of this thread; all threads of the block call. True for the threads of the last block,
// which then hold the sum of all parts.
template <int kThreads, int kCount, typename T>
__device__ __forceinline__ bool join_parts(const GemmSplit& split, T* sums) {
  __shared__ unsigned earlier;
  const long long tile = static_cast<long long>(blockIdx.z) * gridDim.x + blockIdx.x;
  T* const partials =
      static_cast<T*>(split.partials) + tile * split.parts * (kThreads * kCount) + threadIdx.x;
  T* const own = partials + static_cast<long long>(blockIdx.y) * (kThreads * kCount);
#pragma unroll
  for (int i = 0; i < kCount; ++i) own[i * kThreads] = sums[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // the block's sums are there before its arrival is
    earlier = atomicAdd(&split.arrivals[tile], 1u);
    __threadfence();  // and the others' sums before they are read
  }
  __syncthreads();
  if (earlier + 1 != static_cast<unsigned>(split.parts)) return false;
#pragma unroll
  for (int i = 0; i < kCount; ++i) sums[i] = __ldcg(&partials[i * kThreads]);
#pragma unroll 1
  for (int part = 1; part < split.parts; ++part) {
    const T* const other = partials + static_cast<long long>(part) * (kThreads * kCount);
#pragma unroll
    for (int i = 0; i < kCount; ++i) sums[i] += __ldcg(&other[i * kThreads]);
  }
  if (threadIdx.x == 0) split.arrivals[tile] = 0;  // as it was found
  return true;
}

}  // namespace gemm
