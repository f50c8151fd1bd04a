// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels for tall products of any alignment (tall_any.cuh, tall_long.cuh) share: how units of lines (rows of A) and what is
// stored of C go through shared memory.
//
// What a unit has of A is brought as it lies in memory: in pieces of 16 bytes that are aligned there and here, so that each span
// of memory, a row of A or the unit's part of a column, stands as far behind a multiple of 16 bytes as it does in memory. Rows
// without gaps between them are one span. Words are shifted when they are read: of two neighbouring words, which is what
// mma.sync takes at a time, one or two aligned ones hold the halves. Results leave the same way: they are put into shared
// memory where they are to stand within 16 bytes, and stored in pieces, and in smaller words at the ends of spans.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/slab.cuh"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/gemm/tall.hpp"
#include "kernels/ptx/cp_async.cuh"

namespace gemm::tall_any {

constexpr int kHalf = sizeof(Half);
template <bool kByRows, bool kAcross> constexpr int kLinesOf = tall_any_lines(kByRows, kAcross);

__device__ __forceinline__ int shift_in_bytes(const void* at) {
  return static_cast<int>(reinterpret_cast<size_t>(at) % kPiece);
}
// The piece of 16 bytes that a byte is of.
template <class Char> __device__ __forceinline__ Char* piece_of(Char* at) {
  return reinterpret_cast<Char*>(reinterpret_cast<size_t>(at) & ~size_t{kPiece - 1});
}
__device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x % 32); }

// Spans of a unit, and which of their pieces are the lane's.
class Spans {
  const TallSpans& of_;
  int first_, step_, end_;  // spans of which it has pieces; where there is one, pieces
  long long to_first_;      // bytes in memory
  int shared_, behind_;     // and in shared memory, and behind the span's beginning

 public:
  explicit __device__ __forceinline__ Spans(const TallSpans& of) : of_(of) {
    if (is_whole()) {
      first_ = lane(), step_ = 32, end_ = of.pieces;
      to_first_ = shared_ = behind_ = lane() * kPiece;
      return;
    }
    first_ = static_cast<int>(lane() * of.reciprocal >> 16);
    step_ = of.at_a_time, end_ = first_ < of.at_a_time ? of.count : 0;
    behind_ = (lane() - first_ * of.pieces) * kPiece;
    to_first_ = first_ * of.apart + behind_, shared_ = first_ * of.pitch + behind_;
  }

  __device__ __forceinline__ int pitch() const { return of_.pitch; }
  __device__ __forceinline__ bool is_whole() const { return of_.at_a_time == 0; }
  __device__ __forceinline__ long long apart() const { return of_.apart; }
  // Where span `i` of those from `first` on begins there. The same for all whose first is a multiple of 16 bytes further on.
  __device__ __forceinline__ int at(const char* first, int i) const {
    return i * of_.pitch + shift_in_bytes(is_whole() ? first : first + i * of_.apart);
  }
  // Calls piece(memory, shared, further) for the pieces that hold the spans from `first` on: where they are, and how many bytes
  // behind the beginning of their span.
  template <int kAtATime, class Char, class Function>
  __device__ __forceinline__ void each_piece(Char* first, const Function& piece) const {
    Char* at = first + to_first_;
    int shared = shared_, behind = behind_;
#pragma unroll kAtATime
    for (int i = first_; i < end_; i += step_) {
      piece(piece_of(at), shared, behind - shift_in_bytes(at));
      at += of_.to_next, shared += of_.next;
      if (is_whole()) behind += of_.next;
    }
  }
};

// What of a matrix there is.
struct Extent {
  const char *begin, *end;

  __device__ __forceinline__ bool has(const char* piece) const {
    return piece >= begin && piece + kPiece <= end;
  }
};

// A piece of which only the elements inside the matrix are read, all at the same time.
__device__ __forceinline__ void put_inside(char* to, const char* from, const Extent& matrix) {
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < kPiece / kHalf; ++i) {
    const char* const at = from + i * kHalf;
    if (at >= matrix.begin && at < matrix.end)
      words[i / 2] |= unsigned{*reinterpret_cast<const Half*>(at)} << i % 2 * 16;
  }
  *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
}

