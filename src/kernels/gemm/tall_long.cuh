// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products of a long k whose factors and results begin anywhere and have rows of any length, A by rows or by columns, C by
// rows or (as Cᵀ) by columns.
//
// Warps form teams, each with units of lines (rows of A) of its own: as many warps a team as keep all at work. A unit comes in
// chunks of k by way of shared memory as it lies in memory (tall_spans.cuh), of which a team's warps have every so manieth and add
// up their sums at its end; B is held, all of its k. From one unit to the next copies go on.
//
// What a byte of A costs is instructions: a warp issues one in about six cycles, and memory brings a multiprocessor 17 bytes in
// one. So chunks have a shape that is known when this is compiled, and what is rare, the ends of the matrix, has code of its own.
#pragma once

#include "kernels/gemm/tall_spans.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm::tall_any {

// Columns of B as mma.sync takes them, a group of kN at a time, in steps of 16 k: the four words of each lane.
template <bool kOfFew> struct LongColumns {
  static constexpr int kN = kTallLongGroup, kStepWords = 32 * 4,
                       kGroups = tall_long_columns(kOfFew) / kN;
  // Pairs of k that all threads bring at a time, and that a thread has on their way.
  static constexpr int kTogether = tall_long_threads(kOfFew) / kN, kPairs = 16;
};

// All threads bring `columns` columns of B from `column` on, each thread pairs of k of one column of a group.
template <class Of>
__device__ __forceinline__ void bring_columns(unsigned* to, const GemmArguments& g, int k,
                                              long long column, int columns, int group_words) {
  const int own = static_cast<int>(threadIdx.x) % Of::kN, pairs = (k + 15) / 16 * 8;
  const long long leading = g.b.leading_dimension, along = g.b_across_k ? leading : 1;
  const Half* from = matrix_of<Half>(g.b) + (column + own) * (g.b_across_k ? 1 : leading);
  to += (own % 8 * 4) * 4 + own / 8;
#pragma unroll 1
  for (int group = 0; group < columns; group += Of::kN) {
    const bool is_there = group + own < columns;
#pragma unroll 1
    for (int first = static_cast<int>(threadIdx.x) / Of::kN; first < pairs;
         first += Of::kTogether * Of::kPairs) {
      Half low[Of::kPairs], high[Of::kPairs];
      const Half* at = from + 2 * first * along;
#pragma unroll
      for (int i = 0; i < Of::kPairs; ++i, at += 2 * Of::kTogether * along) {
        const int left = k - 2 * (first + i * Of::kTogether);
        low[i] = is_there && left > 0 ? at[0] : Half{0};
        high[i] = is_there && left > 1 ? at[along] : Half{0};
      }
#pragma unroll
      for (int i = 0; i < Of::kPairs; ++i) {
        const int pair = first + i * Of::kTogether;
        if (pair < pairs)
          to[pair / 8 * Of::kStepWords + pair % 4 * 4 + pair % 8 / 4 * 2] =
              low[i] | static_cast<unsigned>(high[i]) << 16;
      }
    }
    from += Of::kN * (g.b_across_k ? 1 : leading), to += group_words;
  }
}

// A chunk of a unit: rows in memory, of A or of Aᵀ, each in as many pieces as hold it wherever it begins. An odd number, so that
// eight rows lie in different banks.
template <bool kAcross> struct Chunk {
  static constexpr int kLines = tall_long_lines(kAcross), kDepth = tall_long_chunk(kAcross),
                       kRows = kAcross ? kDepth : kLines, kPieces = tall_long_pieces(kAcross),
                       kPitch = kPieces * kPiece;
  // Rows that the lanes of a warp copy at a time.
  static constexpr int kAtATime = 32 / kPieces, kGoes = kRows / kAtATime;
  static_assert(kRows % kAtATime == 0 && kPieces % 2 == 1);
};

