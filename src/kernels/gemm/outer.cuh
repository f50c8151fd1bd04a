// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// C as a sum of few outer products: a k of at most 32. C is nearly all that moves, and the bound is how fast it is stored. Other
// kernels wait: a block fetches, multiplies a little, stores a whole tile, and by then nobody has anything on its way; factors
// that begin anywhere are copied first, in a launch of its own.
//
// Here A and B may begin anywhere, and all of k is there at once. A block holds 64 columns of B. Each of its warps takes 16 rows
// of A after the other, by itself: it fetches them, multiplies, stores 16×64 of C, while others are elsewhere. So there is
// always somebody who stores, and what counts is how few instructions a warp has for what it stores.
//
// The grid: x are columns of C, y rows, so many rounds of the block's warps each, z matrices.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/outer.hpp"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// `at`, so many elements further. Of several steps the compiler would else keep each in registers of its own, round after round.
template <class T> __device__ __forceinline__ T* step(T* at, long long elements) {
  at += elements;
  asm volatile("" : "+l"(at));
  return at;
}

// What a thread brings of a factor: of kLines lines (rows of A, columns of B) of k, and as many more as make a power of two,
// each piece whose number among all is its own modulo kThreads. Pieces are neighbours in memory, one element or 16 bytes, and
// numbered as they lie there. What there is not becomes 0. Element (line, k) belongs at line·kLinePitch + k·kKPitch.
template <class T, class Piece, bool kAcross, int kLines, int kThreads, int kLinePitch, int kKPitch>
class OuterCourier {
  static_assert((kLines & (kLines - 1)) == 0 && (kThreads & (kThreads - 1)) == 0);
  static_assert(kOuterMostK <= kThreads);  // pieces of a row of k
  static constexpr int kEach = sizeof(Piece) / sizeof(T), kLog2Each = 31 - __builtin_clz(kEach);
  static constexpr int kLeastLog2K = sizeof(T) == 2 ? 4 : 3;
  static constexpr int kMost = kLines * kOuterMostK / kEach / kThreads;
  static constexpr int kTogether = kMost < 1 ? 1 : kMost < 8 ? kMost : 8;  // on their way
  // Of which there are as many, or none.
  static constexpr int kAll = (kLines << kLeastLog2K) / kEach / kThreads >= 4 ? 4 : 1;

  const T* at_;         // the thread's first piece
  long long apart_;     // elements of memory to its next piece
  int fixed_, moving_;  // its line and k where that is across, its k and line where it is along
  int step_;            // from `moving_` to that of the next piece
  int k_, count_;

 public:
  // Of the lines from `first` on.
  __device__ __forceinline__ OuterCourier(const T* matrix, long long leading_dimension, int k,
                                          long long first, int thread)
      : k_(k) {
    constexpr int kLog2Lines = 31 - __builtin_clz(kLines);
    const int log2_k = max(kLeastLog2K, 32 - __clz(max(k, 1) - 1));
    const int log2_row = (kAcross ? kLog2Lines : log2_k) - kLog2Each;
    fixed_ = (thread & ((1 << log2_row) - 1)) * kEach;
    moving_ = thread >> log2_row;
    step_ = kThreads >> log2_row;
    at_ = matrix + fixed_ + moving_ * leading_dimension +
          (kAcross ? first : first * leading_dimension);
    apart_ = step_ * leading_dimension;
    const int pieces = kLines / kEach << log2_k;
    count_ = thread < pieces ? max(pieces / kThreads, 1) : 0;
  }

  // To lines that are as many elements further.
  __device__ __forceinline__ void go_on(long long elements) { at_ += elements; }

  // `left`: lines that there are, of these and behind.
  __device__ __forceinline__ void bring(T* shared, long long left) const {
    const int lines = static_cast<int>(min(left, static_cast<long long>(kLines))),
              end = fixed_ < (kAcross ? lines : k_) ? (kAcross ? k_ : lines) : 0,
              to_next = step_ * (kAcross ? kKPitch : kLinePitch);
    const T* from = at_;
    T* to = shared + (kAcross ? fixed_ * kLinePitch + moving_ * kKPitch
                              : fixed_ * kKPitch + moving_ * kLinePitch);
    int moving = moving_;
#pragma unroll 1
    for (int begin = 0; begin < count_; begin += kTogether) {
      Piece pieces[kTogether];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        if (i % kAll == 0 && begin + i >= count_) break;
        pieces[i] = Piece{};
        if (moving < end) pieces[i] = *reinterpret_cast<const Piece*>(from);
        from = step(from, apart_), moving += step_;
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        if (i % kAll == 0 && begin + i >= count_) break;
        *reinterpret_cast<Piece*>(to) = pieces[i];
        to += to_next;
      }
    }
  }
};

inline constexpr int kOuterRound = kOuterWarps * kOuterRows;  // rows of a block at a time

// What of C a warp computes: from which row and column on, and for how many rounds of its block.
struct OuterPlace {
  long long row, column;
  int rounds;

  // `stored`: columns of a block where C's rows begin anywhere.
  __device__ __forceinline__ OuterPlace(const GemmArguments& g, int stored)
      : column(static_cast<long long>(blockIdx.x) * (g.result_is_aligned ? kOuterColumns : stored)),
        rounds(static_cast<int>(g.tiles.units)) {
    row =
        (static_cast<long long>(blockIdx.y) * rounds * kOuterWarps + threadIdx.x / 32) * kOuterRows;
  }
};

// A warp's 16 rows and 64 columns of C, or as many as there are.
template <class C> struct OuterResult {
  C* c;
  long long leading_dimension;
  int rows, columns;

  // `place`: where the warp begins.
  __device__ __forceinline__ OuterResult(const GemmArguments& g, const OuterPlace& place)
      : c(matrix_of<C>(g.c) + place.row * g.c.leading_dimension + place.column),
        leading_dimension(g.c.leading_dimension),
        rows(0),
        columns(static_cast<int>(min(g.n - place.column, static_cast<long long>(kOuterColumns)))) {}

  __device__ __forceinline__ C* row(int i) const { return c + i * leading_dimension; }
  // `left`: rows that there are, from the warp's first on.
  __device__ __forceinline__ void set_rows(long long left) {
    rows = static_cast<int>(min(left, static_cast<long long>(kOuterRows)));
  }
  __device__ __forceinline__ void go_on() { c += kOuterRound * leading_dimension; }
};

}  // namespace gemm
