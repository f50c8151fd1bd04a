// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a warpgroup's sums become C where its columns are C's rows (GemmKernel::transposes_result).
//
// f32 goes straight from registers: eight lanes have neighbours of one row, which are a whole sector of 32 bytes. All else goes
// through shared memory, where it is turned round, in pieces of eight KB that are 64 elements of C wide. Two such pieces take
// turns, so that the warpgroup meets once for each, and one is turned round while the other is on its way to C.
#pragma once

#include "kernels/gemm/result.cuh"

namespace gemm {

// Where a warpgroup's sums go, and what of the arguments says how. Rows and columns are C's.
struct TransposedTarget {
  unsigned char* to;   // element (0, 0) of the warpgroup's
  long long pitch;     // bytes from row to row
  RowsInside columns;  // of the warpgroup's 64
  int rows_left;
  bool is_wide;     // elements of C are f32
  bool is_aligned;  // rows are
  bool is_plain;    // and what C holds does not count

  // From `count` rows of C on.
  __device__ __forceinline__ TransposedTarget at_column(int count) const {
    TransposedTarget other = *this;
    other.to += count * pitch;
    other.rows_left -= count;
    return other;
  }
};

// `place`: of the kernel's sums, `columns` columns of them.
__device__ __forceinline__ TransposedTarget transposed_target_of(const GemmArguments& g,
                                                                 const Place& place, int columns,
                                                                 float beta) {
  const int bytes = g.result_bytes, first = max(place.above, 0);
  const long long pitch = g.c.leading_dimension * bytes;
  unsigned char* const matrix =
      g.c.pointers ? static_cast<unsigned char*>(g.c.pointers[place.matrix])
                   : static_cast<unsigned char*>(g.c.address) + place.matrix * g.c.stride * bytes +
                         place.part * g.c.part_stride * bytes;
  return {matrix + place.column * pitch + static_cast<long long>(place.row) * bytes,
          pitch,
          {first, max(static_cast<int>(g.m) - place.row - first, 0)},
          min(static_cast<int>(g.n) - place.column, columns),
          bytes == 4,
          g.result_is_aligned != 0,
          g.result_is_aligned && beta == 0};
}

// What C holds where kN columns of a warpgroup's sums go: into the second-level cache, before they are made.
template <int kN> __device__ __forceinline__ void ask_for_result(const TransposedTarget& target) {
#pragma unroll 1
  for (int row = threadIdx.x % 128; row < min(kN, target.rows_left); row += 128)
    ask_for_row(target.to + row * target.pitch, 64 * (target.is_wide ? 4 : 2));
}

// Where 16 bytes number `piece` of a row of C lie: they change places so that no way in or out has bank conflicts.
__device__ __forceinline__ unsigned char* place_of_16_bit(unsigned char* piece_of_8_kb, int row,
                                                          int piece) {
  return piece_of_8_kb + row * 128 + (piece ^ row % 8) * 16;
}
__device__ __forceinline__ unsigned char* place_of_f32(unsigned char* piece_of_8_kb, int row,
                                                       int piece) {
  return piece_of_8_kb + row * 256 + (piece ^ row / 2 % 4 * 2) * 16;
}

// kColumns columns of sums, the first kColumns / 2 of each thread, to as many rows of 64 elements in 16 bits.
template <class Element, int kColumns>
__device__ __forceinline__ void turn_16_bit(unsigned char* rows, const float* sum) {
  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  // Of four 8×8, upper and lower rows of eight columns and of the next eight, lanes say where columns go.
  unsigned char* const own =
      place_of_16_bit(rows, lane / 16 * 8 + lane % 8, warp * 2 + lane / 8 % 2);
#pragma unroll
  for (int i = 0; i < kColumns / 16; ++i) {
    const float* const eight = sum + i * 8;
    ptx::stmatrix_x4_transposed(
        own + i * 16 * 128, pack<Element>(eight[0], eight[1]), pack<Element>(eight[2], eight[3]),
        pack<Element>(eight[4], eight[5]), pack<Element>(eight[6], eight[7]));
  }
}

// The same of f32, 32 columns, the first 16 sums of each thread. Of an address all that differs from sum to sum is a
// number: the code of a piece is short, as it is jumped over by those in front of it.
template <int kColumns>
__device__ __forceinline__ void turn_f32(unsigned char* rows, const float* sum) {
  const int lane = threadIdx.x % 32, across = threadIdx.x / 32 % 4 * 16 + lane / 4;
  const int row = lane % 4 * 2;  // the first of those that this thread has
  unsigned char* const upper = place_of_f32(rows, row, across / 4) + across % 4 * 4;
  unsigned char* const lower = place_of_f32(rows, row, across / 4 + 2) + across % 4 * 4;
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i)
    *reinterpret_cast<float*>((i / 2 % 2 == 0 ? upper : lower) + (i / 4 * 8 + i % 2) * 256) =
        sum[i];
}

