// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of which all sizes are small, so that latencies are all that counts. A block has a small tile, and its warps
// divide k among themselves, kDepth at a time: each brings its own lines of A and B, by cp.async, to a place in shared
// memory that nobody else reads. So nobody waits for anybody before the end, when all sums are there to be added up, in
// their order. There is little code, too: it is met cold, and each line of it comes from memory.
//
// A kernel is a struct that gives run() the rest:
//   Type                    of C, and of A and B (strip_element.cuh)
//   Element                 what is copied of A and B
//   kBM, kBN, kDepth        results of a block; k of a warp at a time
//   kVector                 neighbours that are copied at a time
//   kAlongA, kAlongB        orders of A and B
//   LayoutA, LayoutB        how a warp's lines stand in shared memory, in rows as they lie in memory: kBytes of them, and
//                           place(row, at), in bytes, of element number `at` of a row
//   Sums, kShares, kPitch   a lane's sums; how many of a warp's lanes have sums of the same results; from one row of these
//                           to the next, where sums are left
//   add(), leave()          what a step adds to a lane's sums; leaves these in shared memory
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/piece.cuh"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm::small {

constexpr int kWarps = 8, kThreads = kWarps * 32;

template <class S> struct alignas(16) Stage {
  unsigned char a[S::LayoutA::kBytes], b[S::LayoutB::kBytes];
};

// A warp's: two steps of its k, and then its sums.
template <class S> union Place {
  Stage<S> stages[2];
  float sums[S::kShares][S::kBM * S::kPitch];
};

// Copies a factor's lines from `first_line` on, kVector neighbours a lane at a time; what is outside the matrix becomes 0.
template <class Layout, class T, bool kAlongK, int kLines, int kDepth, int kVector> class Copier {
  static constexpr int kOfRow = (kAlongK ? kDepth : kLines) / kVector;
  static constexpr int kTimes = kLines * kDepth / kVector / 32;
  static constexpr int kBytes = kVector * static_cast<int>(sizeof(T));

 public:
  __device__ __forceinline__ Copier(const GemmFactor& factor, long long first_line, long long lines)
      : from_(matrix_of<T>(factor) + first_line * (kAlongK ? factor.leading_dimension : 1)),
        leading_(factor.leading_dimension),
        lines_(static_cast<int>(lines - first_line)) {}

  // Of k elements from `k` on, of which there are `depth`.
  __device__ __forceinline__ void copy(unsigned char* to, int k, int depth) const {
    const int rows = kAlongK ? lines_ : depth - k, width = kAlongK ? depth - k : lines_;
    const auto each = [&](const auto& with) {
#pragma unroll
      for (int i = 0; i < kTimes; ++i) {
        const int number = static_cast<int>(threadIdx.x) % 32 + i * 32;
        const int row = number / kOfRow, at = number % kOfRow * kVector;
        const T* const from =
            from_ + (kAlongK ? row * leading_ + k + at : (k + row) * leading_ + at);
        with(to + Layout::place(row, at), from, row < rows ? max(0, width - at) : 0,
             row >= rows - kLastRows);
      }
    };
    if constexpr (kBytes == 16) {
      each([](void* there, const T* from, int left, bool is_last) {
        const int bytes = min(left, kVector) * static_cast<int>(sizeof(T));
        if (is_last && is_partial(bytes)) put_piece(there, from, bytes);
        else ptx::cp_async_up_to_16(there, from, bytes);
      });
    } else {
      static_assert(kBytes == 4);
      each([](void* there, const T* from, int left, bool) {
        ptx::cp_async_4(there, from, left > 0);
      });
    }
  }

 private:
  const T* from_;
  long long leading_;
  int lines_;
};

