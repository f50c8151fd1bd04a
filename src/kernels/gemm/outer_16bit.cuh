// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of few outer products (outer.cuh) of f16 and bf16, by mma.sync. A and B stand in shared memory as they lie in memory, and
// ldmatrix turns them. A warp's sums go through shared memory, from where lanes store 16 bytes each, wherever C's rows begin. Where
// they do not begin with sectors of 32 bytes, warps store from the first whole one on, another one in each row
// (outer_columns_stored()). Where C is added to, what it holds comes by the same way back, while A is fetched and multiplied.
//
// A block may have columns for two passes of its warps along a row, with the same rows of A: for half of the bytes of A.
#pragma once

#include "kernels/gemm/halves.cuh"
#include "kernels/gemm/outer.cuh"
#include "kernels/ptx/cp_async.cuh"

namespace gemm {

inline constexpr int kOuterTiles = kOuterColumns / 8;  // of mma.sync, side by side
using OuterSums = float[kOuterTiles][4];

// Whether 16 bytes of a factor can be read at a time.
__device__ __forceinline__ bool is_in_pieces(const GemmFactor& factor, bool is_across,
                                             long long lines, long long k) {
  const auto address = reinterpret_cast<size_t>(matrix_of<Half>(factor));
  const long long within = is_across ? lines : k;  // of what lies in memory as neighbours
  return (address | factor.leading_dimension * 2 | within * 2) % 16 == 0;
}

template <class Piece, bool kAcross, int kLines, int kThreads, int kPitchAcross>
using OuterHalvesCourier =
    OuterCourier<Half, Piece, kAcross, kLines, OuterHalves::kMostK, kThreads,
                 kAcross ? 1 : OuterHalves::kPitchOfK, kAcross ? kPitchAcross : 1>;

// Four 8×8 of A or B, of which lanes point at rows as they lie in memory: at lines, or where these run across k, at k.
template <int kPitchAcross>
__device__ __forceinline__ void load_outer(unsigned (&to)[4], const Half* factor, bool is_across,
                                           int line, int k) {
  const Half* const at =
      factor + (is_across ? k * kPitchAcross + line : line * OuterHalves::kPitchOfK + k);
  if (is_across) ptx::ldmatrix_x4_transposed(to, at);
  else ptx::ldmatrix_x4(to, at);
}

template <class Element, bool kAcrossA>
__device__ __forceinline__ void add_outer_products(OuterSums& sums, bool is_b_across, const Half* a,
                                                   const Half* b, int k) {
  const int lane = static_cast<int>(threadIdx.x) % 32, matrix = lane / 8;
  // mma.sync takes those of A rows first, those of B k first.
  const int fast = matrix % 2 * 8, slow = matrix / 2 * 8;
  const int row_a = fast + (kAcrossA ? 0 : lane % 8), k_a = slow + (kAcrossA ? lane % 8 : 0),
            column_b = slow + (is_b_across ? 0 : lane % 8),
            k_b = fast + (is_b_across ? lane % 8 : 0);
#pragma unroll 1
  for (int first = 0; first < k; first += 16) {
    unsigned rows[4];
    load_outer<OuterHalves::kPitchOfRows>(rows, a, kAcrossA, row_a, first + k_a);
#pragma unroll
    for (int tile = 0; tile < kOuterTiles; tile += 2) {
      unsigned columns[4];
      load_outer<OuterHalves::kPitchOfColumns>(columns, b, is_b_across, tile * 8 + column_b,
                                               first + k_b);
      add_product<Element>(sums[tile], rows, columns[0], columns[1]);
      add_product<Element>(sums[tile + 1], rows, columns[2], columns[3]);
    }
  }
}

// What a warp stages of C, at one pass, before it stores it.
template <class C> struct StagedResult : OuterResult<C> {
  static constexpr int kSector = kOuterSector / sizeof(C);
  static constexpr int kPitch = outer_staged_pitch(sizeof(C)),
                       kStagedBytes = outer_staged_bytes(sizeof(C));
  int of_pass;    // columns that a pass stores
  int along = 0;  // where the pass begins in the block's columns: c is there

  __device__ __forceinline__ StagedResult(const GemmArguments& g, const OuterPlace& place,
                                          int of_pass_)
      : OuterResult<C>(g, place), of_pass(of_pass_) {}

  // How far row i begins behind a multiple of `elements`, a power of two, in memory.
  __device__ __forceinline__ int behind(int i, int elements) const {
    const auto first = static_cast<unsigned>(reinterpret_cast<size_t>(this->c) / sizeof(C));
    return static_cast<int>((first + static_cast<unsigned>(this->leading_dimension) * i) &
                            (elements - 1));
  }
  // Of row i the first whole sector, and which columns are to be stored: up to the first one of the next pass.
  struct Columns {
    int sector, begin, end;
  };
  __device__ __forceinline__ Columns stored(int i) const {
    const int within = behind(i, kSector), sector = -within & (kSector - 1),
              next = of_pass + (-(within + of_pass) & (kSector - 1));
    return {sector, blockIdx.x + along == 0 ? 0 : sector, min(next, this->columns)};
  }
  static __device__ __forceinline__ C* staged(unsigned char* room, int i) {
    return reinterpret_cast<C*>(room + i * kPitch);
  }
  __device__ __forceinline__ void go_along(int by) {
    this->c += by, this->columns -= by, along += by;
  }
};

// How a piece of 16 bytes or an element goes between C and where it is staged. `there`: else it is none of C's.
struct StoreC {
  template <class Piece>
  static __device__ __forceinline__ void move(Piece* c, Piece* staged, bool there) {
    if (there) *c = *staged;
  }
};
// Pieces and f32 arrive by the time that cp.async is waited for.
struct FetchC {
  static __device__ __forceinline__ void move(uint4* c, uint4* staged, bool there) {
    ptx::cp_async_16(staged, c, there);
  }
  static __device__ __forceinline__ void move(float* c, float* staged, bool there) {
    ptx::cp_async_4(staged, c, there);
  }
  static __device__ __forceinline__ void move(Half* c, Half* staged, bool there) {
    if (there) *staged = *c;
  }
};

// C of which rows begin at multiples of 16 bytes, and are as long.
template <class Way, class C>
__device__ __forceinline__ void move_aligned(const StagedResult<C>& result, unsigned char* room) {
  constexpr int kEach = 16 / sizeof(C), kPieces = kOuterColumns / kEach;
  constexpr int kApart = 32 / kPieces;  // rows
  const int lane = static_cast<int>(threadIdx.x) % 32, column = lane % kPieces * kEach;
  C* c = result.row(lane / kPieces) + column;
#pragma unroll
  for (int i = 0; i < kOuterRows; i += kApart) {
    const int row = lane / kPieces + i;
    const auto [sector, begin, end] = result.stored(row);
    Way::move(reinterpret_cast<uint4*>(c),
              reinterpret_cast<uint4*>(result.staged(room, row) + column),
              row < result.rows && begin <= column && column < end);
    c = step(c, kApart * result.leading_dimension);
  }
}

// The same of halves of which rows begin anywhere. Of a row a head comes before the first 16 bytes that begin where such do, then
// `whole` of those, then a tail. Head and tail go as one row of elements.
template <class Way>
__device__ __forceinline__ void move_anywhere(const StagedResult<Half>& result,
                                              unsigned char* room) {
  constexpr int kEach = 8, kPieces = kOuterColumns / kEach;
  const int lane = static_cast<int>(threadIdx.x) % 32, piece = lane % kPieces;
#pragma unroll
  for (int i = 0; i < kOuterRows; i += 32 / kPieces) {
    const int row = lane / kPieces + i;
    const auto [sector, begin, last] = result.stored(row);
    const int end = row < result.rows ? max(begin, last) : begin,
              behind = result.behind(row, kEach),
              head = min(begin + (-(behind + begin) & (kEach - 1)), end),
              whole = (end - head) / kEach, ends = end - begin - whole * kEach;
    Half* const c = result.row(row);
    Half* const staged = result.staged(room, row) + behind;
    if (piece < whole)
      Way::move(reinterpret_cast<uint4*>(c + head + piece * kEach),
                reinterpret_cast<uint4*>(staged + head + piece * kEach), true);
#pragma unroll
    for (int from = 0; from < 2 * kEach; from += kPieces) {
      const int at = begin + from + piece, column = at < head ? at : at + whole * kEach;
      if (from + piece < ends) Way::move(c + column, staged + column, true);
    }
  }
}

// The same of f32 of which rows begin anywhere: lanes have neighbours, from a sector on.
template <class Way>
__device__ __forceinline__ void move_anywhere(const StagedResult<float>& result,
                                              unsigned char* room) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 2
  for (int row = 0; row < min(result.rows, kOuterRows); ++row) {
    const auto [sector, begin, end] = result.stored(row);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int column = sector - StagedResult<float>::kSector + j * 32 + lane;
      if (begin <= column && column < end)
        Way::move(result.row(row) + column, result.staged(room, row) + column, true);
    }
  }
}

