// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f64 on tensor cores: any order, leading dimension and alignment of A and B. Their products and sums are
// fused multiply-adds in the order of k, each rounded as IEEE has it (ladder, rung 26).
//
// A factor stands in shared memory as in global memory, along k or across. Either way a warp's read is two
// phases of 4 lines times 4 k, and four doubles change places so that a phase meets all 32 banks.
#pragma once

#include "kernels/gemm/copier.cuh"
#include "kernels/ptx/mma.cuh"

namespace gemm {

template <int kBM_, int kBN_, int kBK_, int kWM_, int kWN_, int kStages_> struct MmaShape {
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_, kWM = kWM_, kWN = kWN_,
                       kStages = kStages_;
  static constexpr int kThreads = (kBM / kWM) * (kBN / kWN) * 32;
  static_assert(kWM % 16 == 0 && kWN % 8 == 0 && kBK % 8 == 0);
};

template <int kLines, int kBK, bool kAlongK> struct MmaLayout {
  static __device__ __forceinline__ int offset(int line, int k) {
    if constexpr (kAlongK) return line * kBK + (k / 4 ^ line % 4) * 4 + k % 4;
    else return k * kLines + (line / 4 ^ k % 4) * 4 + line % 4;
  }
};

template <typename Shape> struct MmaStage {
  double a[Shape::kBM * Shape::kBK];
  double b[Shape::kBN * Shape::kBK];
};

// 16×8 += 16×8 · 8×8, in the order of k on both architectures.
__device__ __forceinline__ void mma_f64(double (&sum)[4], const double (&a)[4],
                                        const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  ptx::mma_f64_k8(sum, a, b[0], b[1]);
#else
  for (int i = 0; i < 2; ++i) {
    ptx::mma_f64_k4(sum[0], sum[1], a[i * 2], b[i]);
    ptx::mma_f64_k4(sum[2], sum[3], a[i * 2 + 1], b[i]);
  }
#endif
}

// 8 of k, from p on. `row` and `column`: where the warp's tile begins in the block's.
template <typename Shape, typename LayoutA, typename LayoutB>
__device__ __forceinline__ void multiply_eight(double (&sums)[Shape::kWM / 16][Shape::kWN / 8][4],
                                               const MmaStage<Shape>& stage, int row, int column,
                                               int p) {
  const int lane = threadIdx.x % 32;
  double a[Shape::kWM / 16][4], b[Shape::kWN / 8][2];
#pragma unroll
  for (int i = 0; i < Shape::kWM / 16; ++i)
    for (int e = 0; e < 4; ++e)
      a[i][e] =
          stage.a[LayoutA::offset(row + i * 16 + e % 2 * 8 + lane / 4, p + e / 2 * 4 + lane % 4)];
#pragma unroll
  for (int j = 0; j < Shape::kWN / 8; ++j)
    for (int e = 0; e < 2; ++e)
      b[j][e] = stage.b[LayoutB::offset(column + j * 8 + lane / 4, p + e * 4 + lane % 4)];
#pragma unroll
  for (int i = 0; i < Shape::kWM / 16; ++i)
#pragma unroll
    for (int j = 0; j < Shape::kWN / 8; ++j) mma_f64(sums[i][j], a[i], b[j]);
}

// C(row, column), C(row, column + 1) = alpha·sum + beta·C inside C. beta = 0 does not read C.
__device__ __forceinline__ void store_pair(double* c, long long columns_left, bool is_aligned,
                                           double alpha, const double* sum, double beta) {
  if (is_aligned && columns_left >= 2) {
    double2 pair = make_double2(alpha * sum[0], alpha * sum[1]);
    if (beta != 0) {
      const double2 old = *reinterpret_cast<const double2*>(c);
      pair = make_double2(fma(alpha, sum[0], beta * old.x), fma(alpha, sum[1], beta * old.y));
    }
    *reinterpret_cast<double2*>(c) = pair;
    return;
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
    if (j < columns_left) c[j] = beta == 0 ? alpha * sum[j] : fma(alpha, sum[j], beta * c[j]);
}

template <typename Shape>
__device__ __forceinline__ void store_tile(
    const GemmArguments& arguments, const TilePlace& tile, int row, int column, double alpha,
    const double (&sums)[Shape::kWM / 16][Shape::kWN / 8][4]) {
  const double beta = value_of<double>(arguments.beta);
  double* const c = matrix_of<double>(arguments.c);
  const long long leading = arguments.c.leading_dimension;
  const bool is_aligned = reinterpret_cast<unsigned long long>(c) % 16 == 0 && leading % 2 == 0;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < Shape::kWM / 16; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const long long r = tile.row + row + i * 16 + half * 8 + lane / 4;
      if (r >= arguments.m) continue;
#pragma unroll
      for (int j = 0; j < Shape::kWN / 8; ++j) {
        const long long x = tile.column + column + j * 8 + lane % 4 * 2;
        if (x < arguments.n)
          store_pair(c + r * leading + x, arguments.n - x, is_aligned, alpha, &sums[i][j][half * 2],
                     beta);
      }
    }
  }
}

