// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a warpgroup's sums become C. They go through shared memory, eight rows of a warp's 16 and up to 256 bytes of them
// at a time, and from there to C row by row. No warp waits for another. Two such pieces take turns, so that one is
// filled while the other is read.
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
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm {

// Of a warpgroup. The memory takes 256 bytes of each of two rows at a time a tenth faster than 128 of four.
struct alignas(1024) Staging {
  static constexpr int kRows = 8, kRowBytes = 256;
  unsigned char warps[4][2][kRows * kRowBytes];
};

// Where a warpgroup's sums go.
struct Place {
  int matrix, row, column;  // of C; the first row and column
  int above = 0;            // rows from there on that others store
  int part = 0;             // of k
};

// Of several rows those that are stored.
struct RowsInside {
  int first, count;

  __device__ __forceinline__ bool has(int row) const {
    return static_cast<unsigned>(row - first) < static_cast<unsigned>(count);
  }
  __device__ __forceinline__ RowsInside from(int row) const { return {first - row, count}; }
};

// The same of a warp, and what of the arguments says how. A product that is small waits for each of these, so they are
// asked for before the first stage has come.
struct Target {
  Place place;
  unsigned char* to;  // the warp's first element
  long long pitch;    // bytes from row to row
  RowsInside rows;
  int columns_left;
  bool is_wide;   // elements of C are f32
  bool is_plain;  // rows are aligned, and what C holds does not count
  bool is_boxes;  // TMA stores it

  // `count` columns further.
  __device__ __forceinline__ Target at_column(int count) const {
    Target other = *this;
    other.place.column += count;
    other.to += count * (is_wide ? 4 : 2);
    other.columns_left -= count;
    return other;
  }
};

// Matrix `number` of the batch, or what is left of one of its parts of k.
template <class T>
__device__ __forceinline__ T* matrix_at(const GemmResult& c, int number, int part) {
  if (c.pointers) return static_cast<T*>(c.pointers[number]);
  return static_cast<T*>(c.address) + number * c.stride + part * c.part_stride;
}

// Of this thread's warp, where `place` is the warpgroup's.
__device__ __forceinline__ Target target_of(const GemmArguments& g, const Place& place,
                                            float beta) {
  const int warp_row = static_cast<int>(threadIdx.x / 32 % 4 * 16), bytes = g.result_bytes;
  const int first_row = max(place.above - warp_row, 0);
  Target target{
      place,
      nullptr,
      g.c.leading_dimension * bytes,
      {first_row, max(static_cast<int>(g.m) - place.row - warp_row - first_row, 0)},
      static_cast<int>(g.n) - place.column,
      bytes == 4,
      g.result_is_aligned && beta == 0,
      // Rows that the tile above has, too, are its own to store, and a box has none left out.
      g.boxes.are_stored && beta == 0 && place.above <= 0};
  unsigned char* const matrix =
      g.c.pointers ? static_cast<unsigned char*>(g.c.pointers[place.matrix])
                   : static_cast<unsigned char*>(g.c.address) + place.matrix * g.c.stride * bytes +
                         place.part * g.c.part_stride * bytes;
  target.to =
      matrix + (place.row + warp_row) * target.pitch + static_cast<long long>(place.column) * bytes;
  // Here, and not where they are needed.
  asm volatile("" : "+l"(target.to), "+l"(target.pitch));
  asm volatile("" : "+r"(target.rows.first), "+r"(target.rows.count), "+r"(target.columns_left));
  return target;
}

// Where a row's 16 bytes number `piece` lie, of kBytes that it has: they change places so that no way in or out has bank
// conflicts.
template <int kBytes, class Byte>
__device__ __forceinline__ Byte* place_of(Byte* rows, int row, int piece) {
  constexpr int kPitch = kBytes < 128 ? 128 : kBytes;
  static_assert(kPitch <= Staging::kRowBytes);
  return rows + row * kPitch + (piece ^ (row % 4 * 2 + row / 4)) * 16;
}

// kColumns columns of 16 bits: sums 0 to kColumns / 2 - 1 of each thread, of its upper row or its lower one.
template <class Element, int kColumns>
__device__ __forceinline__ void stage_16_bit(unsigned char* rows, const float* sum, int lower) {
  const int lane = threadIdx.x % 32;
  // Of the four 8×8 that a warp stores at a time, side by side, lanes give the rows.
#pragma unroll
  for (int i = 0; i < kColumns / 32; ++i) {
    const float* const four = sum + i * 16 + lower * 2;
    ptx::stmatrix_x4(place_of<kColumns * 2>(rows, lane % 8, i * 4 + lane / 8),
                     pack<Element>(four[0], four[1]), pack<Element>(four[4], four[5]),
                     pack<Element>(four[8], four[9]), pack<Element>(four[12], four[13]));
  }
}

// The same of f32.
template <int kColumns>
__device__ __forceinline__ void stage_f32(unsigned char* rows, const float* sum, int lower) {
  const int lane = threadIdx.x % 32, row = lane / 4;
#pragma unroll
  for (int i = 0; i < kColumns / 8; ++i) {
    const float* const pair = sum + i * 4 + lower * 2;
    *reinterpret_cast<float2*>(place_of<kColumns * 4>(rows, row, i * 2 + lane % 4 / 2) +
                               lane % 2 * 8) = make_float2(pair[0], pair[1]);
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

// What a warp has staged, kBytes of eight rows, to rows of C that begin at multiples of sizeof(Unit) bytes and are
// multiples of as much long: a unit a lane, lanes side by side in as many rows as they fill. `to`: where the first row
// goes; of it `bytes_left` are inside.
template <int kBytes, class Unit = uint4>
__device__ __forceinline__ void unstage_aligned(const unsigned char* rows, unsigned char* to,
                                                long long pitch, int bytes_left,
                                                const RowsInside& inside) {
  constexpr int kUnit = sizeof(Unit), kUnits = kBytes / kUnit, kAcross = kUnits < 32 ? kUnits : 32;
  constexpr int kTogether = 32 / kAcross;
  const int lane = threadIdx.x % 32, offset = lane % kAcross * kUnit, first = lane / kAcross;
  to += first * pitch + offset;
#pragma unroll
  for (int i = 0; i < Staging::kRows; i += kTogether, to += kTogether * pitch) {
    const int row = first + i;
#pragma unroll
    for (int x = 0; x < kBytes; x += kAcross * kUnit) {
      const Unit unit = *reinterpret_cast<const Unit*>(
          place_of<kBytes>(rows, row, (offset + x) / 16) + offset % 16);
      if (inside.has(row) && offset + x < bytes_left) *reinterpret_cast<Unit*>(to + x) = unit;
    }
  }
}

// kColumns columns of 16 bits to rows that begin at any of them, 64 at a time. Where that is in the middle of 4 bytes, a
// lane stores the second half of its pair and the first of its neighbour's; what is left at either end goes alone.
template <int kColumns>
__device__ __forceinline__ void unstage_pairs(const unsigned char* rows, unsigned char* to,
                                              long long pitch, int columns_left,
                                              const RowsInside& rows_inside) {
  const int lane = threadIdx.x % 32;
  to += lane * 4;
#pragma unroll 1
  for (int x = 0; x < kColumns; x += 64, to += 128) {
    const int count = min(columns_left - x, min(kColumns, 64));
    const bool has_first = lane * 2 < count, has_second = lane * 2 + 1 < count,
               has_next = lane * 2 + 2 < count;
    unsigned char* row_to = to;
#pragma unroll 4
    for (int row = 0; row < Staging::kRows; ++row, row_to += pitch) {
      const unsigned pair = *reinterpret_cast<const unsigned*>(
          place_of<kColumns * 2>(rows, row, x / 8 + lane / 4) + lane % 4 * 4);
      const unsigned next = __shfl_down_sync(0xFFFFFFFF, pair, 1);
      // No branches, behind which the compiler would take the warp's lanes for apart (see warpgroup_meet).
      Half* const first = reinterpret_cast<Half*>(row_to);
      const bool is_odd = reinterpret_cast<size_t>(row_to) % 4 != 0, inside = rows_inside.has(row);
      const unsigned word = is_odd ? __byte_perm(pair, next, 0x5432) : pair;
      if (inside && (is_odd ? has_next : has_second))
        *reinterpret_cast<unsigned*>(first + is_odd) = word;
      if (inside && (is_odd ? lane == 0 && has_first : has_first && !has_second))
        *first = static_cast<Half>(pair);
      if (inside && is_odd && has_second && !has_next) first[1] = static_cast<Half>(pair >> 16);
    }
  }
}

// kColumns columns of 16 bits to rows that do not begin aligned.
template <int kColumns>
__device__ __forceinline__ void unstage_16_bit(const unsigned char* rows, unsigned char* to,
                                               long long pitch, int columns_left,
                                               const RowsInside& inside) {
  // The same in all lanes; the compiler has to know (see warpgroup_meet).
  const unsigned all =
      __shfl_sync(0xFFFFFFFF,
                  static_cast<unsigned>(reinterpret_cast<size_t>(to)) |
                      static_cast<unsigned>(pitch) | static_cast<unsigned>(columns_left * 2),
                  0);
  if (all % 8 == 0) unstage_aligned<kColumns * 2, uint2>(rows, to, pitch, columns_left * 2, inside);
  else if (all % 4 == 0)
    unstage_aligned<kColumns * 2, unsigned>(rows, to, pitch, columns_left * 2, inside);
  else unstage_pairs<kColumns>(rows, to, pitch, columns_left, inside);
}

// kColumns columns of f32, to which beta·C is still to be added, to rows of C that begin anywhere: an element a lane.
template <class Element, int kColumns, class T>
__device__ __forceinline__ void unstage_elements(const unsigned char* rows, T* C, long long ldc,
                                                 int columns_left, const RowsInside& inside,
                                                 float beta) {
  constexpr int kRows = Staging::kRows;
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int x = lane; x < min(kColumns, columns_left); x += 32) {
    T* const to = C + x;
    float values[kRows];
#pragma unroll
    for (int row = 0; row < kRows; ++row)
      values[row] =
          *reinterpret_cast<const float*>(place_of<kColumns * 4>(rows, row, x / 4) + lane % 4 * 4);
    if (beta != 0) {
#pragma unroll
      for (int row = 0; row < kRows; ++row)
        if (inside.has(row)) values[row] = fmaf(beta, widen<Element>(to[row * ldc]), values[row]);
    }
#pragma unroll
    for (int row = 0; row < kRows; ++row)
      if (inside.has(row)) to[row * ldc] = narrow<Element, T>(values[row]);
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
  const bool has_upper = target.rows.has(lane / 4), has_lower = target.rows.has(lane / 4 + 8);
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    const bool inside = i * 2 + column < target.columns_left;
    if (has_upper && inside)
      *reinterpret_cast<float2*>(upper + i * 8) = make_float2(sum[i], sum[i + 1]);
    if (has_lower && inside)
      *reinterpret_cast<float2*>(lower + i * 8) = make_float2(sum[i + 2], sum[i + 3]);
  }
}

// A box of a warp's sums (GemmBoxes), kBoxBytes of each of its 16 rows, as TMA has it that swizzles by 128 bytes: 64 columns
// of 16 bits, or 32 of f32.
template <class Element>
__device__ __forceinline__ void box_16_bit(unsigned char* box, const float* sum) {
  // Of four 8×8, upper and lower rows of eight columns and of the next eight, lanes say where rows go.
  const int lane = threadIdx.x % 32, row = lane % 8, lower = lane / 8 % 2, piece = lane / 16;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float* const eight = sum + i * 8;
    ptx::stmatrix_x4(box + (lower * 8 + row) * kBoxBytes + ((i * 2 + piece) ^ row) * 16,
                     pack<Element>(eight[0], eight[1]), pack<Element>(eight[2], eight[3]),
                     pack<Element>(eight[4], eight[5]), pack<Element>(eight[6], eight[7]));
  }
}
__device__ __forceinline__ void box_f32(unsigned char* box, const float* sum) {
  const int lane = threadIdx.x % 32, row = lane / 4;
  const bool is_odd = row % 2 != 0;  // takes eight columns in another order: else rows share banks
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float *const even = sum + i * 4, *const odd = sum + (i ^ 2) * 4;
    const int piece = (is_odd ? i ^ 2 : i) * 2 + lane % 4 / 2;
    unsigned char* const to = box + row * kBoxBytes + (piece ^ row) * 16 + lane % 2 * 8;
    const auto of = [&](int sum) { return is_odd ? odd[sum] : even[sum]; };
    *reinterpret_cast<float2*>(to) = make_float2(of(0), of(1));
    *reinterpret_cast<float2*>(to + 8 * kBoxBytes) = make_float2(of(2), of(3));
  }
}

