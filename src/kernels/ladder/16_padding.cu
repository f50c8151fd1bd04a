// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 16 padding: four unused words behind each k of A's tile
// Why: a thread holds four k of one row of A, and stores them one by one; the 32 lanes of a store
// are 16 rows at k and the same 16 rows at k + 4. With 128 words from k to k both groups fall on the
// same 16 banks; with 132, k + 4 lies 4·132 = 528 words further, 16 banks on: lanes 0, 1, 2, 3 …
// meet banks 0, 16, 1, 17 … 132 keeps every quad aligned to 16 bytes, which 129 would not.
// Shared reads per FMA: 1/4. Bank conflicts: none, neither on loads nor on stores. Of a warp's 216
// wavefronts a step that saves 8: look for it in the counters, not in the time.
// Limit now: wavefronts of the loads of B: 16 different quads in a warp take four. Next: an order of
// lanes that takes two (17 z_order).
// Measured: 44.7 TFLOP/s at 4096³ on an H200, 87% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/stage.cuh"

constexpr int kPitch = kBM + 4;

// Where the i-th row (or column) of thread tile number `thread` lies: 4 in each half of the block.
__device__ __forceinline__ int place(int thread, int i) { return i / 4 * 64 + thread * 4 + i % 4; }

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) Stage<kPitch> stages[2];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;

  float sum[kTM][kTN] = {};
  put(stages[0], fetch<kVector>(A, B, row0, column0, 0, m, n, k));
  __syncthreads();
  int current = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    const bool more = k0 + kBK < k;
    Staged staged;
    if (more) staged = fetch<kVector>(A, B, row0, column0, k0 + kBK, m, n, k);
#pragma unroll
    for (int p = 0; p < kBK; ++p) {
      float a[kTM], b[kTN];
      for (int i = 0; i < kTM; i += 4) read_quad(&a[i], &stages[current].a[p][place(y, i)]);
      for (int j = 0; j < kTN; j += 4) read_quad(&b[j], &stages[current].b[p][place(x, j)]);
      for (int i = 0; i < kTM; ++i)
        for (int j = 0; j < kTN; ++j) sum[i][j] += a[i] * b[j];
    }
    if (more) put(stages[current ^ 1], staged);
    __syncthreads();
    current ^= 1;
  }
  for (int i = 0; i < kTM; ++i)
    for (int j = 0; j < kTN; j += 4)
      store_quad<kVector>(C, row0 + place(y, i), column0 + place(x, j), m, n, alpha, &sum[i][j],
                          beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_padding(int m, int n, int k, float alpha, const float* __restrict__ A,
                   const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_padding_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                       const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
