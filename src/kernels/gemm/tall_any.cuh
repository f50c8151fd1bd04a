// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products whose rows of A begin anywhere and have any length. Rows eight apart begin at the same place within 16 bytes,
// whatever the leading dimension is: so a warp has such rows only, and reads them in 16 bytes from the multiple of 16
// on before each. What is shifted is B, of which there is a copy for each such place, and zeros before its first k. What stands
// in front of a row there is another row's, and set to 0 as well: it may be no number.
#pragma once

#include "kernels/gemm/tall.cuh"

namespace gemm {

// As TallRows. Eight warps share rows that are next to each other.
template <class S> class ShiftedRows {
  const Half *at_, *end_;  // of the next piece, and of the matrix
  long long apart_, next_unit_, lines_left_, stride_;
  int k_, k_left_;
  unsigned masks_[4];  // of a row's first 16 bytes, what is its

 public:
  static __device__ __forceinline__ int reach(int k) { return k + kTallShifts - 1; }
  static __device__ __forceinline__ long long first_line() {
    const long long warp = threadIdx.x / 32;
    return static_cast<long long>(blockIdx.x) * (S::kThreads / 32) * S::kLines +
           warp / kTallShifts * kTallShifts * S::kLines + warp % kTallShifts;
  }

  __device__ __forceinline__ ShiftedRows(const GemmArguments& g, int k, int pieces, long long line,
                                         long long stride)
      : stride_(stride) {
    const int column = static_cast<int>(threadIdx.x % 4);
    const long long leading = g.a.leading_dimension,
                    first = line + line_of<S>(0, static_cast<int>(threadIdx.x % 32 / 4));
    const Half* const row = matrix_of<Half>(g.a) + first * leading;
    const int shift = shift_of(row);
    at_ = row - shift + column * S::kLaneK;
    end_ = matrix_of<Half>(g.a) + (g.m - 1) * leading + k;
    apart_ = 8 * S::Way::kApart * leading;
    next_unit_ = stride * leading - (pieces - 1) * S::kPieceK;
    lines_left_ = g.m - first;
    k_ = k_left_ = k + shift - column * S::kLaneK;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int before = column == 0 ? shift - i * 2 : 0;
      masks_[i] = before >= 2 ? 0 : before == 1 ? 0xFFFF0000u : ~0u;
    }
  }

  __device__ __forceinline__ void ask(uint4* to) const {
    constexpr int kSpan = S::kLines * S::Way::kApart, kEach = 8;
    const int count = min(max(k_left_, 0), kEach);
    const Half* from = at_;
    // Rows are one element apart or more, so 16 bytes of these are of the matrix.
    if (lines_left_ > kSpan + kEach) [[likely]] {
#pragma unroll
      for (int i = 0; i < S::kLoads; ++i, from += apart_)
        ptx::cp_async_up_to_16(to + i * 32, from, count * 2);
      return;
    }
#pragma unroll 1
    for (int i = 0; i < S::kLoads; ++i, from += apart_)
      ask_for_first(to + i * 32, from, i * 8 * S::Way::kApart < lines_left_ ? count : 0, end_);
  }

  __device__ __forceinline__ void go_on(bool to_next_unit) {
    if (to_next_unit) {
      at_ += next_unit_, lines_left_ -= stride_, k_left_ = k_;
    } else {
      at_ += S::kPieceK, k_left_ -= S::kPieceK;
    }
  }

  __device__ __forceinline__ void take(typename S::Piece& piece, const uint4* from,
                                       bool is_first) const {
#pragma unroll
    for (int i = 0; i < S::kLoads; ++i) {
      piece[i] = from[i * 32];
      if (!is_first) continue;
      piece[i].x &= masks_[0], piece[i].y &= masks_[1];
      piece[i].z &= masks_[2], piece[i].w &= masks_[3];
    }
  }
};

