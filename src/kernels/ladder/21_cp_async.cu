// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 21 cp_async: copies that pass the registers by, four stages in shared memory
// Why: rung 18 carries every element from global memory through a register into shared memory: 16
// registers a thread are held while a step computes, and 12 instructions a step store them. cp.async
// (sm_80) copies by itself. A thread only asks, for the step three steps ahead, and waits for the
// oldest of its requests: the wait for global memory now passes behind three steps instead of one.
// A is transposed on its way: element by element (4 bytes a lane), while B travels in quads. A warp
// copies 8 k of 4 rows; with 132 words from k to k these fall on banks 4·k + row: all different. They
// come out of the cache in four turns though: its banks, too, serve one of four rows that lie a multiple
// of 128 bytes apart.
// Shared reads per FMA: 24/128 = 0.19 as in 18. Stores: 8 + 2 copies a step and thread, no registers.
// Limit now: issue slots, of which every word of A takes one for its copy and two for its address. Next:
// tensor cores (22 wmma).
// Measured: 49.0 TFLOP/s at 4096³ on an H200, 95% of cuBLAS SGEMM and 93% of rung 18, whose two blocks an
// SM hide global memory well enough. The copies pay where the tensor cores leave no time for it:
// bench/results/h200/2026-11-21-ladder-tensor-cores-4096.json
#include "kernels/ladder/quad.cuh"
#include "kernels/ptx/cp_async.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 8, kWM = 64, kWN = 64, kTM = 16, kTN = 8;
constexpr int kStages = 4;
constexpr int kThreads = (kBM / kWM) * (kBN / kWN) * 32;
constexpr int kPitch = kBM + 4;  // words from one k of A to the next, as in rung 16

struct Stage {
  float a[kBK][kPitch];  // [k][row of A]
  float b[kBK][kBN];
};

// What a thread reads from shared memory for one k.
struct Fragment {
  float a[kTM], b[kTN];
};

// A thread's share of the copies of each step, kWidth floats of B at a time: 4 where B's rows are
// aligned, else 1. Rows and columns outside the matrices are copied from the last ones inside, computed
// and never stored; k beyond the end are zeros.
template <int kWidth> struct Copier {
  static constexpr int kPiecesB = kBN / kWidth;                                // of a row
  static constexpr int kRowsA = kThreads / kBK, kRowsB = kThreads / kPiecesB;  // in one go
  static constexpr int kGoesA = kBM / kRowsA, kGoesB = kBK * kPiecesB / kThreads;
  const float* from_a[kGoesA];
  const float* from_b;
  int row, k_a, k_b, column;
  int k_left;  // of the k that have not been copied

  __device__ __forceinline__ Copier(const float* A, const float* B, unsigned row0, unsigned column0,
                                    int m, int n, int k)
      : k_left(k) {
    const int thread = threadIdx.x;
    row = thread / kBK, k_a = thread % kBK;
    k_b = thread / kPiecesB, column = thread % kPiecesB * kWidth;
    for (int i = 0; i < kGoesA; ++i)
      from_a[i] = A + size_t{min(row0 + row + i * kRowsA, m - 1)} * k + k_a;
    from_b = B + size_t(k_b) * n + min(column0 + column, n - kWidth);
  }

  // Asks for the next kBK of k.
  __device__ __forceinline__ void copy_to(Stage& stage, int n) {
    for (int i = 0; i < kGoesA; ++i) {
      ptx::cp_async_4(&stage.a[k_a][row + i * kRowsA], from_a[i], k_a < k_left);
      from_a[i] += kBK;
    }
    for (int i = 0; i < kGoesB; ++i) {
      float* const to = &stage.b[k_b + i * kRowsB][column];
      const float* const from = from_b + size_t(i * kRowsB) * n;
      if constexpr (kWidth == 4) ptx::cp_async_16(to, from, k_b + i * kRowsB < k_left);
      else ptx::cp_async_4(to, from, k_b + i * kRowsB < k_left);
    }
    from_b += size_t{kBK} * n;
    k_left -= kBK;
    ptx::cp_async_commit();
  }
};

// A thread's rows are 4 in each quarter of its warp's 64, its columns 4 in each half of 64.
__device__ __forceinline__ void read(Fragment& fragment, const float* a, const float* b) {
  for (int i = 0; i < kTM / 4; ++i) read_quad(&fragment.a[i * 4], a + i * 16);
  for (int j = 0; j < kTN / 4; ++j) read_quad(&fragment.b[j * 4], b + j * 32);
}

// Right, then left, as in rung 18.
__device__ __forceinline__ void multiply_add(float (&sum)[kTM][kTN], const Fragment& fragment) {
  for (int i = 0; i < kTM; ++i) {
    for (int step = 0; step < kTN; ++step) {
      const int j = i % 2 ? kTN - 1 - step : step;
      sum[i][j] += fragment.a[i] * fragment.b[j];
    }
  }
}

template <int kWidth>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) Stage stages[kStages];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int lane_row = lane >> 1 & 1 | lane >> 2 & 2;  // Z order, as in rung 17
  const int lane_column = lane & 1 | lane >> 1 & 2 | lane >> 2 & 4;
  const int row = warp / (kBN / kWN) * kWM + lane_row * 4;
  const int column = warp % (kBN / kWN) * kWN + lane_column * 4;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;

  float sum[kTM][kTN] = {};
  Copier<kWidth> copier(A, B, row0, column0, m, n, k);
  for (int i = 0; i + 1 < kStages; ++i) copier.copy_to(stages[i], n);
  ptx::cp_async_wait<kStages - 2>();  // this thread's share of the first step is there
  __syncthreads();                    // and everyone's
  Fragment fragments[2];
  read(fragments[0], &stages[0].a[0][row], &stages[0].b[0][column]);
  int current = 0, next = kStages - 1;
#pragma unroll 1
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    copier.copy_to(stages[next], n);  // whose last readers were before the last barrier
    next = current;
#pragma unroll
    for (int p = 0; p < kBK; ++p) {
      if (p == kBK - 1) {
        ptx::cp_async_wait<kStages - 2>();
        __syncthreads();
        current = current + 1 == kStages ? 0 : current + 1;
      }
      const int q = (p + 1) % kBK;
      read(fragments[q % 2], &stages[current].a[q][row], &stages[current].b[q][column]);
      multiply_add(sum, fragments[p % 2]);
    }
  }
  for (int i = 0; i < kTM; ++i)
    for (int j = 0; j < kTN; j += 4)
      store_quad<kWidth == 4>(C, row0 + row + i / 4 * 16 + i % 4, column0 + column + j * 8, m, n,
                              alpha, &sum[i][j], beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_cp_async(int m, int n, int k, float alpha, const float* __restrict__ A,
                    const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<4>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_cp_async_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                        const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<1>(m, n, k, alpha, A, B, beta, C);
}
