// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 on the FMA pipes where all sizes are small, so that latencies are all that counts. A block has a small tile, and its
// warps divide k among themselves, 16 at a time: each brings its own lines of A and B, by cp.async, to a place in shared
// memory that nobody else reads. So nobody waits for anybody before the end, when all sums are there to be added up, in
// their order. There is little code, too: it is met cold, and each line of it comes from memory.
//
// A lane has 4×4 of the tile; where that leaves half of a warp's lanes over, those have the other half of its k.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm::small_f32 {

constexpr int kDepth = 16;  // k of a warp at a time
constexpr int kWarps = 8;

template <bool kAlongA_, bool kAlongB_, int kVector_, int kBM_, int kBN_> struct Shape {
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kVector = kVector_;  // neighbours that are copied at a time: 1 or 4
  static constexpr int kBM = kBM_, kBN = kBN_;
  static constexpr int kDown = kBM / 4, kAcross = kBN / 4;  // lanes
  static constexpr int kShares = 32 / (kDown * kAcross);    // of a warp's k
  static constexpr int kSharesDepth = kDepth / kShares;
  static_assert(kShares >= 1 && kSharesDepth % 4 == 0);
};

// kLines rows of A or columns of B and kDepth k in shared memory, as they lie in memory: rows of k, or of lines.
template <bool kAlongK, int kLines> struct Lines {
  // Four words more than k, so that four neighbours along k of eight lines are in banks of their own.
  static constexpr int kPitch = kAlongK ? kDepth + 4 : kLines;
  static constexpr int kWords = kPitch * (kAlongK ? kLines : kDepth);
  // Number `i` of the four lines that a lane has, `place` of those whose lines differ.
  static __device__ __forceinline__ int line(int place, int i) {
    return kAlongK ? place + i * (kLines / 4) : place * 4 + i;
  }
};

template <class S> struct Stage {
  float a[Lines<S::kAlongA, S::kBM>::kWords], b[Lines<S::kAlongB, S::kBN>::kWords];
};

// A warp's: two steps of its k, and then its sums.
template <class S> union Place {
  Stage<S> stages[2];
  float sums[S::kShares][S::kBM * S::kBN];
};

// Copies a factor's lines from `first_line` on, kVector neighbours a lane at a time; what is outside the matrix becomes 0.
template <bool kAlongK, int kLines, int kVector> class Copier {
  using Layout = Lines<kAlongK, kLines>;
  static constexpr int kOfRow = (kAlongK ? kDepth : kLines) / kVector;
  static constexpr int kTimes = kLines * kDepth / kVector / 32;

 public:
  __device__ __forceinline__ Copier(const GemmFactor& factor, long long first_line, long long lines)
      : from_(matrix_of<float>(factor) + first_line * (kAlongK ? factor.leading_dimension : 1)),
        leading_(factor.leading_dimension),
        lines_(static_cast<int>(lines - first_line)) {}

  // Of k elements from `k` on, of which there are `depth`.
  __device__ __forceinline__ void copy(float* to, int k, int depth) const {
    const int rows = kAlongK ? lines_ : depth - k, width = kAlongK ? depth - k : lines_;
#pragma unroll
    for (int i = 0; i < kTimes; ++i) {
      const int number = static_cast<int>(threadIdx.x) % 32 + i * 32;
      const int row = number / kOfRow, at = number % kOfRow * kVector, left = width - at;
      const float* const from =
          from_ + (kAlongK ? row * leading_ + k + at : (k + row) * leading_ + at);
      float* const there = to + row * Layout::kPitch + at;
      if constexpr (kVector == 1) ptx::cp_async_4(there, from, row < rows && left > 0);
      else ptx::cp_async_up_to_16(there, from, row < rows ? max(0, min(left, 4)) * 4 : 0);
    }
  }

 private:
  const float* from_;
  long long leading_;
  int lines_;
};

// Four neighbouring k, from `k` on, of a lane's four lines: [k][line].
template <bool kAlongK, int kLines>
__device__ __forceinline__ void read_four(float (&to)[4][4], const float* lines, int place, int k) {
  using Layout = Lines<kAlongK, kLines>;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 four = *reinterpret_cast<const float4*>(
        lines + (kAlongK ? Layout::line(place, i) * Layout::kPitch + k
                         : (k + i) * Layout::kPitch + Layout::line(place, 0)));
    const float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) (kAlongK ? to[j][i] : to[i][j]) = values[j];
  }
}

