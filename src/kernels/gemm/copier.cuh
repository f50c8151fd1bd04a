// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a block brings a factor into shared memory, whatever its order, leading dimension and alignment: one
// element a copy, which cp.async takes from 4 bytes on.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/cp_async.cuh"

namespace gemm {

__device__ __forceinline__ void copy_element(float* to, const float* from, bool inside) {
  ptx::cp_async_4(to, from, inside);
}
__device__ __forceinline__ void copy_element(double* to, const double* from, bool inside) {
  ptx::cp_async_8(to, from, inside);
}

// A thread's share of the copies of one factor, of which a block has kLines lines (rows of A, columns of
// B) and kBK of k a step. kAlongK: the k of a line are neighbours in memory. Layout::offset(line, k) says
// where an element stands in a stage.
template <typename T, typename Layout, int kThreads, int kLines, int kBK, bool kAlongK>
struct Copier {
  static constexpr int kGoes = kLines * kBK / kThreads;
  static constexpr int kFast =
      kAlongK ? kBK : kLines;  // what neighbouring threads copy side by side
  static constexpr int kStep = kFast < kThreads ? kThreads / kFast : 1;  // of the other, a go
  static constexpr int kWide = kFast > kThreads ? kFast / kThreads : 1;  // goes along kFast
  static_assert(kGoes * kThreads == kLines * kBK);
  static_assert(kFast % kThreads == 0 || kThreads % kFast == 0);

  const T* from;
  long long leading, advance;
  long long k_left;      // of the block's part, from this step on
  int line, l;           // of the thread's first element
  long long lines_left;  // inside the matrix, from that line on

  __device__ __forceinline__ Copier(const T* matrix, long long leading_dimension,
                                    long long first_line, long long lines, const Depth& depth)
      : leading(leading_dimension), k_left(depth.end - depth.begin) {
    const int fast = threadIdx.x % kFast, slow = threadIdx.x / kFast;
    line = kAlongK ? slow : fast;
    l = kAlongK ? fast : slow;
    lines_left = lines - first_line - line;
    const long long x = first_line + line, k = depth.begin + l;
    from = matrix + (kAlongK ? x * leading + k : k * leading + x);
    advance = kAlongK ? kBK : kBK * leading;
  }

  // Asks for the next kBK of k; what lies outside becomes 0.
  __device__ __forceinline__ void copy_to(T* stage) {
    const bool whole = k_left >= kBK && lines_left > kLines - 1 - line;
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      const int along = go % kWide * kThreads, step = go / kWide * kStep;
      const int lines_on = kAlongK ? step : along, k_on = kAlongK ? along : step;
      const bool inside = whole || (lines_on < lines_left && l + k_on < k_left);
      copy_element(stage + Layout::offset(line + lines_on, l + k_on), from + step * leading + along,
                   inside);
    }
    from += advance;
    k_left -= kBK;
  }
};

}  // namespace gemm
