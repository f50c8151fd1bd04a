// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Hopper kernels of the library share: which unit of work comes next, rings of stages, and
// how parts of a sum meet.
//
// As many blocks as the GPU holds stay from the first unit to the last. Of a block's warpgroups the last,
// the producer, asks TMA for stages; the others multiply, 64 rows of the tile each. A cluster of two
// blocks computes two tiles, one below the other, and fetches what both read of B once, each its half.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/result.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/setmaxnreg.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/wgmma_shapes.cuh"

namespace gemm {

using ptx::Along;
using tilewise::kernels::GemmArguments;

constexpr int kWarpgroupM = 64;  // rows that a warpgroup multiplies

// Stage number `index` of a ring, and the phase of its barriers.
template <int kStages> struct Ring {
  int index = 0;
  unsigned phase = 0;

  __device__ __forceinline__ void advance() {
    if (++index == kStages) index = 0, phase ^= 1;
  }
};

// One piece of work: a tile of C, or with a divided k a part of its sum.
struct Unit {
  int row, column;     // the tile's first
  int part, matrix;    // of the sum; of the batch
  long long tile;      // number within all matrices
  int first_k, steps;  // of the sum over k
};

// The units of a block, one after the other. Units are numbered so that those at work at one time lie
// in kGroup rows of clusters of tiles: nearly a square of C, whose rows of A and columns of B stay in the
// second-level cache. Parts of a sum lie far apart, matrices of a batch farther; or they are the blocks of
// a cluster (see join_in_cluster()).
template <int kBM, int kBN, int kBK, int kCluster> class Units {
  static constexpr unsigned kGroup = 16 / kCluster;

 public:
  __device__ __forceinline__ Units(const GemmArguments& g, bool adds_nothing)
      : rank_(kCluster > 1 ? ptx::cluster_rank() : 0),
        down_(static_cast<unsigned>((g.m - 1) / (kCluster * kBM)) + 1),
        across_(static_cast<unsigned>((g.n - 1) / kBN) + 1),
        parts_(g.split.parts),
        k_(adds_nothing ? 0 : static_cast<int>(g.k)),
        k_each_(static_cast<int>(g.split.parts > 1 ? g.split.k_each : g.k)),
        in_cluster_(kCluster == 1 && g.split.parts > 1 && g.split.partials == nullptr),
        next_(in_cluster_ ? blockIdx.x / parts_ : blockIdx.x / kCluster),
        count_(static_cast<long long>(down_) * across_ * (in_cluster_ ? 1 : parts_) * g.matrices) {}

  __device__ __forceinline__ bool more() const { return next_ < count_; }
  __device__ __forceinline__ void advance() {
    next_ = in_cluster_ ? count_ : next_ + gridDim.x / kCluster;
  }

  __device__ __forceinline__ Unit get() const {
    const long long tiles = static_cast<long long>(down_) * across_;
    const auto slab = static_cast<unsigned>(next_ / tiles);
    const auto place = static_cast<unsigned>(next_ % tiles);
    const unsigned group_tiles = kGroup * across_;
    const unsigned first_down = place / group_tiles * kGroup, in_group = place % group_tiles;
    const unsigned rows = min(kGroup, down_ - first_down);
    const unsigned down = (first_down + in_group % rows) * kCluster + rank_;
    const unsigned across = in_group / rows;
    Unit unit;
    unit.row = static_cast<int>(down * kBM), unit.column = static_cast<int>(across * kBN);
    if (in_cluster_)
      unit.part = static_cast<int>(ptx::cluster_rank()), unit.matrix = static_cast<int>(slab);
    else unit.part = static_cast<int>(slab % parts_), unit.matrix = static_cast<int>(slab / parts_);
    unit.tile = (static_cast<long long>(unit.matrix) * down_ * kCluster + down) * across_ + across;
    unit.first_k = unit.part * k_each_;
    unit.steps = max(0, (min(k_each_, k_ - unit.first_k) + kBK - 1) / kBK);
    return unit;
  }

 private:
  unsigned rank_, down_, across_, parts_;
  int k_, k_each_;
  bool in_cluster_;  // the parts of a sum are the blocks of a cluster, which has this one unit
  long long next_, count_;
};

// The warpgroup's number, which the compiler then knows to be the same in all lanes.
__device__ __forceinline__ int warpgroup_number() {
  return __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 128), 0);
}

// Waits until the multiplying threads have all come here.
template <int kCount> __device__ __forceinline__ void meet() {
  asm volatile("barrier.cta.sync.aligned 1, %0;" ::"n"(kCount) : "memory");
}

