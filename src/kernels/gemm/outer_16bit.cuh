// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of few outer products (outer.cuh) of f16 and bf16, by mma.sync. A and B stand in shared memory as they lie in memory, and
// ldmatrix turns them. A warp's sums go through shared memory, from where lanes store 16 bytes each, wherever C's rows begin. Where
// that is anywhere, warps store from a sector of 32 bytes on, another one in each row (outer_columns_stored()).
#pragma once

#include "kernels/gemm/halves.cuh"
#include "kernels/gemm/outer.cuh"

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
    OuterCourier<Half, Piece, kAcross, kLines, kThreads, kAcross ? 1 : OuterHalves::kPitchOfK,
                 kAcross ? kPitchAcross : 1>;

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

// What a warp stages of C before it stores it.
template <class C> struct StagedResult : OuterResult<C> {
  static constexpr int kSector = 32 / sizeof(C),
                       kStored = outer_columns_stored(false, 2, sizeof(C));
  static constexpr int kPitch = outer_staged_pitch(sizeof(C)),
                       kStagedBytes = outer_staged_bytes(sizeof(C));
  using OuterResult<C>::OuterResult;

  // How far row i begins behind a multiple of `elements`, a power of two, in memory.
  __device__ __forceinline__ int behind(int i, int elements) const {
    const auto first = static_cast<unsigned>(reinterpret_cast<size_t>(this->c) / sizeof(C));
    return static_cast<int>((first + static_cast<unsigned>(this->leading_dimension) * i) &
                            (elements - 1));
  }
  // Where C's rows begin anywhere: the first whole sector, and which columns are to be stored.
  struct Columns {
    int sector, begin, end;
  };
  __device__ __forceinline__ Columns stored(int i) const {
    const int sector = -behind(i, kSector) & (kSector - 1);
    return {sector, blockIdx.x == 0 ? 0 : sector, min(sector + kStored, this->columns)};
  }
  static __device__ __forceinline__ C* staged(unsigned char* room, int i) {
    return reinterpret_cast<C*>(room + i * kPitch);
  }
};

// The lane's sums become sums + beta·C, of which only what the block stores is read: others store the rest.
template <class Element, class C>
__device__ __forceinline__ void add_held(OuterSums& sums, const StagedResult<C>& result, float beta,
                                         bool is_aligned) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + half * 8;
    const auto stored = result.stored(row);
    const int begin = is_aligned ? 0 : stored.begin,
              there = is_aligned ? result.columns : stored.end, end = row < result.rows ? there : 0;
    const C* const c = result.row(row) + lane % 4 * 2;
#pragma unroll
    for (int tile = 0; tile < kOuterTiles; ++tile) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int column = tile * 8 + lane % 4 * 2 + i;
        float& sum = sums[tile][half * 2 + i];
        if (begin <= column && column < end) sum = fmaf(beta, widen<Element>(c[tile * 8 + i]), sum);
      }
      if (tile % 4 == 3) asm volatile("" ::: "memory");  // more at a time would want more registers
    }
  }
}

