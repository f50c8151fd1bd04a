// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 27 wgmma: TMA brings the tiles, a warpgroup multiplies them where they lie
// Why: wgmma reads A and B from shared memory itself: no fragments, no ldmatrix, no register but the
// sums. Four warps share one instruction of 64×256×16 multiply-adds, and go on while it runs. TMA fetches
// a whole box for one instruction of one thread: no addresses, no bounds, zeros outside the matrix; a
// barrier in shared memory (mbarrier) counts the bytes that have come.
// B lies along n in memory and stays so: wgmma transposes it as it reads (its last operand, 1).
// Every step, all threads wait for the stage, start its product, wait for the product of the step
// before, and meet at a barrier; then one thread asks for the stage that became free.
// Global reads: m·n·k·(1/128 + 1/256) elements. Shared memory is read by the tensor cores alone.
// Limit now: everyone waits for everyone, each step. Next: split the work (28 warp_specialised).
// Measured: 636 TFLOP/s at 4096³ on an H200, 98% of cuBLAS in bf16, 1.6 times rung 24; 653 at 8192³:
// bench/results/h200/2026-11-21-ladder-tensor-cores-{4096,8192}.json
#include "kernels/ladder/warpgroup_tile.cuh"

constexpr int kStages = 4;
constexpr int kThreads = kMultiplyingThreads;

struct Shared {
  Stage stages[kStages];
  ptx::Barrier full[kStages];  // the stage's bytes have arrived
};
static_assert(sizeof(Shared) == 197632);  // dynamic_shared_bytes in the catalogue

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    ladder_wgmma(int m, int n, int k, float alpha, const __grid_constant__ ptx::TensorMap A,
                 const __grid_constant__ ptx::TensorMap B, float beta, float* __restrict__ C) {
  extern __shared__ Shared shared[];
  const bool leads = threadIdx.x == 0;
  const int warpgroup_row = threadIdx.x / 128 * kWarpgroupM;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  const auto load = [&](int step) {
    load_stage(shared->stages[step % kStages], A, B, row0, column0, step * kBK,
               &shared->full[step % kStages]);
  };

  if (leads) {
    for (int i = 0; i < kStages; ++i) ptx::mbarrier_init(&shared->full[i], 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const int steps = (k - 1) / kBK + 1;
  if (leads)
    for (int step = 0; step < min(steps, kStages - 1); ++step) load(step);

  float sum[kSums] = {};
  Ring<kStages> ring;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    ptx::mbarrier_wait(&shared->full[ring.index], ring.phase);
    start_product(sum, shared->stages[ring.index], warpgroup_row);
    ptx::wgmma_wait<1>();  // for the step before
    __syncthreads();       // everyone's: its stage is free
    if (leads && step + kStages - 1 < steps) load(step + kStages - 1);
    ring.advance();
  }
  ptx::wgmma_wait<0>();
  ptx::wgmma_arrived(sum);
  store_sums<true>(C, sum, row0 + warpgroup_row, column0, m, n, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    ladder_wgmma_any(int m, int n, int k, float alpha, const Half* __restrict__ A,
                     const Half* __restrict__ B, float beta, float* __restrict__ C) {
  extern __shared__ Shared shared[];
  multiply_any<kThreads>(shared->stages[0], m, n, k, alpha, A, B, beta, C);
}
