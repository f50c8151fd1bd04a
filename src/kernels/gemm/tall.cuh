// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products: many rows of A, few columns of B, a short k. A is read once and C written once, and that is the bound: what
// counts is how many bytes are on their way, that nobody waits for anybody, and that few instructions stand between.
// (Strips, strip.cuh, are for a k that is longer.)
//
// B is held in shared memory in the order in which mma.sync takes it, prepared once by each block; its elements may begin
// anywhere. Blocks stay. Each of their warps goes from one unit of rows of A to the next by itself. Its lanes bring A by
// cp.async, 16 bytes each, and each takes from shared memory what it brought itself: nobody is waited for, and nothing
// rearranged. That takes two liberties. mma.sync adds up 16 k in any order, if that of A and of B is the same: so a lane's k
// are those that it has 16 bytes of. And which row or column stands where in a tile is anybody's choice: so that in the end
// a lane has neighbours of C, and stores 16 bytes.
//
// What is computed by tiles is Cᵀ: of mma.sync's factors B, which is prepared, is the first, and A the second, whose registers
// are what 16 bytes along k are. A and C lie by rows, or both by columns (where products that are tall by columns come as wide
// ones by rows). Then 16 bytes are 8 rows of A, of which pairs of k are made by permuting bytes. Other ways were no faster
// than other kernels (docs/lab/gpu_gemm.md).
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/piece.cuh"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/gemm/tall.hpp"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/prefetch.cuh"
#include "kernels/ptx/store.cuh"

