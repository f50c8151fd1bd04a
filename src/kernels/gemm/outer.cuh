// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// C as a sum of few outer products: a k of at most 32, of 16 bits 64. C is nearly all that moves, and the bound is how fast it is stored. Other
// kernels wait: a block fetches, multiplies a little, stores a whole tile, and by then nobody has anything on its way; factors
// that begin anywhere are copied first, in a launch of its own.
//
// Here A and B may begin anywhere, and all of k is there at once. A block holds 64 columns of B, or twice as many. Each of its warps takes 16 rows
// of A after the other, by itself: it fetches them, multiplies, stores 16×64 of C, while others are elsewhere. So there is
// always somebody who stores, and what counts is how few instructions a warp has for what it stores.
//
// The grid: x are columns of C, y rows, so many rounds of the block's warps each, z matrices.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/outer.hpp"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// `at`, of which the compiler learns that it is in global memory.
template <class T> __device__ __forceinline__ T* global(T* at) {
  __builtin_assume(__isGlobal(at));
  return at;
}

// `at`, so many elements further. Of several steps the compiler would else keep each in registers of its own, round after round.
template <class T> __device__ __forceinline__ T* step(T* at, long long elements) {
  at += elements;
  asm volatile("" : "+l"(at));
  return global(at);
}

// What a thread brings of a factor: of kLines lines (rows of A, columns of B) of k, and as many more as make a power of two,
// each piece whose number among all is its own modulo kThreads. Pieces are neighbours in memory, one element or 16 bytes, and
// numbered as they lie there; where a line along k has more pieces than there are threads, it is brought in stretches. What there
// is not becomes 0. Element (line, k) belongs at line·kLinePitch + k·kKPitch.
template <class T, class Piece, bool kAcross, int kLines, int kMostK, int kThreads, int kLinePitch,
          int kKPitch>
class OuterCourier {
  static_assert((kLines & (kLines - 1)) == 0 && (kThreads & (kThreads - 1)) == 0);
  static constexpr int kEach = sizeof(Piece) / sizeof(T), kLog2Each = 31 - __builtin_clz(kEach);
  static constexpr int kLeastLog2K = sizeof(T) == 2 ? 4 : 3;
  static constexpr bool kInStretches = !kAcross && kMostK / kEach > kThreads;
  static constexpr int kStretch = kInStretches ? kThreads * kEach : kMostK;  // k
  static constexpr int kMost = kLines * kStretch / kEach / kThreads;
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
    const int log2_k = max(kLeastLog2K, 32 - __clz(max(min(k, kStretch), 1) - 1));
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
  __device__ __forceinline__ void bring(T* shared, int left) const {
    const int lines = min(left, kLines);
    bring_stretch(shared, at_, k_, lines);
    if constexpr (kInStretches) {
#pragma unroll 1
      for (int first = kStretch; first < k_; first += kStretch)
        bring_stretch(shared + first * kKPitch, at_ + first, k_ - first, lines);
    }
  }

 private:
  __device__ __forceinline__ void bring_stretch(T* shared, const T* from, int k, int lines) const {
    from = global(from);
    const int end = fixed_ < (kAcross ? lines : k) ? (kAcross ? k : lines) : 0,
              to_next = step_ * (kAcross ? kKPitch : kLinePitch);
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

// What of C a warp computes: from which row and column on, and how many rows there are for it and the warps beside it, which in
// each round take kOuterRound of them.
struct OuterPlace {
  long long row, column;
  int left;

  // `columns`: that a block stores.
  __device__ __forceinline__ OuterPlace(const GemmArguments& g, int columns)
      : row(static_cast<long long>(blockIdx.y) * g.tiles.units * kOuterRound +
            threadIdx.x / 32 * kOuterRows),
        column(static_cast<long long>(blockIdx.x) * columns),
        left(
            static_cast<int>(min(g.m - row, static_cast<long long>(g.tiles.units) * kOuterRound -
                                                static_cast<int>(threadIdx.x) / 32 * kOuterRows))) {
  }
};

// A warp's 16 rows of C and the columns of its block, or as many as there are.
template <class C> struct OuterResult {
  C* c;
  long long leading_dimension;
  int rows, columns;

  // `place`: where the warp begins.
  __device__ __forceinline__ OuterResult(const GemmArguments& g, const OuterPlace& place)
      : c(matrix_of<C>(g.c) + place.row * g.c.leading_dimension + place.column),
        leading_dimension(g.c.leading_dimension),
        rows(place.left),
        columns(
            static_cast<int>(min(g.n - place.column, static_cast<long long>(kOuterMostColumns)))) {}

  __device__ __forceinline__ C* row(int i) const { return global(c + i * leading_dimension); }
  // The next round, of which there may be no rows.
  __device__ __forceinline__ void go_on() {
    c += kOuterRound * leading_dimension, rows -= kOuterRound;
  }
};

}  // namespace gemm
