// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 on Hopper where a block computes one tile and is gone: TMA and wgmma as in warpgroup_16bit.cuh, and
// nothing else.
//
// A small product is over before a kernel is that can do everything: of the 7.5 µs that 512×512×512 took on an H100, 4 were an empty
// kernel's. So these have no units of work, no clusters, no streams and no rounds: which tile a block computes its place in
// the grid says, and one thread asks for the first stage before there is a barrier for any other (docs/lab/gpu_gemm.md).
//
// Tiles are as wide as the launch says, in code of their own for each width, so that as many as there are multiprocessors
// make up C. Only a factor along k comes in any width: where that is A, kernels are given Cᵀ = Bᵀ·Aᵀ
// (GemmKernel::transposes_result), whose columns are C's rows.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/orders.cuh"
#include "kernels/gemm/product_16bit.cuh"
#include "kernels/gemm/result_single.cuh"
#include "kernels/gemm/single.hpp"
#include "kernels/gemm/single_work.cuh"
#include "kernels/gemm/width.cuh"
#include "kernels/ptx/elect.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm::single {

using ptx::Along;

constexpr int kWarpgroupM = 64;  // rows that a warpgroup multiplies
constexpr int kBK = kTileLine;

// A block's warps are kBM / 64 warpgroups that multiply, and one warp that asks TMA for stages.
// A lies as the launch says, B too, but turned round along k alone: panels would be as wide.
template <class Element_, int kBM_, bool kTransposes_> struct Kernel {
  using Element = Element_;
  static constexpr Order kOrderA = Order::kAsLaunched,
                         kOrderB = kTransposes_ ? Order::kAlongK : Order::kAsLaunched;
  static constexpr int kBM = kBM_, kWarpgroups = kBM / kWarpgroupM;
  static constexpr int kProducer = kWarpgroups * 4, kThreads = kWarpgroups * 128 + 32;
  static constexpr bool kTransposes = kTransposes_;
  template <int kN> using HasWidth = std::bool_constant<has_single_width(kN, true)>;
  template <int kN>
  static constexpr Order kOrderBOfWidth = has_single_width(kN, false) ? kOrderB : Order::kAlongK;
};

template <class K> struct Shared {
  alignas(
      1024) Half stages[ring_halves(K::kBM)];  // A and B of all stages, each behind the one before
  Staging staging[K::kWarpgroups];
  ptx::Barrier full[kMostStages];   // the stage's bytes have arrived
  ptx::Barrier empty[kMostStages];  // every warp that multiplies has read it
};

template <class K>
__device__ __forceinline__ Half* stage_at(Shared<K>& shared, const GemmArguments& g, int index) {
  return shared.stages + index * (K::kBM + g.tile_columns) * kBK;
}

// Whoever multiplies and whoever asks meet here once: the barriers of stages are there.
template <class K> __device__ __forceinline__ void arrive_at_start() {
  asm volatile("barrier.cta.arrive.aligned 1, %0;" ::"n"(K::kThreads) : "memory");
}
template <class K> __device__ __forceinline__ void wait_for_start() {
  asm volatile("barrier.cta.sync.aligned 1, %0;" ::"n"(K::kThreads) : "memory");
}