// What a warp has on its way: its chunks of its team's units, one behind the other.
template <bool kAcross> class Chunks {
  using Of = Chunk<kAcross>;
  const GemmArguments& g_;
  const TallAny& t_;
  const char* const a_;
  const int k_, first_k_;  // of the matrix; before the warp's first chunk of a unit
  const int end_;          // of the block's units
  const int inside_;       // the first unit whose pieces may reach beyond the matrix
  const int teams_;
  const int to_lane_;  // where its piece is in shared memory
  const bool copies_;  // the last lanes have none
  const char* next_;   // of the chunk that is asked for next
  int unit_, next_k_;  // whose that is, and the k before it
  int stage_ = 0;

  static __device__ __forceinline__ int row() { return lane() / Of::kPieces; }
  static __device__ __forceinline__ int behind() { return lane() % Of::kPieces * kPiece; }

 public:
  __device__ __forceinline__ Chunks(const GemmArguments& g, const TallAny& t, const char* a, int k,
                                    int member, int first, int end, int teams)
      : g_(g),
        t_(t),
        a_(a),
        k_(k),
        first_k_(member * Of::kDepth),
        end_(k > 0 ? end : 0),
        // A row's last chunk reaches less than two rows further, and a unit has more.
        inside_(kAcross || k >= Of::kDepth ? static_cast<int>((g.m - 1) / Of::kLines) - 1 : 0),
        teams_(teams),
        to_lane_(row() * Of::kPitch + behind()),
        copies_(lane() < Of::kAtATime * Of::kPieces) {
    begin_unit(first);
  }

  __device__ __forceinline__ int first_k() const { return first_k_; }
  __device__ __forceinline__ int step_k() const { return t_.team * Of::kDepth; }
  // Pieces of other units reach less than a unit beyond their own.
  __device__ __forceinline__ bool is_at_an_end(int unit) const {
    return unit == 0 || unit >= inside_;
  }

  // Asks for the next into the ring's next stage.
  __device__ __forceinline__ void ask(char* ring) {
    if (unit_ < end_) {
      char* const to = ring + stage_ * t_.stage_bytes + to_lane_;
      // Of rows of A there are others' behind the last k, of columns there is nothing.
      const bool is_inside = !is_at_an_end(unit_) && (!kAcross || next_k_ + Of::kDepth <= k_);
      if (copies_ && is_inside) {
        const char* at = next_;
#pragma unroll
        for (int i = 0; i < Of::kGoes; ++i, at += t_.a.to_next)
          ptx::cp_async_16_of_256(to + i * Of::kAtATime * Of::kPitch, piece_of(at), true);
      } else if (copies_) {
        const Extent matrix = extent();
        each_at_an_end(next_, [&](const char* from, int i) {
          if (matrix.has(from))
            ptx::cp_async_16_of_256(to + i * Of::kAtATime * Of::kPitch, from, true);
        });
      }
      next_k_ += step_k();
      next_ += step_k() * of_k();
      if (next_k_ >= k_) begin_unit(unit_ + teams_);
    }
    ptx::cp_async_commit();
    stage_ = stage_ + 1 == t_.stages ? 0 : stage_ + 1;
  }
  // Brings what of a chunk is in pieces that are not all inside the matrix.
  __device__ __forceinline__ void bring_ends(char* stage, int unit, int first_k) const {
    if (!copies_) return;
    const Extent matrix = extent();
    each_at_an_end(chunk(unit, first_k), [&](const char* from, int i) {
      if (!matrix.has(from))
        put_inside(stage + to_lane_ + i * Of::kAtATime * Of::kPitch, from, matrix);
    });
  }

 private:
  __device__ __forceinline__ long long of_k() const { return kAcross ? t_.a.apart : kHalf; }
  __device__ __forceinline__ Extent extent() const {
    return {a_, a_ + ((kAcross ? k_ : g_.m) - 1) * t_.a.apart + (kAcross ? g_.m : k_) * kHalf};
  }
  // The lane's piece of a chunk.
  __device__ __forceinline__ const char* chunk(int unit, int first_k) const {
    return a_ + static_cast<long long>(unit) * Of::kLines * (kAcross ? kHalf : t_.a.apart) +
           first_k * of_k() + row() * t_.a.apart + behind();
  }
  __device__ __forceinline__ void begin_unit(int unit) {
    unit_ = unit, next_k_ = first_k_;
    next_ = chunk(unit, first_k_);
  }
  template <class Function>
  __device__ __forceinline__ void each_at_an_end(const char* at, const Function& piece) const {
#pragma unroll 1
    for (int i = 0; i < Of::kGoes; ++i, at += t_.a.to_next) piece(piece_of(at), i);
  }
};

