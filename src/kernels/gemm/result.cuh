// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a warpgroup's sums become C. They go through shared memory, 128 bytes of 64 rows at a time: from there TMA
// takes them to C while the next tile is multiplied, or warps store them row by row, where rows of C begin anywhere
// as well. Two such pieces take turns, so that one is filled while the other is read.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/halves.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/wgmma_shapes.cuh"

namespace gemm {

// Of a warpgroup. Rows of 128 bytes, whose pieces of 16 are exchanged as TMA swizzles them.
struct alignas(1024) Staging {
  unsigned char rows[2][64][128];
};

// Where a warpgroup's sums go.
struct Place {
  int matrix, row, column;  // of C; the first row and column
};

// Matrix `number` of the batch.
template <class T> __device__ __forceinline__ T* matrix_at(const GemmResult& c, int number) {
  if (c.pointers) return static_cast<T*>(c.pointers[number]);
  return static_cast<T*>(c.address) + number * c.stride;
}

// sums += beta·C, read as the sums lie.
template <class Element, class T, int kN>
__device__ __forceinline__ void add_old(float (&sum)[kN / 2], const T* C, long long ldc, int row,
                                        int column, int m, int n, float beta) {
  const int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  column += lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < kN / 2; ++i) {
    const int r = row + i / 2 % 2 * 8, c = column + i / 4 * 8 + i % 2;
    if (r < m && c < n) sum[i] = fmaf(beta, widen<Element>(C[r * ldc + c]), sum[i]);
  }
}

__device__ __forceinline__ unsigned char* place_of(unsigned char (&rows)[64][128], int row,
                                                   int piece) {
  return &rows[row][(piece ^ row % 8) * 16];
}

// 64 columns of 16 bits (or 32, where there are no more): sums i to i + 31 of each thread.
template <class Element, int kSums>
__device__ __forceinline__ void stage_16_bit(unsigned char (&rows)[64][128], const float* sum) {
  const int lane = threadIdx.x % 32;
  // Of the four 8×8 that a warp stores at a time lanes give the rows: two below each other, twice side by side.
  const int row = threadIdx.x / 32 % 4 * 16 + lane / 8 % 2 * 8 + lane % 8;
#pragma unroll
  for (int i = 0; i < kSums; i += 8) {
    ptx::stmatrix_x4(place_of(rows, row, i / 4 + lane / 16), pack<Element>(sum[i], sum[i + 1]),
                     pack<Element>(sum[i + 2], sum[i + 3]), pack<Element>(sum[i + 4], sum[i + 5]),
                     pack<Element>(sum[i + 6], sum[i + 7]));
  }
}

// 32 columns of f32.
__device__ __forceinline__ void stage_f32(unsigned char (&rows)[64][128], const float* sum) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < 16; i += 4) {
    const int piece = i / 2 + lane % 4 / 2, offset = lane % 2 * 8;
    *reinterpret_cast<float2*>(place_of(rows, row, piece) + offset) =
        make_float2(sum[i], sum[i + 1]);
    *reinterpret_cast<float2*>(place_of(rows, row + 8, piece) + offset) =
        make_float2(sum[i + 2], sum[i + 3]);
  }
}

// A warp's 16 rows of what is staged, to rows of C that begin anywhere. 16 bits: two neighbours at a time, where
// they lie at 4 aligned bytes.
__device__ __forceinline__ void unstage(unsigned char (&rows)[64][128], Half* C, long long ldc,
                                        int row, int column, int m, int n) {
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 % 4 * 16, count = n - column;
#pragma unroll 4
  for (int r = first_row; r < first_row + 16; ++r) {
    if (row + r >= m) break;
    Half* const target = C + (row + r) * ldc + column;
    const auto at = [&](int c) {
      return reinterpret_cast<const Half*>(place_of(rows, r, c / 8))[c % 8];
    };
    // Elements from the first that lies at 4 bytes on; before it there is one at most.
    const int odd = static_cast<int>(reinterpret_cast<size_t>(target) / 2 % 2),
              first = odd + lane * 2;
    if (first + 1 < count)
      *reinterpret_cast<unsigned*>(target + first) = at(first) | unsigned{at(first + 1)} << 16;
    else if (first < count) target[first] = at(first);
    if (odd && lane == 0 && count > 0) target[0] = at(0);
  }
}
__device__ __forceinline__ void unstage(unsigned char (&rows)[64][128], float* C, long long ldc,
                                        int row, int column, int m, int n) {
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 % 4 * 16;
  if (column + lane >= n) return;
#pragma unroll 4
  for (int r = first_row; r < first_row + 16; ++r) {
    if (row + r >= m) break;
    C[(row + r) * ldc + column + lane] =
        reinterpret_cast<const float*>(place_of(rows, r, lane / 4))[lane % 4];
  }
}