// The warp asks for the pieces of the spans from `first` on that are inside the matrix.
__device__ __forceinline__ void ask_for(char* to, const char* first, const Spans& spans,
                                        const Extent& matrix) {
  spans.each_piece<2>(first, [&](const char* from, int at, int) {
    if (matrix.has(from)) ptx::cp_async_16_of_256(to + at, from, true);
  });
}
// The same where all are.
__device__ __forceinline__ void ask_for_all(char* to, const char* first, const Spans& spans) {
  spans.each_piece<4>(
      first, [&](const char* from, int at, int) { ptx::cp_async_16_of_256(to + at, from, true); });
}
// Brings the others, as far as they are inside.
__device__ __forceinline__ void bring_ends(char* to, const char* first, const Spans& spans,
                                           const Extent& matrix) {
  spans.each_piece<1>(first, [&](const char* from, int at, int) {
    if (!matrix.has(from)) put_inside(to + at, from, matrix);
  });
}

// Moves what is between two places within 16 bytes of a span, in words as large as they are aligned. C: the type of elements.
template <class C, class Move>
__device__ __forceinline__ void move_part(char* memory, char* shared, int bytes, const Move& move) {
  const auto move_word = [&]<class Word>(bool does, Word) {
    if (!does) return;
    move(reinterpret_cast<Word*>(memory), reinterpret_cast<Word*>(shared));
    constexpr int kBytes = sizeof(Word);
    memory += kBytes, shared += kBytes, bytes -= kBytes;
  };
  const auto is_odd = [&](int size) {
    return (reinterpret_cast<size_t>(memory) & size) != 0 && bytes >= size;
  };
  if constexpr (sizeof(C) == 2) move_word(is_odd(2), Half{});
  move_word(is_odd(4), unsigned{});
  move_word(is_odd(8), uint2{});
  move_word(bytes >= 8, uint2{});
  move_word(bytes >= 4, unsigned{});
  if constexpr (sizeof(C) == 2) move_word(bytes >= 2, Half{});
}

// Calls move(memory, shared) for all that `count` spans of `bytes` from `first` on hold and nothing beside it: whole pieces, and
// words at the ends of spans.
template <class C, class Move>
__device__ __forceinline__ void move_all(char* staged, char* first, const Spans& spans, int count,
                                         int bytes, const Move& move) {
  if (spans.is_whole()) bytes += (count - 1) * spans.pitch(), count = 1;
  const int limit = bytes - kPiece;
  char* const end_of_all = first + (count - 1) * spans.apart() + bytes;
  spans.each_piece<2>(first, [&](char* memory, int at, int behind) {
    if (behind >= 0 && behind <= limit && memory < end_of_all)
      move(reinterpret_cast<uint4*>(memory), reinterpret_cast<uint4*>(staged + at));
  });
  // What is in front of the first multiple of 16 bytes, and what from the last one on.
  const bool is_behind = lane() % 2 != 0;
#pragma unroll 1
  for (int i = lane() / 2; i < count; i += 16) {
    char* const begin = first + i * spans.apart();
    const int shift = shift_in_bytes(begin), head = min((kPiece - shift) % kPiece, bytes),
              tail = max((shift + bytes) / kPiece * kPiece - shift, head),
              at = is_behind ? tail : 0;
    move_part<C>(begin + at, staged + spans.at(first, i) + at, (is_behind ? bytes : head) - at,
                 move);
  }
}

__device__ __forceinline__ unsigned word_at(const char* at) {
  return *reinterpret_cast<const unsigned*>(at);
}