namespace gemm {

// Type_: of A and B. kByRows: how A and C lie.
// kN: columns of C at a time. kStages: of a warp's ring of pieces.
template <class Type_, bool kByRows_, int kN_, int kStages_> struct TallShape {
  using Type = Type_;
  using Element = typename Type::Element;
  static constexpr bool kByRows = kByRows_;
  static constexpr int kN = kN_, kStages = kStages_;
  static constexpr int kThreads = kTallThreads, kMostK = kTallMostK;
  static constexpr int kColumnsBytes = tall_columns_bytes(kMostK, kN);
  // Of a piece. Lanes are four side by side in eight rows. By rows, each has 8 k of one row in eight. By
  // columns, 8 rows of each of 4 k.
  static constexpr int kLines = kByRows ? kTallRows : kTallColumns,
                       kPieceK = kTallPieceBytes / 2 / kLines;
  static constexpr int kLaneK = kPieceK / 4, kSteps = kPieceK / 16, kLoads = 4;
  // Of 16 columns of B and 8 rows of A.
  static constexpr int kDown = kN / 16, kAcross = kLines / 8;
  static_assert(kMostK % kPieceK == 0 && kN % 16 == 0);

  // Tiles whose columns of B take turns in C, so that a lane has neighbours. C: the type of its elements.
  template <class C> static constexpr int kTogether = tall_together(kDown, sizeof(C));
  using Piece = uint4[kLoads];
  static constexpr int kStage = kLoads * 32;  // of 16 bytes
  using Sums = float[kDown][kAcross][4];
};

// Which of the eight 8 rows a lane has where these are one lane's in C, too: those of four lanes are to be neighbours.
__device__ __forceinline__ int eight_of_row(int row) { return row / 2 + row % 2 * 4; }

// Which row of a unit is row `row` of a tile.
template <class S> __device__ __forceinline__ int line_of(int tile, int row) {
  return S::kByRows ? tile * 8 + row : eight_of_row(row) * 8 + tile;
}

__device__ __forceinline__ unsigned word_of(const uint4& four, int i) {
  return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

// Asks for the first `count` of eight elements; the others become 0. Beside the end: as piece.cuh says, for rows of any length.
__device__ __forceinline__ void ask_for_first(uint4* to, const Half* from, int count,
                                              const Half* end) {
  if (count <= 0 || from + 16 - count <= end) ptx::cp_async_up_to_16(to, from, max(count, 0) * 2);
  else put_piece(to, from, count * 2);
}

// A, as a lane asks for it: 16 bytes of each of a piece's loads, which are 8 rows further, or one k.
template <class S> class TallRows {
  const Half *at_, *end_;                     // of the next piece, and of the matrix
  long long apart_, next_piece_, next_unit_;  // elements to the next load, piece, and unit
  long long lines_left_, stride_;
  int k_, k_left_;  // from the lane's first k on: of all, and of the next piece
  bool is_ragged_;  // rows, or columns, end within 16 bytes

 public:
  // Warps of the same number have neighbours, so that few units are dealt out evenly.
  static __device__ __forceinline__ long long first_line() {
    return (threadIdx.x / 32 * static_cast<long long>(gridDim.x) + blockIdx.x) * S::kLines;
  }

  // From `line` on, every `stride` rows a unit.
  __device__ __forceinline__ TallRows(const GemmArguments& g, int k, int pieces, long long line,
                                      long long stride)
      : stride_(stride) {
    const int row = static_cast<int>(threadIdx.x % 32 / 4),
              first_k = static_cast<int>(threadIdx.x % 4) * S::kLaneK;
    const long long leading = g.a.leading_dimension, first = line + line_of<S>(0, row);
    at_ =
        matrix_of<Half>(g.a) + (S::kByRows ? first * leading + first_k : first_k * leading + first);
    end_ = matrix_of<Half>(g.a) + (S::kByRows ? (g.m - 1) * leading + k : (k - 1) * leading + g.m);
    apart_ = S::kByRows ? 8 * leading : leading;
    next_piece_ = S::kByRows ? S::kPieceK : S::kPieceK * leading;
    next_unit_ = (S::kByRows ? stride * leading : stride) - (pieces - 1) * next_piece_;
    lines_left_ = g.m - first;
    k_ = k_left_ = k - first_k;
    is_ragged_ = (S::kByRows ? k : g.m) % 8 != 0;
  }

  // Asks for the next piece. What there is not becomes 0.
  __device__ __forceinline__ void ask(uint4* to) const {
    if (is_ragged_) [[unlikely]]
      return ask_ends(to);
    const int lines = static_cast<int>(min(lines_left_, static_cast<long long>(S::kLines)));
    const Half* from = at_;
#pragma unroll
    for (int i = 0; i < S::kLoads; ++i, from += apart_) {
      const bool is_there = S::kByRows ? i * 8 < lines && 0 < k_left_ : 0 < lines && i < k_left_;
      ptx::cp_async_16_of_256(to + i * 32, from, is_there);
    }
  }

  __device__ __forceinline__ void go_on(bool to_next_unit) {
    if (to_next_unit) {
      at_ += next_unit_, lines_left_ -= stride_, k_left_ = k_;
    } else {
      at_ += next_piece_, k_left_ -= S::kPieceK;
    }
  }

  __device__ __forceinline__ void take(typename S::Piece& piece, const uint4* from) const {
#pragma unroll
    for (int i = 0; i < S::kLoads; ++i) piece[i] = from[i * 32];
  }

 private:
  __device__ __forceinline__ void ask_ends(uint4* to) const {
    const Half* from = at_;
#pragma unroll
    for (int i = 0; i < S::kLoads; ++i, from += apart_) {
      const bool is_row = S::kByRows ? i * 8 < lines_left_ : i < k_left_;
      const long long there = S::kByRows ? k_left_ : lines_left_;
      ask_for_first(to + i * 32, from, is_row ? static_cast<int>(min(there, 8ll)) : 0, end_);
    }
  }
};

// Two k of row `row` of a tile, for mma.sync: the first (`pair` 0) or the second two of a step of 16 k.
template <class S>
__device__ __forceinline__ unsigned pair_of(const typename S::Piece& piece, int step, int pair,
                                            int tile) {
  if constexpr (S::kByRows) {
    return word_of(piece[tile], step * 2 + pair);
  } else {
    return __byte_perm(word_of(piece[pair * 2], tile / 2), word_of(piece[pair * 2 + 1], tile / 2),
                       tile % 2 == 0 ? 0x5410 : 0x7632);
  }
}

// B stands in shared memory step of 16 k after step, tile of 16 columns after tile, and of each four words that a lane gives
// mma.sync.
template <class S> struct TallOrder {
  static constexpr int kTileWords = 32 * 4, kStepWords = kTileWords * S::kDown,
                       kPieceWords = S::kSteps * kStepWords;

  // Where word `i` of a piece, or of all, belongs: the first of two k, and a column. kTogether: tiles whose columns are
  // neighbours in a lane.
  template <int kTogether>
  static __device__ __forceinline__ void place(unsigned i, int& k, int& column) {
    const unsigned word = i % 4, lane = i / 4 % 32, tile = i / kTileWords % S::kDown,
                   step = i / kStepWords, row = lane / 4, half = word % 2;
    k = static_cast<int>(step / S::kSteps * S::kPieceK + lane % 4 * S::kLaneK +
                         step % S::kSteps * 4 + word / 2 * 2);
    column = static_cast<int>(S::kByRows ? tile / kTogether * kTogether * 16 +
                                               (row * kTogether + tile % kTogether) * 2 + half
                                         : tile * 16 + half * 8 + row);
  }
};

// sums += piece · columns. `from`: the piece's columns.
template <class S>
__device__ __forceinline__ void add_piece(typename S::Sums& sums, const typename S::Piece& piece,
                                          const unsigned* from) {
#pragma unroll
  for (int step = 0; step < S::kSteps; ++step, from += TallOrder<S>::kStepWords) {
    unsigned columns[S::kDown][4];
#pragma unroll
    for (int i = 0; i < S::kDown; ++i) {
      const uint4 four = *reinterpret_cast<const uint4*>(from + i * TallOrder<S>::kTileWords +
                                                         threadIdx.x % 32 * 4);
      columns[i][0] = four.x, columns[i][1] = four.y;
      columns[i][2] = four.z, columns[i][3] = four.w;
    }
#pragma unroll
    for (int j = 0; j < S::kAcross; ++j) {
      const unsigned b0 = pair_of<S>(piece, step, 0, j), b1 = pair_of<S>(piece, step, 1, j);
#pragma unroll
      for (int i = 0; i < S::kDown; ++i)
        add_product<typename S::Element>(sums[i][j], columns[i], b0, b1);
    }
  }
}

// Brings B to shared memory.
template <class S, int kTogether> class TallColumns {
  static constexpr unsigned kBatch = 16;  // words of a thread at a time

 public:
  // Columns from `column` on, which all threads of the block bring, for k in whole pieces.
  __device__ __forceinline__ TallColumns(const GemmArguments& g, int k, int pieces,
                                         long long column)
      : from_(matrix_of<Half>(g.b) + column * (g.b_across_k ? 1 : g.b.leading_dimension)),
        across_(g.b_across_k ? 1 : g.b.leading_dimension),
        along_(g.b_across_k ? g.b.leading_dimension : 1),
        columns_(static_cast<int>(min(g.n - column, static_cast<long long>(S::kN)))),
        k_(k),
        words_(pieces * TallOrder<S>::kPieceWords) {}

  // Asks for them, which is to come before A is asked for: they would come behind all of that.
  __device__ __forceinline__ void ask(unsigned* to) {
    next_ = threadIdx.x;
#pragma unroll 1
    for (; next_ + kBatch * S::kThreads < words_; next_ += kBatch * S::kThreads) {
      load();
      put(to);
    }
    load();
  }
  // The last of them.
  __device__ __forceinline__ void bring(unsigned* to) const { put(to); }

 private:
  __device__ __forceinline__ void load() {
#pragma unroll
    for (unsigned b = 0; b < kBatch; ++b) {
      const unsigned i = next_ + b * S::kThreads;
      int k, column;
      TallOrder<S>::template place<kTogether>(i, k, column);
      const Half* const at = from_ + column * across_ + k * along_;
      const bool is_column = i < words_ && column < columns_;
      low_[b] = is_column && k < k_ ? at[0] : Half{0};
      high_[b] = is_column && k + 1 < k_ ? at[along_] : Half{0};
    }
  }
  __device__ __forceinline__ void put(unsigned* to) const {
#pragma unroll
    for (unsigned b = 0; b < kBatch; ++b) {
      const unsigned i = next_ + b * S::kThreads;
      if (i < words_) to[i] = low_[b] | static_cast<unsigned>(high_[b]) << 16;
    }
  }

  const Half* from_;
  long long across_, along_;
  int columns_, k_;
  unsigned words_, next_;
  Half low_[kBatch], high_[kBatch];
};

// kCount neighbours of C, aligned to as many bytes, up to 16.
template <class Type, int kCount>
__device__ __forceinline__ void store_plain(float* c, const float (&sums)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; i += 4)
    ptx::store_16(c + i, __float_as_uint(sums[i]), __float_as_uint(sums[i + 1]),
                  __float_as_uint(sums[i + 2]), __float_as_uint(sums[i + 3]));
}
template <class Type, int kCount>
__device__ __forceinline__ void store_plain(Half* c, const float (&sums)[kCount]) {
  unsigned words[kCount / 2];
#pragma unroll
  for (int i = 0; i < kCount / 2; ++i)
    words[i] = pack<typename Type::Element>(sums[i * 2], sums[i * 2 + 1]);
  if constexpr (kCount == 8) ptx::store_16(c, words[0], words[1], words[2], words[3]);
  else ptx::store_8(c, words[0], words[1]);
}

// kCount neighbours of what C holds, up to 16 bytes, aligned to as many; and sums + beta · that.
template <class C> __device__ __forceinline__ uint4 held_by(const C* from, int count) {
  if (count * sizeof(C) == 16) return *reinterpret_cast<const uint4*>(from);
  const uint2 two = *reinterpret_cast<const uint2*>(from);
  return make_uint4(two.x, two.y, 0, 0);
}
template <class Type, class C, int kCount>
__device__ __forceinline__ void add_held(float (&sums)[kCount], float beta, const uint4& held) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if constexpr (sizeof(C) == 4) {
      sums[i] = fmaf(beta, __uint_as_float(word_of(held, i)), sums[i]);
    } else {
      const auto bits = static_cast<Half>(word_of(held, i / 2) >> i % 2 * 16);
      sums[i] = fmaf(beta, widen<typename Type::Element>(bits), sums[i]);
    }
  }
}

