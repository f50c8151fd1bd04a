// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 on Hopper: TMA brings tiles, wgmma multiplies them, sums are f32.
//
// Tiles lie in shared memory in rows of 128 bytes as they lie in global memory: 64 k where k is
// contiguous, else 64 rows of A (columns of B) in panels, one row a k; wgmma reads either. So no
// operand is ever transposed.
#pragma once

#include "kernels/gemm/warpgroup.cuh"

namespace gemm {

template <class Element_, Along kAlongA_, Along kAlongB_, int kBM_, int kBN_, int kStages_,
          int kCluster_>
struct Shape {
  using Element = Element_;
  static constexpr Along kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = 64, kStages = kStages_, kCluster = kCluster_;
  static constexpr int kMultiplying = kBM / kWarpgroupM * 128, kThreads = kMultiplying + 128;
  // Registers are given in eights; those of all threads together must fit into 65536.
  static constexpr int kProducerRegisters = kBM == 128 ? 40 : 56;
  static constexpr int kMultiplyingRegisters = kBM == 128 ? 232 : 240;
  static constexpr int kPanel = 64;  // elements of a row of 128 bytes
  static_assert(kAlongB == Along::kK || kBN / kCluster % kPanel == 0);
};

template <class S> struct alignas(1024) Stage {  // swizzled rows count from 1024 bytes
  Half a[S::kBM * S::kBK];
  Half b[S::kBN * S::kBK];
};

template <class S> struct Shared {
  Stage<S> stages[S::kStages];
  Staging staging[S::kMultiplying / 128];
  ptx::Barrier full[S::kStages];  // the stage's bytes have arrived
  ptx::Barrier
      empty[S::kStages];  // every warp that multiplies, of all blocks of the cluster, has read it
  unsigned last;          // whether this block is the last of a divided sum
};

// Asks for rows `row` … of A or columns … of B, kCount of them, from `k` on.
template <Along kAlong, int kCount, int kBK, class Load>
__device__ __forceinline__ void ask(Half* to, int row, int k, const Load& load) {
  if constexpr (kAlong == Along::kK) {
    load(to, k, row);
  } else {
    for (int i = 0; i < kCount; i += 64) load(to + i * kBK, row + i, k);
  }
}

template <class S>
__device__ __forceinline__ void produce(Shared<S>& shared, const GemmArguments& g,
                                        bool adds_nothing, const ptx::TensorMap& A,
                                        const ptx::TensorMap& B) {
  constexpr int kOwn = S::kBN / S::kCluster;  // columns of B that this block fetches, for all
  const int own = S::kCluster > 1 ? static_cast<int>(ptx::cluster_rank()) * kOwn : 0;
  Ring<S::kStages> ring;
#pragma unroll 1
  for (Units<S::kBM, S::kBN, S::kBK, S::kCluster> units(g, adds_nothing); units.more();
       units.advance()) {
    const Unit unit = units.get();
    // A matrix that all products share is there once.
    const int matrix_a = g.a.stride == 0 ? 0 : unit.matrix,
              matrix_b = g.b.stride == 0 ? 0 : unit.matrix;
#pragma unroll 1
    for (int step = 0; step < unit.steps; ++step) {
      ptx::Barrier* const full = &shared.full[ring.index];
      Stage<S>& stage = shared.stages[ring.index];
      const int k = unit.first_k + step * S::kBK;
      // The first time round nothing is to be waited for: the phase before the first is complete.
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      ptx::mbarrier_arrive_expect(full, sizeof(Stage<S>));  // the neighbour's share counts
      ask<S::kAlongA, S::kBM, S::kBK>(stage.a, unit.row, k, [&](Half* to, int x, int y) {
        ptx::tma_load_3d(to, A, x, y, matrix_a, full);
      });
      ask<S::kAlongB, kOwn, S::kBK>(
          stage.b + own * S::kBK, unit.column + own, k, [&](Half* to, int x, int y) {
            if constexpr (S::kCluster == 1) ptx::tma_load_3d(to, B, x, y, matrix_b, full);
            else ptx::tma_load_3d_multicast(to, B, x, y, matrix_b, full, (1 << S::kCluster) - 1);
          });
      ring.advance();
    }
  }
  wait_for_readers<S>(shared, ring);
}

template <class S>
__device__ __forceinline__ void start_product(float (&sum)[S::kBN / 2], const Stage<S>& stage,
                                              int row) {
  constexpr unsigned kEightRows = 1024, kPanelBytes = S::kBK * 128;
  // A descriptor counts in 16 bytes; from k to k only its address changes.
  constexpr int kStepA = (S::kAlongA == Along::kK ? 16 : 16 * S::kPanel) * 2 / 16;
  constexpr int kStepB = (S::kAlongB == Along::kK ? 16 : 16 * S::kPanel) * 2 / 16;
  const auto a = ptx::describe_tile(stage.a + row * S::kBK, kEightRows, kPanelBytes);
  const auto b = ptx::describe_tile(stage.b, kEightRows, kPanelBytes);
  ptx::wgmma_fence();
#pragma unroll
  for (int i = 0; i < S::kBK / 16; ++i)
    ptx::wgmma<typename S::Element, S::kBN, S::kAlongA, S::kAlongB, 1>(sum, a + i * kStepA,
                                                                       b + i * kStepB);
  ptx::wgmma_commit();
}

// Tells the producers that this warp has read a stage.
template <class S> __device__ __forceinline__ void give_back(Shared<S>& shared, int index) {
  const unsigned lane = threadIdx.x % 32;
  if constexpr (S::kCluster == 1) {
    if (lane == 0) ptx::mbarrier_arrive(&shared.empty[index]);
  } else {
    if (lane < S::kCluster) ptx::mbarrier_arrive_beside(&shared.empty[index], lane);
  }
}

// The sums of one unit. At its end all of its stages have been given back.
template <class S>
__device__ __forceinline__ void consume(float (&sum)[S::kBN / 2], Shared<S>& shared,
                                        Ring<S::kStages>& ring, int steps, int row) {
  int before = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
    start_product<S>(sum, shared.stages[ring.index], row);
    ptx::wgmma_wait<1>();  // for the step before: its stage has been read
    if (step > 0) give_back(shared, before);
    before = ring.index;
    ring.advance();
  }
  ptx::wgmma_wait<0>();
  ptx::wgmma_arrived(sum);
  if (steps > 0) give_back(shared, before);
}