// A warp's 16 rows of what is staged, kColumns of them, to rows of C that begin at multiples of 16 bytes and are
// multiples of as much long: 16 bytes a lane, whole rows of 128 side by side.
template <int kColumns, class T>
__device__ __forceinline__ void unstage_aligned(unsigned char (&rows)[64][128], T* C, long long ldc,
                                                int row, int column, int m, int n) {
  constexpr int kEach = 16 / sizeof(T), kPieces = kColumns / kEach, kTogether = 32 / kPieces;
  const int lane = threadIdx.x % 32, piece = lane % kPieces;
  const int first = threadIdx.x / 32 % 4 * 16 + lane / kPieces;
  T* to = C + (row + first) * ldc + column + piece * kEach;
  const bool is_inside = column + piece * kEach < n;
#pragma unroll
  for (int i = 0; i < 16; i += kTogether) {
    const uint4 four = *reinterpret_cast<const uint4*>(place_of(rows, first + i, piece));
    if (is_inside && row + first + i < m) *reinterpret_cast<uint4*>(to) = four;
    to += kTogether * ldc;
  }
}

// kN columns of sums, already alpha·A·B + beta·C, to C of type T. No warp waits for another.
template <class Element, class T, int kN>
__device__ __forceinline__ void store_rows(const float (&sum)[kN / 2], Staging& staging,
                                           const GemmResult& c, bool is_aligned, const Place& place,
                                           int m, int n) {
  constexpr int kWide = 128 / sizeof(T), kColumns = kWide < kN ? kWide : kN;
  T* const C = matrix_at<T>(c, place.matrix);
#pragma unroll
  for (int i = 0; i < kN / kColumns; ++i) {
    const int column = place.column + i * kColumns;
    if (column >= n || place.row >= m) break;
    auto& rows = staging.rows[i % 2];
    if constexpr (sizeof(T) == 4) stage_f32(rows, sum + i * kColumns / 2);
    else stage_16_bit<Element, kColumns / 2>(rows, sum + i * kColumns / 2);
    __syncwarp();
    if (is_aligned)
      unstage_aligned<kColumns>(rows, C, c.leading_dimension, place.row, column, m, n);
    else unstage(rows, C, c.leading_dimension, place.row, column, m, min(n, column + kColumns));
  }
  __syncwarp();  // what was staged last has been read
}

// The warpgroup's threads meet. Aligned: the compiler must see that warps stay together, or it keeps what is
// the same in all lanes (stages, descriptors) in registers of each, and wgmma waits for it at every step.
__device__ __forceinline__ void warpgroup_meet() {
  __syncwarp();
  asm volatile("barrier.cta.sync.aligned %0, 128;" ::"r"(2 + threadIdx.x / 128) : "memory");
}

// The same; whether any of them says so.
__device__ __forceinline__ bool warpgroup_meet_or(bool own) {
  __syncwarp();
  unsigned any;
  asm volatile(
      "{\n.reg .pred own, any;\nsetp.ne.u32 own, %1, 0;\n"
      "barrier.cta.red.or.pred.aligned any, %2, 128, own;\nselp.u32 %0, 1, 0, any;\n}"
      : "=r"(any)
      : "r"(static_cast<unsigned>(own)), "r"(2 + threadIdx.x / 128)
      : "memory");
  return any != 0;
}

