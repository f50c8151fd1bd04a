// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A warpgroup's sums to C in 16 bits by TMA where its columns are C's rows: boxes as result_boxes.cuh has them, but of each all
// warps have a part.
#pragma once

#include "kernels/gemm/result.cuh"

namespace gemm {

// kN columns of a warpgroup's sums, which are rows of C, as 16 bits: of each 128 bytes, in boxes of kBoxRows rows. Before it,
// whoever stored boxes has waited for these to be read, and then all have met.
template <class Element, int kN>
__device__ __forceinline__ void store_turned_boxes(const float (&sum)[kN / 2], Staging& staging,
                                                   const GemmArguments& g, const Place& place) {
  static_assert(kN * kBoxBytes <= sizeof(Staging) && kN % kBoxRows == 0);
  const auto& map = reinterpret_cast<const ptx::TensorMap&>(g.boxes.map);
  unsigned char* const rows = &staging.warps[0][0][0];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  // Of four 8×8, left and right columns of eight rows and of the next eight, lanes say where rows go.
  const int lane_row = lane / 16 * 8 + lane % 8, piece = warp * 2 + lane / 8 % 2;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 8) {
    const int row = i * 2 + lane_row;
    ptx::stmatrix_x4_transposed(
        rows + row * kBoxBytes + (piece ^ row % 8) * 16, pack<Element>(sum[i], sum[i + 1]),
        pack<Element>(sum[i + 2], sum[i + 3]), pack<Element>(sum[i + 4], sum[i + 5]),
        pack<Element>(sum[i + 6], sum[i + 7]));
  }
  ptx::fence_proxy_async();
  warpgroup_meet();
#pragma unroll 1
  for (int row = warp * kBoxRows; row < kN; row += 4 * kBoxRows)
    ptx::tma_store_3d_if(lane == 0, map, place.row, place.column + row, place.matrix,
                         rows + row * kBoxBytes);
  ptx::bulk_commit();
}

}  // namespace gemm
