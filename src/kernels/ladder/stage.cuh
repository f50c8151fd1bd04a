// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One stage of the double-buffered rungs 15 to 17: a 128×16 tile of A and a 16×128 tile of B, and
// how 256 threads bring them from global memory, by way of registers, into shared memory.
#pragma once

#include "kernels/ladder/quad.cuh"

constexpr int kBM = 128, kBN = 128, kBK = 16, kTM = 8, kTN = 8;
constexpr int kThreads = kBM / kTM * kBN / kTN;

// kPitch: words from one k of A to the next.
template <int kPitch> struct Stage {
  float a[kBK][kPitch];  // [k][row of A]
  float b[kBK][kBN];
};

// A thread's share of one step on its way: two quads of each tile.
struct Staged {
  float4 a[2], b[2];
};

// A thread fetches k 0–7 and k 8–15 of its row of A in two goes, so that the 32 lanes of a store
// span 16 rows and not 8.
template <bool kVector>
__device__ __forceinline__ Staged fetch(const float* A, const float* B, unsigned row0,
                                        unsigned column0, unsigned k0, int m, int n, int k) {
  const int thread = threadIdx.x;
  const unsigned a_row = row0 + thread / 2, a_k = k0 + thread % 2 * 4;
  const unsigned b_k = k0 + thread / 32, b_column = column0 + thread % 32 * 4;
  Staged staged;
  for (int i = 0; i < 2; ++i) {
    staged.a[i] = load_quad_or_zero<kVector>(A, a_row, a_k + i * 8, m, k);
    staged.b[i] = load_quad_or_zero<kVector>(B, b_k + i * 8, b_column, k, n);
  }
  return staged;
}

template <int kPitch>
__device__ __forceinline__ void put(Stage<kPitch>& stage, const Staged& staged) {
  const int thread = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    const int a_row = thread / 2, a_k = i * 8 + thread % 2 * 4;
    stage.a[a_k + 0][a_row] = staged.a[i].x;
    stage.a[a_k + 1][a_row] = staged.a[i].y;
    stage.a[a_k + 2][a_row] = staged.a[i].z;
    stage.a[a_k + 3][a_row] = staged.a[i].w;
    write_quad(&stage.b[i * 8 + thread / 32][thread % 32 * 4], staged.b[i]);
  }
}