// The warps of a team leave their sums beside their rings, and the first adds them up, in this order.
template <int kGroups, int kTiles>
__device__ __forceinline__ void add_up_team(float (&sums)[kGroups][kTiles][4], char* left,
                                            int apart, int member, int team, int groups,
                                            int barrier) {
  const auto of = [&](int other, int i, int j) {
    return reinterpret_cast<float4*>(left + (other - member) * apart) + (i * kTiles + j) * 32 +
           lane();
  };
  const auto meet = [&] {
    __syncwarp();
    asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(barrier), "r"(team * 32) : "memory");
  };
  if (member > 0) {
#pragma unroll
    for (int i = 0; i < kGroups; ++i)
#pragma unroll
      for (int j = 0; j < kTiles; ++j)
        if (i == 0 || i < groups)
          *of(member, i, j) =
              make_float4(sums[i][j][0], sums[i][j][1], sums[i][j][2], sums[i][j][3]);
  }
  meet();
  if (member == 0) {
#pragma unroll 1
    for (int other = 1; other < team; ++other)
#pragma unroll
      for (int i = 0; i < kGroups; ++i)
#pragma unroll
        for (int j = 0; j < kTiles; ++j)
          if (i == 0 || i < groups) {
            const float4 more = *of(other, i, j);
            sums[i][j][0] += more.x, sums[i][j][1] += more.y;
            sums[i][j][2] += more.z, sums[i][j][3] += more.w;
          }
  }
  meet();
}

template <class Type, class C, bool kByRows, bool kAcross, bool kOfFew>
__device__ __forceinline__ void run_long_to(const GemmArguments& g, const TallAny& t,
                                            char* shared) {
  using Of = LongColumns<kOfFew>;
  using Depth = Chunk<kAcross>;
  constexpr int kEach = static_cast<int>(sizeof(C)), kLines = Depth::kLines,
                kColumns = Of::kGroups * Of::kN;
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  // Nothing is to be added where alpha is 0: then A and B are not read.
  const int k = alpha == 0 ? 0 : static_cast<int>(g.k);
  const auto* const a = reinterpret_cast<const char*>(matrix_of<Half>(g.a));
  auto* const c = reinterpret_cast<char*>(matrix_of<C>(g.c));

  // Shared memory: B, and of each warp a ring of chunks of A, and what is staged of C or left of sums.
  const int warp = static_cast<int>(threadIdx.x / 32), own_team = warp / t.team,
            member = warp % t.team, of_warp = t.stages * t.stage_bytes + t.staged_bytes;
  auto* const columns = reinterpret_cast<unsigned*>(shared);
  char* const ring = shared + t.columns_bytes + warp * of_warp;
  char* const staged = ring + t.stages * t.stage_bytes;
  // A block has neighbours, which its teams take in turn: what it reads at a time lies together.
  const int units = static_cast<int>((g.m + kLines - 1) / kLines), teams = t.warps / t.team,
            blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x),
            of_block = units / blocks, more = units % blocks,
            begin = block * of_block + min(block, more),
            end = begin + of_block + (block < more ? 1 : 0),
            own = own_team < teams ? begin + own_team : end;
  const Lines<kAcross, kLines, Depth::kPitch> lines(a, t.a.apart);

