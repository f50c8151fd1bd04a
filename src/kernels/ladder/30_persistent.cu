// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// 30 persistent: as many clusters as the GPU holds at a time, each computing tile after tile
// Why: a multiprocessor whose block ends stands idle until the next one has started and filled its
// stages. A block that stays goes on: while its multiplying warps store one tile of C, its producer
// already fetches the next tile's first stages; rings and phases run on across tiles.
// And the kernel, not the hardware, says which tile comes next: in groups of kGroup rows of tile pairs,
// down first. The tiles at work at one time then form a square of C rather than a strip, and share
// more rows of A and columns of B in the second-level cache. There are as few clusters as need no more
// rounds than all would: at 8192³ 64 of 66, 16 tiles each.
// Global reads: m·n·k·(1/256 + 1/256) elements, most of them from the second-level cache.
// Limit now: the tensor cores, and the power they draw. Next: what a library adds: tiles for every shape,
// C by way of TMA.
// Measured on an H200, 8192³: 683 TFLOP/s, 102% of cuBLAS in bf16, where 29 has 667; at 4096³ 654 after
// 633. With 30 ms of rest before each run 797 after 756, and 774 after 758:
// bench/results/h200/2026-11-21-ladder-tensor-cores-{4096,8192,rested-4096,rested-8192}.json
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
constexpr unsigned kGroup = 8;                                      // rows of tile pairs

struct Shared {
  Stage stages[kStages];
  ptx::Barrier full[kStages];   // the stage's bytes have arrived
  ptx::Barrier empty[kStages];  // every warp of both blocks has read it
};
static_assert(sizeof(Shared) == 197632);  // dynamic_shared_bytes in the catalogue

// The tiles of a block, one after the other.
class Tiles {
 public:
  __device__ __forceinline__ Tiles(int m, int n)
      : rank_(ptx::cluster_rank()),
        down_((m - 1u) / (kCluster * kBM) + 1),
        across_((n - 1u) / kBN + 1),
        pair_(blockIdx.x / kCluster) {}

  // 64 bits: C may have more tiles than 32 bits count.
  __device__ __forceinline__ bool more() const { return pair_ < size_t{down_} * across_; }
  __device__ __forceinline__ void advance() { pair_ += gridDim.x / kCluster; }

  // The first row and column of the tile: those of a pair in its group, and of the block in its pair.
  __device__ __forceinline__ void locate(unsigned& row, unsigned& column) const {
    const size_t group_pairs = size_t{kGroup} * across_;
    const unsigned first_down = static_cast<unsigned>(pair_ / group_pairs) * kGroup;
    const unsigned in_group = static_cast<unsigned>(pair_ % group_pairs);
    const unsigned rows = min(kGroup, down_ - first_down);
    row = ((first_down + in_group % rows) * kCluster + rank_) * kBM;
    column = in_group / rows * kBN;
  }

 private:
  unsigned rank_, down_, across_;
  size_t pair_;
};

__device__ __forceinline__ void produce(Shared& shared, int m, int n, int steps,
                                        const ptx::TensorMap& A, const ptx::TensorMap& B) {
  const int own = static_cast<int>(ptx::cluster_rank()) * kOwnPanels;
  Ring<kStages> ring;
  unsigned row0, column0;
#pragma unroll 1
  for (Tiles tiles(m, n); tiles.more(); tiles.advance()) {
    tiles.locate(row0, column0);
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
  }
  // Nobody leaves before the neighbour's last word has arrived in its shared memory.
  for (int i = 0; i < kStages; ++i, ring.advance())
    ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
}

// The product of one tile. At its end all of its stages have been given back.
__device__ __forceinline__ void consume(float (&sum)[kSums], Shared& shared, Ring<kStages>& ring,
                                        int steps, int row) {
  const unsigned lane = threadIdx.x % 32;
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

extern "C" __global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1)
    ladder_persistent(int m, int n, int k, float alpha, const __grid_constant__ ptx::TensorMap A,
                      const __grid_constant__ ptx::TensorMap B, float beta, float* __restrict__ C) {
  extern __shared__ Shared shared[];
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
    if (threadIdx.x == kMultiplyingThreads) produce(*shared, m, n, steps, A, B);
  } else {
    ptx::take_registers<kMultiplyingRegisters>();
    const int warpgroup_row = threadIdx.x / 128 * kWarpgroupM;
    Ring<kStages> ring;
    unsigned row0, column0;
#pragma unroll 1
    for (Tiles tiles(m, n); tiles.more(); tiles.advance()) {
      tiles.locate(row0, column0);
      float sum[kSums] = {};
      consume(sum, *shared, ring, steps, warpgroup_row);
      store_sums<true>(C, sum, row0 + warpgroup_row, column0, m, n, alpha, beta);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    ladder_persistent_any(int m, int n, int k, float alpha, const Half* __restrict__ A,
                          const Half* __restrict__ B, float beta, float* __restrict__ C) {
  extern __shared__ Shared shared[];
  multiply_any<kThreads>(shared->stages[0], m, n, k, alpha, A, B, beta, C);
}