// Two lanes that have eight neighbours each in f32, one behind the other, exchange halves, so that together they store 32
// bytes, a sector, and then the next.
template <class Put>
__device__ __forceinline__ void put_by_sectors(const Put& put, int row, int at,
                                               const float (&some)[8]) {
  const bool is_second = threadIdx.x % 2 != 0;
  float first[4], second[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float other = __shfl_xor_sync(~0u, is_second ? some[i] : some[4 + i], 1);
    first[i] = is_second ? other : some[i];
    second[i] = is_second ? some[4 + i] : other;
  }
  put(row, is_second ? at - 4 : at, first);
  put(row, is_second ? at + 4 : at + 8, second);
}

// Calls `with` for eight rows of C at a time, as it lies, with
//   row_at(row): which row of the unit's a row is,
//   each(put): calls put(row, element, some) with all neighbours that this lane has.
template <class S, class C, class With>
__device__ __forceinline__ void for_rows(const typename S::Sums& sums, float alpha,
                                         const With& with) {
  const int row = static_cast<int>(threadIdx.x % 32 / 4), pair = threadIdx.x % 4;
  if constexpr (S::kByRows) {
    constexpr int kTogether = S::template kTogether<C>;
#pragma unroll
    for (int j = 0; j < S::kAcross; ++j) {
      with([&](int of_eight) { return line_of<S>(j, of_eight); },
           [&](const auto& put) {
#pragma unroll
             for (int e = 0; e < 2; ++e) {
#pragma unroll
               for (int i = 0; i < S::kDown; i += kTogether) {
                 float some[kTogether * 2];
#pragma unroll
                 for (int s = 0; s < kTogether * 2; ++s)
                   some[s] = alpha * sums[i + s / 2][j][s % 2 * 2 + e];
                 put(pair * 2 + e, i * 16 + row * kTogether * 2, some);
               }
             }
           });
    }
  } else {
#pragma unroll
    for (int i = 0; i < S::kDown * 2; ++i) {
      with([&](int of_eight) { return i * 8 + of_eight; },
           [&](const auto& put) {
#pragma unroll
             for (int e = 0; e < 2; ++e) {
               float some[8];
#pragma unroll
               for (int j = 0; j < 8; ++j) some[j] = alpha * sums[i / 2][j][i % 2 * 2 + e];
               const int at = eight_of_row(pair * 2 + e) * 8;
               if constexpr (sizeof(C) == 2) put(row, at, some);
               else put_by_sectors(put, row, at, some);
             }
           });
    }
  }
}

