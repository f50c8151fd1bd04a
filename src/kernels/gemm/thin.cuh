// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with a handful of rows: B is read once and hardly multiplied, so what counts is how many bytes of it are on
// their way, wherever it begins and however long its rows are. (Strips, strip.cuh, are for aligned factors and more rows.)
//
// Rows of B in memory may begin anywhere within 16 bytes, but those kEach apart, as many as 16 bytes have elements, all
// begin at the same place. So a warp has rows of one such kind alone, and reads them in pieces of 16 bytes, each at a
// multiple of 16 bytes: nothing is ever shifted. Where k runs across these rows, a piece's columns are the same in all
// of them, another place for each kind, and the kinds' sums meet at the end in shared memory. Where k runs along them, it
// is A that is read from another place. A stands in shared memory as f32, kDepth of its k at a time.
//
// Pieces at the ends of rows have elements of other rows, or of what lies between: these are read where they are inside the
// matrix, and never added to anything that becomes a result.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/gemm/thin.hpp"
#include "kernels/ptx/grid.cuh"

namespace gemm {

template <class Type_, int kM_> struct ThinShape {
  using Type = Type_;
  using Stored = typename Type::Stored;
  static constexpr int kM = kM_, kElement = sizeof(Stored), kEach = 16 / kElement;
  static constexpr int kN = kThinColumns, kDepth = thin_depth(kM);
  static constexpr int kThreads = kThinThreads, kWarps = kThinWarps;
  static_assert(kWarps % kEach == 0 && kDepth % kEach == 0);  // a warp's rows are of one kind
  static constexpr int kAhead = 8;  // pieces that a thread has on their way
  // Threads that add up an element of C.
  static constexpr int kParts = kThreads / (kM * kN);
  static_assert(kParts * kM * kN == kThreads && kParts <= 32);
  // Where k runs across: pieces of a row, which begin up to a piece before the tile; rows that a warp reads at a time.
  static constexpr int kPieces = kN / kEach + 1, kTogether = 32 / kPieces;
  static constexpr int kSlot = kPieces * kEach;  // sums of a row of C
  // Where k runs along: rows of a warp. A stands by the place of k within a piece, and by the piece, before which there
  // is one of zeros.
  static constexpr int kLines = kN / kWarps, kPitch = kDepth / kEach + 2;
};

__device__ __forceinline__ void unpack(float (&to)[4], const uint4& piece, StripF32) {
  to[0] = __uint_as_float(piece.x), to[1] = __uint_as_float(piece.y),
  to[2] = __uint_as_float(piece.z), to[3] = __uint_as_float(piece.w);
}
template <class Type>
__device__ __forceinline__ void unpack(float (&to)[8], const uint4& piece, Type) {
  const unsigned words[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (std::is_same_v<typename Type::Element, ptx::BF16>) {
      to[i * 2] = __uint_as_float(words[i] << 16);
      to[i * 2 + 1] = __uint_as_float(words[i] & 0xFFFF0000);
    } else {
      to[i * 2] = widen<typename Type::Element>(static_cast<Half>(words[i]));
      to[i * 2 + 1] = widen<typename Type::Element>(static_cast<Half>(words[i] >> 16));
    }
  }
}

__device__ __forceinline__ float to_f32(float x, StripF32) { return x; }
template <class Type> __device__ __forceinline__ float to_f32(Half x, Type) {
  return widen<typename Type::Element>(x);
}

__device__ __forceinline__ uint4 whole_piece(const void* from) {
  return *static_cast<const uint4*>(from);
}

// The first `count` elements of the piece at `from`, of which the others may not be read.
template <class S>
__device__ __forceinline__ uint4 cut_piece(const typename S::Stored* from, int count) {
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < S::kEach; ++i) {
    if (i >= count) break;
    unsigned bits;
    if constexpr (S::kElement == 4) bits = __float_as_uint(from[i]);
    else bits = from[i];
    words[i * S::kElement / 4] |= bits << i * S::kElement % 4 * 8;
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// A of `count` k from `from` on to shared memory, rows that are not there as zeros.
template <class S, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void bring(float* to, const typename S::Stored* from,
                                      long long leading_dimension, int rows, int count) {
  constexpr int kTurns = S::kM >= 8 ? 1 : 8 / S::kM;  // all loads of which come before its stores
  const auto place = [&](int row, int k) {
    if constexpr (kAlongB) return (row * S::kEach + k % S::kEach) * S::kPitch + 1 + k / S::kEach;
    else return k * S::kM + row;
  };
  // A piece may reach further than the last k.
  const int all = kAlongB ? count + S::kEach : count;
#pragma unroll 1
  for (int first = threadIdx.x; first < all; first += S::kThreads * kTurns) {
    float some[kTurns][S::kM];
#pragma unroll
    for (int i = 0; i < kTurns; ++i) {
      const int k = first + i * S::kThreads;
#pragma unroll
      for (int row = 0; row < S::kM; ++row) {
        const long long at = kAlongA ? row * leading_dimension + k : k * leading_dimension + row;
        some[i][row] = row < rows && k < count ? to_f32(from[at], typename S::Type{}) : 0;
      }
    }
#pragma unroll
    for (int i = 0; i < kTurns; ++i) {
      const int k = first + i * S::kThreads;
      if (k >= all) break;
#pragma unroll
      for (int row = 0; row < S::kM; ++row) to[place(row, k)] = some[i][row];
    }
  }
  if (kAlongB && threadIdx.x < S::kM * S::kEach) to[threadIdx.x * S::kPitch] = 0;
}

// What a block reads of B at a time.
template <class S> struct ThinBlock {
  const typename S::Stored* from;  // its first element
  long long leading_dimension;
  int columns, count;         // of the tile, and of k
  bool is_last_k, is_last_n;  // there are fewer k behind than a piece has; no column
};

__device__ __forceinline__ int warp_of_thread() { return static_cast<int>(threadIdx.x) / 32; }
__device__ __forceinline__ int lane_of_thread() { return static_cast<int>(threadIdx.x) % 32; }

// B across k: kTogether rows a warp at a time, kPieces lanes each.
template <class S> class ThinRows {
  using Stored = typename S::Stored;
  static constexpr int kStep = S::kWarps * S::kTogether;  // of k

 public:
  using Sums = float[S::kM][S::kEach];

  // Asks for the first pieces.
  __device__ __forceinline__ explicit ThinRows(const ThinBlock<S>& b)
      : leading_(b.leading_dimension) {
    const int lane = lane_of_thread(), warp = warp_of_thread();
    first_ = warp + lane / S::kPieces * S::kWarps;
    const int column = lane % S::kPieces * S::kEach - shift_of(b.from + warp * leading_);
    const int there = min(b.columns - column, S::kEach);
    const bool has_any = lane < S::kPieces * S::kTogether && there > 0;
    // Behind the last row there may be nothing; of rows that are shorter than a piece, behind several.
    const bool is_cut = there < S::kEach && b.is_last_k;
    all_ = has_any ? b.count : 0;
    count_ = !is_cut ? all_ : leading_ < S::kEach ? 0 : max(all_ - 1, 0);
    there_ = there;
    row_ = b.from + column;
    at_ = row_ + first_ * leading_;
#pragma unroll
    for (int i = 0; i < S::kAhead; ++i) ask(pieces_[i], first_ + i * kStep);
  }

  // Each piece makes room for another: as many are always on their way.
  __device__ __forceinline__ void add(Sums& sums, const float* a) {
#pragma unroll 1
    for (int k = first_; k < count_; k += kStep * S::kAhead) {
#pragma unroll
      for (int i = 0; i < S::kAhead; ++i) {
        const int now = k + i * kStep;
        if (now >= count_) break;
        add_piece(sums, a + now * S::kM, pieces_[i]);
        ask(pieces_[i], now + S::kAhead * kStep);
      }
    }
    // Those that are not read whole.
    int k = first_ + (max(count_ - first_, 0) + kStep - 1) / kStep * kStep;
#pragma unroll 1
    for (; k < all_; k += kStep)
      add_piece(sums, a + k * S::kM, cut_piece<S>(row_ + k * leading_, there_));
  }

  // Sums of a kind of rows are of columns from its shift before the tile on.
  static __device__ __forceinline__ void leave(float* to, const Sums& sums) {
    const int lane = lane_of_thread(), warp = warp_of_thread();
    if (lane >= S::kPieces * S::kTogether) return;
    to +=
        (warp * S::kTogether + lane / S::kPieces) * S::kM * S::kSlot + lane % S::kPieces * S::kEach;
#pragma unroll
    for (int row = 0; row < S::kM; ++row)
#pragma unroll
      for (int j = 0; j < S::kEach; j += 4)
        *reinterpret_cast<float4*>(to + row * S::kSlot + j) =
            make_float4(sums[row][j], sums[row][j + 1], sums[row][j + 2], sums[row][j + 3]);
  }

  // One of kParts parts of a sum.
  static __device__ __forceinline__ float total(const float* left, int row, int column, int part,
                                                const ThinBlock<S>& b) {
    float sum = 0;
#pragma unroll 4
    for (int i = part; i < S::kWarps * S::kTogether; i += S::kParts)
      sum += left[(i * S::kM + row) * S::kSlot + column +
                  shift_of(b.from + i / S::kTogether * b.leading_dimension)];
    return sum;
  }

 private:
  __device__ __forceinline__ void ask(uint4& piece, int k) {
    if (k < count_) piece = whole_piece(at_);
    at_ += kStep * leading_;
  }

  static __device__ __forceinline__ void add_piece(Sums& sums, const float* a, const uint4& piece) {
    float b[S::kEach];
    unpack(b, piece, typename S::Type{});
#pragma unroll
    for (int row = 0; row < S::kM; ++row)
#pragma unroll
      for (int j = 0; j < S::kEach; ++j) sums[row][j] = fmaf(a[row], b[j], sums[row][j]);
  }

  const Stored *row_, *at_;  // this lane's piece of the first row, and the one to be asked for next
  long long leading_;
  int first_, count_,
      all_;    // k of this lane's first row, the end of those that are read whole, and of all
  int there_;  // elements of a piece, from its beginning, that may be read of the others
  uint4 pieces_[S::kAhead];
};

// B along k: a warp has kLines rows, and lanes lie along them.
template <class S> class ThinLines {
  using Stored = typename S::Stored;
  static constexpr int kTurns = S::kAhead / S::kLines;

 public:
  using Sums = float[S::kLines * S::kM];

  // Asks for the first pieces.
  __device__ __forceinline__ explicit ThinLines(const ThinBlock<S>& b)
      : row_(b.from + warp_of_thread() * b.leading_dimension),
        step_(S::kWarps * b.leading_dimension),
        shift_(shift_of(row_)),
        count_(b.count),
        inside_((b.count + shift_) / S::kEach),
        all_((b.count + shift_ + S::kEach - 1) / S::kEach),
        begin_(shift_ > 0 || inside_ == 0 ? 1 : 0),
        lines_(b.columns - warp_of_thread()),
        followed_(b.leading_dimension < S::kEach ? 0
                  : b.is_last_n                  ? lines_ - 1
                                                 : lines_),
        is_last_k_(b.is_last_k) {
    row_ -= shift_;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn)
      ask(pieces_[turn], begin_ + lane_of_thread() + turn * 32);
  }

  __device__ __forceinline__ void add(Sums& sums, const float* a) {
    const int lane = lane_of_thread();
#pragma unroll 1
    for (int first = begin_ + lane; first < inside_; first += kTurns * 32) {
#pragma unroll
      for (int turn = 0; turn < kTurns; ++turn) {
        const int piece = first + turn * 32;
        if (piece >= inside_) break;
        add_pieces<false>(sums, a, pieces_[turn], piece);
        ask(pieces_[turn], piece + kTurns * 32);
      }
    }
    // The first piece and the last may be of other rows, too.
    if (lane < begin_) add_end(sums, a, 0);
    const int last = max(begin_, inside_);
    if (last + lane < all_) add_end(sums, a, last);
  }

  static __device__ __forceinline__ void leave(float* to, Sums& sums) {
    const int lane = lane_of_thread(), warp = warp_of_thread();
    // Lanes exchange halves of what they have until each has one sum, or several have the same.
    int number = 0;
#pragma unroll
    for (int distance = 16, have = S::kLines * S::kM; distance > 0; distance /= 2) {
      if (have > 1) {
        have /= 2;
        const bool is_upper = (lane & distance) != 0;
        number += is_upper ? have : 0;
#pragma unroll
        for (int i = 0; i < S::kLines * S::kM / 2; ++i) {
          if (i >= have) break;
          const float keep = is_upper ? sums[i + have] : sums[i],
                      give = is_upper ? sums[i] : sums[i + have];
          sums[i] = keep + __shfl_xor_sync(~0u, give, distance);
        }
      } else {
        sums[0] += __shfl_xor_sync(~0u, sums[0], distance);
      }
    }
    to[number % S::kM * S::kN + number / S::kM * S::kWarps + warp] = sums[0];
  }

  static __device__ __forceinline__ float total(const float* left, int row, int column, int part,
                                                const ThinBlock<S>&) {
    return part == 0 ? left[row * S::kN + column] : 0;
  }

 private:
  // Of each row one that is whole.
  __device__ __forceinline__ void ask(uint4 (&to)[S::kLines], int piece) {
    if (piece >= inside_) return;
#pragma unroll
    for (int i = 0; i < S::kLines; ++i) {
      to[i] = make_uint4(0, 0, 0, 0);
      if (i * S::kWarps < lines_) to[i] = whole_piece(row_ + i * step_ + piece * S::kEach);
    }
  }

  __device__ __forceinline__ void add_end(Sums& sums, const float* a, int piece) const {
    const int left = count_ - (piece * S::kEach - shift_);
    uint4 pieces[S::kLines] = {};
#pragma unroll
    for (int i = 0; i < S::kLines; ++i) {
      if (i * S::kWarps >= lines_) continue;
      const Stored* const at = row_ + i * step_ + piece * S::kEach;
      const bool is_whole = left >= S::kEach || !is_last_k_ || i * S::kWarps < followed_;
      pieces[i] = is_whole ? whole_piece(at) : cut_piece<S>(at, left);
    }
    add_pieces<true>(sums, a, pieces, piece);
  }

  // kEnds: what is not of these k counts as 0.
  template <bool kEnds>
  __device__ __forceinline__ void add_pieces(Sums& sums, const float* a,
                                             const uint4 (&pieces)[S::kLines], int piece) const {
    float b[S::kLines][S::kEach];
#pragma unroll
    for (int i = 0; i < S::kLines; ++i) {
      unpack(b[i], pieces[i], typename S::Type{});
      if constexpr (kEnds) {
#pragma unroll
        for (int e = 0; e < S::kEach; ++e) {
          const int k = piece * S::kEach - shift_ + e;
          if (k < 0 || k >= count_) b[i][e] = 0;
        }
      }
    }
#pragma unroll
    for (int row = 0; row < S::kM; ++row) {
#pragma unroll
      for (int e = 0; e < S::kEach; ++e) {
        // k = piece · kEach + e − shift.
        const int place = e - shift_, before = place < 0 ? 1 : 0;
        const float x =
            a[(row * S::kEach + place + before * S::kEach) * S::kPitch + 1 + piece - before];
#pragma unroll
        for (int i = 0; i < S::kLines; ++i)
          sums[i * S::kM + row] = fmaf(x, b[i][e], sums[i * S::kM + row]);
      }
    }
  }

  const Stored* row_;  // the first of this warp, from the multiple of 16 bytes on before it
  long long step_;
  int shift_, count_;
  int inside_, all_, begin_;  // pieces of all rows from begin_ to inside_ are whole
  // From the warp's first row on: those that there are, and those behind which a piece finds another row.
  int lines_, followed_;
  bool is_last_k_;
  uint4 pieces_[kTurns][S::kLines];
};

template <class S, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void thin(const GemmArguments& g) {
  using Stored = typename S::Stored;
  using Way = std::conditional_t<kAlongB, ThinLines<S>, ThinRows<S>>;
  extern __shared__ __align__(16) float shared[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const TilePlace tile = place_of_tile<S::kM, S::kN>(blockIdx.x, g.m, g.n);
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const Depth depth = depth_of_block(g, alpha == 0);
  const long long lda = g.a.leading_dimension, ldb = g.b.leading_dimension;
  const int rows = static_cast<int>(min(g.m - tile.row, static_cast<long long>(S::kM))),
            columns = static_cast<int>(min(g.n - tile.column, static_cast<long long>(S::kN)));
  const auto block_at = [&](long long k) {
    return ThinBlock<S>{
        matrix_of<Stored>(g.b) + (kAlongB ? tile.column * ldb + k : k * ldb + tile.column),
        ldb,
        columns,
        static_cast<int>(min(depth.end - k, static_cast<long long>(S::kDepth))),
        k + S::kDepth + S::kEach > g.k,
        tile.column + S::kN >= g.n};
  };

  typename Way::Sums sums = {};
#pragma unroll 1
  for (long long k = depth.begin; k < depth.end; k += S::kDepth) {
    const ThinBlock<S> block = block_at(k);
    Way way(block);
    __syncthreads();  // nobody reads A of the k before any more
    bring<S, kAlongA, kAlongB>(
        shared, matrix_of<Stored>(g.a) + (kAlongA ? tile.row * lda + k : k * lda + tile.row), lda,
        rows, block.count);
    __syncthreads();
    way.add(sums, shared);
  }
  __syncthreads();
  Way::leave(shared, sums);
  __syncthreads();
  // An element of C by kParts threads.
  const int part = static_cast<int>(threadIdx.x) % S::kParts,
            element = static_cast<int>(threadIdx.x) / S::kParts;
  const int row = element / S::kN, column = element % S::kN;
  float sum = Way::total(shared, row, column, part, block_at(depth.begin));
#pragma unroll
  for (int distance = 1; distance < S::kParts; distance *= 2)
    sum += __shfl_xor_sync(~0u, sum, distance);
  if (part > 0 || row >= rows || column >= columns) return;
  const long long x = tile.row + row, y = tile.column + column, ldc = g.c.leading_dimension;
  const long long at = g.result_is_transposed ? y * ldc + x : x * ldc + y;
  if (S::kElement == 4 || g.result_bytes == 4)
    store_one<typename S::Type>(matrix_of<float>(g.c) + at, alpha * sum, beta);
  else store_one<typename S::Type>(matrix_of<Stored>(g.c) + at, alpha * sum, beta);
}

}  // namespace gemm

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k"). Two blocks of one row share a
// multiprocessor.
#define TILEWISE_THIN(name, suffix, Type, rows, along_a, along_b)                        \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kThinThreads,          \
                                               (rows) == 1 ? 2 : 1)                      \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments arguments) { \
    gemm::thin<gemm::ThinShape<Type, rows>, along_a, along_b>(arguments);                \
  }
#define TILEWISE_THIN_ORDERS(name, Type, rows)      \
  TILEWISE_THIN(name, _kk, Type, rows, true, true)  \
  TILEWISE_THIN(name, _kx, Type, rows, true, false) \
  TILEWISE_THIN(name, _xk, Type, rows, false, true) \
  TILEWISE_THIN(name, _xx, Type, rows, false, false)
