// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 25 mma_tf32: f32 matrices through tensor cores, 19 bits of each element
// Why: a tensor core takes f32 as it lies in memory and reads its sign, its exponent and ten bits of
// fraction: tf32. f16's precision in f32's range, at half of f16's rate and twice its bytes, and no
// conversion of the matrices. What it would cut off is rounded first (cvt.rna), one instruction an
// element and warp: that halves the error, and takes out its bias towards zero.
// ldmatrix moves 16-bit elements: a row of its 16 bytes is four f32 here, and what a lane gets is one of
// them, just as mma wants A. B would have to be transposed, which it cannot do for 32-bit elements: its
// lanes read single words, 4 k of 8 columns at a time, and another swizzle keeps these in 32 banks.
// Shared reads per multiply-add: 128 elements a k for 4096: 0.03. Bank conflicts: none.
// Limit now: as in 23. Next: double precision (26 mma_f64).
// Measured: 149 TFLOP/s at 4096³ on an H200, 39% of cuBLAS in tf32, 2.8 times rung 18 in f32. Reading the
// fragments of the next 8 k while these are multiplied is what took it there from 136:
// bench/results/h200/2026-11-21-ladder-tensor-4096.json (before),
// bench/results/h200/2026-11-21-ladder-tensor-cores-4096.json
#include "kernels/ladder/async_stage.cuh"
#include "kernels/ptx/ldmatrix.cuh"
#include "kernels/ptx/mma.cuh"

constexpr int kWM = 64, kWN = 64;
constexpr int kStages = 3;

struct Stage {
  using Element = float;
  static constexpr int kBM = 128, kBN = 128, kBK = 32, kThreads = (kBM / kWM) * (kBN / kWN) * 32;
  float a[kBM * kBK];
  float b[kBK * kBN];

  // A row of A is eight pieces of 16 bytes, swizzled as in 23.
  __device__ __forceinline__ float* a_at(int row, int k) {
    return &a[row * kBK + (k / 4 ^ row % 8) * 4 + k % 4];
  }
  // A row of B is sixteen pairs of pieces, exchanged by fours: 4 k of 8 columns lie in all 32 banks.
  __device__ __forceinline__ float* b_at(int k, int column) {
    return &b[k * kBN + (column / 8 ^ k % 4) * 8 + column % 8];
  }
};
static_assert(kStages * sizeof(Stage) == 98304);  // dynamic_shared_bytes in the catalogue

// What a warp needs of 8 k: A in tiles of 16×8, B in tiles of 8×8.
struct Fragment {
  unsigned a[kWM / 16][4], b[kWN / 8][2];
};

// `row` and `column`: where the warp's tile begins in the block's. Lanes 0–15 point at the 16 rows of
// the first four k of each tile of A, 16–31 at those of the other four.
__device__ __forceinline__ void read(Fragment& fragment, Stage& stage, int row, int column, int p) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
    ptx::ldmatrix_x4(fragment.a[i], stage.a_at(row + i * 16 + lane % 16, p + lane / 16 * 4));
#pragma unroll
  for (int j = 0; j < kWN / 8; ++j)
    for (int i = 0; i < 2; ++i)
      fragment.b[j][i] =
          __float_as_uint(*stage.b_at(p + i * 4 + lane % 4, column + j * 8 + lane / 4));
}

__device__ __forceinline__ void multiply_add(float (&sum)[kWM / 16][kWN / 8][4],
                                             Fragment& fragment) {
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
    for (int e = 0; e < 4; ++e) fragment.a[i][e] = ptx::round_to_tf32(fragment.a[i][e]);
#pragma unroll
  for (int j = 0; j < kWN / 8; ++j)
    for (int e = 0; e < 2; ++e) fragment.b[j][e] = ptx::round_to_tf32(fragment.b[j][e]);
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
#pragma unroll
    for (int j = 0; j < kWN / 8; ++j)
      ptx::mma_tf32(sum[i][j], fragment.a[i], fragment.b[j][0], fragment.b[j][1]);
}

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  extern __shared__ __align__(128) Stage stages[];
  constexpr int kBM = Stage::kBM, kBN = Stage::kBN, kBK = Stage::kBK;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / (kBN / kWN) * kWM, column = warp % (kBN / kWN) * kWN;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;

  float sum[kWM / 16][kWN / 8][4] = {};
  Copier<Stage, kVector> copier(A, B, row0, column0, m, n, k);
  for (int i = 0; i + 1 < kStages; ++i) copier.copy_to(stages[i], n, k);
  ptx::cp_async_wait<kStages - 2>();  // this thread's share of the first step is there
  __syncthreads();                    // and everyone's
  Fragment fragments[2];
  read(fragments[0], stages[0], row, column, 0);
  int current = 0, next = kStages - 1;
#pragma unroll 1
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    copier.copy_to(stages[next], n, k);  // whose last readers were before the last barrier
    next = current;
#pragma unroll 2  // four would take more registers than there are
    for (int p = 0; p < kBK; p += 8) {
      if (p + 8 == kBK) {
        ptx::cp_async_wait<kStages - 2>();
        __syncthreads();
        current = current + 1 == kStages ? 0 : current + 1;
      }
      read(fragments[(p / 8 + 1) % 2], stages[current], row, column, (p + 8) % kBK);
      multiply_add(sum, fragments[p / 8 % 2]);
    }
  }
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < kWN / 8; ++j) {
      const unsigned r = row0 + row + i * 16 + lane / 4,
                     c = column0 + column + j * 8 + lane % 4 * 2;
      store_pair<kVector>(C, r, c, m, n, alpha, sum[i][j][0], sum[i][j][1], beta);
      store_pair<kVector>(C, r + 8, c, m, n, alpha, sum[i][j][2], sum[i][j][3], beta);
    }
  }
}

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 2)
    ladder_mma_tf32(int m, int n, int k, float alpha, const float* __restrict__ A,
                    const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 2)
    ladder_mma_tf32_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                        const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
