// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the rungs 23 (f16) and 24 (bf16) share: all but the one instruction that multiplies. Stages of
// shared memory filled by cp.async as in 21; ldmatrix brings fragments to registers, those of the next
// 16 k while the tensor cores multiply these.
//
// Both tiles lie in shared memory as they lie in global memory, k along the rows of A and n along the
// rows of B, in pieces of eight halves (16 bytes) that are swizzled: exchanged within 128 bytes by the
// number of their row modulo 8. The eight pieces that ldmatrix reads at a time, one below the other, then
// lie in different banks, and what cp.async copies is still a line of 128 bytes to a line of 128 bytes.
#pragma once

#include "kernels/ladder/async_stage.cuh"
#include "kernels/ptx/ldmatrix.cuh"

constexpr int kWM = 64, kWN = 64;
constexpr int kStages = 3;

struct Stage {
  using Element = Half;
  static constexpr int kBM = 128, kBN = 128, kBK = 64, kThreads = (kBM / kWM) * (kBN / kWN) * 32;
  Half a[kBM * kBK];
  Half b[kBK * kBN];

  // A row of A is eight pieces, 128 bytes: all banks once. A row of B is sixteen, exchanged by eights.
  __device__ __forceinline__ Half* a_at(int row, int k) {
    return &a[row * kBK + (k / 8 ^ row % 8) * 8];
  }
  __device__ __forceinline__ Half* b_at(int k, int column) {
    return &b[k * kBN + (column / 8 ^ k % 8) * 8];
  }
};
static_assert(kStages * sizeof(Stage) == 98304);  // dynamic_shared_bytes in the catalogue

// What a warp needs of 16 k: A in tiles of 16×16, B in tiles of 16×16, each the operands of two mma.
struct Fragment {
  unsigned a[kWM / 16][4], b[kWN / 16][4];
};

// `row` and `column`: where the warp's tile begins in the block's. Lanes 0–15 point at the 16 rows of
// the left half of each tile, 16–31 at those of the right half.
__device__ __forceinline__ void read(Fragment& fragment, Stage& stage, int row, int column, int p) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
    ptx::ldmatrix_x4(fragment.a[i], stage.a_at(row + i * 16 + lane % 16, p + lane / 16 * 8));
#pragma unroll
  for (int j = 0; j < kWN / 16; ++j)
    ptx::ldmatrix_x4_transposed(fragment.b[j],
                                stage.b_at(p + lane % 16, column + j * 16 + lane / 16 * 8));
}

// kMma: 16×8 += 16×16 · 16×8.
template <auto kMma>
__device__ __forceinline__ void multiply_add(float (&sum)[kWM / 16][kWN / 8][4],
                                             const Fragment& fragment) {
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < kWN / 8; ++j) {
      const unsigned(&b)[4] = fragment.b[j / 2];
      kMma(sum[i][j], fragment.a[i], b[j % 2 * 2], b[j % 2 * 2 + 1]);
    }
  }
}

template <bool kVector, auto kMma>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const Half* A,
                                         const Half* B, float beta, float* C) {
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
#pragma unroll
    for (int p = 0; p < kBK; p += 16) {
      if (p + 16 == kBK) {
        ptx::cp_async_wait<kStages - 2>();
        __syncthreads();
        current = current + 1 == kStages ? 0 : current + 1;
      }
      read(fragments[(p / 16 + 1) % 2], stages[current], row, column, (p + 16) % kBK);
      multiply_add<kMma>(sum, fragments[p / 16 % 2]);
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
