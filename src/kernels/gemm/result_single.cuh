// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How sums of a single tile (single.cuh) become C, where rows of C are aligned and what it holds does not count: by as few
// instructions as there can be, for each width its own, as nothing hides them. f32 goes straight from registers; 16 bits
// go through shared memory, each warp's by themselves. Everything else is left to result.cuh and result_transposed.cuh.
#pragma once

#include "kernels/gemm/result.cuh"
#include "kernels/gemm/result_transposed.cuh"

namespace gemm::single {

// Whether all that a warp stores (a warpgroup, of Cᵀ) is there in C.
__device__ __forceinline__ bool lies_inside(const Target& target, int columns) {
  return target.rows.first == 0 && target.rows.count >= 16 && target.columns_left >= columns;
}
__device__ __forceinline__ bool lies_inside(const TransposedTarget& target, int columns) {
  return target.columns.first == 0 && target.columns.count >= 64 && target.rows_left >= columns;
}

// kN columns of f32 of a warp that lie inside whole.
template <int kN>
__device__ __forceinline__ void store_whole(const float (&sum)[kN / 2], const Target& target) {
  const int lane = threadIdx.x % 32;
  unsigned char* const upper = target.to + lane / 4 * target.pitch + lane % 4 * 8;
  unsigned char* const lower = upper + 8 * target.pitch;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    *reinterpret_cast<float2*>(upper + i * 8) = make_float2(sum[i], sum[i + 1]);
    *reinterpret_cast<float2*>(lower + i * 8) = make_float2(sum[i + 2], sum[i + 3]);
  }
}
// The same of Cᵀ: of each row of C eight lanes fill a sector, and then the next.
template <int kN>
__device__ __forceinline__ void store_whole(const float (&sum)[kN / 2],
                                            const TransposedTarget& target) {
  const int lane = threadIdx.x % 32, column = threadIdx.x / 32 % 4 * 16 + lane / 4;
  unsigned char* to = target.to + lane % 4 * 2 * target.pitch + column * 4;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    float* const first = reinterpret_cast<float*>(to);
    float* const second = reinterpret_cast<float*>(to + target.pitch);
    first[0] = sum[i], first[8] = sum[i + 2];
    second[0] = sum[i + 1], second[8] = sum[i + 3];
    to += 8 * target.pitch;
  }
}

template <int kN>
__device__ __forceinline__ void store_wide(const float (&sum)[kN / 2], const Target& target,
                                           bool is_whole, int skipped = 0) {
  if (is_whole) store_whole<kN>(sum, target);
  else store_fragments<kN>(sum, target, skipped);
}
template <int kN>
__device__ __forceinline__ void store_wide(const float (&sum)[kN / 2],
                                           const TransposedTarget& target, bool is_whole,
                                           int skipped = 0) {
  if (is_whole) store_whole<kN>(sum, target);
  else store_turned_fragments<kN>(sum, target, skipped);
}

// Two sums as 16 bits each; beyond the last of an odd number of eights, of which two are stored at a time, anything.
template <class Element, int kCount>
__device__ __forceinline__ unsigned pair_at(const float (&sum)[kCount], int at) {
  return at < kCount ? pack<Element>(sum[at], sum[at + 1]) : 0;
}

// What a warp has of shared memory, in rows of kPitch bytes. Their pieces of 16 bytes change places so that no way in or out
// has bank conflicts.
template <int kPitch> __device__ __forceinline__ int place_in_rows(int row, int piece) {
  constexpr int kPieces = kPitch / 16, kRowsOfBanks = 128 / kPitch > 1 ? 128 / kPitch : 1;
  return row * kPitch + (piece ^ (row / kRowsOfBanks & (kPieces < 8 ? kPieces - 1 : 7))) * 16;
}

// Rows of kPieces pieces of 16 bytes from there to C, as many as `has(row, piece)` says are inside.
template <int kRows, int kPieces, int kPitch, class Has>
__device__ __forceinline__ void store_pieces_of_rows(const unsigned char* rows, unsigned char* to,
                                                     long long pitch, const Has& has) {
  constexpr int kAll = kRows * kPieces;
#pragma unroll
  for (int i = 0; i < kAll; i += 32) {
    const int at = i + static_cast<int>(threadIdx.x % 32), row = at / kPieces, piece = at % kPieces;
    if ((kAll % 32 == 0 || at < kAll) && has(row, piece))
      *reinterpret_cast<uint4*>(to + row * pitch + piece * 16) =
          *reinterpret_cast<const uint4*>(rows + place_in_rows<kPitch>(row, piece));
  }
}

// kN columns of 16 bits of a warp.
template <class Element, int kN>
__device__ __forceinline__ void store_narrow(const float (&sum)[kN / 2], unsigned char* rows,
                                             const Target& target) {
  constexpr int kPitch = kN <= 16 ? 32 : kN <= 32 ? 64 : kN <= 64 ? 128 : 256;
  const int lane = threadIdx.x % 32, row = lane / 8 % 2 * 8 + lane % 8;
  // Of four 8×8, upper and lower rows of eight columns and of the next eight, lanes say where rows go.
#pragma unroll
  for (int i = 0; i < kN / 2; i += 8)
    ptx::stmatrix_x4(rows + place_in_rows<kPitch>(row, i / 4 + lane / 16), pair_at<Element>(sum, i),
                     pair_at<Element>(sum, i + 2), pair_at<Element>(sum, i + 4),
                     pair_at<Element>(sum, i + 6));
  __syncwarp();
  store_pieces_of_rows<16, kN / 8, kPitch>(rows, target.to, target.pitch, [&](int r, int piece) {
    return target.rows.has(r) && piece * 8 < target.columns_left;
  });
}
// The same of Cᵀ: of each row of C a warp has 32 bytes.
template <class Element, int kN>
__device__ __forceinline__ void store_narrow(const float (&sum)[kN / 2], unsigned char* rows,
                                             const TransposedTarget& target, int skipped = 0) {
  constexpr int kPitch = 32;
  const int lane = threadIdx.x % 32, row = lane / 16 * 8 + lane % 8, half = lane / 8 % 2;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 8)
    ptx::stmatrix_x4_transposed(rows + place_in_rows<kPitch>(i * 2 + row, half),
                                pair_at<Element>(sum, i), pair_at<Element>(sum, i + 2),
                                pair_at<Element>(sum, i + 4), pair_at<Element>(sum, i + 6));
  __syncwarp();
  const int column = threadIdx.x / 32 % 4 * 16;
  store_pieces_of_rows<kN, 2, kPitch>(
      rows, target.to + column * 2, target.pitch, [&](int r, int piece) {
        return target.columns.has(column + piece * 8) && r < target.rows_left && r >= skipped;
      });
}

}  // namespace gemm::single
