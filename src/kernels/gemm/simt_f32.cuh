// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 as IEEE has it, on the FMA pipes: any order, leading dimension and alignment of A and B.
//
// Both factors stand in shared memory with the rows of A, the columns of B side by side, so that a
// thread reads four of them at a time. cp.async brings single elements, which need no alignment, and
// turns round on the way what stands along k in memory: eight k of four rows go into 32 banks, because
// rows of shared memory are four words longer than the tile. A thread's sums are quads of rows times
// quads of columns; its fragments of the next k are read while the FMAs use the ones before (ladder,
// rung 18).
#pragma once

#include "kernels/gemm/copier.cuh"
#include "kernels/gemm/split.cuh"
#include "kernels/gemm/suspects.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// kBM×kBN×kBK a block, kWM×kWN a warp, kTM×kTN a thread; kStages buffers of shared memory.
template <int kBM_, int kBN_, int kBK_, int kWM_, int kWN_, int kTM_, int kTN_, int kStages_>
struct SimtShape {
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_, kWM = kWM_, kWN = kWN_, kTM = kTM_,
                       kTN = kTN_, kStages = kStages_;
  static constexpr int kThreads = (kBM / kWM) * (kBN / kWN) * 32;
  static constexpr int kLanesM = kWM / kTM, kLanesN = kWN / kTN;
  static_assert(kLanesM * kLanesN == 32 && kTM % 4 == 0 && kTN % 4 == 0 && kBK % 2 == 0);
};

template <typename Shape> struct SimtStage {
  float a[Shape::kBK][Shape::kBM + 4];
  float b[Shape::kBK][Shape::kBN + 4];
};

// Rows of shared memory hold one k.
template <int kLines> struct SimtLayout {
  static __device__ __forceinline__ int offset(int line, int k) { return k * (kLines + 4) + line; }
};

template <typename Shape, int kLines, bool kAlongK>
using SimtCopier = Copier<float, SimtLayout<kLines>, Shape::kThreads, kLines, Shape::kBK, kAlongK>;

template <typename Shape> struct SimtFragment { float a[Shape::kTM], b[Shape::kTN]; };

// What a thread needs of one k: quads of its rows, one in each kLanesM·4 rows of the warp, and of its
// columns likewise.
template <typename Shape>
__device__ __forceinline__ void read_fragment(SimtFragment<Shape>& fragment, const float* a,
                                              const float* b, int p) {
#pragma unroll
  for (int i = 0; i < Shape::kTM; i += 4)
    *reinterpret_cast<float4*>(&fragment.a[i]) =
        *reinterpret_cast<const float4*>(a + p * (Shape::kBM + 4) + i * Shape::kLanesM);
#pragma unroll
  for (int j = 0; j < Shape::kTN; j += 4)
    *reinterpret_cast<float4*>(&fragment.b[j]) =
        *reinterpret_cast<const float4*>(b + p * (Shape::kBN + 4) + j * Shape::kLanesN);
}

// Right, then left: neighbours share an operand, which then is read once (ladder, rung 18).
template <typename Shape>
__device__ __forceinline__ void multiply_add(float (&sums)[Shape::kTM][Shape::kTN],
                                             const SimtFragment<Shape>& fragment) {
#pragma unroll
  for (int i = 0; i < Shape::kTM; ++i) {
#pragma unroll
    for (int step = 0; step < Shape::kTN; ++step) {
      const int j = i % 2 ? Shape::kTN - 1 - step : step;
      sums[i][j] += fragment.a[i] * fragment.b[j];
    }
  }
}

// The block's tile, the thread's elements of it.
template <typename Shape> struct SimtPlace {
  int row, column;  // of the thread's first element in the tile

  __device__ __forceinline__ SimtPlace() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / (Shape::kBN / Shape::kWN) * Shape::kWM + lane / Shape::kLanesN * 4;
    column = warp % (Shape::kBN / Shape::kWN) * Shape::kWN + lane % Shape::kLanesN * 4;
  }
};

// One step of kBK k. kMore: another follows, whose first fragments are read too.
template <bool kMore, typename Shape, typename CopierA, typename CopierB>
__device__ __forceinline__ void simt_step(float (&sums)[Shape::kTM][Shape::kTN],
                                          SimtFragment<Shape> (&fragments)[2],
                                          SimtStage<Shape>* stages, int& current, int& next,
                                          int copies_left, CopierA& copy_a, CopierB& copy_b,
                                          const SimtPlace<Shape>& place) {
  if (kMore && copies_left > 0) {
    copy_a.copy_to(&stages[next].a[0][0]);
    copy_b.copy_to(&stages[next].b[0][0]);
  }
  if constexpr (kMore) ptx::cp_async_commit();
#pragma unroll
  for (int p = 0; p < Shape::kBK; ++p) {
    if (kMore && p == Shape::kBK - 1) {
      ptx::cp_async_wait<Shape::kStages - 2>();  // this thread's copies of the next step are there
      __syncthreads();  // and everyone's, and nobody reads this one any more
      next = current;
      current = current + 1 == Shape::kStages ? 0 : current + 1;
    }
    if (kMore || p + 1 < Shape::kBK)
      read_fragment(fragments[(p + 1) % 2], &stages[current].a[0][place.row],
                    &stages[current].b[0][place.column], (p + 1) % Shape::kBK);
    multiply_add<Shape>(sums, fragments[p % 2]);
  }
}