// Sums to shared memory. Of 16 bits, where C's rows begin anywhere, each row as far behind 16 bytes as it begins in C.
template <class Element, bool kAligned, class C>
__device__ __forceinline__ void stage_outer(const OuterSums& sums, const StagedResult<C>& result,
                                            unsigned char* room) {
  constexpr int kEach = 16 / sizeof(C);
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + half * 8;
    C* to = result.staged(room, row) + lane % 4 * 2;
    if (!kAligned && sizeof(C) == 2) to += result.behind(row, kEach);
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

// What is staged to C of which rows begin at multiples of 16 bytes, and are as long.
template <class C>
__device__ __forceinline__ void store_aligned(const StagedResult<C>& result, unsigned char* room) {
  constexpr int kEach = 16 / sizeof(C), kPieces = kOuterColumns / kEach;
  constexpr int kApart = 32 / kPieces;  // rows
  const int lane = static_cast<int>(threadIdx.x) % 32, column = lane % kPieces * kEach;
  C* c = result.row(lane / kPieces) + column;
#pragma unroll
  for (int i = 0; i < kOuterRows; i += kApart) {
    const int row = lane / kPieces + i;
    if (row < result.rows && column < result.columns)
      *reinterpret_cast<uint4*>(c) =
          *reinterpret_cast<const uint4*>(result.staged(room, row) + column);
    c = step(c, kApart * result.leading_dimension);
  }
}

// The same of halves of which rows begin anywhere. Of a row a head comes before the first 16 bytes that begin where such do, then
// `whole` of those, then a tail. Head and tail go as one row of elements.
__device__ __forceinline__ void store_anywhere(const StagedResult<Half>& result,
                                               unsigned char* room) {
  constexpr int kEach = 8, kPieces = kOuterColumns / kEach;
  const int lane = static_cast<int>(threadIdx.x) % 32, piece = lane % kPieces;
#pragma unroll 1
  for (int i = 0; i < kOuterRows; i += 32 / kPieces) {
    const int row = lane / kPieces + i;
    if (row >= result.rows) break;
    const auto [sector, begin, end] = result.stored(row);
    if (begin >= end) continue;
    const int behind = result.behind(row, kEach),
              head = min(begin + (-(behind + begin) & (kEach - 1)), end),
              whole = (end - head) / kEach, ends = end - begin - whole * kEach;
    Half* const c = result.row(row);
    const Half* const from = result.staged(room, row) + behind;
    if (piece < whole)
      *reinterpret_cast<uint4*>(c + head + piece * kEach) =
          *reinterpret_cast<const uint4*>(from + head + piece * kEach);
#pragma unroll
    for (int first = 0; first < 2 * kEach; first += kPieces) {
      if (first + piece >= ends) break;
      const int at = begin + first + piece, column = at < head ? at : at + whole * kEach;
      c[column] = from[column];
    }
  }
}

// The same of f32 of which rows begin anywhere: lanes have neighbours, from a sector on.
__device__ __forceinline__ void store_anywhere(const StagedResult<float>& result,
                                               unsigned char* room) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 2
  for (int row = 0; row < result.rows; ++row) {
    const auto [sector, begin, end] = result.stored(row);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int column = sector - StagedResult<float>::kSector + j * 32 + lane;
      if (begin <= column && column < end)
        result.row(row)[column] = result.staged(room, row)[column];
    }
  }
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
  OuterPlace place(g, StagedResult<C>::kStored);
  OuterHalvesCourier<Piece, kAcrossA, kOuterRows, 32, OuterHalves::kPitchOfRows> rows_of_a(
      matrix_of<Half>(g.a), g.a.leading_dimension, k, place.row, thread % 32);
  const auto bring_columns = [&]<class P, bool kAcross>(P, std::bool_constant<kAcross>) {
    OuterHalvesCourier<P, kAcross, kOuterColumns, kOuterThreads, OuterHalves::kPitchOfColumns>(
        matrix_of<Half>(g.b), g.b.leading_dimension, k, place.column, thread)
        .bring(columns, g.n - place.column);
  };
  const auto bring_by = [&]<class P>(P piece) {
    if (g.b_across_k) bring_columns(piece, std::true_type{});
    else bring_columns(piece, std::false_type{});
  };
  if (is_in_pieces(g.b, g.b_across_k, g.n, k)) bring_by(uint4{});
  else bring_by(Half{});
  const long long to_next = kOuterRound * (kAcrossA ? 1 : g.a.leading_dimension);
  StagedResult<C> result(g, place);
  for (int round = 0; round < place.rounds; ++round) {
    rows_of_a.bring(own, g.m - place.row);
    if (round == 0) __syncthreads();
    else __syncwarp();
    if (place.row >= g.m) return;
    rows_of_a.go_on(to_next);
    OuterSums sums = {};
    add_outer_products<Element, kAcrossA>(sums, g.b_across_k, own, columns, k);
    result.set_rows(g.m - place.row);
#pragma unroll
    for (int i = 0; i < kOuterTiles * 4; ++i) sums[i / 4][i % 4] *= alpha;
    if constexpr (kAdds) add_held<Element>(sums, result, beta, g.result_is_aligned);
    if (g.result_is_aligned) {
      stage_outer<Element, true>(sums, result, room);
      __syncwarp();
      store_aligned(result, room);
    } else {
      stage_outer<Element, false>(sums, result, room);
      __syncwarp();
      store_anywhere(result, room);
    }
    __syncwarp();  // nobody reads rows of A any more, nor what is staged
    place.row += kOuterRound, result.go_on();
  }
}

}  // namespace gemm

// By how A lies: along k, or across it; and whether C is added to, which takes registers that the others have no need of.
#define TILEWISE_OUTER_OF_HALVES_BY(name, element, c, across, adds)                      \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kOuterThreads, 3)      \
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
