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
// Where C = alpha·sums + beta·C, what C holds is asked for twice: into the second-level cache before the sums are made, and
// into registers before any of it is stored.
//
// Narrow tiles in f32 go straight from registers: they are for products so small that nothing hides how they end, and
// there each step of the way is a wait.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/halves.cuh"
#include "kernels/gemm/result_boxes.cuh"
#include "kernels/gemm/staging.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/prefetch.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm {

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
  bool is_wide;     // elements of C are f32
  bool is_aligned;  // rows are
  bool is_plain;    // and what C holds does not count
  bool is_boxes;    // TMA stores it

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
      g.result_is_aligned != 0,
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

// Asks for the lines of a row of C from `row` on.
__device__ __forceinline__ void ask_for_row(const unsigned char* row, int bytes, int first = 0,
                                            int step = 1) {
  constexpr int kLine = 128;
  const unsigned char* const end = row + bytes;
  row -= reinterpret_cast<size_t>(row) % kLine;
#pragma unroll 1
  for (row += first * kLine; row < end; row += step * kLine) ptx::prefetch_to_l2(row);
}

// What C holds where kN columns of a warp's sums go: into the second-level cache, before they are made.
template <int kN> __device__ __forceinline__ void ask_for_result(const Target& target) {
  const int lane = threadIdx.x % 32, row = lane % 16;
  if (target.rows.has(row))
    ask_for_row(target.to + row * target.pitch,
                min(kN, target.columns_left) * (target.is_wide ? 4 : 2), lane / 16, 2);
}

// One of its words.
__device__ __forceinline__ unsigned word_of_four(const float4& four) {
  return __float_as_uint(four.x);
}
__device__ __forceinline__ unsigned word_of_four(const uint2& four) { return four.x; }

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

// What a warp has staged, kBytes of eight rows, to rows of C that begin at multiples of 16 bytes and are multiples of as much
// long: 16 bytes a lane, lanes side by side in as many rows as they fill. `to`: where the first row goes; of it
// `bytes_left` are inside.
template <int kBytes>
__device__ __forceinline__ void unstage_aligned(const unsigned char* rows, unsigned char* to,
                                                long long pitch, int bytes_left,
                                                const RowsInside& inside) {
  constexpr int kPieces = kBytes / 16, kTogether = 32 / kPieces;
  const int lane = threadIdx.x % 32, offset = lane % kPieces * 16, first = lane / kPieces;
  to += first * pitch + offset;
#pragma unroll
  for (int i = 0; i < Staging::kRows; i += kTogether, to += kTogether * pitch) {
    const int row = first + i;
    const auto piece = *reinterpret_cast<const uint4*>(place_of<kBytes>(rows, row, lane % kPieces));
    if (inside.has(row) && offset < bytes_left) *reinterpret_cast<uint4*>(to) = piece;
  }
}