// Barriers of all stages: one arrival fills, every warp that multiplies, of all blocks, empties.
template <class S, class Shared> __device__ __forceinline__ void start_barriers(Shared& shared) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::kStages; ++i) {
      ptx::mbarrier_init(&shared.full[i], 1);
      ptx::mbarrier_init(&shared.empty[i], S::kCluster * S::kMultiplying / 32);
    }
    ptx::fence_mbarrier_init();
  }
  if constexpr (S::kCluster > 1) ptx::cluster_sync_behind_fence();  // the neighbour's are ready too
  else __syncthreads();
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
}

// Of a producer, at its end: nobody leaves while the neighbour may still reach into its shared memory, to
// fill it or to say that it has read.
template <class S, class Shared>
__device__ __forceinline__ void wait_for_readers(Shared& shared, Ring<S::kStages> ring) {
  if constexpr (S::kCluster > 1) {
    for (int i = 0; i < S::kStages; ++i) {
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      ring.advance();
    }
  }
}

// Adds up the parts of a divided sum in their order, in the block that comes last. Returns whether
// this is that block.
template <class S, class Shared>
__device__ __forceinline__ bool join_unit(float (&sum)[S::kBN / 2], Shared& shared,
                                          const GemmArguments& g, const Unit& unit) {
  constexpr int kCount = S::kBM * S::kBN;
  const int thread = threadIdx.x;
  float* const all = static_cast<float*>(g.split.partials) + unit.tile * g.split.parts * kCount;
  float* const own = all + static_cast<long long>(unit.part) * kCount;
#pragma unroll
  for (int i = 0; i < S::kBN / 2; ++i) own[i * S::kMultiplying + thread] = sum[i];
  meet<S::kMultiplying>();
  if (thread == 0) {
    __threadfence();  // the block's sums are there before its arrival is
    const unsigned before = atomicAdd(&g.split.arrivals[unit.tile], 1u);
    __threadfence();  // and the others' sums before they are read
    shared.last = before + 1 == static_cast<unsigned>(g.split.parts);
    if (shared.last) g.split.arrivals[unit.tile] = 0;  // as it was found
  }
  meet<S::kMultiplying>();
  const bool last = shared.last != 0;
  meet<S::kMultiplying>();  // before the next unit writes it
  if (!last) return false;
#pragma unroll
  for (int i = 0; i < S::kBN / 2; ++i) sum[i] = 0;
#pragma unroll 1
  for (int part = 0; part < g.split.parts; ++part) {
    const float* const from = all + static_cast<long long>(part) * kCount + thread;
#pragma unroll
    for (int i = 0; i < S::kBN / 2; ++i) sum[i] += __ldcg(from + i * S::kMultiplying);
  }
  return true;
}

// Adds up the parts of a divided sum in their order, where they are the blocks of a cluster: each leaves its
// sums in its shared memory, and adds up those of all for its share of the columns, 32 at a time. `room`: bytes
// that nobody uses any more. `take(part, column)` gets 16 sums a thread and the first of their 32 columns.
template <class S, class Take>
__device__ __forceinline__ void join_in_cluster(const float (&sum)[S::kBN / 2], void* room,
                                                int parts, const Take& take) {
  constexpr int kThreads = S::kMultiplying;
  float4* const own = static_cast<float4*>(room) + threadIdx.x;
  meet<kThreads>();  // the other warpgroup has read its last stage
#pragma unroll
  for (int i = 0; i < S::kBN / 2; i += 4)
    own[i / 4 * kThreads] = make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]);
  ptx::cluster_sync();
#pragma unroll 1
  for (int slice = static_cast<int>(ptx::cluster_rank()); slice < S::kBN / 32; slice += parts) {
    float total[16] = {};
#pragma unroll 1
    for (int part = 0; part < parts; ++part) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float4 four = ptx::load_beside(own + (slice * 4 + i) * kThreads, part);
        total[i * 4] += four.x, total[i * 4 + 1] += four.y;
        total[i * 4 + 2] += four.z, total[i * 4 + 3] += four.w;
      }
    }
    take(total, slice * 32);
  }
  ptx::cluster_sync();  // nobody leaves while others read
}

}  // namespace gemm

// Before a kernel's name: how many blocks its clusters have, where the kernel says so. Where not, the launch may.
#define TILEWISE_CLUSTER_1
#define TILEWISE_CLUSTER_2 __cluster_dims__(2, 1, 1)
