// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 on the FMA pipes: how a tile is divided among threads, what stands in shared memory, and the FMAs.
#pragma once

namespace gemm {

// kBM×kBN×kBK a block, kWM×kWN a warp, kTM×kTN a thread; kStages buffers of shared memory. kDown: as many teams of warps
// compute the whole tile, each every so-many-th step of k. kAligned: A and B are at multiples of 16 bytes, and so are
// the lines or the k that follow each other in memory.
template <int kBM_, int kBN_, int kBK_, int kWM_, int kWN_, int kTM_, int kTN_, int kStages_,
          int kDown_ = 1, bool kAligned_ = false>
struct SimtShape {
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_, kWM = kWM_, kWN = kWN_, kTM = kTM_,
                       kTN = kTN_, kStages = kStages_, kDown = kDown_;
  static constexpr bool kAligned = kAligned_;
  static constexpr bool kByTeams =
      kStages == 2;  // through registers (simt_f32_teams.cuh), else by cp.async
  static constexpr int kTeam = (kBM / kWM) * (kBN / kWN) * 32, kThreads = kTeam * kDown;
  static constexpr int kLanesM = kWM / kTM, kLanesN = kWN / kTN;
  static_assert(kLanesM * kLanesN == 32 && kTM % 4 == 0 && kTN % 4 == 0 && kBK % 2 == 0);
  // Where teams add up their sums, each does so for quads of a thread's rows.
  static_assert(kTM / 4 % kDown == 0);
};

template <typename Shape> struct SimtStage {
  float a[Shape::kBK][Shape::kBM + 4];
  float b[Shape::kBK][Shape::kBN + 4];
};

template <typename Shape> struct SimtFragment { float a[Shape::kTM], b[Shape::kTN]; };

// What a thread needs of one k: quads of its rows, one in each kLanesM·4 rows of the warp, and of its
// columns likewise.
template <typename Shape>
__device__ __forceinline__ void read_rows(SimtFragment<Shape>& fragment, const float* a, int p) {
#pragma unroll
  for (int i = 0; i < Shape::kTM; i += 4)
    *reinterpret_cast<float4*>(&fragment.a[i]) =
        *reinterpret_cast<const float4*>(a + p * (Shape::kBM + 4) + i * Shape::kLanesM);
}
template <typename Shape>
__device__ __forceinline__ void read_columns(SimtFragment<Shape>& fragment, const float* b, int p) {
#pragma unroll
  for (int j = 0; j < Shape::kTN; j += 4)
    *reinterpret_cast<float4*>(&fragment.b[j]) =
        *reinterpret_cast<const float4*>(b + p * (Shape::kBN + 4) + j * Shape::kLanesN);
}
template <typename Shape>
__device__ __forceinline__ void read_fragment(SimtFragment<Shape>& fragment, const float* a,
                                              const float* b, int p) {
  read_rows(fragment, a, p);
  read_columns(fragment, b, p);
}

// FMAs of the thread's columns from kFrom to kTo, down one and up the next, so that neighbours share an operand. An FMA
// reads three registers, of which a warp gets one even and one odd a cycle: the third must be the one that the FMA
// before has read too, or the pipe waits (docs/lab/gpu_gemm.md).
template <typename Shape, int kFrom = 0, int kTo = Shape::kTN>
__device__ __forceinline__ void multiply_add(float (&sums)[Shape::kTM][Shape::kTN],
                                             const SimtFragment<Shape>& fragment) {
#pragma unroll
  for (int j = kFrom; j < kTo; ++j) {
#pragma unroll
    for (int step = 0; step < Shape::kTM; ++step) {
      const int i = j % 2 ? Shape::kTM - 1 - step : step;
      sums[i][j] += fragment.a[i] * fragment.b[j];
    }
  }
}

// The thread's elements of the block's tile.
template <typename Shape> struct SimtPlace {
  int row, column;  // of the thread's first element in the tile

  // Z order, which halves the passes of reads of 16 bytes (ladder, rung 17): bits of the lane number count
  // columns and rows of threads in turn, the last one whichever there are 8 of.
  static_assert(Shape::kLanesM * Shape::kLanesN == 32);
  static_assert(Shape::kLanesM == 4 || Shape::kLanesM == 8);
  static __device__ __forceinline__ int lane_row(int lane) {
    return lane >> 1 & 1 | lane >> 2 & 2 | (Shape::kLanesM == 8 ? lane >> 2 & 4 : 0);
  }
  static __device__ __forceinline__ int lane_column(int lane) {
    return lane & 1 | lane >> 1 & 2 | (Shape::kLanesN == 8 ? lane >> 2 & 4 : 0);
  }

  __device__ __forceinline__ SimtPlace() {
    const int warp = threadIdx.x % Shape::kTeam / 32, lane = threadIdx.x % 32;
    row = warp / (Shape::kBN / Shape::kWN) * Shape::kWM + lane_row(lane) * 4;
    column = warp % (Shape::kBN / Shape::kWN) * Shape::kWN + lane_column(lane) * 4;
  }
};

}  // namespace gemm
