// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 29 cluster_multicast: two blocks, one below the other, fetch their common tile of B once
// Why: the blocks of a cluster run at the same time and can write to each other's shared memory. Two
// blocks of one column of tiles need the same B: each fetches half of it, and TMA delivers that half to
// both (multicast). What a block asks of the second-level cache falls from 48 KB a step to 32 KB.
// The price is that a stage is now filled from two sides. A block's full barrier counts the bytes from
// both; and before a block may send to its neighbour, both have to have read the stage: every
// multiplying warp says so to both blocks' empty barriers. These arrivals carry no memory order (ptx/
// mbarrier.cuh), the start waits for no stores, and the producer stays until its neighbour's last arrival.
// Global reads: m·n·k·(1/256 + 1/256) elements. Shared memory: as in 27.
// Limit now: between two tiles, a block stores its sums, ends, and the next one starts with empty stages.
// Next: blocks that stay (30 persistent).
// Measured on an H200, 8192³: 667 TFLOP/s, 101% of cuBLAS in bf16, where 28 has 653. Many runs in a row
// draw so much power that the GPU lowers its clocks, and then the second-level cache keeps up with 28 too
// (4096³: 633 both). With 30 ms of rest before each run: 756 TFLOP/s after 718, at 4096³ 758 after 743:
// bench/results/h200/2026-11-21-ladder-tensor-cores-{4096,8192,rested-4096,rested-8192}.json
// Arrivals with .release.cluster, as they were before, cost more than a quarter of it: 482 TFLOP/s
// (bench/results/h200/2026-11-21-ladder-tensor-8192.json).
#include "kernels/ladder/warpgroup_tile.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/setmaxnreg.cuh"

constexpr int kStages = 4;
constexpr int kThreads = kMultiplyingThreads + 128;
constexpr int kProducerRegisters = 40, kMultiplyingRegisters = 232;
constexpr unsigned kCluster = 2;
constexpr unsigned short kBoth = 0b11;
constexpr unsigned kReaders = kCluster * kMultiplyingThreads / 32;  // warps
constexpr int kOwnPanels = kPanels / kCluster;                      // of B, that a block fetches

struct Shared {
  Stage stages[kStages];
  ptx::Barrier full[kStages];   // the stage's bytes have arrived
  ptx::Barrier empty[kStages];  // every warp of both blocks has read it
};
static_assert(sizeof(Shared) == 197632);  // dynamic_shared_bytes in the catalogue

__device__ __forceinline__ void produce(Shared& shared, int steps, const ptx::TensorMap& A,
                                        const ptx::TensorMap& B, int row0, int column0) {
  const int own = static_cast<int>(ptx::cluster_rank()) * kOwnPanels;
  Ring<kStages> ring;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    ptx::Barrier* const full = &shared.full[ring.index];
    Stage& stage = shared.stages[ring.index];
    ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
    ptx::mbarrier_arrive_expect(full, kStageBytes);  // the neighbour's half counts
    ptx::tma_load(stage.a, A, row0, step * kBK, full);
    for (int i = own; i < own + kOwnPanels; ++i)
      ptx::tma_load_multicast(stage.b[i], B, step * kBK, column0 + i * kPanel, full, kBoth);
    ring.advance();
  }
  // Nobody leaves before the neighbour's last word has arrived in its shared memory.
  for (int i = 0; i < kStages; ++i, ring.advance())
    ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
}

__device__ __forceinline__ void consume(float (&sum)[kSums], Shared& shared, int steps, int row) {
  const unsigned lane = threadIdx.x % 32;
  Ring<kStages> ring;
  int before = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
    start_product(sum, shared.stages[ring.index], row);
    ptx::wgmma_wait<1>();  // for the step before: its stage has been read
    if (step > 0 && lane < kCluster) ptx::mbarrier_arrive_beside(&shared.empty[before], lane);
    before = ring.index;
    ring.advance();
  }
  ptx::wgmma_wait<0>();
  ptx::wgmma_arrived(sum);
  if (lane < kCluster) ptx::mbarrier_arrive_beside(&shared.empty[before], lane);
}

extern "C" __global__ void __cluster_dims__(1, kCluster, 1) __launch_bounds__(kThreads, 1)
    ladder_cluster_multicast(int m, int n, int k, float alpha,
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
  ptx::cluster_sync_behind_fence();  // the neighbour's barriers are ready too
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
    ladder_cluster_multicast_any(int m, int n, int k, float alpha, const Half* __restrict__ A,
                                 const Half* __restrict__ B, float beta, float* __restrict__ C) {
  extern __shared__ Shared shared[];
  multiply_any<kThreads>(shared->stages[0], m, n, k, alpha, A, B, beta, C);
}
