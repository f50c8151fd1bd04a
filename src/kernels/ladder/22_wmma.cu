// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 22 wmma: tensor cores through CUDA C++, f16 in, f32 out
// Why: one warp-wide instruction multiplies 16×16×16 elements: 4096 multiply-adds instead of 32. An
// H200's tensor cores do 16 times what its FMA pipes can, on operands of half the size. The wmma
// interface hides which lane holds which element, so everything goes through memory that it can
// address: tiles of A and B in shared memory in, and a 16×16 patch a warp out.
// Shared memory is fed as in rung 15: two stages, by way of registers, one barrier a step. Eight
// halves of padding a row shift it by four banks, so that the eight rows of 16 bytes that the hardware
// reads at a time lie in different banks. The stores of A pay for it: eight lanes store two rows of 64
// bytes, which 80 bytes from one to the other lets overlap in a bank, so a store takes two turns.
// Shared reads per multiply-add: a warp's 64×32 tile needs 96 elements a k for 2048: 0.05, in halves.
// Limit now: the way through registers, and barriers that everyone waits at. Next: address the
// fragments ourselves, and copy without registers (23 mma_f16).
// Measured: 240 TFLOP/s at 4096³ on an H200, 34% of cuBLAS in f16, 4.6 times rung 18 in f32:
// bench/results/h200/2026-11-21-ladder-tensor-cores-4096.json
#include <mma.h>

#include "kernels/ladder/half.cuh"

using namespace nvcuda;

constexpr int kBM = 128, kBN = 128, kBK = 32, kWM = 64, kWN = 32;
constexpr int kThreads = (kBM / kWM) * (kBN / kWN) * 32;
constexpr int kPitchA = kBK + 8, kPitchB = kBN + 8;    // halves from one row to the next
constexpr int kEightsA = kBK / 8, kEightsB = kBN / 8;  // of a row
constexpr int kRowsA = kThreads / kEightsA, kRowsB = kThreads / kEightsB;  // fetched in one go
constexpr int kGoesA = kBM / kRowsA, kGoesB = kBK / kRowsB;
constexpr int kPatchPitch = 16 + 8;  // floats

struct Stage {
  Half a[kBM][kPitchA];
  Half b[kBK][kPitchB];
};
union Shared {
  Stage stages[2];
  float patch[kThreads / 32][16][kPatchPitch];  // of each warp, when the product is done
};

// A thread's share of one step on its way.
struct Staged {
  uint4 a[kGoesA], b[kGoesB];
};

template <bool kVector>
__device__ __forceinline__ Staged fetch(const Half* A, const Half* B, unsigned row0,
                                        unsigned column0, unsigned k0, int m, int n, int k) {
  const int thread = threadIdx.x;
  Staged staged;
  for (int i = 0; i < kGoesA; ++i)
    staged.a[i] = load_8_or_zero<kVector>(A, row0 + thread / kEightsA + i * kRowsA,
                                          k0 + thread % kEightsA * 8, m, k);
  for (int i = 0; i < kGoesB; ++i)
    staged.b[i] = load_8_or_zero<kVector>(B, k0 + thread / kEightsB + i * kRowsB,
                                          column0 + thread % kEightsB * 8, k, n);
  return staged;
}

__device__ __forceinline__ void put(Stage& stage, const Staged& staged) {
  const int thread = threadIdx.x;
  const auto write = [](Half* to, uint4 eight) { *reinterpret_cast<uint4*>(to) = eight; };
  for (int i = 0; i < kGoesA; ++i)
    write(&stage.a[thread / kEightsA + i * kRowsA][thread % kEightsA * 8], staged.a[i]);
  for (int i = 0; i < kGoesB; ++i)
    write(&stage.b[thread / kEightsB + i * kRowsB][thread % kEightsB * 8], staged.b[i]);
}

using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// What a warp does with one stage; its tile begins at (row, column) of the block's.
__device__ __forceinline__ void multiply_add(Sum (&sum)[kWM / 16][kWN / 16], const Stage& stage,
                                             int row, int column) {
#pragma unroll
  for (int p = 0; p < kBK; p += 16) {
    FragmentA a[kWM / 16];
    FragmentB b[kWN / 16];
#pragma unroll
    for (int i = 0; i < kWM / 16; ++i)
      wmma::load_matrix_sync(a[i], reinterpret_cast<const half*>(&stage.a[row + i * 16][p]),
                             kPitchA);
#pragma unroll
    for (int j = 0; j < kWN / 16; ++j)
      wmma::load_matrix_sync(b[j], reinterpret_cast<const half*>(&stage.b[p][column + j * 16]),
                             kPitchB);
#pragma unroll
    for (int i = 0; i < kWM / 16; ++i)
#pragma unroll
      for (int j = 0; j < kWN / 16; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
  }
}

// 16×16 elements of C, by way of the warp's patch of shared memory: two lanes a row.
__device__ __forceinline__ void store(float (&patch)[16][kPatchPitch], const Sum& sum, float* C,
                                      unsigned row, unsigned column, int m, int n, float alpha,
                                      float beta) {
  const int lane = threadIdx.x % 32;
  wmma::store_matrix_sync(&patch[0][0], sum, kPatchPitch, wmma::mem_row_major);
  __syncwarp();
  for (int i = 0; i < 8; ++i) {
    const int r = i / 2 * 4 + i % 2 + lane / 16 * 2, c = lane % 16;  // rows 48 banks apart
    if (row + r < m && column + c < n)
      store_result(&C[size_t{row + r} * n + column + c], alpha, patch[r][c], beta);
  }
  __syncwarp();  // the next patch goes to the same place
}

template <bool kVector>
__device__ __forceinline__ void multiply(int m, int n, int k, float alpha, const Half* A,
                                         const Half* B, float beta, float* C) {
  __shared__ __align__(32) Shared shared;
  const int warp = threadIdx.x / 32;
  const int row = warp / (kBN / kWN) * kWM, column = warp % (kBN / kWN) * kWN;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;

  Sum sum[kWM / 16][kWN / 16];
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
#pragma unroll
    for (int j = 0; j < kWN / 16; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
  put(shared.stages[0], fetch<kVector>(A, B, row0, column0, 0, m, n, k));
  __syncthreads();
  int current = 0;
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
    const bool more = k0 + kBK < k;
    Staged staged;
    if (more) staged = fetch<kVector>(A, B, row0, column0, k0 + kBK, m, n, k);
    multiply_add(sum, shared.stages[current], row, column);
    if (more) put(shared.stages[current ^ 1], staged);
    __syncthreads();
    current ^= 1;
  }
#pragma unroll
  for (int i = 0; i < kWM / 16; ++i)
#pragma unroll
    for (int j = 0; j < kWN / 16; ++j)
      store(shared.patch[warp], sum[i][j], C, row0 + row + i * 16, column0 + column + j * 16, m, n,
            alpha, beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_wmma(int m, int n, int k, float alpha, const Half* __restrict__ A,
                const Half* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<true>(m, n, k, alpha, A, B, beta, C);
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    ladder_wmma_any(int m, int n, int k, float alpha, const Half* __restrict__ A,
                    const Half* __restrict__ B, float beta, float* __restrict__ C) {
  multiply<false>(m, n, k, alpha, A, B, beta, C);
}