// kColumns columns of 16 bits on their way to rows that begin anywhere: of each row as far behind a multiple of 16 bytes as it
// goes to, so that pieces of 16 bytes leave as such. The ends of rows go element by element.
template <int kColumns> struct ShiftedRows {
  static constexpr int kPitch = kColumns * 2 + 16;  // rows of a warp's lanes begin in other banks
  static_assert(kPitch * Staging::kRows <= 2 * Staging::kRows * Staging::kRowBytes);

  // Sums 0 to kColumns / 2 - 1 of each thread, of its upper row or its lower one, which goes to `to` and `pitch` bytes further
  // each.
  template <class Element>
  static __device__ __forceinline__ void stage(unsigned char* rows, const float* sum, int lower,
                                               const unsigned char* to, long long pitch) {
    const int lane = threadIdx.x % 32, row = lane / 4;
    const auto shift = reinterpret_cast<size_t>(to + row * pitch) % 16;
    Half* const own = reinterpret_cast<Half*>(rows + row * kPitch + shift) + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kColumns / 8; ++i) {
      const unsigned pair = pack<Element>(sum[i * 4 + lower * 2], sum[i * 4 + lower * 2 + 1]);
      own[i * 8] = static_cast<Half>(pair);
      own[i * 8 + 1] = static_cast<Half>(pair >> 16);
    }
  }

  static __device__ __forceinline__ void unstage(const unsigned char* rows, unsigned char* to,
                                                 long long pitch, int columns_left,
                                                 const RowsInside& inside) {
    constexpr int kPieces = kColumns / 8, kTogether = 32 / kPieces, kEnds = 16;
    static_assert(kTogether <= Staging::kRows);
    const int lane = threadIdx.x % 32, count = min(kColumns, columns_left);
    // `store(row_to, from, head, pieces, inside)`: of a row, whose pieces are behind `head` elements. What is read of shared
    // memory is there in any case: no branches, behind which the compiler would take the warp's lanes for apart (see
    // warpgroup_meet).
    const auto of_row = [&](int row, const auto& store) {
      unsigned char* const row_to = to + row * pitch;
      const int shift = static_cast<int>(reinterpret_cast<size_t>(row_to) % 16);
      const int head = (16 - shift) % 16 / 2;
      store(row_to, rows + row * kPitch + shift, head, max(count - head, 0) / 8, inside.has(row));
    };
#pragma unroll
    for (int i = 0; i < Staging::kRows; i += kTogether) {
      const int number = lane % kPieces;
      of_row(i + lane / kPieces,
             [&](unsigned char* row_to, const unsigned char* from, int head, int pieces, bool has) {
               const int at = head * 2 + number * 16;
               const auto piece = *reinterpret_cast<const uint4*>(from + at);
               if (has && number < pieces) *reinterpret_cast<uint4*>(row_to + at) = piece;
             });
    }
#pragma unroll
    for (int i = 0; i < Staging::kRows; i += 32 / kEnds) {
      const int end = lane % kEnds;  // eight in front of the pieces, and eight behind them
      of_row(i + lane / kEnds,
             [&](unsigned char* row_to, const unsigned char* from, int head, int pieces, bool has) {
               const int x = end < 8 ? end : head + pieces * 8 + end - 8;
               const Half element = *reinterpret_cast<const Half*>(from + x * 2);
               if (has && x < (end < 8 ? min(head, count) : count))
                 *reinterpret_cast<Half*>(row_to + x * 2) = element;
             });
    }
  }
};

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

// kN columns of f32 of a warp's sums, to rows as unstage_aligned() has them: of each eight rows whole sectors of 32 bytes.
template <int kN>
__device__ __forceinline__ void store_fragments(const float (&sum)[kN / 2], const Target& target,
                                                int skipped = 0) {
  const int lane = threadIdx.x % 32, column = lane % 4 * 2;
  unsigned char* const upper = target.to + lane / 4 * target.pitch + column * 4;
  unsigned char* const lower = upper + 8 * target.pitch;
  const bool has_upper = target.rows.has(lane / 4), has_lower = target.rows.has(lane / 4 + 8);
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    const bool inside = i * 2 + column < target.columns_left && i * 2 + column >= skipped;
    if (has_upper && inside)
      *reinterpret_cast<float2*>(upper + i * 8) = make_float2(sum[i], sum[i + 1]);
    if (has_lower && inside)
      *reinterpret_cast<float2*>(lower + i * 8) = make_float2(sum[i + 2], sum[i + 3]);
  }
}

// The largest divisor of `pieces` whose C fits into `held` registers, where each takes `of_piece`: of two at least.
__device__ constexpr int pieces_together(int pieces, int of_piece, int held) {
  int together = pieces;
  while (pieces % together != 0 || (together > 2 && together * of_piece > held)) --together;
  return together;
}