// The lines of a unit, as a lane reads them for mma.sync: of each tile of eight lines the pairs of k from twice its number among
// four on, and from eight further on. Line `r` of tile `j` is r·kTiles + j of the unit.
// kPitch: bytes from one row to the next in shared memory, where that is known.
template <bool kAcross, int kLines, int kPitch = 0> class Lines {
 public:
  static constexpr int kTiles = kLines / 8;
  using Pairs = unsigned[kTiles][2];

 private:
  // The words that hold the first k of each of its lines; or, where neighbours are lines, the first line of its first two k.
  static constexpr int kOffsets = kAcross ? 2 : kTiles;
  int at_[kOffsets];
  unsigned is_second_;  // of which of these it is the word's second half
  int pitch_;

  static __device__ __forceinline__ int first_line() { return lane() / 4 * kTiles; }
  static __device__ __forceinline__ int first_k() { return lane() % 4 * 2; }

 public:
  __device__ __forceinline__ Lines(const char* first, const Spans& spans) : pitch_(spans.pitch()) {
    find([&](int i) { return spans.at(first, i); });
  }
  // Rows that are `apart` bytes apart in memory, of a known pitch.
  __device__ __forceinline__ Lines(const char* first, long long apart) : pitch_(kPitch) {
    static_assert(kPitch > 0);
    find([&](int i) { return i * kPitch + shift_in_bytes(first + i * apart); });
  }

  // Calls step(pairs) for each 16 of the `k` k at `from`, the last of which may be fewer.
  template <class Step>
  __device__ __forceinline__ void each_step(const char* from, int k, const Step& step) const {
    const int further = kAcross ? 16 * pitch() : 16 * kHalf;
    Pairs pairs;
#pragma unroll 1
    for (; k >= 16; k -= 16, from += further) {
      take<false>(pairs, from, 16);
      step(pairs);
    }
    if (k <= 0) return;
    take<true>(pairs, from, k);
    step(pairs);
  }

 private:
  __device__ __forceinline__ int pitch() const { return kPitch > 0 ? kPitch : pitch_; }
  // place(i): where row i of the unit begins.
  template <class Place> __device__ __forceinline__ void find(const Place& place) {
    is_second_ = 0;
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      const int at = kAcross ? place(first_k() + i) + first_line() * kHalf
                             : place(first_line() + i) + first_k() * kHalf;
      at_[i] = at / 4 * 4;
      is_second_ |= at % 4 == 0 ? 0u : 1u << i;
    }
  }
  template <bool kIsLast>
  __device__ __forceinline__ void take(Pairs& pairs, const char* from, int left) const {
    if constexpr (kAcross) take_across<kIsLast>(pairs, from, left);
    else take_along<kIsLast>(pairs, from, left);
  }
  // 16 k from `from` on, or the `left` that are left. What stands behind them is another row's, or nothing.
  template <bool kIsLast>
  __device__ __forceinline__ void take_along(Pairs& pairs, const char* from, int left) const {
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      const unsigned is_second = is_second_ >> j & 1;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int there = kIsLast ? left - first_k() - half * 8 : 2;
        const char* const at = from + at_[j] + half * 16;
        pairs[j][half] = 0;
        if (there <= 0) continue;
        // Where a pair is one word nothing else is read.
        const unsigned next = word_at(at + (there > 1 ? is_second * 4 : 0));
        pairs[j][half] = __funnelshift_r(word_at(at), next, is_second * 16);
        if (there == 1) pairs[j][half] &= 0xFFFF;
      }
    }
  }
  template <bool kIsLast>
  __device__ __forceinline__ void take_across(Pairs& pairs, const char* from, int left) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int there = kIsLast ? left - first_k() - half * 8 : 2;
      constexpr int kWords = kTiles / 2;  // of a k's lines
      unsigned lines[2][kWords] = {};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        if (i >= there) continue;
        // k that are eight apart begin at the same place within 16 bytes.
        const char* const at = from + at_[i] + half * 8 * pitch();
        const unsigned is_second = is_second_ >> i & 1;
        unsigned words[kWords + 1];
#pragma unroll
        for (int w = 0; w <= kWords; ++w)
          words[w] = word_at(at + (w < kWords ? w * 4 : (w - 1 + is_second) * 4));
#pragma unroll
        for (int w = 0; w < kWords; ++w)
          lines[i][w] = __funnelshift_r(words[w], words[w + 1], is_second * 16);
      }
#pragma unroll
      for (int j = 0; j < kTiles; ++j)
        pairs[j][half] =
            __byte_perm(lines[0][j / 2], lines[1][j / 2], j % 2 == 0 ? 0x5410 : 0x7632);
    }
  }
};

// Sums of a unit of lines and of kTiles times 16 columns, of which B is mma.sync's first factor.
template <int kTiles, int kLines> using Sums = float[kTiles][kLines / 8][4];
template <int kRows, int kTiles>
__device__ __forceinline__ void clear(float (&sums)[kRows][kTiles][4]) {
#pragma unroll
  for (int i = 0; i < kRows * kTiles * 4; ++i) sums[i / (kTiles * 4)][i / 4 % kTiles][i % 4] = 0;
}

// Each 16 columns' to where those of the 16 before were.
template <int kRows, int kTiles>
__device__ __forceinline__ void move_up(float (&sums)[kRows][kTiles][4]) {
#pragma unroll
  for (int i = 0; i < (kRows - 1) * kTiles * 4; ++i)
    sums[i / (kTiles * 4)][i / 4 % kTiles][i % 4] =
        sums[i / (kTiles * 4) + 1][i / 4 % kTiles][i % 4];
}