// So that what is not fetched can be read as well.
template <class C> __device__ __forceinline__ void clear_staged(unsigned char* room) {
#pragma unroll 1
  for (int at = static_cast<int>(threadIdx.x) % 32 * 16; at < StagedResult<C>::kStagedBytes;
       at += 32 * 16)
    *reinterpret_cast<uint4*>(room + at) = uint4{};
  __syncwarp();
}

template <class Way, bool kAligned, class C>
__device__ __forceinline__ void move_result(const StagedResult<C>& result, unsigned char* room) {
  if constexpr (kAligned) move_aligned<Way>(result, room);
  else move_anywhere<Way>(result, room);
}

// Where in its row the first of what the warp has of C is staged: of 16 bits, where C's rows begin anywhere, each row as far behind
// 16 bytes as it begins in C.
template <bool kAligned, class C>
__device__ __forceinline__ C* staged_row(const StagedResult<C>& result, unsigned char* room,
                                         int row) {
  C* const first = result.staged(room, row);
  if constexpr (!kAligned && sizeof(C) == 2) return first + result.behind(row, 16 / sizeof(C));
  else return first;
}

// The lane's sums become sums + beta·C, as FetchC has staged it. What is not stored becomes anything.
template <class Element, bool kAligned, class C>
__device__ __forceinline__ void add_held(OuterSums& sums, const StagedResult<C>& result,
                                         unsigned char* room, float beta) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const C* const from = staged_row<kAligned>(result, room, lane / 4 + half * 8) + lane % 4 * 2;