// As TallColumns: first all pairs of neighbouring k, then of these the copies.
template <class S, int kTogether> class ShiftedColumns {
  static constexpr int kPitch = S::kN + 1;  // so that no two lanes of a warp read one bank
  static constexpr int kPieceWords = TallOrder<S>::kPieceWords,
                       kCopyWords = S::kMostK / S::kPieceK * kPieceWords;
  // Pairs that a thread brings, of one column, each kApart k further; words of a piece that it makes of them.
  static constexpr int kApart = S::kThreads / S::kN, kPairs = S::kMostK / kApart,
                       kWords = kPieceWords / S::kThreads;
  static_assert(kCopyWords * kTallShifts * 4 == S::kColumnsBytes && kTallAnyMostK < S::kMostK);
  static_assert((kTallAnyMostK + 1) * kPitch * 4 <= tall_any_spare_bytes(S::kN, S::kThreads));

  const GemmArguments& g_;
  int k_, pieces_;
  long long column_;
  Half low_[kPairs], high_[kPairs];

 public:
  __device__ __forceinline__ ShiftedColumns(const GemmArguments& g, int k, int pieces,
                                            long long column)
      : g_(g), k_(k), pieces_(pieces), column_(column) {}

  __device__ __forceinline__ void ask(unsigned*, unsigned*) {
    const int column = static_cast<int>(threadIdx.x) % S::kN, first = second_of_thread();
    const long long leading = g_.b.leading_dimension, along = g_.b_across_k ? leading : 1;
    const Half* const from =
        matrix_of<Half>(g_.b) + (column_ + column) * (g_.b_across_k ? 1 : leading) + first * along;
    const bool is_column = column_ + column < g_.n;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const int second = first + i * kApart;
      const Half* const at = from + i * kApart * along;
      low_[i] = is_column && second > 0 && second <= k_ ? at[-along] : Half{0};
      high_[i] = is_column && second < k_ ? at[0] : Half{0};
    }
  }

  __device__ __forceinline__ void bring(unsigned* to, unsigned* pairs) const {
    const int first = second_of_thread();
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
      if (first + i * kApart <= k_)
        pairs[(first + i * kApart) * kPitch + threadIdx.x % S::kN] =
            low_[i] | static_cast<unsigned>(high_[i]) << 16;
    __syncthreads();  // all pairs are there
    const Half* const a = matrix_of<Half>(g_.a);
    int first_k[kWords], column[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      TallOrder<S>::template place<kTogether>(threadIdx.x + i * S::kThreads, first_k[i], column[i]);
#pragma unroll 1
    for (int piece = 0; piece < pieces_; ++piece) {
#pragma unroll
      for (int copy = 0; copy < kTallShifts; ++copy) {
        const int shift = shift_of(a + copy * g_.a.leading_dimension);
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
          const int second = first_k[i] + piece * S::kPieceK - shift + 1;
          to[copy * kCopyWords + piece * kPieceWords + threadIdx.x + i * S::kThreads] =
              second >= 0 && second <= k_ ? pairs[second * kPitch + column[i]] : 0;
        }
      }
    }
  }

  static __device__ __forceinline__ const unsigned* of_warp(const unsigned* columns) {
    return columns + threadIdx.x / 32 % kTallShifts * kCopyWords;
  }

 private:
  // The second k of the thread's first pair.
  static __device__ __forceinline__ int second_of_thread() {
    return static_cast<int>(threadIdx.x) / S::kN;
  }
};

// kThreads_: as many as have room in registers and shared memory.
template <int kThreads_> struct AnyWay {
  template <class S> using Rows = ShiftedRows<S>;
  template <class S, int kTogether> using Columns = ShiftedColumns<S, kTogether>;
  static constexpr int kThreads = kThreads_, kMostK = kTallAnyHeldK, kCopies = kTallShifts,
                       kApart = kTallShifts;
};

}  // namespace gemm

// For up to 32 and 64 columns.
#define TILEWISE_TALL_ANY(name, Type)                                                             \
  TILEWISE_TALL(name##_32_any, gemm::AnyWay<tilewise::kernels::kTallAny32Threads>, Type, true, 1, \
                32, 4)                                                                            \
  TILEWISE_TALL(name##_64_any, gemm::AnyWay<tilewise::kernels::kTallAny64Threads>, Type, true, 1, \
                64, 4)