// kN columns of a warp's sums in boxes, one after the other: two behind one fence are sooner stored, but so many bytes at a
// time hold up what is fetched (docs/lab/gpu_gemm.md).
template <class Element, int kN>
__device__ __forceinline__ void store_boxes(const float (&sum)[kN / 2], Staging& staging,
                                            const GemmArguments& g, const Target& target) {
  auto& boxes = staging.warps[threadIdx.x / 32 % 4];
  static_assert(sizeof(boxes[0]) == kBoxRows * kBoxBytes);
  const auto& map = reinterpret_cast<const ptx::TensorMap&>(g.boxes.map);
  const int row = target.place.row + static_cast<int>(threadIdx.x / 32 % 4) * kBoxRows;
  const auto store = [&](auto columns, const auto& leave) {
    constexpr int kColumns = decltype(columns)::value, kBoxes = kN / kColumns;
#pragma unroll 1
    for (int i = 0; i < kBoxes; ++i) {
      unsigned char* const box = boxes[i % 2];
      // Until the box before the last is on its way; or, as an odd number of them ended with this place, the last.
      if (kBoxes % 2 != 0 && i == 0) ptx::bulk_wait_read<0>();
      else ptx::bulk_wait_read<1>();
      __syncwarp();
      stage_piece<kBoxes>(i, [&](int p) { leave(box, sum + p * (kColumns / 2)); });
      ptx::fence_proxy_async();
      __syncwarp();
      ptx::tma_store_3d_if(threadIdx.x % 32 == 0, map, target.place.column + i * kColumns, row,
                           target.place.matrix, box);
      ptx::bulk_commit();
    }
  };
  if (target.is_wide)
    store(std::integral_constant<int, 32>{},
          [](unsigned char* box, const float* some) { box_f32(box, some); });
  else if constexpr (!std::is_same_v<Element, float>)
    store(std::integral_constant<int, 64>{},
          [](unsigned char* box, const float* some) { box_16_bit<Element>(box, some); });
}

