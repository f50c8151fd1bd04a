// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 18 final: lanes in Z order, both memories buffered twice, every access wide, tuned
// Why: on top of rung 17, (1) the fragments of the next k are read into a second set of registers
// while the FMAs use the first, so no FMA waits for shared memory; (2) a thread computes 16×8
// elements, a warp 64×64, a block 128×256: 24 values read serve 128 FMAs; (3) rows and columns
// outside the matrices are fetched from the last ones inside, computed and never stored, and the odd
// end of k comes first, so the loop has no bound check at all; (4) blocks are numbered so that those
// running at one time share their rows and columns of A and B in the L2 cache.
// Shared reads per FMA: 24/128 = 0.19, in 6 instructions for 128 FMAs. Bank conflicts: none.
// Limit now: issue slots, and the power that the FMA units may draw. Next: tensor cores.
#include "kernels/ladder/quad.cuh"

constexpr int kBM = 128, kBN = 256, kBK = 8, kWM = 64, kWN = 64, kTM = 16, kTN = 8;
constexpr int kThreads = (kBM / kWM) * (kBN / kWN) * 32;
constexpr int kPitch = kBM + 4;   // words from one k of A to the next, as in rung 16
constexpr unsigned kGroup = 8;    // rows of blocks that are computed together

struct Stage {
  float a[kBK][kPitch];  // [k][row of A]
  float b[kBK][kBN];
};

// What a thread reads from shared memory for one k.
struct Fragment {
  float a[kTM], b[kTN];
};

// A position in C, in blocks.
struct Position {
  unsigned row, column;
};

// Consecutive blocks walk down kGroup rows of blocks before they step to the next column.
__device__ __forceinline__ Position position_of_block(unsigned rows) {
  const unsigned columns = gridDim.x;
  const unsigned index = block_y() * columns + blockIdx.x;
  const unsigned group = index / (kGroup * columns), rest = index % (kGroup * columns);
  const unsigned height = min(kGroup, rows - group * kGroup);
  return {group * kGroup + rest % height, rest / height};
}

template <int kWidth>
__device__ __forceinline__ void load(float* to, const float* from) {
  if constexpr (kWidth == 4)
    read_quad(to, from);
  else
    *to = *from;
}

// A thread's share of each step on its way from global to shared memory, kWidth floats at a time:
// 4 where the rows are aligned, else 1.
template <int kWidth>
struct Courier {
  static constexpr int kPiecesA = kBK / kWidth, kPiecesB = kBN / kWidth;  // of one row
  static constexpr int kRowsA = kThreads / kPiecesA, kRowsB = kThreads / kPiecesB;  // in one go
  static constexpr int kGoesA = kBM / kRowsA, kGoesB = kBK / kRowsB;
  const float* from_a[kGoesA];
  const float* from_b;
  int row, k_a, k_b, column;
  float a[kGoesA][kWidth], b[kGoesB][kWidth];

  __device__ __forceinline__ Courier(const float* A, const float* B, unsigned row0,
                                     unsigned column0, int m, int n, int k) {
    const int thread = threadIdx.x;
    row = thread / kPiecesA, k_a = thread % kPiecesA * kWidth;
    k_b = thread / kPiecesB, column = thread % kPiecesB * kWidth;
    for (int i = 0; i < kGoesA; ++i)
      from_a[i] = A + size_t{min(row0 + row + i * kRowsA, m - 1)} * k + k_a;
    from_b = B + size_t(k_b) * n + min(column0 + column, n - kWidth);
  }

  // Fetches the first `count` <= kBK of k; the rest of the step is zero.
  __device__ __forceinline__ void fetch_first(int count, int n) {
    for (int i = 0; i < kGoesA; ++i) {
      for (int j = 0; j < kWidth; ++j) a[i][j] = 0;
      if (k_a < count) load<kWidth>(a[i], from_a[i]);
      from_a[i] += count;
    }
    for (int i = 0; i < kGoesB; ++i) {
      for (int j = 0; j < kWidth; ++j) b[i][j] = 0;
      if (k_b + i * kRowsB < count) load<kWidth>(b[i], from_b + size_t(i * kRowsB) * n);
    }
    from_b += size_t(count) * n;
  }

