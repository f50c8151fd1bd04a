// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with a handful of rows and unaligned factors (strip.cuh is for aligned ones): B is read once and hardly multiplied, so what counts is how many bytes of it
// are on their way. A block takes 64 bytes of columns; all its threads fetch 16 bytes each, eight times before they
// use the first. A stands in shared memory as f32, a piece of k at a time.
//
// Where k runs across B's rows, four lanes share a row and eight rows a warp; where it runs along them, a
// warp's lanes lie along k and take four columns in turn. Either way each thread has sums of all columns it
// meets; at the end lanes, then warps, add theirs up in an order that never changes.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm {

template <int kM_> struct ThinShape {
  static constexpr int kM = kM_, kN = 16;  // rows and columns of a block's tile
  static constexpr int kThreads = 256, kWarps = kThreads / 32;
  static constexpr int kFour = 4;   // elements of 16 bytes
  static constexpr int kAhead = 8;  // loads of a thread before the first is used
  // k that A stands in shared memory for.
  static constexpr int kPiece = kM == 1 ? 4096 : 2048;
};

template <class S> struct ThinShared {
  float a[S::kM][S::kPiece];
  float sums[S::kWarps][S::kM][S::kN];
};

// 16 bytes from `from` on, `count` elements of which are there; the others are 0.
template <class S>
__device__ __forceinline__ void fetch(float (&to)[S::kFour], const float* from, long long count,
                                      bool aligned) {
  if (aligned && count >= S::kFour) {
    const float4 four = __ldcs(reinterpret_cast<const float4*>(from));
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  } else {
#pragma unroll
    for (int i = 0; i < S::kFour; ++i) to[i] = i < count ? from[i] : 0;
  }
}

// B across k: lane / 4 is the row of eight, lane % 4 the 16 bytes of it. `sums`: of these columns.
template <class S>
__device__ __forceinline__ void add_rows(float (&sums)[S::kM][S::kFour],
                                         const float (&a)[S::kM][S::kPiece], const float* B,
                                         long long ldb, long long columns, int count,
                                         bool aligned) {
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 8 + lane / 4;
  constexpr int kRows = S::kWarps * 8;
  float b[S::kAhead][S::kFour];
  const auto load = [&](int begin) {
#pragma unroll
    for (int i = 0; i < S::kAhead; ++i) {
      const int k = begin + i * kRows + first;
      fetch<S>(b[i], B + k * ldb, k < count ? columns : 0, aligned);
    }
  };
  const auto use = [&](int begin) {
#pragma unroll
    for (int i = 0; i < S::kAhead; ++i) {
      const int k = begin + i * kRows + first;
      if (k >= count) break;  // A beyond it is not there
#pragma unroll
      for (int row = 0; row < S::kM; ++row)
#pragma unroll
        for (int j = 0; j < S::kFour; ++j) sums[row][j] = fmaf(a[row][k], b[i][j], sums[row][j]);
    }
  };
#pragma unroll 1
  for (int begin = 0; begin < count; begin += kRows * S::kAhead) load(begin), use(begin);
}

// B along k: a warp's columns are kN / kWarps neighbours.
template <class S>
__device__ __forceinline__ void add_columns(float (&sums)[S::kM][S::kN / S::kWarps],
                                            const float (&a)[S::kM][S::kPiece], const float* B,
                                            long long ldb, long long columns, int count,
                                            bool aligned) {
  constexpr int kCount = S::kFour, kColumns = S::kN / S::kWarps;
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * kColumns;
  constexpr int kLine = 32 * kCount,
                kTogether = S::kAhead / kColumns > 0 ? S::kAhead / kColumns : 1;
  float b[kTogether][kColumns][kCount];
  const auto load = [&](int begin) {
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const int k = begin + i * kLine + lane * kCount;
#pragma unroll
      for (int j = 0; j < kColumns; ++j)
        fetch<S>(b[i][j], B + (first + j) * ldb + k, first + j < columns ? count - k : 0, aligned);
    }
  };
  const auto use = [&](int begin) {
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const int k = begin + i * kLine + lane * kCount;
      if (k >= count) break;
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        if (k + e >= count) break;
#pragma unroll
        for (int row = 0; row < S::kM; ++row)
#pragma unroll
          for (int j = 0; j < kColumns; ++j)
            sums[row][j] = fmaf(a[row][k + e], b[i][j][e], sums[row][j]);
      }
    }
  };