// kN columns of f32 of a warp's sums to rows of C, of type T, that are aligned, to which beta·C is still to be added: by
// pieces of kWide columns of eight rows, four elements a lane. What C holds is asked for so many pieces at a time as kHeld
// registers hold, and none of them is stored before all have come. Else a tile would wait for memory as often as it has
// pieces, and a line of 128 bytes of which a part is stored while another is on its way here takes microseconds.
template <class Element, int kN, int kWide, int kHeld, class T>
__device__ __forceinline__ void store_added(const float (&sum)[kN / 2], Staging& staging,
                                            const Target& target, float beta) {
  constexpr int kRows = Staging::kRows, kFours = kWide / 4, kTogether = 32 / kFours;
  constexpr int kTimes = (kRows + kTogether - 1) / kTogether;
  constexpr int kAcross = kN / kWide, kPieceBytes = kWide * static_cast<int>(sizeof(T));
  constexpr int kOfPiece = kTimes * static_cast<int>(sizeof(FourOf<T>) / sizeof(unsigned));
  constexpr int kGroup = pieces_together(kAcross * 2, kOfPiece, kHeld);
  constexpr int kGroups = kAcross * 2 / kGroup;
  const int lane = threadIdx.x % 32, row = lane / kFours, four = lane % kFours;
  auto& buffers = staging.warps[threadIdx.x / 32 % 4];
  unsigned char* own = target.to + row * target.pitch + four * static_cast<int>(sizeof(FourOf<T>));
  int columns_left = target.columns_left - four * 4;
  RowsInside inside = target.rows.from(row);
  // This lane's four number t of a piece, of which first come those of the upper rows.
  const auto has = [&](int piece, int t) {
    return row < kTogether && row + t * kTogether < kRows &&
           piece % kAcross * kWide < columns_left &&
           inside.has(piece / kAcross * kRows + t * kTogether);
  };
  const auto place = [&](int piece, int t) {
    return reinterpret_cast<FourOf<T>*>(own +
                                        (piece / kAcross * kRows + t * kTogether) * target.pitch +
                                        piece % kAcross * kPieceBytes);
  };
  int turn = 0;
#pragma unroll 1
  for (int group = 0; group < kGroups; ++group) {
    const int first = group * kGroup;
    FourOf<T> held[kGroup][kTimes];
#pragma unroll
    for (int p = 0; p < kGroup; ++p)
#pragma unroll
      for (int t = 0; t < kTimes; ++t) {
        held[p][t] = FourOf<T>{};
        if (has(first + p, t)) held[p][t] = *place(first + p, t);
      }
#pragma unroll
    for (int p = 0; p < kGroup; ++p)
#pragma unroll
      for (int t = 0; t < kTimes; ++t) asm volatile("" ::"r"(word_of_four(held[p][t])) : "memory");
    // Where they go is worked out once more: there are no registers for so many addresses.
    asm volatile("" : "+l"(own), "+r"(columns_left), "+r"(inside.first), "+r"(inside.count));
#pragma unroll
    for (int p = 0; p < kGroup; ++p) {
      const int piece = first + p;
      if (piece % kAcross * kWide >= target.columns_left) continue;  // for all lanes
      unsigned char* const rows = buffers[turn];
      turn ^= 1;
      stage_piece<kGroups>(group, [&](int g) {
        const int own_piece = g * kGroup + p;
        stage_f32<kWide>(rows, sum + own_piece % kAcross * (kWide / 2), own_piece / kAcross);
      });
      __syncwarp();
#pragma unroll
      for (int t = 0; t < kTimes; ++t) {
        const auto sums = *reinterpret_cast<const float4*>(
            place_of<kWide * 4>(rows, (row + t * kTogether) % kRows, four));
        if (has(piece, t))
          *place(piece, t) = narrow_four<Element, T>(plus_held<Element>(sums, beta, held[p][t]));
      }
    }
  }
}

