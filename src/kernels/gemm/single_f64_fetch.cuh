// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How factors that TMA cannot read, of any leading dimension and alignment, come to where it would have put them
// (single_f64_operands.cuh): 8 bytes a cp.async, by four warps.
#pragma once

#include "kernels/gemm/single_f64.hpp"
#include "kernels/ptx/cp_async.cuh"

namespace gemm::f64 {

constexpr int kFetchingThreads = 128;

// A thread's share of one factor: of each stage's 16 k one and every eighth line, or of 16 lines one and every eighth k.
template <bool kAlongK> class LineFetcher {
 public:
  // Of the matrix's lines, `left` from the first on, and what k is contiguous in or not.
  __device__ __forceinline__ LineFetcher(const double* matrix, long long leading, int first,
                                         long long left, int first_k) {
    const int thread = threadIdx.x % kFetchingThreads, x = thread % 16, y = thread / 16;
    leading_ = leading;
    left_ = static_cast<int>(left);
    to_ = y * 16 + (x / 2 ^ y) * 2 + x % 2;
    k_ = kAlongK ? x : y, line_ = kAlongK ? y : x;
    from_ = kAlongK ? matrix + (first + line_) * leading + first_k + k_
                    : matrix + (first_k + k_) * leading + first + line_;
  }
  // Asks for the next 16 k of `lines`, a multiple of 8, of which k_left are to come.
  __device__ __forceinline__ void fetch(double* stage, int lines, int k_left) {
    if constexpr (kAlongK) {
      const double* at = from_;
      const bool is_there = k_ < k_left;
#pragma unroll 4
      for (int line = 0; line < lines; line += 8) {
        ptx::cp_async_8(stage + line * 16 + to_, at, is_there && line + line_ < left_);
        at += 8 * leading_;
      }
      from_ += 16;
    } else {
#pragma unroll 2
      for (int line = 0; line < lines; line += 16) {
        const bool is_there = line + line_ < left_;
        ptx::cp_async_8(stage + line * 16 + to_, from_ + line, is_there && k_ < k_left);
        ptx::cp_async_8(stage + line * 16 + 128 + to_, from_ + 8 * leading_ + line,
                        is_there && k_ + 8 < k_left);
      }
      from_ += 16 * leading_;
    }
  }

 private:
  const double* from_;
  long long leading_;
  int to_, k_, line_, left_;
};

}  // namespace gemm::f64