template <typename Shape, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void mma_f64(const GemmArguments& arguments) {
  constexpr int kBM = Shape::kBM, kBN = Shape::kBN, kBK = Shape::kBK, kStages = Shape::kStages;
  using LayoutA = MmaLayout<kBM, kBK, kAlongA>;
  using LayoutB = MmaLayout<kBN, kBK, kAlongB>;
  extern __shared__ __align__(128) unsigned char bytes[];
  MmaStage<Shape>* const stages = reinterpret_cast<MmaStage<Shape>*>(bytes);
  const int warp = threadIdx.x / 32;
  const int row = warp / (kBN / Shape::kWN) * Shape::kWM;
  const int column = warp % (kBN / Shape::kWN) * Shape::kWN;
  const TilePlace tile = place_of_tile<kBM, kBN>(blockIdx.x, arguments.m, arguments.n);
  const double alpha = value_of<double>(arguments.alpha);
  const Depth depth = depth_of_block(arguments, alpha == 0);

  double sums[Shape::kWM / 16][Shape::kWN / 8][4] = {};
  const int steps = static_cast<int>((depth.end - depth.begin + kBK - 1) / kBK);
  if (steps > 0) {
    Copier<double, LayoutA, Shape::kThreads, kBM, kBK, kAlongA> copy_a(
        matrix_of<double>(arguments.a), arguments.a.leading_dimension, tile.row, arguments.m,
        depth);
    Copier<double, LayoutB, Shape::kThreads, kBN, kBK, kAlongB> copy_b(
        matrix_of<double>(arguments.b), arguments.b.leading_dimension, tile.column, arguments.n,
        depth);
    const auto copy = [&](int stage, bool is_there) {
      if (is_there) {
        copy_a.copy_to(stages[stage].a);
        copy_b.copy_to(stages[stage].b);
      }
      ptx::cp_async_commit();
    };
    for (int i = 0; i < kStages - 1; ++i) copy(i, i < steps);
    int current = 0, next = kStages - 1;
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
      ptx::cp_async_wait<kStages - 2>();  // this thread's copies of the step are there
      __syncthreads();  // and everyone's; and nobody reads the step before any more
      copy(next, i + kStages - 1 < steps);
      next = current;
#pragma unroll
      for (int p = 0; p < kBK; p += 8)
        multiply_eight<Shape, LayoutA, LayoutB>(sums, stages[current], row, column, p);
      current = current + 1 == kStages ? 0 : current + 1;
    }
  }
  store_tile<Shape>(arguments, tile, row, column, alpha, sums);
}

}  // namespace gemm

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k").
#define TILEWISE_MMA_F64(name, along_a, along_b, suffix)                                 \
  extern "C" __global__ void __launch_bounds__(Shape::kThreads, kBlocks)                 \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments arguments) { \
    gemm::mma_f64<Shape, along_a, along_b>(arguments);                                   \
  }
#define TILEWISE_MMA_F64_ORDERS(name)      \
  TILEWISE_MMA_F64(name, true, true, _kk)  \
  TILEWISE_MMA_F64(name, true, false, _kx) \
  TILEWISE_MMA_F64(name, false, true, _xk) \
  TILEWISE_MMA_F64(name, false, false, _xx)
