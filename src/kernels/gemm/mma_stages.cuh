// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The loop over k of tensor-core kernels for every GPU from sm_80 on: cp.async fills a ring of stages with 16 bytes
// a copy, ldmatrix reads fragments, mma.sync multiplies (ladder, rungs 21 and 23).
//
// A and B are at multiples of 16 bytes. The loop asks for no bounds along k: the last step, which may be short, comes
// first. Lines outside the matrix become 0, but for those of a piece of 16 bytes that begins inside: they are computed
// and never stored. What such a piece takes from behind its row of k is there, as the next row follows; the row with
// the last k is read in that first step alone.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/piece.cuh"
#include "kernels/ptx/cp_async.cuh"

namespace gemm {

// kBM×kBN×kBK a block, kWM×kWN a warp; kStages of shared memory. T: what is copied of an element of A and B.
template <class T_, int kBM_, int kBN_, int kBK_, int kWM_, int kWN_, int kStages_> struct MmaTile {
  using T = T_;
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_, kWM = kWM_, kWN = kWN_,
                       kStages = kStages_;
  static constexpr int kWarpsAcross = kBN / kWN;
  static constexpr int kGroup = kBN > kBM ? 16 : 8;  // rows of tiles that are at work together
  static constexpr int kThreads = (kBM / kWM) * kWarpsAcross * 32;
  static constexpr int kBytesA = kBM * kBK * sizeof(T), kBytesB = kBN * kBK * sizeof(T);
  static constexpr int kStageBytes = kBytesA + kBytesB;
  static_assert(kWM % 16 == 0 && kWN % 16 == 0 && kStages >= 2);
};

// A factor in memory. Of pairs of f16, along k, a line's lower halves are `between` elements behind its upper ones.
template <class T> struct MmaSource {
  const T* matrix;
  long long leading_dimension;
  long long between = 0;
};

// A thread's share of the copies of one factor. Of pairs a slab has the upper halves of all lines, then the lower ones.
template <class Slab, class T, bool kAlongK, int kThreads, int kHalves> struct MmaCourier {
  static constexpr int kTogether = kThreads / Slab::kPieces;  // rows that a block copies at a time
  static constexpr int kGoes = Slab::kRows / kTogether;
  static constexpr int kGoBytes = kTogether * Slab::kPieces * kPiece;
  static_assert(kTogether * Slab::kPieces == kThreads && kGoes * kTogether == Slab::kRows);
  static_assert(kTogether % Slab::kPeriod == 0, "pieces of all goes are exchanged the same way");
  static constexpr int kGoesOfHalf = kGoes / kHalves;
  static_assert(kHalves == 1 || (kAlongK && kGoes % kHalves == 0));

  const T* from;
  long long go, advance;  // elements from one go to the next, and from a step to the next
  long long to_lower;  // more of them from the last go of upper halves to the first of lower ones
  int l, place;        // of the first piece: its k in a step, and its bytes in a slab
  int piece_lines;     // of a piece across k: how many lie in the matrix
  int lines_left;      // from the first piece's on, if not very many; of the first step alone
  unsigned inside;     // a bit for each go of which there is something in the matrix

  __device__ __forceinline__ MmaCourier(const MmaSource<T>& source, long long first_line,
                                        long long lines, long long first_k) {
    const long long leading = source.leading_dimension;
    const int row = threadIdx.x / Slab::kPieces, piece = threadIdx.x % Slab::kPieces;
    l = kAlongK ? piece * Slab::kEach : row;
    place = Slab::place(row, piece);
    const long long line = first_line + (kAlongK ? row : piece * Slab::kEach), k = first_k + l;
    from = source.matrix + (kAlongK ? line * leading + k : k * leading + line);
    go = kTogether * leading;
    to_lower = source.between - kGoesOfHalf * go;
    advance = kAlongK ? Slab::kK : Slab::kK * leading;
    const long long left = lines - line;
    lines_left = static_cast<int>(min(left, 1ll << 30));
    piece_lines = static_cast<int>(min(max(left, 0ll), static_cast<long long>(Slab::kEach)));
    if constexpr (kAlongK) {
      inside = 0;
#pragma unroll
      for (int i = 0; i < kGoes; ++i) inside |= (i % kGoesOfHalf * kTogether < left ? 1u : 0u) << i;
    } else {
      inside = left > 0 ? ~0u : 0u;
    }
  }

  // Asks for the last step, of `count` of k, `before` steps from here.
  __device__ __forceinline__ void copy_last(unsigned char* slab, int before, int count) const {
    const T* at = from + before * advance;
    const int bytes =
        (kAlongK ? min(max(count - l, 0), Slab::kEach) : piece_lines) * static_cast<int>(sizeof(T));
    // The go with one of the last rows, if there is one. (Halves are in memory of our own.)
    const int last = (kAlongK ? lines_left : count - l) - 1;
    const bool is_at_end =
        kHalves == 1 && is_partial(bytes) && last >= 0 && last % kTogether < kLastRows;
    const int last_go = is_at_end ? last / kTogether : kGoes;
#pragma unroll
    for (int i = 0; i < kGoes; ++i) {
      const bool is_there = kAlongK || l + i * kTogether < count;
      if (i != last_go)
        ptx::cp_async_up_to_16(slab + place + i * kGoBytes, at,
                               inside >> i & 1 && is_there ? bytes : 0);
      step_to_next_go(at, i);
    }
    if (last_go < kGoes)
      put_piece(slab + place + last_go * kGoBytes, from + before * advance + last_go * go, bytes);
  }

  // Asks for the next step, all k of which are there.
  __device__ __forceinline__ void copy(unsigned char* slab) {
    const T* at = from;
#pragma unroll
    for (int i = 0; i < kGoes; ++i) {
      ptx::cp_async_16(slab + place + i * kGoBytes, at, inside >> i & 1);
      step_to_next_go(at, i);
    }
    from += advance;
  }

 private:
  __device__ __forceinline__ void step_to_next_go(const T*& at, int i) const {
    at += go;
    if (kHalves == 2 && i + 1 == kGoesOfHalf) at += to_lower;
  }
};

// What A and B are where they are copied as they lie in memory.
template <class T> struct MmaAsItLies {
  using Element = T;
  static constexpr int kHalves = 1;
  static __device__ __forceinline__ MmaSource<T> source_a(const GemmArguments& g) {
    return {matrix_of<T>(g.a), g.a.leading_dimension};
  }
  static __device__ __forceinline__ MmaSource<T> source_b(const GemmArguments& g) {
    return {matrix_of<T>(g.b), g.b.leading_dimension};
  }
};

// What multiplies: Math::Tile, and
//   Math::SlabA, ::SlabB, ::kAlongA, ::kAlongB  how a step's factors stand in shared memory
//   Math::Element, ::kHalves               what is copied, and how many halves it has
//   Math::source_a(g), ::source_b(g)       where from
//   Math::kK                               k of a multiplication; a step has an even number of them
//   Math(row, column)                      where the warp's tile begins in the block's
//   read(fragment, slab of A, slab of B, k), multiply(sums, fragment)
// Sums are those of mma.sync, by tiles of 16×8.
template <class Math> struct MmaLoop {
  using Tile = typename Math::Tile;
  using T = typename Math::Element;
  using Sums = float[Tile::kWM / 16][Tile::kWN / 8][4];
  using CourierA =
      MmaCourier<typename Math::SlabA, T, Math::kAlongA, Tile::kThreads, Math::kHalves>;
  using CourierB =
      MmaCourier<typename Math::SlabB, T, Math::kAlongB, Tile::kThreads, Math::kHalves>;
  static constexpr int kStages = Tile::kStages, kBK = Tile::kBK;
  static_assert(kBK / Math::kK % 2 == 0 && kBK % Math::kK == 0);

  static __device__ __forceinline__ void run(Sums& sums, unsigned char* stages,
                                             const GemmArguments& g, const TilePlace& tile,
                                             const Depth& depth, int steps) {
    CourierA courier_a(Math::source_a(g), tile.row, g.m, depth.begin);
    CourierB courier_b(Math::source_b(g), tile.column, g.n, depth.begin);
    const int before = steps - 1;
    const auto count =
        static_cast<int>(depth.end - depth.begin - static_cast<long long>(before) * kBK);
    courier_a.copy_last(stages, before, count);
    courier_b.copy_last(stages + Tile::kBytesA, before, count);
    ptx::cp_async_commit();
    const auto copy = [&](int stage, bool is_there) {
      if (is_there) {
        courier_a.copy(stages + stage * Tile::kStageBytes);
        courier_b.copy(stages + stage * Tile::kStageBytes + Tile::kBytesA);
      }
      ptx::cp_async_commit();
    };
    for (int i = 1; i < kStages - 1; ++i) copy(i, i < steps);
    ptx::cp_async_wait<kStages - 2>();  // this thread's copies of the first step are there
    __syncthreads();                    // and everyone's

    const int warp = threadIdx.x / 32;
    const Math math(warp / Tile::kWarpsAcross * Tile::kWM, warp % Tile::kWarpsAcross * Tile::kWN);
    typename Math::Fragment fragments[2];
    math.read(fragments[0], stages, stages + Tile::kBytesA, 0);
    int current = 0, next = kStages - 1;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      copy(next, step + kStages - 1 < steps);  // whose last readers were before the last barrier
      next = current;
#pragma unroll
      for (int k = 0; k < kBK; k += Math::kK) {
        if (k + Math::kK == kBK) {
          ptx::cp_async_wait<kStages - 2>();
          __syncthreads();
          // Behind the last step there is none: its own first fragments are read again, and not used.
          if (step + 1 < steps) current = current + 1 == kStages ? 0 : current + 1;
        }
        const unsigned char* const stage = stages + current * Tile::kStageBytes;
        math.read(fragments[(k / Math::kK + 1) % 2], stage, stage + Tile::kBytesA,
                  (k + Math::kK) % kBK);
        math.multiply(sums, fragments[k / Math::kK % 2]);
      }
    }
  }
};

}  // namespace gemm