#pragma unroll
    for (int tile = 0; tile < kOuterTiles; ++tile) {
      float2 held;
      if constexpr (sizeof(C) == 4) {
        held = *reinterpret_cast<const float2*>(from + tile * 8);
      } else if constexpr (kAligned) {
        const unsigned both = *reinterpret_cast<const unsigned*>(from + tile * 8);
        held = make_float2(widen<Element>(static_cast<Half>(both)),
                           widen<Element>(static_cast<Half>(both >> 16)));
      } else {
        held = make_float2(widen<Element>(from[tile * 8]), widen<Element>(from[tile * 8 + 1]));
      }
      sums[tile][half * 2] = fmaf(beta, held.x, sums[tile][half * 2]);
      sums[tile][half * 2 + 1] = fmaf(beta, held.y, sums[tile][half * 2 + 1]);
      if (tile % 4 == 3) asm volatile("" ::: "memory");  // more at a time would want more registers
    }
  }
}

// Sums to shared memory.
template <class Element, bool kAligned, class C>
__device__ __forceinline__ void stage_outer(const OuterSums& sums, const StagedResult<C>& result,
                                            unsigned char* room) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    C* const to = staged_row<kAligned>(result, room, lane / 4 + half * 8) + lane % 4 * 2;
#pragma unroll
    for (int tile = 0; tile < kOuterTiles; ++tile) {
      const float low = sums[tile][half * 2], high = sums[tile][half * 2 + 1];
      if constexpr (sizeof(C) == 4) {
        *reinterpret_cast<float2*>(to + tile * 8) = make_float2(low, high);
      } else {
        const unsigned both = pack<Element>(low, high);
        if constexpr (kAligned) *reinterpret_cast<unsigned*>(to + tile * 8) = both;
        else
          to[tile * 8] = static_cast<Half>(both), to[tile * 8 + 1] = static_cast<Half>(both >> 16);
      }
    }
  }
}

// What is multiplied becomes C, as it is staged: 16×64 of it, or what there is.
template <class Element, bool kAligned, bool kAdds, class C>
__device__ __forceinline__ void finish_outer(OuterSums& sums, const StagedResult<C>& result,
                                             unsigned char* room, float beta) {
  if constexpr (kAdds) {
    if (beta != 0) {
      ptx::cp_async_wait<0>();
      __syncwarp();
      add_held<Element, kAligned>(sums, result, room, beta);
    }
  }
  stage_outer<Element, kAligned>(sums, result, room);
  __syncwarp();
  move_result<StoreC, kAligned>(result, room);
}

