// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 on the FMA pipes, any leading dimension and alignment of A and B: cp.async brings single elements and
// turns round on the way what stands along k in memory: eight k of four rows go into 32 banks, because
// rows of shared memory are four words longer than the tile.
#pragma once

#include "kernels/gemm/copier.cuh"
#include "kernels/gemm/simt_f32_tile.cuh"

namespace gemm {

// Rows of shared memory hold one k.
template <int kLines> struct SimtLayout {
  static __device__ __forceinline__ int offset(int line, int k) { return k * (kLines + 4) + line; }
};

template <typename Shape, int kLines, bool kAlongK>
using SimtCopier = Copier<float, SimtLayout<kLines>, Shape::kThreads, kLines, Shape::kBK, kAlongK>;

// One step of kBK k. The last one is like the others, so that its code has been met before (docs/lab/gpu_gemm.md).
template <typename Shape, typename CopierA, typename CopierB>
__device__ __forceinline__ void simt_step(float (&sums)[Shape::kTM][Shape::kTN],
                                          SimtFragment<Shape> (&fragments)[2],
                                          SimtStage<Shape>* stages, int& current, int& next,
                                          int steps_left, CopierA& copy_a, CopierB& copy_b,
                                          const SimtPlace<Shape>& place) {
  if (steps_left >= Shape::kStages) {
    copy_a.copy_to(&stages[next].a[0][0]);
    copy_b.copy_to(&stages[next].b[0][0]);
  }
  ptx::cp_async_commit();
#pragma unroll
  for (int p = 0; p < Shape::kBK; ++p) {
    if (p == Shape::kBK - 1) {
      ptx::cp_async_wait<Shape::kStages - 2>();  // this thread's copies of the next step are there
      __syncthreads();  // and everyone's, and nobody reads this one any more
      next = current;
      // Behind the last nothing has come: this one is read once more, for nothing.
      if (steps_left > 1) current = current + 1 == Shape::kStages ? 0 : current + 1;
    }
    read_fragment(fragments[(p + 1) % 2], &stages[current].a[0][place.row],
                  &stages[current].b[0][place.column], (p + 1) % Shape::kBK);
    multiply_add<Shape>(sums, fragments[p % 2]);
  }
}

// The sums over the block's k.
template <typename Shape, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void sum_copied(float (&sums)[Shape::kTM][Shape::kTN],
                                           const GemmArguments& arguments, const TilePlace& tile,
                                           const Depth& depth, SimtStage<Shape>* stages,
                                           const SimtPlace<Shape>& place) {
  constexpr int kStages = Shape::kStages, kBK = Shape::kBK;
  const int steps = static_cast<int>((depth.end - depth.begin + kBK - 1) / kBK);
  if (steps == 0) return;
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
  for (int left = steps; left > 0; --left)
    simt_step(sums, fragments, stages, current, next, left, copy_a, copy_b, place);
}

}  // namespace gemm