// Asks for what C holds of the unit that begins at `line`: into the second-level cache, before it is added to.
template <class S, class C>
__device__ __forceinline__ void ask_for_unit(const C* matrix, const GemmArguments& g,
                                             long long line, long long column) {
  constexpr int kLine = 128 / sizeof(C);
  const long long first_row = S::kByRows ? line : column, first = S::kByRows ? column : line;
  const long long rows =
                      min((S::kByRows ? g.m : g.n), first_row + (S::kByRows ? S::kLines : S::kN)),
                  end = min((S::kByRows ? g.n : g.m), first + (S::kByRows ? S::kN : S::kLines));
#pragma unroll 1
  for (long long row = first_row + threadIdx.x % 32; row < rows; row += 32)
#pragma unroll 1
    for (long long x = first; x < end; x += kLine)
      ptx::prefetch_to_l2(matrix + row * g.c.leading_dimension + x);
}

// The sums of the unit that begins at `line`, to columns from `column` on. `is_aligned`: C lies so. Else they go by way of
// `staged`, so that neighbouring lanes store neighbours.
template <class S, class C>
__device__ __forceinline__ void store_unit(const typename S::Sums& sums, float* staged, C* matrix,
                                           const GemmArguments& g, long long line, long long column,
                                           float alpha, float beta, bool is_aligned) {
  using Type = typename S::Type;
  // Of C as it lies.
  const long long first_row = S::kByRows ? line : column,
                  first_element = S::kByRows ? column : line;
  const auto clamped = [](long long count) { return static_cast<int>(min(count, 1ll << 30)); };
  const int rows = clamped((S::kByRows ? g.m : g.n) - first_row),
            elements = clamped((S::kByRows ? g.n : g.m) - first_element);
  const long long leading = g.c.leading_dimension;
  C* const c = matrix + first_row * leading + first_element;
  if (is_aligned && beta != 0) {
    for_rows<S, C>(sums, alpha, [&](const auto& row_at, const auto& each) {
      const auto place = [&](int row, int at) { return c + row_at(row) * leading + at; };
      const auto is_inside = [&](int row, int at) { return row_at(row) < rows && at < elements; };
      // By columns lanes store parts of lines. Of these a part that is stored while another is on its way here takes
      // microseconds: so all come before one is stored, where two blocks that share a multiprocessor leave registers for it.
      constexpr bool kAllFirst = !S::kByRows && S::kN > 32;
      constexpr int kHeld = !kAllFirst ? 1 : sizeof(C) == 4 ? 4 : 2;
      uint4 held[kHeld];
      int number = 0;
      const auto load = [&](int row, int at, const auto& some) {
        constexpr int kCount = static_cast<int>(sizeof(some) / sizeof(float));
        if (is_inside(row, at)) held[number % kHeld] = held_by(place(row, at), kCount);
      };
      if constexpr (kAllFirst) {
        each([&](int row, int at, const auto& some) {
          load(row, at, some);
          ++number;
        });
        number = 0;
      }
      each([&](int row, int at, const auto& some) {
        if constexpr (!kAllFirst) load(row, at, some);
        if (is_inside(row, at)) {
          float all[sizeof(some) / sizeof(float)];
#pragma unroll
          for (unsigned i = 0; i < sizeof(some) / sizeof(float); ++i) all[i] = some[i];
          add_held<Type, C>(all, beta, held[number % kHeld]);
          store_plain<Type>(place(row, at), all);
        }
        ++number;
      });
    });
    return;
  }
  if (is_aligned) {
    for_rows<S, C>(sums, alpha, [&](const auto& row_at, const auto& each) {
      each([&](int row, int at, const auto& some) {
        if (row_at(row) < rows && at < elements)
          store_plain<Type>(c + row_at(row) * leading + at, some);
      });
    });
    return;
  }
  const int lane = static_cast<int>(threadIdx.x % 32);
  constexpr int kPitch = kTallPart + 4, kWidth = S::kByRows ? S::kN : S::kLines;
  static_assert(kWidth <= kTallPart);
  for_rows<S, C>(sums, alpha, [&](const auto& row_at, const auto& each) {
    __syncwarp();
    each([&](int row, int at, const auto& some) {
#pragma unroll
      for (int i = 0; i < static_cast<int>(sizeof(some) / sizeof(float)); ++i)
        staged[row * kPitch + at + i] = some[i];
    });
    __syncwarp();
#pragma unroll 4
    for (int row = 0; row < 8; ++row) {
      if (row_at(row) >= rows) continue;
      C* const to = c + row_at(row) * leading;
#pragma unroll
      for (int i = 0; i < kWidth; i += 32)
        if (i + lane < elements)
          store_one<Type>(to + i + lane, staged[row * kPitch + i + lane], beta);
    }
  });
}

