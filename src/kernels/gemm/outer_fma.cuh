// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of few outer products (outer.cuh) of f32 and f64, by FMAs.
//
// Where 16 bytes of C can be stored at a time, a lane has eight rows and four columns of its warp's 16×64; else it has all 16
// rows and two columns, of which those of neighbouring lanes are neighbours.
#pragma once

#include "kernels/gemm/outer.cuh"

namespace gemm {

// kCount neighbours, aligned as such.
template <class T, int kCount> struct alignas(kCount * sizeof(T)) Neighbours { T each[kCount]; };

template <class T, bool kBySixteen> struct OuterTile {
  using Lines = OuterLines<T>;
  static constexpr int kEach = kBySixteen ? 16 / sizeof(T) : 1;  // neighbours
  static constexpr int kRows = kBySixteen ? 8 : 16,
                       kColumns = kOuterRows * kOuterColumns / 32 / kRows;
  static constexpr int kLanes = kOuterColumns / kColumns;  // of a row
  using Piece = Neighbours<T, kEach>;
  using Sums = T[kRows][kColumns];

  static __device__ __forceinline__ int row() {
    return static_cast<int>(threadIdx.x) % 32 / kLanes * kRows;
  }
  // Of the lane's columns j to j + kEach - 1, which are neighbours.
  static __device__ __forceinline__ int column(int j) {
    return (static_cast<int>(threadIdx.x) % kLanes + j / kEach * kLanes) * kEach;
  }
};

template <class Tile, class T>
__device__ __forceinline__ void add_outer_products(typename Tile::Sums& sums, const T* a,
                                                   const T* b, int k) {
  using Lines = typename Tile::Lines;
  using Sixteen = Neighbours<T, 16 / sizeof(T)>;
  using Piece = typename Tile::Piece;
  constexpr int kOfSixteen = 16 / sizeof(T);
  a += Tile::row();
  constexpr int kSteps = sizeof(T) == 8 ? 1 : 2;  // more take more registers than there are
#pragma unroll kSteps
  for (int p = 0; p < k; ++p, a += Lines::kPitchA, b += Lines::kPitchB) {
    T rows[Tile::kRows], columns[Tile::kColumns];
#pragma unroll
    for (int i = 0; i < Tile::kRows; i += kOfSixteen) {
      const auto piece = *reinterpret_cast<const Sixteen*>(a + i);
#pragma unroll
      for (int e = 0; e < kOfSixteen; ++e) rows[i + e] = piece.each[e];
    }
#pragma unroll
    for (int j = 0; j < Tile::kColumns; j += Tile::kEach) {
      const auto piece = *reinterpret_cast<const Piece*>(b + Tile::column(j));
#pragma unroll
      for (int e = 0; e < Tile::kEach; ++e) columns[j + e] = piece.each[e];
    }
#pragma unroll
    for (int i = 0; i < Tile::kRows; ++i)
#pragma unroll
      for (int j = 0; j < Tile::kColumns; ++j) sums[i][j] += rows[i] * columns[j];
  }
}

// C = alpha·sums + beta·C. All of two rows is read before any of them is stored.
template <class Tile, class T>
__device__ __forceinline__ void store_sums(typename Tile::Sums& sums, const OuterResult<T>& result,
                                           T alpha, T beta) {
  using Piece = typename Tile::Piece;
  constexpr int kTogether = 2;
  const int left = result.rows - Tile::row();
  T* row = result.row(Tile::row());
#pragma unroll
  for (int first = 0; first < Tile::kRows; first += kTogether) {
    T* const rows[kTogether] = {row, step(row, result.leading_dimension)};
    row = step(rows[1], result.leading_dimension);
    T factor = alpha;
    if (beta != 0) {
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::kColumns; j += Tile::kEach) {
          Piece held = {};
          if (first + i < left && Tile::column(j) < result.columns)
            held = *reinterpret_cast<const Piece*>(rows[i] + Tile::column(j));
#pragma unroll
          for (int e = 0; e < Tile::kEach; ++e)
            sums[first + i][j + e] = alpha * sums[first + i][j + e] + beta * held.each[e];
        }
      }
      factor = 1;
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kColumns; j += Tile::kEach) {
        Piece piece;
#pragma unroll
        for (int e = 0; e < Tile::kEach; ++e) piece.each[e] = factor * sums[first + i][j + e];
        if (first + i < left && Tile::column(j) < result.columns)
          *reinterpret_cast<Piece*>(rows[i] + Tile::column(j)) = piece;
      }
    }
  }
}

// `shared`: OuterLines::kBytes.
template <class T, bool kBySixteen, bool kAcrossA>
__device__ __forceinline__ void outer_by_fma(const GemmArguments& g, unsigned char* shared) {
  using Tile = OuterTile<T, kBySixteen>;
  using Lines = OuterLines<T>;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  T* const own = reinterpret_cast<T*>(shared) + warp * Lines::kShareOfA;
  T* const columns = reinterpret_cast<T*>(shared) + kOuterWarps * Lines::kShareOfA;
  const T alpha = value_of<T>(g.alpha), beta = value_of<T>(g.beta);
  const int k = alpha == 0 ? 0 : static_cast<int>(g.k);
  OuterPlace place(g, kOuterColumns);
  OuterCourier<T, T, kAcrossA, kOuterRows, kOuterMostK, 32, 1, Lines::kPitchA> rows_of_a(
      matrix_of<T>(g.a), g.a.leading_dimension, k, place.row, thread % 32);
  const auto bring_columns = [&]<bool kAcross>(std::bool_constant<kAcross>) {
    OuterCourier<T, T, kAcross, kOuterColumns, kOuterMostK, kOuterThreads, 1, Lines::kPitchB>(
        matrix_of<T>(g.b), g.b.leading_dimension, k, place.column, thread)
        .bring(columns,
               static_cast<int>(min(g.n - place.column, static_cast<long long>(kOuterColumns))));
  };
  if (g.b_across_k) bring_columns(std::true_type{});
  else bring_columns(std::false_type{});
  const long long to_next = kOuterRound * (kAcrossA ? 1 : g.a.leading_dimension);
  OuterResult<T> result(g, place);
  for (bool is_first = true;; is_first = false) {
    rows_of_a.bring(own, result.rows);
    if (is_first) __syncthreads();
    else __syncwarp();
    if (result.rows <= 0) return;
    rows_of_a.go_on(to_next);
    typename Tile::Sums sums = {};
    add_outer_products<Tile>(sums, own, columns, k);
    __syncwarp();  // nobody reads these rows of A any more
    store_sums<Tile>(sums, result, alpha, beta);
    result.go_on();
    if (result.rows <= 0) return;
  }
}

}  // namespace gemm

// By how A lies: along k, or across it.
#define TILEWISE_OUTER_BY_FMA_OF(name, type, blocks, across)                                    \
  extern "C" __global__ void __launch_bounds__(tilewise::kernels::kOuterThreads, blocks)        \
      name(const __grid_constant__ tilewise::kernels::GemmArguments arguments) {                \
    extern __shared__ __align__(16) unsigned char shared[];                                     \
    ptx::let_next_grid_start();                                                                 \
    ptx::wait_for_previous_grid();                                                              \
    if (arguments.result_is_aligned) gemm::outer_by_fma<type, true, across>(arguments, shared); \
    else gemm::outer_by_fma<type, false, across>(arguments, shared);                            \
  }
#define TILEWISE_OUTER_BY_FMA(name, type, blocks)         \
  TILEWISE_OUTER_BY_FMA_OF(name##_k, type, blocks, false) \
  TILEWISE_OUTER_BY_FMA_OF(name##_x, type, blocks, true)
