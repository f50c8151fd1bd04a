// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 28 warp_specialised: one warpgroup asks for tiles, two multiply
// Why: in 27 all threads meet each step, and until the last has come nobody asks for the next stage. Here
// nobody meets. A third warpgroup, the producer, does nothing but ask: it waits until a stage is empty
// and has TMA fill it. The multiplying warpgroups wait until a stage is full, and say when they have
// read it. Each stage has a barrier for either; the two run ahead of each other as far as stages reach.
// The producer needs few registers, so it gives its own away (setmaxnreg): 40 a thread for the producer,
// 232 for those that hold 64×256 sums.
// Global reads and shared memory: as in 27.
// Limit now: every block fetches all of its B, while the block below fetches the same. Next: fetch it
// once for both (29 cluster_multicast).
// Measured: 633 TFLOP/s at 4096³ on an H200, 98% of cuBLAS in bf16, and 653 at 8192³: as fast as 27, no
// faster. In 27, too, a product runs while everyone meets. But where stages are filled from two blocks (29)
// or for the next tile (30), not everyone who would have to meet is there:
// bench/results/h200/2026-11-21-ladder-tensor-cores-{4096,8192}.json
#include "kernels/ladder/warpgroup_tile.cuh"
#include "kernels/ptx/setmaxnreg.cuh"

constexpr int kStages = 4;
constexpr int kThreads = kMultiplyingThreads + 128;
constexpr int kProducerRegisters = 40, kMultiplyingRegisters = 232;
constexpr unsigned kReaders = kMultiplyingThreads / 32;  // warps

struct Shared {
  Stage stages[kStages];
  ptx::Barrier full[kStages];   // the stage's bytes have arrived
  ptx::Barrier empty[kStages];  // every warp has read it
};
static_assert(sizeof(Shared) == 197632);  // dynamic_shared_bytes in the catalogue

__device__ __forceinline__ void produce(Shared& shared, int steps, const ptx::TensorMap& A,
                                        const ptx::TensorMap& B, int row0, int column0) {
  Ring<kStages> ring;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    // The first time round nothing is to be waited for: the phase before the first is complete.
    ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
    load_stage(shared.stages[ring.index], A, B, row0, column0, step * kBK,
               &shared.full[ring.index]);
    ring.advance();
  }
}

__device__ __forceinline__ void consume(float (&sum)[kSums], Shared& shared, int steps, int row) {
  const bool speaks = threadIdx.x % 32 == 0;  // for its warp
  Ring<kStages> ring;
  int before = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
    start_product(sum, shared.stages[ring.index], row);
    ptx::wgmma_wait<1>();  // for the step before: its stage has been read
    if (speaks && step > 0) ptx::mbarrier_arrive(&shared.empty[before]);
    before = ring.index;
    ring.advance();
  }
  ptx::wgmma_wait<0>();
  ptx::wgmma_arrived(sum);
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    ladder_warp_specialised(int m, int n, int k, float alpha,
                            const __grid_constant__ ptx::TensorMap A,
                            const __grid_constant__ ptx::TensorMap B, float beta,
                            float* __restrict__ C) {
  extern __shared__ Shared shared[];
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&shared->full[i], 1);
      ptx::mbarrier_init(&shared->empty[i], kReaders);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const int steps = (k - 1) / kBK + 1;
  if (threadIdx.x >= kMultiplyingThreads) {
    ptx::give_registers<kProducerRegisters>();
    if (threadIdx.x == kMultiplyingThreads) produce(*shared, steps, A, B, row0, column0);
  } else {
    ptx::take_registers<kMultiplyingRegisters>();
    const int warpgroup_row = threadIdx.x / 128 * kWarpgroupM;
    float sum[kSums] = {};
    consume(sum, *shared, steps, warpgroup_row);
    store_sums<true>(C, sum, row0 + warpgroup_row, column0, m, n, alpha, beta);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    ladder_warp_specialised_any(int m, int n, int k, float alpha, const Half* __restrict__ A,
                                const Half* __restrict__ B, float beta, float* __restrict__ C) {
  extern __shared__ Shared shared[];
  multiply_any<kThreads>(shared->stages[0], m, n, k, alpha, A, B, beta, C);
}