// A warp's share of a piece of kRows rows of 64 elements of 16 bits, on its way from shared memory to C, whose rows are
// aligned.
template <int kRows> struct TurnedRows {
  static constexpr int kPieces = 64 * 2 / 16, kTogether = 32 / kPieces;  // of a row; rows of a warp
  static constexpr int kTimes = kRows / 4 / kTogether;
  uint4 units[kTimes];

  static __device__ __forceinline__ int first_row() {
    return threadIdx.x / 32 % 4 * (kRows / 4) + threadIdx.x % 32 / kPieces;
  }
  __device__ __forceinline__ void load(unsigned char* rows) {
#pragma unroll
    for (int i = 0; i < kTimes; ++i) {
      const int row = first_row() + i * kTogether, piece = threadIdx.x % kPieces;
      units[i] = *reinterpret_cast<const uint4*>(place_of_16_bit(rows, row, piece));
    }
  }
  __device__ __forceinline__ void store(const TransposedTarget& target) const {
    const int piece = threadIdx.x % kPieces;
    const bool inside = target.columns.has(piece * 8);
    unsigned char* to = target.to + first_row() * target.pitch + piece * 16;
#pragma unroll
    for (int i = 0; i < kTimes; ++i, to += kTogether * target.pitch)
      if (inside && first_row() + i * kTogether < target.rows_left)
        *reinterpret_cast<uint4*>(to) = units[i];
  }
};