// A warp's sums, of every kWarps-th kDepth k.
template <class S>
__device__ __forceinline__ void multiply(typename S::Sums& sums, Place<S>& place,
                                         const GemmArguments& g, const TilePlace& tile, int depth) {
  using T = typename S::Element;
  constexpr int kDepth = S::kDepth, kStep = kWarps * kDepth;
  const Copier<typename S::LayoutA, T, S::kAlongA, S::kBM, kDepth, S::kVector> a(g.a, tile.row,
                                                                                 g.m);
  const Copier<typename S::LayoutB, T, S::kAlongB, S::kBN, kDepth, S::kVector> b(g.b, tile.column,
                                                                                 g.n);
  const auto copy = [&](Stage<S>& to, int k) {
    a.copy(to.a, k, depth), b.copy(to.b, k, depth);
    ptx::cp_async_commit();
  };
  int k = threadIdx.x / 32 * kDepth, now = 0;
  if (k < depth) copy(place.stages[0], k);
#pragma unroll 1
  for (; k < depth; k += kStep, now ^= 1) {
    if (k + kStep < depth) {
      copy(place.stages[now ^ 1], k + kStep);
      ptx::cp_async_wait<1>();
    } else {
      ptx::cp_async_wait<0>();
    }
    __syncwarp();  // what all lanes have copied is there
    S::add(sums, place.stages[now]);
    __syncwarp();  // and has been read by all
  }
}

template <class S, class C>
__device__ __forceinline__ void store(const Place<S>* places, const GemmArguments& g,
                                      const TilePlace& tile, float alpha, float beta) {
  C* const c = matrix_of<C>(g.c);
#pragma unroll
  for (int at = threadIdx.x; at < S::kBM * S::kBN; at += kThreads) {
    const int i = at / S::kBN, j = at % S::kBN;
    float sum = 0;
#pragma unroll
    for (int place = 0; place < kWarps; ++place)
#pragma unroll
      for (int share = 0; share < S::kShares; ++share)
        sum += places[place].sums[share][i * S::kPitch + j];
    const long long row = tile.row + i, column = tile.column + j;
    if (row < g.m && column < g.n)
      store_one<typename S::Type>(c + row * g.c.leading_dimension + column, alpha * sum, beta);
  }
}

template <class S> __device__ __forceinline__ void run(const GemmArguments& g) {
  using Stored = typename S::Type::Stored;
  extern __shared__ __align__(16) unsigned char bytes[];
  Place<S>* const places = reinterpret_cast<Place<S>*>(bytes);
  const TilePlace tile = place_of_tile<S::kBM, S::kBN>(blockIdx.x, g.m, g.n);
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  typename S::Sums sums = {};
  // For alpha = 0 nothing is read.
  multiply<S>(sums, places[threadIdx.x / 32], g, tile, alpha == 0 ? 0 : static_cast<int>(g.k));
  S::leave(places[threadIdx.x / 32], sums);
  __syncthreads();
  if (sizeof(Stored) == 4 || g.result_bytes == 4) store<S, float>(places, g, tile, alpha, beta);
  else store<S, Stored>(places, g, tile, alpha, beta);
}

}  // namespace gemm::small

// The kernels of one tile, one for each order of A and B: k ("along k") or x ("across k"). `Struct<along_a, along_b, …>`
// is what run() takes. `blocks`: of a multiprocessor.
#define TILEWISE_SMALL(name, blocks, along_a, along_b, Struct, ...)           \
  extern "C" __global__ void __launch_bounds__(gemm::small::kThreads, blocks) \
      name(const __grid_constant__ gemm::GemmArguments g) {                   \
    gemm::small::run<gemm::small::Struct<along_a, along_b, __VA_ARGS__>>(g);  \
  }
#define TILEWISE_SMALL_ORDERS(name, blocks, Struct, ...)              \
  TILEWISE_SMALL(name##_kk, blocks, true, true, Struct, __VA_ARGS__)  \
  TILEWISE_SMALL(name##_kx, blocks, true, false, Struct, __VA_ARGS__) \
  TILEWISE_SMALL(name##_xk, blocks, false, true, Struct, __VA_ARGS__) \
  TILEWISE_SMALL(name##_xx, blocks, false, false, Struct, __VA_ARGS__)