// `shared`: OuterHalves::bytes(sizeof(C)). Piece: of A. kAdds: beta may be other than 0.
template <class Element, class C, bool kAcrossA, bool kAdds, class Piece>
__device__ __forceinline__ void outer_of_halves(const GemmArguments& g, unsigned char* shared) {
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  Half* const own = reinterpret_cast<Half*>(shared) + warp * OuterHalves::kShareOfA;
  Half* const columns = reinterpret_cast<Half*>(shared) + kOuterWarps * OuterHalves::kShareOfA;
  unsigned char* const room =
      shared + OuterHalves::kFactorBytes + warp * StagedResult<C>::kStagedBytes;
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const int k = alpha == 0 ? 0 : static_cast<int>(g.k);
  const int of_block = g.tile_columns,  // that are stored
      passes = of_block > kOuterColumns ? kOuterMostPasses : 1;
  const OuterPlace place(g, of_block);
  StagedResult<C> result(g, place, of_block / passes);
  OuterHalvesCourier<Piece, kAcrossA, kOuterRows, 32, OuterHalves::kPitchOfRows> rows_of_a(
      matrix_of<Half>(g.a), g.a.leading_dimension, k, place.row, thread % 32);
  const auto bring_columns = [&]<class P, bool kAcross>(P, std::bool_constant<kAcross>) {
#pragma unroll 1
    for (int first = 0; first < passes * kOuterColumns; first += kOuterColumns)
      OuterHalvesCourier<P, kAcross, kOuterColumns, kOuterThreads, OuterHalves::kPitchOfColumns>(
          matrix_of<Half>(g.b), g.b.leading_dimension, k, place.column + first, thread)
          .bring(columns + first * (kAcross ? 1 : OuterHalves::kPitchOfK), result.columns - first);
  };
  const auto bring_by = [&]<class P>(P piece) {
    if (g.b_across_k) bring_columns(piece, std::true_type{});
    else bring_columns(piece, std::false_type{});
  };
  if (is_in_pieces(g.b, g.b_across_k, g.n, k)) bring_by(uint4{});
  else bring_by(Half{});
  if (kAdds && !g.result_is_aligned) clear_staged<C>(room);
  const auto fetch_held = [&] {
    if (!kAdds || beta == 0 || result.rows <= 0) return;
    if (g.result_is_aligned) move_result<FetchC, true>(result, room);
    else move_result<FetchC, false>(result, room);
    ptx::cp_async_commit();
  };
  const long long to_next = kOuterRound * (kAcrossA ? 1 : g.a.leading_dimension);
  for (bool is_first = true;; is_first = false) {
    fetch_held();
    rows_of_a.bring(own, result.rows);
    if (is_first) __syncthreads();
    else __syncwarp();
    if (result.rows <= 0) return;
    rows_of_a.go_on(to_next);
#pragma unroll 1
    while (true) {
      OuterSums sums = {};
      add_outer_products<Element, kAcrossA>(
          sums, g.b_across_k, own,
          columns + result.along * (g.b_across_k ? 1 : OuterHalves::kPitchOfK), k);
#pragma unroll
      for (int i = 0; i < kOuterTiles * 4; ++i) sums[i / 4][i % 4] *= alpha;
      if (g.result_is_aligned) finish_outer<Element, true, kAdds>(sums, result, room, beta);
      else finish_outer<Element, false, kAdds>(sums, result, room, beta);
      __syncwarp();  // nobody reads any more what is staged, nor, at last, rows of A
      if (result.along + result.of_pass >= of_block || result.columns <= result.of_pass) break;
      result.go_along(result.of_pass);
      fetch_held();
    }
    result.go_along(-result.along);
    result.go_on();
    if (result.rows <= 0) return;
  }
}

}  // namespace gemm

// By how A lies: along k, or across it; and whether C is added to, which takes registers that the others have no need of.
#define TILEWISE_OUTER_OF_HALVES_BY(name, element, c, across, adds)                      \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kOuterThreads, 2)      \
      name(const __grid_constant__ tilewise::kernels::GemmArguments arguments) {         \
    extern __shared__ __align__(16) unsigned char shared[];                              \
    ptx::let_next_grid_start();                                                          \
    ptx::wait_for_previous_grid();                                                       \
    if (gemm::is_in_pieces(arguments.a, across, arguments.m, arguments.k))               \
      gemm::outer_of_halves<element, c, across, adds, uint4>(arguments, shared);         \
    else gemm::outer_of_halves<element, c, across, adds, gemm::Half>(arguments, shared); \
  }
#define TILEWISE_OUTER_OF_HALVES(name, element, c)                      \
  TILEWISE_OUTER_OF_HALVES_BY(name##_k, element, c, false, false)       \
  TILEWISE_OUTER_OF_HALVES_BY(name##_x, element, c, true, false)        \
  TILEWISE_OUTER_OF_HALVES_BY(name##_k_adding, element, c, false, true) \
  TILEWISE_OUTER_OF_HALVES_BY(name##_x_adding, element, c, true, true)