// The one warp that asks for all stages.
template <class K>
__device__ __forceinline__ void produce(Shared<K>& shared, const GemmArguments& g,
                                        const ptx::TensorMap& A, const ptx::TensorMap& B) {
  const ZeroTest<float> alpha(g.alpha);
  const Work work = work_of(g, K::kBM, kBK);
  const int matrix_a = g.is_shared_a ? 0 : work.matrix, matrix_b = g.is_shared_b ? 0 : work.matrix;
  const int stages = g.tile_stages, columns = g.tile_columns;
  const auto ask = [&](auto orders, int step, int index) {
    using Orders = decltype(orders);
    ptx::Barrier* const full = &shared.full[index];
    Half* const a = stage_at(shared, g, index);
    Half* const b = a + K::kBM * kBK;
    const int k = work.first_k + step * kBK;
    ptx::mbarrier_arrive_expect(full,
                                static_cast<unsigned>((K::kBM + columns) * kBK * sizeof(Half)));
    if constexpr (Orders::kAlongA == Along::kK) {
      ptx::tma_load_3d(a, A, k, work.row, matrix_a, full);
    } else {
#pragma unroll
      for (int i = 0; i < K::kBM; i += kTileLine)
        ptx::tma_load_3d(a + i * kBK, A, work.row + i, k, matrix_a, full);
    }
    if constexpr (Orders::kAlongB == Along::kK) {
      ptx::tma_load_3d(b, B, k, work.column, matrix_b, full);
    } else {
      ptx::tma_load_3d(b, B, work.column, k, matrix_b, full);
      static_assert(kMostSingleColumns == 2 * kTileLine);
      if (columns > kTileLine)
        ptx::tma_load_3d(b + kTileLine * kBK, B, work.column + kTileLine, k, matrix_b, full);
    }
  };
  ptx::wait_for_previous_grid();
  const int steps = alpha.is_zero() ? 0 : work.steps;  // for alpha = 0 nothing is read
  if (ptx::elect_one()) {
    ptx::mbarrier_init(&shared.full[0], 1);
    ptx::fence_mbarrier_init();
    if (steps > 0) with_orders<K::kOrderA, K::kOrderB>(g, [&](auto orders) { ask(orders, 0, 0); });
#pragma unroll
    for (int i = 1; i < kMostStages; ++i) ptx::mbarrier_init(&shared.full[i], 1);
    if (steps > stages) {
#pragma unroll
      for (int i = 0; i < kMostStages; ++i)
        ptx::mbarrier_init(&shared.empty[i], K::kWarpgroups * 4);
    }
    ptx::fence_mbarrier_init();
  }
  __syncwarp();
  arrive_at_start<K>();
  if (!ptx::elect_one()) return;
  // A loop for each order: what this one thread does in a step is what small tiles wait for.
  with_orders<K::kOrderA, K::kOrderB>(g, [&](auto orders) {
    int index = 0;
    unsigned phase = 0;
#pragma unroll 1
    for (int step = 1; step < steps; ++step) {
      if (++index == stages) index = 0, phase ^= 1;
      if (step >= stages) ptx::mbarrier_wait(&shared.empty[index], phase ^ 1);
      ask(orders, step, index);
    }
  });
}

// A warpgroup's sums of the block's work. Of narrow tiles, which are for deep products and have the registers, in two levels:
// they stay in the tensor cores, which truncate, for GemmSingle::steps_together steps at a time. While these are added up,
// the tensor cores are at the next. Wider ones took 5 to 9 % longer for it.
template <class K, int kN> class Sums {
 public:
  __device__ __forceinline__ Sums(float (&sum)[kN / 2], Shared<K>& shared, const GemmArguments& g,
                                  int steps, int warpgroup)
      : sum_(sum),
        shared_(shared),
        rows_(warpgroup * kWarpgroupM * kBK),
        stages_(g.tile_stages),
        together_(g.single.steps_together),
        steps_(steps),
        // Stages that nobody will ask for again are not given back.
        gives_(threadIdx.x % 32 == 0 && steps > g.tile_stages) {}

  template <class Orders> __device__ __forceinline__ void add_up() {
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum_[i] = 0;
    if (steps_ == 0) return;
    if constexpr (kN <= 64) {
      float some[2][1][kN / 2];
      while (add<Orders>(some[0], some[1][0]) && add<Orders>(some[1], some[0][0])) {
      }
    } else {
      auto& now = reinterpret_cast<float(&)[1][kN / 2]>(sum_);
#pragma unroll 1
      while (done_ < steps_) start_step<Orders>(now);
      ptx::wgmma_wait<0>();
      ptx::wgmma_arrived(sum_);
    }
  }

 private:
  __device__ __forceinline__ void take(float (&of)[kN / 2]) {
    ptx::wgmma_arrived(of);
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum_[i] += of[i];
  }
  template <class Orders> __device__ __forceinline__ void start_step(float (&now)[1][kN / 2]) {
    ptx::mbarrier_wait(&shared_.full[index_], phase_);
    const Half* const a = shared_.stages + index_ * (K::kBM + kN) * kBK;
    start_product_16_bit<typename K::Element, Orders::kAlongA, Orders::kAlongB, kN>(
        now, a + rows_, a + K::kBM * kBK);
    ptx::wgmma_wait<1>();  // for the step before: its stage has been read
    ptx::mbarrier_arrive_if(gives_ && done_ > 0, &shared_.empty[before_]);
    before_ = index_;
    if (++index_ == stages_) index_ = 0, phase_ ^= 1;
    ++done_;
  }
  // Adds up as many steps in `now`, and meanwhile `previous`, which are of as many before, to the sums. Whether there are
  // more.
  template <class Orders>
  __device__ __forceinline__ bool add(float (&now)[1][kN / 2], float (&previous)[kN / 2]) {
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) now[0][i] = 0;
    const bool is_first = done_ == 0;
    const int end = min(steps_, done_ + together_);
    start_step<Orders>(now);
    if (!is_first) take(previous);
#pragma unroll 1
    while (done_ < end) start_step<Orders>(now);
    if (done_ < steps_) return true;
    ptx::wgmma_wait<0>();
    take(now[0]);
    return false;
  }

  float (&sum_)[kN / 2];
  Shared<K>& shared_;
  int rows_, stages_, together_, steps_;
  bool gives_;
  int index_ = 0, before_ = 0, done_ = 0;
  unsigned phase_ = 0;
};