// Adds to those of 16 columns a step of 16 k, of which `columns` are what all lanes take of B.
template <class Element, int kTiles>
__device__ __forceinline__ void add_step(float (&sums)[kTiles][4],
                                         const unsigned (&pairs)[kTiles][2],
                                         const unsigned* columns) {
  const uint4 four = *reinterpret_cast<const uint4*>(columns + lane() * 4);
  const unsigned of_b[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
  for (int j = 0; j < kTiles; ++j) add_product<Element>(sums[j], of_b, pairs[j][0], pairs[j][1]);
}

// Where a lane's sums of a unit and of kColumns columns go in the spans of C: those of some neighbouring lines, of every eighth
// column from its own on.
template <class Type, class C, bool kByRows, int kLines, int kColumns> class Places {
  static constexpr int kEach = static_cast<int>(sizeof(C));
  static constexpr int kTiles = kLines / 8, kOwn = 2 * kTiles;  // lines
  int at_[kByRows ? kOwn : kColumns / 8];                       // of each line, or each column
  int pitch_;

  static __device__ __forceinline__ int column() { return lane() / 4; }
  static __device__ __forceinline__ int line() { return lane() % 4 * kOwn; }

 public:
  __device__ __forceinline__ Places(const char* first, const Spans& spans) : pitch_(spans.pitch()) {
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(at_) / sizeof(int)); ++i)
      at_[i] = kByRows ? spans.at(first, line() + i) + column() * kEach
                       : spans.at(first, i * 8 + column()) + line() * kEach;
  }
  // Of the columns from `first` on, as far as there are any. kAdds: to beta times what C holds, which stands there.
  template <bool kAdds>
  __device__ __forceinline__ void put(char* staged, const float (*sums)[kTiles][4], int first,
                                      int lines, int columns, float alpha, float beta) const {
    // Columns that are kColumns apart begin at the same place within 16 bytes.
    staged += first * (kByRows ? kEach : pitch_);
#pragma unroll
    for (int i = 0; i < kColumns / 8; ++i) {
      if (first + i * 8 + column() >= columns) continue;
#pragma unroll
      for (int l = 0; l < kOwn; ++l) {
        if (kAdds && line() + l >= lines) continue;  // there is room for all the same
        char* const at = staged + (kByRows ? at_[l % (kByRows ? kOwn : 1)] + i * 8 * kEach
                                           : at_[kByRows ? 0 : i] + l * kEach);
        store_one<Type>(reinterpret_cast<C*>(at),
                        alpha * sums[i / 2][l % kTiles][i % 2 * 2 + l / kTiles], kAdds ? beta : 0);
      }
    }
  }
};

// A unit's part of C on its way through shared memory.
template <class C> class StagedResult {
  char *staged_, *memory_;
  const Spans& spans_;
  int count_, bytes_;  // spans, and of each

 public:
  __device__ __forceinline__ StagedResult(char* staged, char* memory, const Spans& spans,
                                          bool by_rows, int lines, int columns)
      : staged_(staged),
        memory_(memory),
        spans_(spans),
        count_(by_rows ? lines : columns),
        bytes_((by_rows ? columns : lines) * static_cast<int>(sizeof(C))) {}

  // Brings what C holds.
  __device__ __forceinline__ void bring() const {
    move_all<C>(staged_, memory_, spans_, count_, bytes_,
                [](const auto* held, auto* at) { *at = *held; });
    __syncwarp();
  }
  // Stores what all lanes put.
  __device__ __forceinline__ void store() const {
    __syncwarp();
    move_all<C>(staged_, memory_, spans_, count_, bytes_,
                [](auto* at, const auto* result) { *at = *result; });
    __syncwarp();  // what was staged has been read
  }
};

// Waits for what this lane has asked for, up to the oldest of so many units.
__device__ __forceinline__ void wait_for_oldest_of(int units) {
  static_assert(kTallAnyMostStages == 4);
  if (units == 4) ptx::cp_async_wait<3>();
  else if (units == 3) ptx::cp_async_wait<2>();
  else if (units == 2) ptx::cp_async_wait<1>();
  else ptx::cp_async_wait<0>();
}

}  // namespace gemm::tall_any