#pragma unroll 1
  for (int begin = 0; begin < count; begin += kLine * kTogether) load(begin), use(begin);
}

template <class S, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void thin(const GemmArguments& g) {
  constexpr int kEach = kAlongB ? S::kN / S::kWarps : S::kFour;
  __shared__ __align__(16) ThinShared<S> shared;
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const TilePlace tile = place_of_tile<S::kM, S::kN>(blockIdx.x, g.m, g.n);
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const long long depth = alpha == 0 ? 0 : g.k;  // nothing is to be added: A and B are not read
  const float* const A = matrix_of<float>(g.a);
  const float* const B = matrix_of<float>(g.b);
  const long long lda = g.a.leading_dimension, ldb = g.b.leading_dimension;
  const bool aligned =
      ((reinterpret_cast<size_t>(B) | static_cast<size_t>(ldb) * sizeof(float)) & 15) == 0;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long long columns = g.n - tile.column;

  float sums[S::kM][kEach] = {};
#pragma unroll 1
  for (long long k0 = 0; k0 < depth; k0 += S::kPiece) {
    const int count = static_cast<int>(min(static_cast<long long>(S::kPiece), depth - k0));
    __syncthreads();  // nobody reads the piece before any more
    for (int i = threadIdx.x; i < S::kM * S::kPiece; i += S::kThreads) {
      const int row = i / S::kPiece, k = i % S::kPiece;
      const long long x = tile.row + row;
      const float* const at = A + (kAlongA ? x * lda + k0 + k : (k0 + k) * lda + x);
      shared.a[row][k] = x < g.m && k < count ? *at : 0;
    }
    __syncthreads();
    if constexpr (kAlongB) {
      add_columns<S>(sums, shared.a, B + tile.column * ldb + k0, ldb, columns, count, aligned);
    } else {
      const int place = lane % 4 * S::kFour;
      add_rows<S>(sums, shared.a, B + k0 * ldb + tile.column + place, ldb, columns - place, count,
                  aligned);
    }
  }

  // Lanes that have sums of the same columns: those of other rows, or all.
#pragma unroll
  for (int row = 0; row < S::kM; ++row) {
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      float& sum = sums[row][j];
#pragma unroll
      for (int distance = 16; distance >= (kAlongB ? 1 : 4); distance /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, distance);
      if constexpr (kAlongB) {
        if (lane == 0) shared.sums[0][row][warp * kEach + j] = sum;
      } else {
        if (lane < 4) shared.sums[warp][row][lane * kEach + j] = sum;
      }
    }
  }
  __syncthreads();
  // A thread for each element of the tile.
  constexpr int kElements = S::kM * S::kN, kOfThread = (kElements + S::kThreads - 1) / S::kThreads;
  float all[kOfThread] = {};
#pragma unroll
  for (int i = 0; i < kOfThread; ++i) {
    const int element = threadIdx.x + i * S::kThreads;
    if (element >= kElements) break;
    for (int w = 0; w < (kAlongB ? 1 : S::kWarps); ++w)
      all[i] += shared.sums[w][element / S::kN][element % S::kN];
  }
#pragma unroll
  for (int i = 0; i < kOfThread; ++i) {
    const int element = threadIdx.x + i * S::kThreads;
    const long long row = tile.row + element / S::kN, column = tile.column + element % S::kN;
    if (element >= kElements || row >= g.m || column >= g.n) break;
    const long long at = row * g.c.leading_dimension + column;
    const float sum = alpha * all[i];
    float* const c = matrix_of<float>(g.c) + at;
    *c = beta == 0 ? sum : fmaf(beta, *c, sum);
  }
}

}  // namespace gemm

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k").
#define TILEWISE_THIN(name, suffix, rows, along_a, along_b)                              \
  extern "C" __global__ void __launch_bounds__(256)                                      \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments arguments) { \
    gemm::thin<gemm::ThinShape<rows>, along_a, along_b>(arguments);                      \
  }
#define TILEWISE_THIN_ORDERS(name, rows)      \
  TILEWISE_THIN(name, _kk, rows, true, true)  \
  TILEWISE_THIN(name, _kx, rows, true, false) \
  TILEWISE_THIN(name, _xk, rows, false, true) \
  TILEWISE_THIN(name, _xx, rows, false, false)
