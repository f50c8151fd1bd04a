// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 15 double_buffer: two stages in shared memory, one filled while the other is used
// Why: the next step's tiles are asked for before this step's FMAs and stored behind them, into the
// other stage: the wait for global memory passes while the block computes. Nobody reads the stage
// that is being written, so one barrier a step is enough instead of two; and with 16 k a step there
// are half as many steps.
// Shared reads per FMA: 1/4. Barriers: one for 16 k, two for 8 k before. Registers grow by the 16
// floats on their way, shared memory to 32 KB.
// Bank conflicts: none on loads; the stores of A are two-way as in 11.
// Limit now: those stores. Next: four words of padding (16 padding).
// Measured: 46.1 TFLOP/s at 4096³ on an H200, 90% of cuBLAS SGEMM:
// bench/results/h200/2026-11-21-ladder-4096.json
#include "kernels/ladder/stage.cuh"

// Where the i-th row (or column) of thread tile number `thread` lies: 4 in each half of the block.
__device__ __forceinline__ int place(int thread, int i) { return i / 4 * 64 + thread * 4 + i % 4; }

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) Stage<kBM> stages[2];
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
    ladder_double_buffer(int m, int n, int k, float alpha, const float* __restrict__ A,
                         const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_double_buffer_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                             const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
