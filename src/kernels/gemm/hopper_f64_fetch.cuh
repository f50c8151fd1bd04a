// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How factors that TMA cannot read, of any leading dimension and alignment, come to where it would have put
// them (hopper_f64_layout.cuh): 8 bytes a cp.async, by all threads of the warpgroup that is the producer.
#pragma once

#include "kernels/gemm/hopper_f64_result.cuh"
#include "kernels/ptx/cp_async.cuh"

namespace gemm::f64 {

constexpr int kFetching = 128;  // threads

// A thread's share of one factor, of which a stage has kLines lines and kBK of k.
template <bool kAlongK, int kLines, int kBK> struct Fetcher;

template <int kLines, int kBK> struct Fetcher<true, kLines, kBK> {
  static constexpr int kStep = kFetching / 16;  // lines
  const double* from;
  long long step;
  int to, k, lines_left;

  __device__ __forceinline__ Fetcher(const double* matrix, long long leading, int first,
                                     long long lines, int first_k) {
    const int line = threadIdx.x % kFetching / 16;
    k = threadIdx.x % 16;
    to = line * 16 + (k / 2 ^ line) * 2 + k % 2;
    from = matrix + (first + line) * leading + first_k + k;
    step = kStep * leading;
    lines_left = static_cast<int>(lines - first) - line;
  }
  // Asks for the next kBK of k, of which k_left are to come.
  __device__ __forceinline__ void fetch(double* stage, int k_left) {
#pragma unroll
    for (int box = 0; box < kBK; box += 16) {
      const double* at = from + box;
      const bool is_there = k + box < k_left;
#pragma unroll 8
      for (int line = 0; line < kLines; line += kStep) {
        ptx::cp_async_8(stage + box * kLines + line * 16 + to, at, is_there && line < lines_left);
        at += step;
      }
    }
    from += kBK;
  }
};

template <int kLines, int kBK> struct Fetcher<false, kLines, kBK> {
  static constexpr int kStep = kFetching / kLines;  // k
  const double* from;
  long long step;
  int line, k;
  bool is_there;

  __device__ __forceinline__ Fetcher(const double* matrix, long long leading, int first,
                                     long long lines, int first_k) {
    line = threadIdx.x % kLines;
    k = threadIdx.x % kFetching / kLines;
    from = matrix + (first_k + static_cast<long long>(k)) * leading + first + line;
    step = kStep * leading;
    is_there = first + line < lines;
  }
  __device__ __forceinline__ void fetch(double* stage, int k_left) {
    double* const to = stage + line / 16 * (kBK * 16) + line % 2;
#pragma unroll 8
    for (int own = k; own < kBK; own += kStep) {
      ptx::cp_async_8(to + own * 16 + (line % 16 / 2 ^ own % 8) * 2, from,
                      is_there && own < k_left);
      from += step;
    }
  }
};

}  // namespace gemm::f64