// 32 rows of f32 to rows of C that begin anywhere, or to which beta·C is still to be added: an element a lane.
template <class Element, class T>
__device__ __forceinline__ void store_turned_elements(unsigned char* rows,
                                                      const TransposedTarget& target, float beta) {
  constexpr int kRows = 8;  // of a warp
  const int first = threadIdx.x / 32 % 4 * kRows;
#pragma unroll 1
  for (int x = threadIdx.x % 32; x < 64; x += 32) {
    if (!target.columns.has(x)) continue;
    unsigned char* const to = target.to + first * target.pitch + x * sizeof(T);
    float values[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      values[i] = *reinterpret_cast<const float*>(place_of_f32(rows, first + i, x / 4) + x % 4 * 4);
    if (beta != 0) {
#pragma unroll
      for (int i = 0; i < kRows; ++i)
        if (first + i < target.rows_left)
          values[i] = fmaf(beta, widen<Element>(*reinterpret_cast<const T*>(to + i * target.pitch)),
                           values[i]);
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      if (first + i < target.rows_left)
        *reinterpret_cast<T*>(to + i * target.pitch) = narrow<Element, T>(values[i]);
  }
}

// A warp's share of 32 rows of 64 elements of f32 to rows of C, of type T, that are aligned, to which beta·C is still to be
// added: four elements a lane.
template <class Element, class T> struct AddedRows {
  static constexpr int kRows = 8, kFours = 64 / 4, kTogether = 32 / kFours,
                       kTimes = kRows / kTogether;
  FourOf<T> held[kTimes] = {};

  // `with(i, row, four, to)`: each four of this lane that is inside.
  template <class With>
  static __device__ __forceinline__ void each(const TransposedTarget& target, const With& with) {
    const int lane = threadIdx.x % 32, four = lane % kFours;
    const int first = threadIdx.x / 32 % 4 * kRows + lane / kFours;
    const bool inside = target.columns.has(four * 4);
    unsigned char* to = target.to + first * target.pitch + four * sizeof(FourOf<T>);
#pragma unroll
    for (int i = 0; i < kTimes; ++i, to += kTogether * target.pitch)
      if (inside && first + i * kTogether < target.rows_left)
        with(i, first + i * kTogether, four, reinterpret_cast<FourOf<T>*>(to));
  }
  __device__ __forceinline__ void load(const TransposedTarget& target) {
    each(target, [&](int i, int, int, const FourOf<T>* from) { held[i] = *from; });
  }
  __device__ __forceinline__ void wait() const {
#pragma unroll
    for (int i = 0; i < kTimes; ++i) asm volatile("" ::"r"(word_of_four(held[i])) : "memory");
  }
  __device__ __forceinline__ void store(unsigned char* rows, const TransposedTarget& target,
                                        float beta) const {
    each(target, [&](int i, int row, int four, FourOf<T>* to) {
      const auto sums = *reinterpret_cast<const float4*>(place_of_f32(rows, row, four));
      *to = narrow_four<Element, T>(plus_held<Element>(sums, beta, held[i]));
    });
  }
};

// Pieces of kRows rows of C, all that are left: `turn(i, rows)` turns number i round, `store(i, rows, turn_next)` stores
// it, and turns the next while its own are on their way.
template <int kRows, class Turn, class Store>
__device__ __forceinline__ void store_pieces(Staging& staging, int rows_left, const Turn& turn,
                                             const Store& store) {
  unsigned char* const both = &staging.warps[0][0][0];
  constexpr int kPieceBytes = sizeof(Staging) / 2;
  static_assert(kPieceBytes == 64 * 128);
  warpgroup_meet();  // what was staged last has been read
  turn(0, both);
#pragma unroll 1
  for (int i = 0; i * kRows < rows_left; ++i) {
    warpgroup_meet();
    store(i, both + i % 2 * kPieceBytes, [&] {
      if ((i + 1) * kRows < rows_left) turn(i + 1, both + (i + 1) % 2 * kPieceBytes);
    });
  }
}

// Rows of f32, kPieces times 32, to rows of C, of type T, that are aligned, to which beta·C is still to be added. `turn`: as
// store_pieces() has it; `from(row)`: where the rows from there on go. What C holds is asked for so many pieces at a time as
// kHeld registers hold, as store_added() does it.
template <class Element, class T, int kPieces, int kHeld, class Turn, class From>
__device__ __forceinline__ void store_turned_added(Staging& staging, int rows_left, float beta,
                                                   const Turn& turn, const From& from) {
  using Rows = AddedRows<Element, T>;
  constexpr int kMost = kHeld / static_cast<int>(sizeof(Rows) / sizeof(unsigned));
  constexpr int kTogether = kMost < 1 ? 1 : kMost < kPieces ? kMost : kPieces;
  unsigned char* const both = &staging.warps[0][0][0];
  const auto half = [&](int i) { return both + i % 2 * static_cast<int>(sizeof(Staging) / 2); };
  warpgroup_meet();  // what was staged last has been read
  turn(0, both);
#pragma unroll 1
  for (int first = 0; first * 32 < rows_left; first += kTogether) {
    Rows some[kTogether];
#pragma unroll
    for (int p = 0; p < kTogether; ++p) some[p].load(from((first + p) * 32));
    if (kTogether > 1) {
#pragma unroll
      for (int p = 0; p < kTogether; ++p) some[p].wait();
    }
#pragma unroll
    for (int p = 0; p < kTogether; ++p) {
      const int i = first + p;
      if (i * 32 >= rows_left) break;
      warpgroup_meet();
      if ((i + 1) * 32 < rows_left) turn(i + 1, half(i + 1));
      some[p].store(half(i), from(i * 32), beta);
    }
  }
}

// kN columns of f32 straight from registers to rows of C = sums: of each row eight lanes fill a sector, and then the next.
template <int kN>
__device__ __forceinline__ void store_turned_fragments(const float (&sum)[kN / 2],
                                                       const TransposedTarget& target,
                                                       int skipped = 0) {
  const int lane = threadIdx.x % 32, column = threadIdx.x / 32 % 4 * 16 + lane / 4;
  const int row = lane % 4 * 2;  // the first of those that this thread has
  unsigned char* to = target.to + row * target.pitch + column * 4;
  const bool has_upper = target.columns.has(column), has_lower = target.columns.has(column + 8);
  const int rows_left = target.rows_left - row;
  const auto store = [&](int offset, bool inside, float upper, float lower) {
    float* const at = reinterpret_cast<float*>(to + offset * target.pitch);
    if (inside && has_upper) at[0] = upper;
    if (inside && has_lower) at[8] = lower;
  };
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    if (i % 16 == 0 && i * 2 >= target.rows_left) return;
    store(0, i * 2 < rows_left && i * 2 + row >= skipped, sum[i], sum[i + 2]);
    store(1, i * 2 + 1 < rows_left && i * 2 + 1 + row >= skipped, sum[i + 1], sum[i + 3]);
    to += 8 * target.pitch;
  }
}

// kN columns of a warpgroup's sums to rows of C = alpha·sums + beta·C, as many as are left. Element: of A and B, which C
// may be of. kHasPlain: it is not elsewhere that 16 bits go to rows which are aligned, and hold nothing that counts.
// kHeld: registers for what C holds.
template <class Element, int kN, bool kHasPlain = true, int kHeld = 0>
__device__ __forceinline__ void store_transposed(float (&sum)[kN / 2], Staging& staging,
                                                 const TransposedTarget& target, float alpha,
                                                 float beta) {
  static_assert(!kHasPlain || kN == 32 || kN % 64 == 0);
  const int rows_left = min(target.rows_left, kN);
  if (alpha != 1) {
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha;
  }
  if (target.is_wide && beta == 0) return store_turned_fragments<kN>(sum, target);
  const auto from = [&](int row) {
    TransposedTarget some = target.at_column(row);
    some.rows_left = rows_left - row;
    return some;
  };
  if constexpr (kHasPlain) {
    if (!target.is_wide && target.is_plain) {
      constexpr int kRows = kN < 64 ? kN : 64;
      store_pieces<kRows>(
          staging, rows_left,
          [&](int i, unsigned char* rows) {
            stage_piece<kN / kRows>(
                i, [&](int p) { turn_16_bit<Element, kRows>(rows, sum + p * (kRows / 2)); });
          },
          [&](int i, unsigned char* rows, const auto& turn_next) {
            TurnedRows<kRows> some;
            some.load(rows);
            turn_next();
            some.store(from(i * kRows));
          });
      return;
    }
  }
  constexpr int kPieces = (kN + 31) / 32;
  const auto turn = [&](int i, unsigned char* rows) {
    stage_piece<kPieces>(i, [&](int p) {
      if ((p + 1) * 32 <= kN) turn_f32<32>(rows, sum + p * 16);
      else if constexpr (kN % 32 != 0) turn_f32<kN % 32>(rows, sum + p * 16);
    });
  };
  if (beta != 0 && target.is_aligned) {
    const auto add = [&](auto element) {
      store_turned_added<Element, decltype(element), kPieces, kHeld>(staging, rows_left, beta, turn,
                                                                     from);
    };
    if (target.is_wide) add(float{});
    else add(Half{});
    return;
  }
  store_pieces<32>(staging, rows_left, turn,
                   [&](int i, unsigned char* rows, const auto& turn_next) {
                     const TransposedTarget some = from(i * 32);
                     turn_next();
                     if (target.is_wide) store_turned_elements<Element, float>(rows, some, beta);
                     else store_turned_elements<Element, Half>(rows, some, beta);
                   });
}

}  // namespace gemm
