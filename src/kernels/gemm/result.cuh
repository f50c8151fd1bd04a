// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a warpgroup's sums become C. They go through shared memory, 128 bytes of a warp's 16 rows at a time, and from
// there to C row by row. No warp waits for another. Two such pieces take turns, so that one is filled while the other
// is read.
//
// A loop takes the pieces one by one, though registers can only be named in code: each piece has its own few
// instructions to leave the registers, and all share the rest. Code that is met for the first time costs more than
// what it does (docs/lab/gpu_gemm.md).
//
// Narrow tiles in f32 go straight from registers: they are for products so small that nothing hides how they end, and
// there each step of the way is a wait.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/halves.cuh"
#include "kernels/ptx/ldmatrix.cuh"

namespace gemm {

// Of a warpgroup. Rows of 128 bytes, whose pieces of 16 change places so that neither way has bank conflicts.
struct alignas(16) Staging {
  unsigned char rows[2][64][128];
};

// Where a warpgroup's sums go.
struct Place {
  int matrix, row, column;  // of C; the first row and column
};

// The same of a warp, and what of the arguments says how. A product that is small waits for each of these, so they are
// asked for before the first stage has come.
struct Target {
  Place place;
  unsigned char* to;  // the warp's first element
  long long pitch;    // bytes from row to row
  int rows_left, columns_left;
  bool is_wide;   // elements of C are f32
  bool is_plain;  // rows are aligned, and what C holds does not count