template <class S, class C>
__device__ __forceinline__ void tall_to(const GemmArguments& g, uint4* shared) {
  using Rows = TallRows<S>;
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const bool is_aligned = g.result_is_aligned != 0;
  C* const c = matrix_of<C>(g.c);
  // Nothing is to be added where alpha is 0: then A and B are not read.
  const int k = alpha == 0 ? 0 : static_cast<int>(g.k),
            pieces = max(1, (k + S::kPieceK - 1) / S::kPieceK);
  constexpr int kWarps = S::kThreads / 32;
  const int warp = static_cast<int>(threadIdx.x / 32);
  const long long first = Rows::first_line(),
                  stride = static_cast<long long>(gridDim.x) * kWarps * S::kLines;
  auto* const columns = reinterpret_cast<unsigned*>(shared);
  uint4* const rings = shared + S::kColumnsBytes / 16;
  uint4* const ring = rings + warp * S::kStages * S::kStage + threadIdx.x % 32;
  auto* const all_staged = reinterpret_cast<float*>(rings + kWarps * S::kStages * S::kStage);
  float* const staged = all_staged + warp * (kTallStagedBytes / 4);
#pragma unroll 1
  for (long long column = 0; column < g.n; column += S::kN) {
    Rows rows(g, k, pieces, first, stride);
    int asked = 0, to_stage = 0;
    const auto ask = [&] {
      rows.ask(ring + to_stage * S::kStage);
      ptx::cp_async_commit();
      to_stage = to_stage + 1 == S::kStages ? 0 : to_stage + 1;
      const bool is_last = ++asked == pieces;
      rows.go_on(is_last);
      if (is_last) asked = 0;
    };
    if (column > 0) __syncthreads();  // all have read the columns before
    TallColumns<S, S::template kTogether<C>> of_b(g, k, pieces, column);
    of_b.ask(columns);
#pragma unroll 1
    for (int i = 0; i < S::kStages - 1; ++i) ask();
    of_b.bring(columns);
    __syncthreads();
    int stage = 0;
#pragma unroll 1
    for (long long line = first; line < g.m; line += stride) {
      if (beta != 0) [[unlikely]]
        ask_for_unit<S>(c, g, line, column);
      typename S::Sums sums = {};
#pragma unroll 1
      for (int piece = 0; piece < pieces; ++piece) {
        ptx::cp_async_wait<S::kStages - 2>();
        typename S::Piece of;
        rows.take(of, ring + stage * S::kStage);
        stage = stage + 1 == S::kStages ? 0 : stage + 1;
        ask();
        add_piece<S>(sums, of, columns + piece * TallOrder<S>::kPieceWords);
      }
      store_unit<S>(sums, staged, c, g, line, column, alpha, beta, is_aligned);
    }
    ptx::cp_async_wait<0>();
  }
}

template <class S> __device__ __forceinline__ void tall(const GemmArguments& g) {
  extern __shared__ __align__(16) uint4 shared[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  if (g.result_bytes == 4) tall_to<S, float>(g, shared);
  else tall_to<S, Half>(g, shared);
}

}  // namespace gemm

// A kernel: A and C by rows or by columns, blocks of a multiprocessor, columns, stages.
#define TILEWISE_TALL(name, Type, by_rows, blocks, columns, stages)                     \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kTallThreads, blocks) \
      name(const __grid_constant__ tilewise::kernels::GemmArguments g) {                \
    gemm::tall<gemm::TallShape<Type, by_rows, columns, stages>>(g);                     \
  }
#define TILEWISE_TALL_OF(name, Type)                      \
  TILEWISE_TALL(name##_32_rows, Type, true, 2, 32, 4)     \
  TILEWISE_TALL(name##_64_rows, Type, true, 2, 64, 4)     \
  TILEWISE_TALL(name##_32_columns, Type, false, 2, 32, 4) \
  TILEWISE_TALL(name##_64_columns, Type, false, 1, 64, 6)