#pragma unroll 1
  for (long long column = 0; column < g.n; column += kColumns) {
    if (column > 0) __syncthreads();  // all have read the columns before
    const int columns_there = static_cast<int>(min(g.n - column, static_cast<long long>(kColumns)));
    Chunks<kAcross> chunks(g, t, a, k, member, own, end, teams);
    // What is asked for is as many ahead as there are stages, the first before B is there.
    int ahead = 1 - t.stages, stage = 0, first_k = chunks.first_k();
    Sums<Of::kGroups, kLines> sums;
    clear(sums);
#pragma unroll 1
    for (int unit = own;;) {
      chunks.ask(ring);
      if (ahead < 0) {
        ++ahead;
        continue;
      }
      if (ahead == 0) {
        ahead = 1;
        bring_columns<Of>(columns, g, k, column, columns_there, t.columns_words);
        __syncthreads();
      }
      if (unit >= end) break;
      if (first_k < k) {
        wait_for_oldest_of(t.stages);
        char* const from = ring + stage * t.stage_bytes;
        if (chunks.is_at_an_end(unit)) [[unlikely]]
          chunks.bring_ends(from, unit, first_k);
        __syncwarp();
        stage = stage + 1 == t.stages ? 0 : stage + 1;
        const unsigned* of_step = columns + first_k / 16 * Of::kStepWords;
        lines.each_step(from, min(k - first_k, Depth::kDepth), [&](const auto& pairs) {
#pragma unroll
          for (int i = 0; i < Of::kGroups; ++i) {
            if (i > 0 && i * Of::kN >= columns_there) break;
            add_step<typename Type::Element>(sums[i], pairs, of_step + i * t.columns_words);
          }
          of_step += Of::kStepWords;
        });
        __syncwarp();  // all have read the chunk
        first_k += chunks.step_k();
        if (first_k < k) continue;
      }
      if (t.team > 1)
        add_up_team(sums, staged, of_warp, member, t.team, (columns_there + Of::kN - 1) / Of::kN,
                    1 + own_team);
      if (member == 0) {
        const Spans spans_of_c(t.c);
        char* const c_of_columns = c + column * (kByRows ? kEach : t.c.apart);
        char* const to = c_of_columns + unit * (kLines * (kByRows ? t.c.apart : kEach));
        const int lines_there = static_cast<int>(
            min(g.m - static_cast<long long>(unit) * kLines, static_cast<long long>(kLines)));
        const StagedResult<C> result(staged, to, spans_of_c, kByRows, lines_there, columns_there);
        if (beta != 0) result.bring();
        const Places<Type, C, kByRows, kLines, Of::kN> places(c_of_columns, spans_of_c);
#pragma unroll 1
        for (int i = 0; i < columns_there; i += Of::kN) {
          if (beta == 0)
            places.template put<false>(staged, sums, i, kLines, columns_there, alpha, 0);
          else places.template put<true>(staged, sums, i, lines_there, columns_there, alpha, beta);
          move_up(sums);  // so that there is this code once
        }
        result.store();
      }
      clear(sums);
      first_k = chunks.first_k();
      unit += teams;
    }
    ptx::cp_async_wait<0>();
  }
}

template <class Type, class C, bool kByRows, bool kOfFew>
__device__ __forceinline__ void run_long_of(const GemmArguments& g, const TallAny& t,
                                            char* shared) {
  if (g.a_across_k) run_long_to<Type, C, kByRows, true, kOfFew>(g, t, shared);
  else run_long_to<Type, C, kByRows, false, kOfFew>(g, t, shared);
}

template <class Type, bool kByRows, bool kOfFew>
__device__ __forceinline__ void run_long(const GemmArguments& g, const TallAny& t) {
  extern __shared__ __align__(16) char bytes[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  if (g.result_bytes == 4) run_long_of<Type, float, kByRows, kOfFew>(g, t, bytes);
  else run_long_of<Type, Half, kByRows, kOfFew>(g, t, bytes);
}

}  // namespace gemm::tall_any

// The kernel `name`, of C by rows or by columns, for few columns of B or for more.
#define TILEWISE_TALL_LONG(name, Type, by_rows, of_few)                                         \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::tall_long_threads(of_few), 1) \
      name(const __grid_constant__ gemm::GemmArguments g,                                       \
           const __grid_constant__ tilewise::kernels::TallAny t) {                              \
    gemm::tall_any::run_long<Type, by_rows, of_few>(g, t);                                      \
  }
#define TILEWISE_TALL_LONG_OF(name, Type)                     \
  TILEWISE_TALL_LONG(name##_long, Type, true, false)          \
  TILEWISE_TALL_LONG(name##_long_swapped, Type, false, false) \
  TILEWISE_TALL_LONG(name##_long_few, Type, true, true)       \
  TILEWISE_TALL_LONG(name##_long_few_swapped, Type, false, true)