// kN columns of sums, already alpha·A·B + beta·C, to C of type T.
template <class Element, class T, int kN>
__device__ __forceinline__ void store_sums(const float (&sum)[kN / 2], Staging& staging,
                                           const GemmResult& c, const ptx::TensorMap& map,
                                           bool has_map, const Place& place, int m, int n) {
  constexpr int kWide = 128 / sizeof(T);  // columns of the map's box
  constexpr int kColumns = kWide < kN ? kWide : kN;
  const bool leads = threadIdx.x % 128 == 0, by_map = has_map && kColumns == kWide;
  T* const C = matrix_at<T>(c, place.matrix);
#pragma unroll
  for (int i = 0; i < kN / kColumns; ++i) {
    const int column = place.column + i * kColumns;
    if (column >= n || place.row >= m) break;
    auto& rows = staging.rows[i % 2];
    if (by_map) {
      // What was stored from here before has been read.
      if (leads && i == 0) ptx::bulk_wait_read<0>();
      else if (leads) ptx::bulk_wait_read<1>();
      warpgroup_meet();
    }
    if constexpr (sizeof(T) == 4) stage_f32(rows, sum + i * kColumns / 2);
    else stage_16_bit<Element, kColumns / 2>(rows, sum + i * kColumns / 2);
    if (by_map) {
      ptx::fence_proxy_async();
      warpgroup_meet();
      if (leads) {
        ptx::tma_store_3d(map, rows, column, place.row, place.matrix);
        ptx::bulk_commit();
      }
    } else {
      __syncwarp();
      unstage(rows, C, c.leading_dimension, place.row, column, m, min(n, column + kColumns));
      __syncwarp();
    }
  }
}

// sums = alpha·sums + beta·C, C of type T.
template <class Element, class T, int kN>
__device__ __forceinline__ void complete(float (&sum)[kN / 2], const GemmArguments& g,
                                         const Place& place, float alpha, float beta) {
  if (alpha != 1) {
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha;
  }
  if (beta != 0)
    add_old<Element, T, kN>(sum, matrix_at<T>(g.c, place.matrix), g.c.leading_dimension, place.row,
                            place.column, static_cast<int>(g.m), static_cast<int>(g.n), beta);
}

// A warpgroup's sums, kN columns of them, to C = alpha·sums + beta·C.
template <class Element, int kN>
__device__ __forceinline__ void store_result(float (&sum)[kN / 2], Staging& staging,
                                             const GemmArguments& g, const ptx::TensorMap& map,
                                             const Place& place, float alpha, float beta) {
  const int m = static_cast<int>(g.m), n = static_cast<int>(g.n);
  const bool has_map = g.result_has_map != 0;
  if (g.result_bytes == 4) {
    complete<Element, float, kN>(sum, g, place, alpha, beta);
    store_sums<Element, float, kN>(sum, staging, g.c, map, has_map, place, m, n);
  } else {
    complete<Element, Half, kN>(sum, g, place, alpha, beta);
    store_sums<Element, Half, kN>(sum, staging, g.c, map, has_map, place, m, n);
  }
}

// The same without TMA: warps store rows themselves, and no thread waits for another warp.
template <class Element, int kN>
__device__ __forceinline__ void store_by_warps(float (&sum)[kN / 2], Staging& staging,
                                               const GemmArguments& g, const Place& place,
                                               float alpha, float beta) {
  const bool is_aligned = g.result_has_map != 0;
  const int m = static_cast<int>(g.m), n = static_cast<int>(g.n);
  if (g.result_bytes == 4) {
    complete<Element, float, kN>(sum, g, place, alpha, beta);
    store_rows<Element, float, kN>(sum, staging, g.c, is_aligned, place, m, n);
  } else {
    complete<Element, Half, kN>(sum, g, place, alpha, beta);
    store_rows<Element, Half, kN>(sum, staging, g.c, is_aligned, place, m, n);
  }
}

// Before a block ends: what it gave to TMA has been read.
__device__ __forceinline__ void finish_stores() {
  if (threadIdx.x % 128 == 0) ptx::bulk_wait_read<0>();
}

}  // namespace gemm
