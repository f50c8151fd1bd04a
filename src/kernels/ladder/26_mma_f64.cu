// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 26 mma_f64: tensor cores in double precision
// Why: the same instruction, for f64: its products and sums are fused multiply-adds in the order of k,
// each rounded as IEEE says, so nothing is lost against rung 19, and a Hopper's tensor cores do twice
// what its FMA pipes do. sm_80 multiplies 8×8×4 at a time, sm_90 16×8×8: fewer instructions for the same.
// An element is 8 bytes: a warp reads in two phases of 16 lanes, and a phase is 4 rows times 4 k of A,
// or 4 k times 4 columns of B. A swizzle of four doubles at a time puts these in all 32 banks.
// Shared reads per multiply-add: 96 elements a k for 2048: 0.05. Bank conflicts: none.
// Limit now: the tensor cores. Next: half precision again, the way Hopper does it (27 wgmma).
// Measured: 47.4 TFLOP/s at 4096³ on an H200, 81% of cuBLAS DGEMM, 10 times rung 19:
// bench/results/h200/2026-11-21-ladder-tensor-cores-4096.json
#include "kernels/ladder/async_stage.cuh"
#include "kernels/ptx/mma.cuh"

constexpr int kWM = 64, kWN = 32;
constexpr int kStages = 4;

struct Stage {
  using Element = double;
  static constexpr int kBM = 128, kBN = 128, kBK = 16, kThreads = (kBM / kWM) * (kBN / kWN) * 32;
  double a[kBM * kBK];
  double b[kBK * kBN];

  // Four doubles, 32 bytes, change places with other fours by the number of their row.
  __device__ __forceinline__ double* a_at(int row, int k) {
    return &a[row * kBK + (k / 4 ^ row % 4) * 4 + k % 4];
  }
  __device__ __forceinline__ double* b_at(int k, int column) {
    return &b[k * kBN + (column / 4 ^ k % 4) * 4 + column % 4];
  }
};
static_assert(kStages * sizeof(Stage) == 131072);  // dynamic_shared_bytes in the catalogue

// What a warp needs of 8 k: A in tiles of 16×8, B in tiles of 8×8.
struct Fragment {
  double a[kWM / 16][4], b[kWN / 8][2];
};

// `row` and `column`: where the warp's tile begins in the block's.
__device__ __forceinline__ void read(Fragment& fragment, Stage& stage, int row, int column, int p) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
    for (int e = 0; e < 4; ++e)
      fragment.a[i][e] = *stage.a_at(row + i * 16 + e % 2 * 8 + lane / 4, p + e / 2 * 4 + lane % 4);
#pragma unroll
  for (int j = 0; j < kWN / 8; ++j)
    for (int e = 0; e < 2; ++e)
      fragment.b[j][e] = *stage.b_at(p + e * 4 + lane % 4, column + j * 8 + lane / 4);
}

// 16×8 += 16×8 · 8×8, in the order of k on both architectures.
__device__ __forceinline__ void mma(double (&sum)[4], const double (&a)[4], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  ptx::mma_f64_k8(sum, a, b[0], b[1]);
#else
  for (int i = 0; i < 2; ++i) {
    ptx::mma_f64_k4(sum[0], sum[1], a[i * 2], b[i]);
    ptx::mma_f64_k4(sum[2], sum[3], a[i * 2 + 1], b[i]);
  }
#endif
}

__device__ __forceinline__ void multiply_add(double (&sum)[kWM / 16][kWN / 8][4],
                                             const Fragment& fragment) {
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
#pragma unroll
    for (int j = 0; j < kWN / 8; ++j) mma(sum[i][j], fragment.a[i], fragment.b[j]);
}

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, double alpha, const double* A,
                                         const double* B, double beta, double* C) {
  extern __shared__ __align__(128) Stage stages[];
  constexpr int kBM = Stage::kBM, kBN = Stage::kBN, kBK = Stage::kBK;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / (kBN / kWN) * kWM, column = warp % (kBN / kWN) * kWN;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;

  double sum[kWM / 16][kWN / 8][4] = {};
  Copier<Stage, kVector> copier(A, B, row0, column0, m, n, k);
  for (int i = 0; i + 1 < kStages; ++i) copier.copy_to(stages[i], n, k);
  int current = 0, next = kStages - 1;
#pragma unroll 1
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    ptx::cp_async_wait<kStages - 2>();  // this thread's share of the step is there
    __syncthreads();                    // and everyone's; and nobody reads the step before any more
    copier.copy_to(stages[next], n, k);
    next = current;
#pragma unroll
    for (int p = 0; p < kBK; p += 8) {
      Fragment fragment;
      read(fragment, stages[current], row, column, p);
      multiply_add(sum, fragment);
    }
    current = current + 1 == kStages ? 0 : current + 1;
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

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 1)
    ladder_mma_f64(int m, int n, int k, double alpha, const double* __restrict__ A,
                   const double* __restrict__ B, double beta, double* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(Stage::kThreads, 1)
    ladder_mma_f64_any(int m, int n, int k, double alpha, const double* __restrict__ A,
                       const double* __restrict__ B, double beta, double* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