// C(row, column … column + 3) = alpha·sum + beta·C inside C. beta = 0 does not read C.
__device__ __forceinline__ void store_quad(float* c, long long columns_left, bool is_aligned,
                                           float alpha, const float* sum, float beta) {
  if (is_aligned && columns_left >= 4) {
    float4 quad = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
    if (beta != 0) {
      const float4 old = *reinterpret_cast<const float4*>(c);
      quad = make_float4(fmaf(alpha, sum[0], beta * old.x), fmaf(alpha, sum[1], beta * old.y),
                         fmaf(alpha, sum[2], beta * old.z), fmaf(alpha, sum[3], beta * old.w));
    }
    *reinterpret_cast<float4*>(c) = quad;
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (j < columns_left) c[j] = beta == 0 ? alpha * sum[j] : fmaf(alpha, sum[j], beta * c[j]);
}

template <typename Shape>
__device__ __forceinline__ void store_tile(const GemmArguments& arguments, const TilePlace& tile,
                                           const SimtPlace<Shape>& place, float alpha,
                                           const float (&sums)[Shape::kTM][Shape::kTN]) {
  const float beta = value_of<float>(arguments.beta);
  float* const c = matrix_of<float>(arguments.c);
  const long long leading = arguments.c.leading_dimension;
  const bool is_aligned = reinterpret_cast<unsigned long long>(c) % 16 == 0 && leading % 4 == 0;
#pragma unroll
  for (int i = 0; i < Shape::kTM; ++i) {
    const long long row = tile.row + place.row + i / 4 * (Shape::kLanesM * 4) + i % 4;
    if (row >= arguments.m) continue;
#pragma unroll
    for (int j = 0; j < Shape::kTN; j += 4) {
      const long long column = tile.column + place.column + j * Shape::kLanesN;
      if (column < arguments.n)
        store_quad(c + row * leading + column, arguments.n - column, is_aligned, alpha, &sums[i][j],
                   beta);
    }
  }
}

template <typename Shape, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void simt_f32(const GemmArguments& arguments) {
  __shared__ __align__(16) SimtStage<Shape> stages[Shape::kStages];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  constexpr int kBK = Shape::kBK, kStages = Shape::kStages;
  const TilePlace tile =
      place_of_tile<Shape::kBM, Shape::kBN>(blockIdx.x, arguments.m, arguments.n);
  const float alpha = value_of<float>(arguments.alpha);
  const Depth depth = depth_of_block(arguments, alpha == 0);
  if constexpr (Shape::kBM == kSuspectTile && Shape::kBN == kSuspectTile) {
    // Behind an accurate kernel: what that one left.
    if (arguments.pairs_a.suspect &&
        (alpha == 0 || !is_suspect_tile(arguments, tile.row, tile.column, blockIdx.z)))
      return;
  }
  const SimtPlace<Shape> place;

  float sums[Shape::kTM][Shape::kTN] = {};
  const int steps = static_cast<int>((depth.end - depth.begin + kBK - 1) / kBK);
  if (steps > 0) {
    SimtCopier<Shape, Shape::kBM, kAlongA> copy_a(
        matrix_of<float>(arguments.a), arguments.a.leading_dimension, tile.row, arguments.m, depth);
    SimtCopier<Shape, Shape::kBN, kAlongB> copy_b(matrix_of<float>(arguments.b),
                                                  arguments.b.leading_dimension, tile.column,
                                                  arguments.n, depth);
    for (int i = 0; i < kStages - 1; ++i) {
      if (i < steps) {
        copy_a.copy_to(&stages[i].a[0][0]);
        copy_b.copy_to(&stages[i].b[0][0]);
      }
      ptx::cp_async_commit();
    }
    ptx::cp_async_wait<kStages - 2>();
    __syncthreads();
    int current = 0, next = kStages - 1;
    SimtFragment<Shape> fragments[2];
    read_fragment(fragments[0], &stages[0].a[0][place.row], &stages[0].b[0][place.column], 0);
#pragma unroll 1
    for (int i = 1; i < steps; ++i)
      simt_step<true>(sums, fragments, stages, current, next, steps - kStages + 1 - (i - 1), copy_a,
                      copy_b, place);
    simt_step<false>(sums, fragments, stages, current, next, 0, copy_a, copy_b, place);
  }
  if (arguments.split.parts > 1 &&
      !join_parts<Shape::kThreads, Shape::kTM * Shape::kTN>(arguments.split, &sums[0][0]))
    return;
  store_tile(arguments, tile, place, alpha, sums);
}

}  // namespace gemm

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k").
#define TILEWISE_SIMT_F32(name, along_a, along_b, suffix)                                \
  extern "C" __global__ void __launch_bounds__(Shape::kThreads, kBlocks)                 \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments arguments) { \
    gemm::simt_f32<Shape, along_a, along_b>(arguments);                                  \
  }
#define TILEWISE_SIMT_F32_ORDERS(name)      \
  TILEWISE_SIMT_F32(name, true, true, _kk)  \
  TILEWISE_SIMT_F32(name, true, false, _kx) \
  TILEWISE_SIMT_F32(name, false, true, _xk) \
  TILEWISE_SIMT_F32(name, false, false, _xx)