// What a lane has of the tile, and of a step's k.
template <class S> struct Lane {
  int across, down, share;

  __device__ __forceinline__ Lane()
      : across(threadIdx.x % S::kAcross),
        down(threadIdx.x % 32 / S::kAcross % S::kDown),
        share(threadIdx.x % 32 / (S::kAcross * S::kDown)) {}

  __device__ __forceinline__ void add(float (&sums)[4][4], const Stage<S>& stage) const {
#pragma unroll
    for (int p = 0; p < S::kSharesDepth; p += 4) {
      float a[4][4], b[4][4];
      read_four<S::kAlongA, S::kBM>(a, stage.a, down, share * S::kSharesDepth + p);
      read_four<S::kAlongB, S::kBN>(b, stage.b, across, share * S::kSharesDepth + p);
#pragma unroll
      for (int k = 0; k < 4; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(a[k][i], b[k][j], sums[i][j]);
    }
  }

  __device__ __forceinline__ void leave(Place<S>& place, const float (&sums)[4][4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float* const row = place.sums[share] + Lines<S::kAlongA, S::kBM>::line(down, i) * S::kBN;
      if constexpr (S::kAlongB) {
#pragma unroll
        for (int j = 0; j < 4; ++j) row[Lines<true, S::kBN>::line(across, j)] = sums[i][j];
      } else {
        *reinterpret_cast<float4*>(row + across * 4) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
      }
    }
  }
};

// A warp's sums, of every kWarps-th kDepth k.
template <class S>
__device__ __forceinline__ void multiply(float (&sums)[4][4], Place<S>& place, const Lane<S>& lane,
                                         const GemmArguments& g, const TilePlace& tile, int depth) {
  constexpr int kStep = kWarps * kDepth;
  const Copier<S::kAlongA, S::kBM, S::kVector> a(g.a, tile.row, g.m);
  const Copier<S::kAlongB, S::kBN, S::kVector> b(g.b, tile.column, g.n);
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
    lane.add(sums, place.stages[now]);
    __syncwarp();  // and has been read by all
  }
}

template <class S> __device__ __forceinline__ void run(const GemmArguments& g) {
  extern __shared__ __align__(16) unsigned char bytes[];
  Place<S>* const places = reinterpret_cast<Place<S>*>(bytes);
  const TilePlace tile = place_of_tile<S::kBM, S::kBN>(blockIdx.x, g.m, g.n);
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const Lane<S> lane;
  float sums[4][4] = {};
  // For alpha = 0 nothing is read.
  multiply(sums, places[threadIdx.x / 32], lane, g, tile, alpha == 0 ? 0 : static_cast<int>(g.k));
  lane.leave(places[threadIdx.x / 32], sums);
  __syncthreads();
  float* const c = matrix_of<float>(g.c);
#pragma unroll
  for (int at = threadIdx.x; at < S::kBM * S::kBN; at += kWarps * 32) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kWarps; ++i)
#pragma unroll
      for (int share = 0; share < S::kShares; ++share) sum += places[i].sums[share][at];
    const long long row = tile.row + at / S::kBN, column = tile.column + at % S::kBN;
    if (row >= g.m || column >= g.n) continue;
    float* const to = c + row * g.c.leading_dimension + column;
    sum *= alpha;
    *to = beta == 0 ? sum : fmaf(beta, *to, sum);
  }
}

}  // namespace gemm::small_f32

// The kernels of one tile, one for each order of A and B: k ("along k") or x ("across k"). `...`: neighbours that are
// copied at a time, rows and columns of the tile. `blocks`: of a multiprocessor.
#define TILEWISE_SMALL_F32(name, blocks, along_a, along_b, ...)                      \
  extern "C" __global__ void __launch_bounds__(gemm::small_f32::kWarps * 32, blocks) \
      name(const __grid_constant__ gemm::GemmArguments g) {                          \
    gemm::small_f32::run<gemm::small_f32::Shape<along_a, along_b, __VA_ARGS__>>(g);  \
  }
#define TILEWISE_SMALL_F32_ORDERS(name, blocks, ...)              \
  TILEWISE_SMALL_F32(name##_kk, blocks, true, true, __VA_ARGS__)  \
  TILEWISE_SMALL_F32(name##_kx, blocks, true, false, __VA_ARGS__) \
  TILEWISE_SMALL_F32(name##_xk, blocks, false, true, __VA_ARGS__) \
  TILEWISE_SMALL_F32(name##_xx, blocks, false, false, __VA_ARGS__)