// The warpgroups that multiply. What result_single.cuh stores is the width's own code; all else the widths share.
template <class K>
__device__ __forceinline__ void multiply(Shared<K>& shared, const GemmArguments& g, int warpgroup) {
  using Element = typename K::Element;
  constexpr int kMost = kMostSingleColumns;
  Work work = work_of(g, K::kBM, kBK);
  const int columns = g.tile_columns;
  ptx::wait_for_previous_grid();
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  if (alpha == 0) work.steps = 0;  // as the producer has it
  const Place place{work.matrix, work.row + warpgroup * kWarpgroupM, work.column,
                    work.above - warpgroup * kWarpgroupM, work.part};
  std::conditional_t<K::kTransposes, TransposedTarget, Target> target;
  if constexpr (K::kTransposes) {
    target = transposed_target_of(g, place, columns, beta);
  } else {
    target = target_of(g, place, beta);
    target.columns_left = min(target.columns_left, columns);
  }
  // Where of Cᵀ only elements are stored, rows need not be aligned.
  const bool is_wide = ptx::kept(target.is_wide && (K::kTransposes ? beta == 0 : target.is_plain));
  const bool is_narrow = ptx::kept(!target.is_wide && target.is_plain);
  const bool is_whole = ptx::kept(lies_inside(target, columns) && work.beside == 0);
  wait_for_start<K>();
  ptx::let_next_grid_start();
  if (beta != 0) [[unlikely]]
    ask_for_result<kMost>(target);
  Staging& staging = shared.staging[warpgroup];
  float sum[kMost / 2];
  with_width<K::template HasWidth>(columns, [&](auto width) {
    constexpr int kN = decltype(width)::value;
    auto& own = reinterpret_cast<float(&)[kN / 2]>(sum);
    with_orders<K::kOrderA, K::template kOrderBOfWidth<kN>>(g, [&](auto orders) {
      Sums<K, kN>(own, shared, g, work.steps, warpgroup).template add_up<decltype(orders)>();
    });
    if (is_wide || is_narrow) {
      if (alpha != 1) {
#pragma unroll
        for (int i = 0; i < kN / 2; ++i) own[i] *= alpha;
      }
      if (is_wide) store_wide<kN>(own, target, is_whole, work.beside);
      else if constexpr (K::kTransposes)
        store_narrow<Element, kN>(own, &staging.warps[threadIdx.x / 32 % 4][0][0], target,
                                  work.beside);
      else store_narrow<Element, kN>(own, &staging.warps[threadIdx.x / 32 % 4][0][0], target);
    }
    // What is left holds anything, and is stored nowhere.
#pragma unroll
    for (int i = kN / 2; i < kMost / 2; ++i) asm volatile("" : "=f"(sum[i]));
  });
  if (is_wide || is_narrow) return;
  if constexpr (K::kTransposes) store_transposed<Element, kMost>(sum, staging, target, alpha, beta);
  else store_by_warps<Element, kMost, true>(sum, staging, g, target, alpha, beta);
}

template <class K>
__device__ __forceinline__ void run(const GemmArguments& g, const ptx::TensorMap& A,
                                    const ptx::TensorMap& B) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared<K>& shared = *reinterpret_cast<Shared<K>*>(bytes);
  // Known to be the same in all lanes.
  const int warp = __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 32), 0);
  // Compilers place what a branch goes to last: the producer's code stands near the beginning.
  if (warp < K::kProducer) {
    multiply(shared, g, warp / 4);
    return;
  }
  produce(shared, g, A, B);
}

}  // namespace gemm::single

// The kernel `name`, of tiles of bm rows, of C or of Cᵀ.
#define TILEWISE_SINGLE(name, element, bm, transposes)                                           \
  extern "C" __global__ void __launch_bounds__((bm)*2 + 32, 1)                                   \
      name(const __grid_constant__ gemm::GemmArguments g,                                        \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B) { \
    gemm::single::run<gemm::single::Kernel<element, bm, transposes>>(g, A, B);                   \
  }
#define TILEWISE_SINGLE_BOTH_WAYS(name, element, bm) \
  TILEWISE_SINGLE(name, element, bm, false)          \
  TILEWISE_SINGLE(name##_swapped, element, bm, true)