template <class S>
__device__ __forceinline__ void multiply(const GemmArguments& g, const ptx::TensorMap& A,
                                         const ptx::TensorMap& B, const ptx::TensorMap& C) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared<S>& shared = *reinterpret_cast<Shared<S>*>(bytes);
  if (threadIdx.x == S::kMultiplying) ptx::tma_prefetch(A), ptx::tma_prefetch(B);
  start_barriers<S>(shared);
  const float alpha = value_of<float>(g.alpha);
  if (threadIdx.x >= S::kMultiplying) {
    ptx::give_registers<S::kProducerRegisters>();
    if (threadIdx.x == S::kMultiplying) produce(shared, g, alpha == 0, A, B);
  } else {
    ptx::take_registers<S::kMultiplyingRegisters>();
    const int warpgroup_row = warpgroup_number() * kWarpgroupM;
    Ring<S::kStages> ring;
    Staging& staging = shared.staging[threadIdx.x / 128];
    const float beta = value_of<float>(g.beta);
#pragma unroll 1
    for (Units<S::kBM, S::kBN, S::kBK, S::kCluster> units(g, alpha == 0); units.more();
         units.advance()) {
      const Unit unit = units.get();
      float sum[S::kBN / 2] = {};
      consume(sum, shared, ring, unit.steps, warpgroup_row);
      const int row = unit.row + warpgroup_row;
      if constexpr (S::kCluster == 1) {
        if (g.split.parts > 1 && g.split.partials == nullptr) {
          join_in_cluster<S>(sum, shared.stages, g.split.parts, [&](float(&some)[16], int column) {
            store_result<typename S::Element, 32>(
                some, staging, g, C, {unit.matrix, row, unit.column + column}, alpha, beta);
          });
          continue;
        }
      }
      if (g.split.parts > 1 && !join_unit<S>(sum, shared, g, unit)) continue;
      store_result<typename S::Element, S::kBN>(sum, staging, g, C, {unit.matrix, row, unit.column},
                                                alpha, beta);
    }
    finish_stores();
  }
}

}  // namespace gemm

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k").
#define TILEWISE_WARPGROUP(name, suffix, cluster, element, along_a, along_b, ...)                  \
  extern "C" __global__ void TILEWISE_CLUSTER_##cluster __launch_bounds__(                         \
      gemm::Shape<element, along_a, along_b, __VA_ARGS__, cluster>::kThreads, 1)                   \
      name##suffix(                                                                                \
          const __grid_constant__ gemm::GemmArguments g, const __grid_constant__ ptx::TensorMap A, \
          const __grid_constant__ ptx::TensorMap B, const __grid_constant__ ptx::TensorMap C) {    \
    gemm::multiply<gemm::Shape<element, along_a, along_b, __VA_ARGS__, cluster>>(g, A, B, C);      \
  }
#define TILEWISE_WARPGROUP_ORDERS(name, cluster, element, ...)                                     \
  TILEWISE_WARPGROUP(name, _kk, cluster, element, ptx::Along::kK, ptx::Along::kK, __VA_ARGS__)     \
  TILEWISE_WARPGROUP(name, _kx, cluster, element, ptx::Along::kK, ptx::Along::kOther, __VA_ARGS__) \
  TILEWISE_WARPGROUP(name, _xk, cluster, element, ptx::Along::kOther, ptx::Along::kK, __VA_ARGS__) \
  TILEWISE_WARPGROUP(name, _xx, cluster, element, ptx::Along::kOther, ptx::Along::kOther,          \
                     __VA_ARGS__)