  // Fetches the next kBK of k.
  __device__ __forceinline__ void fetch(int n) {
    for (int i = 0; i < kGoesA; ++i) {
      load<kWidth>(a[i], from_a[i]);
      from_a[i] += kBK;
    }
    for (int i = 0; i < kGoesB; ++i) load<kWidth>(b[i], from_b + size_t(i * kRowsB) * n);
    from_b += size_t{kBK} * n;
  }

  __device__ __forceinline__ void put(Stage& stage) const {
    for (int i = 0; i < kGoesA; ++i)
      for (int j = 0; j < kWidth; ++j) stage.a[k_a + j][row + i * kRowsA] = a[i][j];
    for (int i = 0; i < kGoesB; ++i) {
      float* to = &stage.b[k_b + i * kRowsB][column];
      if constexpr (kWidth == 4)
        write_quad(to, make_float4(b[i][0], b[i][1], b[i][2], b[i][3]));
      else
        *to = b[i][0];
    }
  }
};

// A thread's rows are 4 in each quarter of its warp's 64, its columns 4 in each half of 64.
__device__ __forceinline__ void read(Fragment& fragment, const Stage& stage, int p, int row,
                                     int column) {
  for (int i = 0; i < kTM / 4; ++i) read_quad(&fragment.a[i * 4], &stage.a[p][row + i * 16]);
  for (int j = 0; j < kTN / 4; ++j) read_quad(&fragment.b[j * 4], &stage.b[p][column + j * 32]);
}

// One step of kBK k. With kMore, it also fetches the next one and reads its first fragments.
template <bool kMore, int kWidth>
__device__ __forceinline__ void step(float (&sum)[kTM][kTN], Fragment (&fragments)[2],
                                     Stage* stages, int& current, Courier<kWidth>& courier, int n,
                                     int row, int column) {
  if constexpr (kMore) courier.fetch(n);
#pragma unroll
  for (int p = 0; p < kBK; ++p) {
    if (kMore && p == kBK - 1) {
      courier.put(stages[current ^ 1]);
      __syncthreads();
      current ^= 1;
    }
    if (kMore || p + 1 < kBK)
      read(fragments[(p + 1) % 2], stages[current], (p + 1) % kBK, row, column);
    const Fragment& now = fragments[p % 2];
    for (int i = 0; i < kTM; ++i)
      for (int j = 0; j < kTN; ++j) sum[i][j] += now.a[i] * now.b[j];
  }
}

template <int kWidth>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const float* A,
                                         const float* B, float beta, float* C) {
  __shared__ __align__(16) Stage stages[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int lane_row = lane >> 1 & 1 | lane >> 2 & 2;
  const int lane_column = lane & 1 | lane >> 1 & 2 | lane >> 2 & 4;
  const int row = warp / (kBN / kWN) * kWM + lane_row * 4;
  const int column = warp % (kBN / kWN) * kWN + lane_column * 4;
  const Position block = position_of_block((m - 1) / kBM + 1);
  const unsigned row0 = block.row * kBM, column0 = block.column * kBN;
  if (row0 >= m) return;  // more blocks in z than rows need

  float sum[kTM][kTN] = {};
  if (k > 0) {
    const int steps = (k - 1) / kBK + 1;
    Courier<kWidth> courier(A, B, row0, column0, m, n, k);
    courier.fetch_first(k - (steps - 1) * kBK, n);
    courier.put(stages[0]);
    __syncthreads();
    Fragment fragments[2];
    read(fragments[0], stages[0], 0, row, column);
    int current = 0;
#pragma unroll 1
    for (int i = 1; i < steps; ++i)
      step<true>(sum, fragments, stages, current, courier, n, row, column);
    step<false>(sum, fragments, stages, current, courier, n, row, column);
  }
  for (int i = 0; i < kTM; ++i)
    for (int j = 0; j < kTN; j += 4)
      store_quad<kWidth == 4>(C, row0 + row + i / 4 * 16 + i % 4, column0 + column + j * 8, m, n,
                              alpha, &sum[i][j], beta);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    ladder_final(int m, int n, int k, float alpha, const float* __restrict__ A,
                 const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<4>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    ladder_final_any(int m, int n, int k, float alpha, const float* __restrict__ A,
                     const float* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<1>(m, n, k, alpha, A, B, beta, C);
}