  // `count` columns further.
  __device__ __forceinline__ Target at_column(int count) const {
    Target other = *this;
    other.place.column += count;
    other.to += count * (is_wide ? 4 : 2);
    other.columns_left -= count;
    return other;
  }
};

// Matrix `number` of the batch.
template <class T> __device__ __forceinline__ T* matrix_at(const GemmResult& c, int number) {
  if (c.pointers) return static_cast<T*>(c.pointers[number]);
  return static_cast<T*>(c.address) + number * c.stride;
}

// Of this thread's warp, where `place` is the warpgroup's.
__device__ __forceinline__ Target target_of(const GemmArguments& g, const Place& place,
                                            float beta) {
  const int warp_row = static_cast<int>(threadIdx.x / 32 % 4 * 16), bytes = g.result_bytes;
  Target target{place,
                nullptr,
                g.c.leading_dimension * bytes,
                static_cast<int>(g.m) - place.row - warp_row,
                static_cast<int>(g.n) - place.column,
                bytes == 4,
                g.result_is_aligned && beta == 0};
  unsigned char* const matrix =
      g.c.pointers ? static_cast<unsigned char*>(g.c.pointers[place.matrix])
                   : static_cast<unsigned char*>(g.c.address) + place.matrix * g.c.stride * bytes;
  target.to =
      matrix + (place.row + warp_row) * target.pitch + static_cast<long long>(place.column) * bytes;
  // Here, and not where they are needed.
  asm volatile("" : "+l"(target.to), "+l"(target.pitch));
  asm volatile("" : "+r"(target.rows_left), "+r"(target.columns_left));
  return target;
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

// What a warp has staged, kBytes of its 16 rows, to rows of C that begin at multiples of sizeof(Unit) bytes and are
// multiples of as much long: a unit a lane, lanes side by side in as many rows as they fill. `to`: where the first row
// goes; of it `bytes_left` and `rows_left` are inside.
template <int kBytes, class Unit = uint4>
__device__ __forceinline__ void unstage_aligned(const unsigned char (&rows)[64][128],
                                                unsigned char* to, long long pitch, int bytes_left,
                                                int rows_left) {
  constexpr int kUnit = sizeof(Unit), kUnits = kBytes / kUnit, kTogether = 32 / kUnits;
  const int lane = threadIdx.x % 32, offset = lane % kUnits * kUnit, first = lane / kUnits;
  const unsigned char* const from = &rows[threadIdx.x / 32 % 4 * 16][offset % 16];
  to += first * pitch + offset;
  if (offset >= bytes_left) rows_left = 0;
#pragma unroll
  for (int i = 0; i < 16; i += kTogether) {
    const int row = first + i;
    const Unit unit =
        *reinterpret_cast<const Unit*>(from + row * 128 + (offset / 16 ^ row % 8) * 16);
    if (row < rows_left) *reinterpret_cast<Unit*>(to) = unit;
    to += kTogether * pitch;
  }
}

// kColumns columns of 16 bits to rows that begin at any of them. Where that is in the middle of 4 bytes, a lane stores
// the second half of its pair and the first of its neighbour's; what is left at either end of the row goes alone.
template <int kColumns>
__device__ __forceinline__ void unstage_pairs(const unsigned char (&rows)[64][128],
                                              unsigned char* to, long long pitch, int columns_left,
                                              int rows_left) {
  const int lane = threadIdx.x % 32, count = min(columns_left, kColumns);
  const unsigned char* const from = &rows[threadIdx.x / 32 % 4 * 16][lane % 4 * 4];
  to += lane * 4;
  const bool has_first = lane * 2 < count, has_second = lane * 2 + 1 < count,
             has_next = lane * 2 + 2 < count;
#pragma unroll 4
  for (int row = 0; row < 16; ++row, to += pitch) {
    const unsigned pair =
        *reinterpret_cast<const unsigned*>(from + row * 128 + (lane / 4 ^ row % 8) * 16);
    const unsigned next = __shfl_down_sync(0xFFFFFFFF, pair, 1);
    // No branches, behind which the compiler would take the warp's lanes for apart (see warpgroup_meet).
    Half* const first = reinterpret_cast<Half*>(to);
    const bool is_odd = reinterpret_cast<size_t>(to) % 4 != 0, inside = row < rows_left;
    const unsigned word = is_odd ? __byte_perm(pair, next, 0x5432) : pair;
    if (inside && (is_odd ? has_next : has_second))
      *reinterpret_cast<unsigned*>(first + is_odd) = word;
    if (inside && (is_odd ? lane == 0 && has_first : has_first && !has_second))
      *first = static_cast<Half>(pair);
    if (inside && is_odd && has_second && !has_next) first[1] = static_cast<Half>(pair >> 16);
  }
}

// kColumns columns of 16 bits to rows that do not begin aligned.
template <int kColumns>
__device__ __forceinline__ void unstage_16_bit(const unsigned char (&rows)[64][128],
                                               unsigned char* to, long long pitch, int columns_left,
                                               int rows_left) {
  // The same in all lanes; the compiler has to know (see warpgroup_meet).
  const unsigned all =
      __shfl_sync(0xFFFFFFFF,
                  static_cast<unsigned>(reinterpret_cast<size_t>(to)) |
                      static_cast<unsigned>(pitch) | static_cast<unsigned>(columns_left * 2),
                  0);
  if (all % 8 == 0)
    unstage_aligned<kColumns * 2, uint2>(rows, to, pitch, columns_left * 2, rows_left);
  else if (all % 4 == 0)
    unstage_aligned<kColumns * 2, unsigned>(rows, to, pitch, columns_left * 2, rows_left);
  else unstage_pairs<kColumns>(rows, to, pitch, columns_left, rows_left);
}

// 32 columns of f32, to which beta·C is still to be added, to rows of C that begin anywhere: an element a lane.
template <class Element, class T>
__device__ __forceinline__ void unstage_elements(const unsigned char (&rows)[64][128], T* C,
                                                 long long ldc, int columns_left, int rows_left,
                                                 float beta) {
  constexpr int kTogether = 8;  // rows
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 % 4 * 16;
  if (lane >= columns_left) return;
  C += lane;
#pragma unroll 1
  for (int first = 0; first < min(16, rows_left); first += kTogether) {
    float values[kTogether];
#pragma unroll
    for (int r = 0; r < kTogether; ++r)
      values[r] = *reinterpret_cast<const float*>(
          &rows[first_row + first + r][(lane / 4 ^ r) * 16 + lane % 4 * 4]);
    if (beta != 0) {
#pragma unroll
      for (int r = 0; r < kTogether; ++r)
        if (first + r < rows_left) values[r] = fmaf(beta, widen<Element>(C[r * ldc]), values[r]);
    }
#pragma unroll
    for (int r = 0; r < kTogether; ++r)
      if (first + r < rows_left) C[r * ldc] = narrow<Element, T>(values[r]);
    C += kTogether * ldc;
  }
}

// Piece number `piece` of kPieces, which `stage(i)` stages.
template <int kPieces, class Stage>
__device__ __forceinline__ void stage_piece(int piece, const Stage& stage) {
#pragma unroll
  for (int i = 0; i < kPieces; ++i)
    if (i == piece) stage(i);
}

// kN columns of f32 of a warp's sums, to rows as unstage_aligned() has them: of each eight rows whole sectors of 32 bytes.
template <int kN>
__device__ __forceinline__ void store_fragments(const float (&sum)[kN / 2], const Target& target) {
  const int lane = threadIdx.x % 32, column = lane % 4 * 2;
  unsigned char* const upper = target.to + lane / 4 * target.pitch + column * 4;
  unsigned char* const lower = upper + 8 * target.pitch;
  const bool has_upper = lane / 4 < target.rows_left, has_lower = lane / 4 + 8 < target.rows_left;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    const bool inside = i * 2 + column < target.columns_left;
    if (has_upper && inside)
      *reinterpret_cast<float2*>(upper + i * 8) = make_float2(sum[i], sum[i + 1]);
    if (has_lower && inside)
      *reinterpret_cast<float2*>(lower + i * 8) = make_float2(sum[i + 2], sum[i + 3]);
  }
}

// kN columns of a warpgroup's sums to C = alpha·sums + beta·C. Element: of 16 bits, where C may be of the same; else
// float. kIsNarrow: of a narrow tile.
template <class Element, int kN, bool kIsNarrow>
__device__ __forceinline__ void store_by_warps(float (&sum)[kN / 2], Staging& staging,
                                               const GemmArguments& g, const Target& target,
                                               float alpha, float beta) {
  constexpr bool kHasHalves = !std::is_same_v<Element, float>;
  const int rows_left = target.rows_left;
  int columns_left = target.columns_left;
  const long long ldc = g.c.leading_dimension;
  if (alpha != 1) {
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha;
  }
  if (kIsNarrow && target.is_wide && target.is_plain) {
    store_fragments<kN>(sum, target);
    return;
  }
  if (target.is_wide || beta != 0) {
    float* C = reinterpret_cast<float*>(target.to);
    Half* halves = reinterpret_cast<Half*>(target.to);
#pragma unroll 1
    for (int i = 0; i < kN / 32 && columns_left > 0; ++i, columns_left -= 32) {
      auto& rows = staging.rows[i % 2];
      stage_piece<kN / 32>(i, [&](int p) { stage_f32(rows, sum + p * 16); });
      __syncwarp();
      if (!kIsNarrow && target.is_plain)
        unstage_aligned<128>(rows, reinterpret_cast<unsigned char*>(C), target.pitch,
                             columns_left * 4, rows_left);
      else if (target.is_wide)
        unstage_elements<Element>(rows, C, ldc, columns_left, rows_left, beta);
      else if constexpr (kHasHalves)
        unstage_elements<Element>(rows, halves, ldc, columns_left, rows_left, beta);
      C += 32, halves += 32;
    }
  } else if constexpr (kHasHalves) {
    constexpr int kWide = kN < 64 ? kN : 64;
    unsigned char* C = target.to;
#pragma unroll 1
    for (int i = 0; i < kN / kWide && columns_left > 0; ++i, columns_left -= kWide) {
      auto& rows = staging.rows[i % 2];
      stage_piece<kN / kWide>(
          i, [&](int p) { stage_16_bit<Element, kWide / 2>(rows, sum + p * (kWide / 2)); });
      __syncwarp();
      if (target.is_plain)
        unstage_aligned<kWide * 2>(rows, C, target.pitch, columns_left * 2, rows_left);
      else unstage_16_bit<kWide>(rows, C, target.pitch, columns_left, rows_left);
      C += kWide * 2;
    }
  }
  __syncwarp();  // what was staged last has been read
}

}  // namespace gemm
