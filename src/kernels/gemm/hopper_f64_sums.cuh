// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a lane of a persistent f64 tile has summed up, S being the tile's Shape (hopper_f64.cuh): where that is in C, and how it
// gets there.
#pragma once

#include "kernels/gemm/hopper_f64_result.cuh"

namespace gemm::f64 {

// Sums of a warp: [16 lines of the first factor][8 of the second], in mma.sync's order of a lane's.
template <class S> using Sums = double[S::kFirstBlocks][S::kSecondBlocks * 2][4];

// Of a lane's results: two pairs of neighbours in rows of C, number 0 and 1 of `half` of a 16×16 block, which is
// number `first` of the first factor's and `second` of the second's. Where pairs begin:
struct Place {
  int row, column;  // in the warp's tile
};
template <class S>
__device__ __forceinline__ Place place_of(int first, int second, int half, int pair) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  if constexpr (S::kTurned)
    return {second * 16 + S::Second::line(half, t * 2 + pair), first * 16 + S::First::line(0, g)};
  else if constexpr (S::Second::kHalvesAreNeighbours)
    return {first * 16 + S::First::line(half, g), second * 16 + S::Second::line(0, t * 2 + pair)};
  else return {first * 16 + S::First::line(half, g), second * 16 + S::Second::line(pair, t * 2)};
}
template <class S>
__device__ __forceinline__ double2 pair_of(const Sums<S>& sums, int first, int second, int half,
                                           int pair) {
  const auto sum = [&](int j, int e) { return sums[first][second * 2 + j][e]; };
  if constexpr (S::kTurned) return make_double2(sum(half, pair), sum(half, 2 + pair));
  else if constexpr (S::Second::kHalvesAreNeighbours)
    return make_double2(sum(0, half * 2 + pair), sum(1, half * 2 + pair));
  else return make_double2(sum(pair, half * 2), sum(pair, half * 2 + 1));
}

// kPlain: to.is_plain, which is known once for many.
template <class S, bool kPlain>
__device__ __forceinline__ void store_four(const Result& to, int first, int second, int half,
                                           const double2 (&pairs)[2]) {
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const Place place = place_of<S>(first, second, half, pair);
    const long long row = to.row + place.row;
    double* const c = to.c + row * to.leading + to.column + place.column;
    if constexpr (kPlain)
      *reinterpret_cast<double2*>(c) =
          make_double2(to.alpha * pairs[pair].x, to.alpha * pairs[pair].y);
    else if (row < to.m)
      store_pair(c, to.n - to.column - place.column, to, pairs[pair].x, pairs[pair].y);
  }
}

template <class S, bool kPlain>
__device__ __forceinline__ void store_sums(const Result& to, const Sums<S>& sums) {
#pragma unroll
  for (int i = 0; i < S::kFirstBlocks; ++i)
#pragma unroll
    for (int j = 0; j < S::kSecondBlocks; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const double2 pairs[2] = {pair_of<S>(sums, i, j, half, 0), pair_of<S>(sums, i, j, half, 1)};
        store_four<S, kPlain>(to, i, j, half, pairs);
      }
}

// The same where what C holds counts: of a few blocks all of it comes before any is stored, as no load may pass a store, and
// without a branch, so that it comes at once. kPairs: C's pairs are aligned and inside or outside as a whole.
template <class S, bool kPairs>
__device__ __forceinline__ void add_to_result(const Result& to, const Sums<S>& sums) {
  constexpr int kTogether =
      S::kFirstBlocks * S::kSecondBlocks % 2 == 0 ? 2 : 1;  // blocks, of four pairs a lane
#pragma unroll
  for (int block = 0; block < S::kFirstBlocks * S::kSecondBlocks; block += kTogether) {
    // `with(number, sums, columns left, where)`
    const auto each = [&](const auto& with) {
#pragma unroll
      for (int i = 0; i < kTogether * 4; ++i) {
        const int first = (block + i / 4) / S::kSecondBlocks,
                  second = (block + i / 4) % S::kSecondBlocks;
        const Place place = place_of<S>(first, second, i / 2 % 2, i % 2);
        const long long row = to.row + place.row, column = to.column + place.column;
        with(i, pair_of<S>(sums, first, second, i / 2 % 2, i % 2), row < to.m ? to.n - column : 0,
             to.c + row * to.leading + column);
      }
    };
    double2 held[kTogether * 4];
    each([&](int i, double2, long long columns_left, const double* from) {
      if constexpr (kPairs) {
        held[i] = columns_left > 0 ? *reinterpret_cast<const double2*>(from) : make_double2(0, 0);
      } else {
        held[i] = make_double2(columns_left > 0 ? from[0] : 0, columns_left > 1 ? from[1] : 0);
      }
    });
    each([&](int i, const double2& sum, long long columns_left, double* c) {
      const double2 pair = make_double2(fma(to.alpha, sum.x, to.beta * held[i].x),
                                        fma(to.alpha, sum.y, to.beta * held[i].y));
      if constexpr (kPairs) {
        if (columns_left > 0) *reinterpret_cast<double2*>(c) = pair;
      } else {
        if (columns_left > 0) c[0] = pair.x;
        if (columns_left > 1) c[1] = pair.y;
      }
    });
  }
}

}  // namespace gemm::f64
