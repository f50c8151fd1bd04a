// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a warpgroup multiplies of f16 and bf16 at a time: 64 k of tiles in shared memory, which lie there in rows of 128
// bytes as TMA brings them: 64 k where k is contiguous, else 64 rows of A (columns of B) in panels, one row a k.
#pragma once

#include "kernels/gemm/halves.cuh"
#include "kernels/ptx/wgmma_shapes.cuh"

namespace gemm {

constexpr int kTileLine = 64;  // elements of a row of 128 bytes

// Starts what 64 k add to the sums, kTimes times those of 64 rows, and kN columns: of as many as there is room for the first.
template <class Element, ptx::Along kAlongA, ptx::Along kAlongB, int kN, int kTimes, int kRoom>
__device__ __forceinline__ void start_product_16_bit(float (&sum)[kTimes][kRoom],
                                                     const Half* rows_of_a,
                                                     const Half* columns_of_b) {
  constexpr unsigned kEightRows = 1024, kPanelBytes = kTileLine * 128;
  // A descriptor counts in 16 bytes; from k to k only its address changes.
  constexpr int kStepA = (kAlongA == ptx::Along::kK ? 16 : 16 * kTileLine) * 2 / 16;
  constexpr int kStepB = (kAlongB == ptx::Along::kK ? 16 : 16 * kTileLine) * 2 / 16;
  constexpr int kRowsA = 64 * kTileLine * 2 / 16;
  const auto a = ptx::describe_tile(rows_of_a, kEightRows, kPanelBytes);
  const auto b = ptx::describe_tile(columns_of_b, kEightRows, kPanelBytes);
  ptx::wgmma_fence();
#pragma unroll
  for (int i = 0; i < kTileLine / 16; ++i) {
#pragma unroll
    for (int j = 0; j < kTimes; ++j)
      ptx::wgmma<Element, kN, kAlongA, kAlongB, 1>(reinterpret_cast<float(&)[kN / 2]>(sum[j]),
                                                   a + i * kStepA + j * kRowsA, b + i * kStepB);
  }
  ptx::wgmma_commit();
}

}  // namespace gemm