// kN columns of a warpgroup's sums to C = alpha·sums + beta·C. Element: of 16 bits, where C may be of the same; else
// float. kIsNarrow: of a narrow tile.
template <class Element, int kN, bool kIsNarrow>
__device__ __forceinline__ void store_by_warps(float (&sum)[kN / 2], Staging& staging,
                                               const GemmArguments& g, const Target& target,
                                               float alpha, float beta) {
  constexpr bool kHasHalves = !std::is_same_v<Element, float>;
  const long long ldc = g.c.leading_dimension;
  if (alpha != 1) {
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha;
  }
  if (kIsNarrow && target.is_wide && target.is_plain) {
    store_fragments<kN>(sum, target);
    return;
  }
  if constexpr (!kIsNarrow && kHasHalves && kN % 64 == 0) {
    if (target.is_boxes) return store_boxes<Element, kN>(sum, staging, g, target);
    if (g.boxes.are_stored) {  // of a tile before
      ptx::bulk_wait_read<0>();
      __syncwarp();
    }
  }
  // Upper rows first, then the lower ones: of each half all pieces side by side.
  auto& buffers = staging.warps[threadIdx.x / 32 % 4];
  if (target.is_wide || beta != 0) {
    constexpr int kWide = kN < 64 ? kN : kN % 64 == 0 ? 64 : 16, kAcross = kN / kWide;
#pragma unroll 1
    for (int i = 0; i < kAcross * 2; ++i) {
      unsigned char* const rows = buffers[i % 2];
      stage_piece<kAcross * 2>(
          i, [&](int p) { stage_f32<kWide>(rows, sum + p % kAcross * (kWide / 2), p / kAcross); });
      __syncwarp();
      const int row = i / kAcross * Staging::kRows, column = i % kAcross * kWide;
      const int columns_left = target.columns_left - column;
      const RowsInside inside = target.rows.from(row);
      unsigned char* const to = target.to + row * target.pitch;
      if (!kIsNarrow && target.is_plain)
        unstage_aligned<kWide * 4>(rows, to + column * 4, target.pitch, columns_left * 4, inside);
      else if (target.is_wide)
        unstage_elements<Element, kWide>(rows, reinterpret_cast<float*>(to) + column, ldc,
                                         columns_left, inside, beta);
      else if constexpr (kHasHalves)
        unstage_elements<Element, kWide>(rows, reinterpret_cast<Half*>(to) + column, ldc,
                                         columns_left, inside, beta);
    }
  } else if constexpr (kHasHalves) {
    constexpr int kWide = kN % 128 == 0 ? 128 : kN < 64 ? kN : 64, kAcross = kN / kWide;
#pragma unroll 1
    for (int i = 0; i < kAcross * 2; ++i) {
      unsigned char* const rows = buffers[i % 2];
      stage_piece<kAcross * 2>(i, [&](int p) {
        stage_16_bit<Element, kWide>(rows, sum + p % kAcross * (kWide / 2), p / kAcross);
      });
      __syncwarp();
      const int row = i / kAcross * Staging::kRows, column = i % kAcross * kWide;
      const int columns_left = target.columns_left - column;
      const RowsInside inside = target.rows.from(row);
      unsigned char* const to = target.to + row * target.pitch + column * 2;
      if (target.is_plain)
        unstage_aligned<kWide * 2>(rows, to, target.pitch, columns_left * 2, inside);
      else unstage_16_bit<kWide>(rows, to, target.pitch, columns_left, inside);
    }
  }
  __syncwarp();  // what was staged last has been read
}

}  // namespace gemm
