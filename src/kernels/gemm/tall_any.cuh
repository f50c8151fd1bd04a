// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products whose factors and results begin anywhere and have rows of any length, A by rows or by columns, C by rows or (as
// Cᵀ) by columns.
//
// Each warp has units of lines (rows of A) of its own. It brings what a unit has of A to shared memory as it lies in memory: in
// pieces of 16 bytes that are aligned there and here, so that each span of memory, a row of A or the unit's part of a column,
// stands as far behind a multiple of 16 bytes as it does in memory. Rows without gaps between them are one span. Words are
// shifted when they are read: of two neighbouring words, which is what mma.sync takes at a time, one or two aligned ones hold
// the halves. Results leave the same way: they are put into shared memory where they are to stand within 16 bytes, and stored
// in pieces, and in smaller words at the ends of spans.
//
// What is the same for all warps the host works out (TallAny), and of what is done once there is little code: a product of
// 10 MB takes three times as long as memory does, most of it for code that is met for the first time (docs/lab/gpu_gemm.md).
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/slab.cuh"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/gemm/tall.hpp"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm::tall_any {

constexpr int kHalf = sizeof(Half);
template <bool kByRows, bool kAcross> constexpr int kLinesOf = tall_any_lines(kByRows, kAcross);

__device__ __forceinline__ int shift_in_bytes(const void* at) {
  return static_cast<int>(reinterpret_cast<size_t>(at) % kPiece);
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
      const int shift = shift_in_bytes(at);
      piece(at - shift, shared, behind - shift);
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

// 32 columns of B, in steps of 16 k, as mma.sync takes them: of each tile of 16 columns the four words of each lane. A thread
// brings pairs of k of one column.
struct Columns {
  static constexpr int kTiles = 2, kN = kTiles * 16, kTileWords = 32 * 4,
                       kStepWords = kTileWords * kTiles;
  // So many warps bring kBatch k. The others meet less code.
  static constexpr int kWarps = 8, kPairs = 8, kBatch = kPairs * kWarps * 2;
  static_assert(kWarps * 32 <= kTallAnyThreads && kN == 32);

  Half low[kPairs], high[kPairs];

  // Asks for those from `column` and from `first_k` on.
  __device__ __forceinline__ void ask(const GemmArguments& g, int k, long long column,
                                      int first_k) {
    const long long own = column + lane(), leading = g.b.leading_dimension,
                    along = g.b_across_k ? leading : 1;
    const bool is_there = own < g.n;
    int at = first_k + static_cast<int>(threadIdx.x) / kN * 2;
    const Half* from = matrix_of<Half>(g.b) + own * (g.b_across_k ? 1 : leading) + at * along;
#pragma unroll
    for (int i = 0; i < kPairs; ++i, at += kWarps * 2, from += kWarps * 2 * along) {
      low[i] = high[i] = 0;
      if (is_there && at < k) low[i] = from[0];
      if (is_there && at + 1 < k) high[i] = from[along];
    }
  }
  __device__ __forceinline__ void put(unsigned* to, int steps, int first_k) const {
    const int column = lane(), pair = first_k / 2 + static_cast<int>(threadIdx.x) / kN;
    to += pair / 8 * kStepWords + column / 16 * kTileWords + (column % 8 * 4 + pair % 4) * 4 +
          pair % 8 / 4 * 2 + column % 16 / 8;
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
      if (pair + i * kWarps < steps * 8)
        to[i * kStepWords] = low[i] | static_cast<unsigned>(high[i]) << 16;
  }
};

// Of a unit of lines, and 32 columns.
template <int kLines> using Sums = float[Columns::kTiles][kLines / 8][4];
template <int kRows, int kTiles>
__device__ __forceinline__ void clear(float (&sums)[kRows][kTiles][4]) {
#pragma unroll
  for (int i = 0; i < kRows * kTiles * 4; ++i) sums[i / (kTiles * 4)][i / 4 % kTiles][i % 4] = 0;
}
template <int kRows, int kTiles>
__device__ __forceinline__ void copy(const float (&from)[kRows][kTiles][4],
                                     float (&to)[kRows][kTiles][4]) {
#pragma unroll
  for (int i = 0; i < kRows * kTiles * 4; ++i)
    to[i / (kTiles * 4)][i / 4 % kTiles][i % 4] = from[i / (kTiles * 4)][i / 4 % kTiles][i % 4];
}

__device__ __forceinline__ unsigned word_at(const char* at) {
  return *reinterpret_cast<const unsigned*>(at);
}

// The lines of a unit, as a lane reads them for mma.sync: of each tile of eight lines the pairs of k from twice its number among
// four on, and from eight further on. Line `r` of tile `j` is r·kTiles + j of the unit.
template <bool kAcross, int kLines> class Lines {
  static constexpr int kTiles = kLines / 8;
  using Pairs = unsigned[kTiles][2];

  // The words that hold the first k of each of its lines; or, where neighbours are lines, the first line of its first two k.
  static constexpr int kOffsets = kAcross ? 2 : kTiles;
  int at_[kOffsets];
  unsigned is_second_;  // of which of these it is the word's second half
  int pitch_;

  static __device__ __forceinline__ int first_line() { return lane() / 4 * kTiles; }
  static __device__ __forceinline__ int first_k() { return lane() % 4 * 2; }

 public:
  __device__ __forceinline__ Lines(const char* first, const Spans& spans)
      : is_second_(0), pitch_(spans.pitch()) {
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      const int at = kAcross ? spans.at(first, first_k() + i) + first_line() * kHalf
                             : spans.at(first, first_line() + i) + first_k() * kHalf;
      at_[i] = at / 4 * 4;
      is_second_ |= at % 4 == 0 ? 0u : 1u << i;
    }
  }

  // sums += the unit at `from`, of `k` k, · columns.
  template <class Element>
  __device__ __forceinline__ void add_up(Sums<kLines>& sums, const char* from, int k,
                                         const unsigned* columns) const {
    const int step = kAcross ? 16 * pitch_ : 16 * kHalf;
    Pairs pairs;
#pragma unroll 1
    for (; k > 16; k -= 16, columns += Columns::kStepWords, from += step) {
      take<false>(pairs, from, 16);
      add_step<Element>(sums, pairs, columns);
    }
    if (k <= 0) return;
    take<true>(pairs, from, k);
    add_step<Element>(sums, pairs, columns);
  }

 private:
  template <bool kIsLast>
  __device__ __forceinline__ void take(Pairs& pairs, const char* from, int left) const {
    if constexpr (kAcross) take_across<kIsLast>(pairs, from, left);
    else take_along<kIsLast>(pairs, from, left);
  }
  template <class Element>
  static __device__ __forceinline__ void add_step(Sums<kLines>& sums, const Pairs& pairs,
                                                  const unsigned* columns) {
#pragma unroll
    for (int i = 0; i < Columns::kTiles; ++i) {
      const uint4 four =
          *reinterpret_cast<const uint4*>(columns + i * Columns::kTileWords + lane() * 4);
      const unsigned of_b[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int j = 0; j < kTiles; ++j)
        add_product<Element>(sums[i][j], of_b, pairs[j][0], pairs[j][1]);
    }
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
        const char* const at = from + at_[i] + half * 8 * pitch_;
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

// Where a lane's sums of a unit go in the spans of C: those of some neighbouring lines, of every eighth column from its own on.
template <class Type, class C, bool kByRows, int kLines> class Places {
  static constexpr int kEach = static_cast<int>(sizeof(C));
  static constexpr int kTiles = kLines / 8, kOwn = 2 * kTiles;  // lines
  int at_[kByRows ? kOwn : Columns::kTiles * 2];                // of each line, or each column
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
  __device__ __forceinline__ void put(char* staged, const Sums<kLines>& sums, int first, int lines,
                                      int columns, float alpha, float beta) const {
    // Columns that are 32 apart begin at the same place within 16 bytes.
    staged += first * (kByRows ? kEach : pitch_);
#pragma unroll
    for (int i = 0; i < Columns::kTiles * 2; ++i) {
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

// Waits for what this lane has asked for, up to the oldest of so many units.
__device__ __forceinline__ void wait_for_oldest_of(int units) {
  static_assert(kTallAnyMostStages == 4);
  if (units == 4) ptx::cp_async_wait<3>();
  else if (units == 3) ptx::cp_async_wait<2>();
  else if (units == 2) ptx::cp_async_wait<1>();
  else ptx::cp_async_wait<0>();
}

// kIsLong: k comes in chunks, of which a unit's sums are kept, of 32 columns at a time.
template <class Type, class C, bool kByRows, bool kAcross, bool kIsLong>
__device__ __forceinline__ void run_to(const GemmArguments& g, const TallAny& t, char* shared) {
  constexpr int kEach = static_cast<int>(sizeof(C)), kLines = kLinesOf<kByRows, kAcross>,
                kMostColumns = kIsLong ? Columns::kN : kTallAnyColumns;
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  // Nothing is to be added where alpha is 0: then A and B are not read.
  const int k = alpha == 0 ? 0 : static_cast<int>(g.k), steps = (k + 15) / 16;
  const auto* const a = reinterpret_cast<const char*>(matrix_of<Half>(g.a));
  const long long unit_of_a = kLines * (kAcross ? kHalf : t.a.apart),
                  of_k = kAcross ? t.a.apart : kHalf;
  const Extent extent_of_a{a,
                           a + ((kAcross ? k : g.m) - 1) * t.a.apart + (kAcross ? g.m : k) * kHalf};
  auto* const c = reinterpret_cast<char*>(matrix_of<C>(g.c));
  const long long unit_of_c = kLines * (kByRows ? t.c.apart : kEach);
  const Spans spans_of_a(t.a), spans_of_c(t.c);

  // Shared memory: B, and of each warp a ring of units of A, or of their chunks, and what is staged of C.
  const int warp = static_cast<int>(threadIdx.x / 32);
  auto* const columns = reinterpret_cast<unsigned*>(shared);
  char* const ring = shared + t.columns_bytes + warp * (t.stages * t.stage_bytes + t.staged_bytes);
  char* const staged = ring + t.stages * t.stage_bytes;
  // Warps of the same number have neighbours, so that few units are dealt out evenly.
  const long long units = (g.m + kLines - 1) / kLines,
                  stride = t.warps * static_cast<long long>(gridDim.x),
                  own = warp < t.warps ? warp * static_cast<long long>(gridDim.x) + blockIdx.x
                                       : units;
  const Lines<kAcross, kLines> lines(a, spans_of_a);

#pragma unroll 1
  for (long long column = 0; column < g.n; column += kMostColumns) {
    if (column > 0) __syncthreads();  // all have read the columns before
    const int columns_there =
        static_cast<int>(min(g.n - column, static_cast<long long>(kMostColumns)));
    const bool brings = warp < Columns::kWarps,
               brings_second = !kIsLong && brings && columns_there > Columns::kN;
    Columns first, second;
    if (brings) first.ask(g, k, column, 0);
    if (brings_second) second.ask(g, k, column + Columns::kN, 0);
    char* const c_of_columns = c + column * (kByRows ? kEach : t.c.apart);
    // What is asked for is as many ahead as there are stages, the first before B is there.
    long long next = own;
    int next_k = 0, of_unit = 0;  // where the chunks begin: that is asked for, and that is added up
    int asked = 0, to_stage = 0, stage = 0;
    Sums<kLines> kept;
#pragma unroll 1
    for (long long unit = own;;) {
      if (next < units && k > 0)
        ask_for(ring + to_stage * t.stage_bytes,
                a + next * unit_of_a + (kIsLong ? next_k * of_k : 0), spans_of_a, extent_of_a);
      ptx::cp_async_commit();
      if constexpr (kIsLong) next_k = next_k + t.chunk < k ? next_k + t.chunk : 0;
      if (next_k == 0) next += stride;
      to_stage = to_stage + 1 == t.stages ? 0 : to_stage + 1;
      if (++asked < t.stages) continue;
      if (asked == t.stages) {
        if (brings) first.put(columns, steps, 0);
        if (brings_second) second.put(columns + t.columns_words, steps, 0);
#pragma unroll 1
        for (int from = Columns::kBatch; from < k && brings; from += Columns::kBatch)
#pragma unroll 1
          for (int i = 0; i * Columns::kN < columns_there; ++i) {
            Columns rest;
            rest.ask(g, k, column + i * Columns::kN, from);
            rest.put(columns + i * t.columns_words, steps, from);
          }
        __syncthreads();
      }
      if (unit >= units) break;
      wait_for_oldest_of(t.stages);
      char* const from = ring + stage * t.stage_bytes;
      // Pieces reach less than the next unit beyond their own.
      if (k > 0 && (unit == 0 || unit + 2 >= units)) [[unlikely]]
        bring_ends(from, a + unit * unit_of_a + (kIsLong ? of_unit * of_k : 0), spans_of_a,
                   extent_of_a);
      __syncwarp();
      stage = stage + 1 == t.stages ? 0 : stage + 1;
      if constexpr (kIsLong) {
        if (of_unit == 0) clear(kept);
        const int end = of_unit + t.chunk;
        if (end < k) {
          lines.template add_up<typename Type::Element>(
              kept, from, t.chunk, columns + of_unit / 16 * Columns::kStepWords);
          __syncwarp();  // all have read the chunk
          of_unit = end;
          continue;
        }
      }
      char* const to = c_of_columns + unit * unit_of_c;
      const int lines_there =
          static_cast<int>(min(g.m - unit * kLines, static_cast<long long>(kLines)));
      const int count = kByRows ? lines_there : columns_there,
                bytes = (kByRows ? columns_there : lines_there) * kEach;
      if (beta != 0) {
        move_all<C>(staged, to, spans_of_c, count, bytes,
                    [](const auto* held, auto* at) { *at = *held; });
        __syncwarp();
      }
      const Places<Type, C, kByRows, kLines> places(c_of_columns, spans_of_c);
#pragma unroll 1
      for (int i = 0; i < columns_there; i += Columns::kN) {
        Sums<kLines> sums;
        if constexpr (kIsLong) copy(kept, sums);
        else clear(sums);
        lines.template add_up<typename Type::Element>(
            sums, from, k - of_unit,
            columns + i / Columns::kN * t.columns_words + of_unit / 16 * Columns::kStepWords);
        if (beta == 0) places.template put<false>(staged, sums, i, kLines, columns_there, alpha, 0);
        else places.template put<true>(staged, sums, i, lines_there, columns_there, alpha, beta);
      }
      __syncwarp();  // all have read the unit, and left their sums
      move_all<C>(staged, to, spans_of_c, count, bytes,
                  [](auto* at, const auto* result) { *at = *result; });
      __syncwarp();  // what was staged has been read
      of_unit = 0;
      unit += stride;
    }
    ptx::cp_async_wait<0>();
  }
}

template <class Type, class C, bool kByRows, bool kIsLong>
__device__ __forceinline__ void run_of(const GemmArguments& g, const TallAny& t, char* shared) {
  if (g.a_across_k) run_to<Type, C, kByRows, true, kIsLong>(g, t, shared);
  else run_to<Type, C, kByRows, false, kIsLong>(g, t, shared);
}

template <class Type, bool kByRows, bool kIsLong>
__device__ __forceinline__ void run(const GemmArguments& g, const TallAny& t) {
  extern __shared__ __align__(16) char bytes[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  if (g.result_bytes == 4) run_of<Type, float, kByRows, kIsLong>(g, t, bytes);
  else run_of<Type, Half, kByRows, kIsLong>(g, t, bytes);
}

}  // namespace gemm::tall_any

// The kernel `name`, of C by rows or by columns, for a short k or a long one.
#define TILEWISE_TALL_ANY(name, Type, by_rows, is_long)                               \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kTallAnyThreads, 1) \
      name(const __grid_constant__ gemm::GemmArguments g,                             \
           const __grid_constant__ tilewise::kernels::TallAny t) {                    \
    gemm::tall_any::run<Type, by_rows, is_long>(g, t);                                \
  }
#define TILEWISE_TALL_ANY_OF(name, Type)                    \
  TILEWISE_TALL_ANY(name##_any, Type, true, false)          \
  TILEWISE_TALL_ANY(name##_any_swapped, Type, false, false) \
  TILEWISE_TALL_ANY(name##_any_long, Type, true, true)      \
  TILEWISE_TALL_ANY(name##_any_long_swapped, Type, false, true)