// kN columns of a warpgroup's sums to C = alpha·sums + beta·C. Element: of 16 bits, where C may be of the same; else
// float. kIsNarrow: of a narrow tile. kHeld: registers for what C holds (store_added()).
template <class Element, int kN, bool kIsNarrow, int kHeld = 0>
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
  // Upper rows first, then the lower ones: of each half all pieces side by side, as many as there are columns left.
  // `store(piece, rows, to, columns_left, inside)`: number `piece`, to rows of C from `to` on, by way of the shared memory
  // `rows`.
  auto& buffers = staging.warps[threadIdx.x / 32 % 4];
  const auto for_all_pieces = [&](auto wide, const auto& store) {
    constexpr int kWide = decltype(wide)::value, kAcross = kN / kWide;
    const int across = min(kAcross, (target.columns_left + kWide - 1) / kWide);
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      const int row = half * Staging::kRows;
      unsigned char* to = target.to + row * target.pitch;
#pragma unroll 1
      for (int i = 0; i < across; ++i, to += kWide * (target.is_wide ? 4 : 2))
        store(half * kAcross + i, buffers[(half * across + i) % 2], to,
              target.columns_left - i * kWide, target.rows.from(row));
    }
  };
  if (target.is_wide || beta != 0) {
    constexpr int kWide = kN < 64 ? kN : kN % 64 == 0 ? 64 : 16, kAcross = kN / kWide;
    if (beta != 0 && target.is_aligned) {
      // Pieces of whole lines, where they can be; of f32 of wide tiles no more, as sums leave few registers.
      constexpr int kFloats = kN > 128 && kN % 32 == 0 ? 32 : kWide;
      if (target.is_wide)
        store_added<Element, kN, kFloats, kHeld, float>(sum, staging, target, beta);
      else if constexpr (kHasHalves)
        store_added<Element, kN, kWide, kHeld, Half>(sum, staging, target, beta);
      __syncwarp();
      return;
    }
    for_all_pieces(std::integral_constant<int, kWide>{},
                   [&](int piece, unsigned char* rows, unsigned char* to, int columns_left,
                       const RowsInside& inside) {
                     stage_piece<kAcross * 2>(piece, [&](int p) {
                       stage_f32<kWide>(rows, sum + p % kAcross * (kWide / 2), p / kAcross);
                     });
                     __syncwarp();
                     if (!kIsNarrow && target.is_plain)
                       unstage_aligned<kWide * 4>(rows, to, target.pitch, columns_left * 4, inside);
                     else if (target.is_wide)
                       unstage_elements<Element, kWide>(rows, reinterpret_cast<float*>(to), ldc,
                                                        columns_left, inside, beta);
                     else if constexpr (kHasHalves)
                       unstage_elements<Element, kWide>(rows, reinterpret_cast<Half*>(to), ldc,
                                                        columns_left, inside, beta);
                   });
  } else if constexpr (kHasHalves) {
    constexpr int kWide = kN % 128 == 0 ? 128 : kN < 64 ? kN : 64, kAcross = kN / kWide;
    const std::integral_constant<int, kWide> wide;
    if (target.is_plain) {
      for_all_pieces(wide, [&](int piece, unsigned char* rows, unsigned char* to, int columns_left,
                               const RowsInside& inside) {
        stage_piece<kAcross * 2>(piece, [&](int p) {
          stage_16_bit<Element, kWide>(rows, sum + p % kAcross * (kWide / 2), p / kAcross);
        });
        __syncwarp();
        unstage_aligned<kWide * 2>(rows, to, target.pitch, columns_left * 2, inside);
      });
    } else {
      using Rows = ShiftedRows<kWide>;
      for_all_pieces(wide, [&](int piece, unsigned char*, unsigned char* to, int columns_left,
                               const RowsInside& inside) {
        unsigned char* const rows = buffers[0];  // all of both
        stage_piece<kAcross * 2>(piece, [&](int p) {
          Rows::template stage<Element>(rows, sum + p % kAcross * (kWide / 2), p / kAcross, to,
                                        target.pitch);
        });
        __syncwarp();
        Rows::unstage(rows, to, target.pitch, columns_left, inside);
        __syncwarp();
      });
    }
  }
  __syncwarp();  // what was staged last has been read
}

}  // namespace gemm
