// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 products on Hopper's f16 tensor cores, as exact as f32 arithmetic: A and B come as pairs of f16
// (split_f32.cu), and upper·upper + upper·lower + lower·upper is their product up to 2^-22.
//
// Tensor cores truncate where they add. So no sum stays there for long: each step of kBK k starts from
// zero, the small products first, and f32 registers, which round, add up the steps. While one warpgroup
// adds, the tensor cores work for the other.
#pragma once

#include "kernels/gemm/suspects.cuh"
#include "kernels/gemm/warpgroup.cuh"

namespace gemm {

template <int kBM_, int kBN_, int kBK_, int kStages_, int kCluster_> struct AccurateShape {
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_, kStages = kStages_, kCluster = kCluster_;
  static constexpr int kMultiplying = kBM / kWarpgroupM * 128, kThreads = kMultiplying + 128;
  static constexpr int kProducerRegisters = kBM == 128 ? 40 : 56;
  static constexpr int kMultiplyingRegisters = kBM == 128 ? 232 : 240;
};

// Upper and lower halves, each in rows of kBK k.
template <class S> struct alignas(1024) PairStage {
  Half a[2][S::kBM][S::kBK];
  Half b[2][S::kBN][S::kBK];
};

template <class S> struct AccurateShared {
  PairStage<S> stages[S::kStages];
  Staging staging[S::kMultiplying / 128];
  ptx::Barrier full[S::kStages];
  ptx::Barrier empty[S::kStages];
  unsigned last;
};

template <class S>
__device__ __forceinline__ void produce_pairs(AccurateShared<S>& shared, const GemmArguments& g,
                                              bool adds_nothing, const ptx::TensorMap& A,
                                              const ptx::TensorMap& B) {
  constexpr int kOwn = S::kBN / S::kCluster;  // columns of B that this block fetches, for all
  const int own = S::kCluster > 1 ? static_cast<int>(ptx::cluster_rank()) * kOwn : 0;
  Ring<S::kStages> ring;
#pragma unroll 1
  for (Units<S::kBM, S::kBN, S::kBK, S::kCluster> units(g, adds_nothing); units.more();
       units.advance()) {
    const Unit unit = units.get();
    const int matrix_a = g.pairs_a.is_shared ? 0 : unit.matrix * 2;
    const int matrix_b = g.pairs_b.is_shared ? 0 : unit.matrix * 2;
#pragma unroll 1
    for (int step = 0; step < unit.steps; ++step) {
      ptx::Barrier* const full = &shared.full[ring.index];
      PairStage<S>& stage = shared.stages[ring.index];
      const int k = unit.first_k + step * S::kBK;
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      ptx::mbarrier_arrive_expect(full, sizeof(PairStage<S>));
      for (int half = 0; half < 2; ++half) {
        ptx::tma_load_3d(stage.a[half], A, k, unit.row, matrix_a + half, full);
        if constexpr (S::kCluster == 1)
          ptx::tma_load_3d(stage.b[half], B, k, unit.column, matrix_b + half, full);
        else
          ptx::tma_load_3d_multicast(stage.b[half][own], B, k, unit.column + own, matrix_b + half,
                                     full, (1 << S::kCluster) - 1);
      }
      ring.advance();
    }
  }
  wait_for_readers<S>(shared, ring);
}

// Starts product = A·B for one stage, the small products first.
template <class S>
__device__ __forceinline__ void start_pairs(float (&product)[S::kBN / 2], const PairStage<S>& stage,
                                            int row) {
  const auto a = ptx::describe_rows<S::kBK * 2>(&stage.a[0][row][0]);
  const auto b = ptx::describe_rows<S::kBK * 2>(&stage.b[0][0][0]);
  // Descriptors count in 16 bytes.
  constexpr int kLowerA = sizeof(stage.a[0]) / 16, kLowerB = sizeof(stage.b[0]) / 16;
  const auto add = [&](int a_half, int b_half, int k, auto keep) {
    ptx::wgmma<ptx::F16, S::kBN, Along::kK, Along::kK, decltype(keep)::value>(
        product, a + a_half * kLowerA + k / 8, b + b_half * kLowerB + k / 8);
  };
  ptx::wgmma_fence();
  add(1, 0, 0, std::integral_constant<int, 0>{});
#pragma unroll
  for (int k = 16; k < S::kBK; k += 16) add(1, 0, k, std::integral_constant<int, 1>{});
#pragma unroll
  for (int k = 0; k < S::kBK; k += 16) add(0, 1, k, std::integral_constant<int, 1>{});
#pragma unroll
  for (int k = 0; k < S::kBK; k += 16) add(0, 0, k, std::integral_constant<int, 1>{});
  ptx::wgmma_commit();
}

template <class S>
__device__ __forceinline__ void consume_pairs(float (&sum)[S::kBN / 2], AccurateShared<S>& shared,
                                              Ring<S::kStages>& ring, int steps, int row) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    float product[S::kBN / 2];
    ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
    start_pairs<S>(product, shared.stages[ring.index], row);
    ptx::wgmma_wait<0>();
    ptx::wgmma_arrived(product);
    if constexpr (S::kCluster == 1) {
      if (lane == 0) ptx::mbarrier_arrive(&shared.empty[ring.index]);
    } else {
      if (lane < S::kCluster) ptx::mbarrier_arrive_beside(&shared.empty[ring.index], lane);
    }
#pragma unroll
    for (int i = 0; i < S::kBN / 2; ++i) sum[i] += product[i];
    ring.advance();
  }
}

// Undoes the scales: of the fragment's two rows, and of its columns, one after the other, so that
// nothing leaves the range of f32 on the way.
template <int kN>
__device__ __forceinline__ void unscale(float (&sum)[kN / 2], const float* rows,
                                        const float* columns, int row, int column, int m, int n) {
  const int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  column += lane % 4 * 2;
  const float upper = row < m ? rows[row] : 0, lower = row + 8 < m ? rows[row + 8] : 0;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    const int c = column + i * 2;
    const float first = c < n ? columns[c] : 0, second = c + 1 < n ? columns[c + 1] : 0;
    sum[i] = sum[i] * upper * first, sum[i + 1] = sum[i + 1] * upper * second;
    sum[i + 2] = sum[i + 2] * lower * first, sum[i + 3] = sum[i + 3] * lower * second;
  }
}

// A warpgroup's sums to C.
template <int kN>
__device__ __forceinline__ void finish(float (&sum)[kN / 2], Staging& staging,
                                       const GemmArguments& g, const ptx::TensorMap& C,
                                       const Place& place, float alpha, float beta) {
  if (alpha != 0 && g.k > 0)
    unscale<kN>(sum, g.pairs_a.unscale + (g.pairs_a.is_shared ? 0 : place.matrix * g.m),
                g.pairs_b.unscale + (g.pairs_b.is_shared ? 0 : place.matrix * g.n), place.row,
                place.column, static_cast<int>(g.m), static_cast<int>(g.n));
  store_result<ptx::F16, kN>(sum, staging, g, C, place, alpha, beta);
}

template <class S>
__device__ __forceinline__ void multiply_accurate(const GemmArguments& g, const ptx::TensorMap& A,
                                                  const ptx::TensorMap& B,
                                                  const ptx::TensorMap& C) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  AccurateShared<S>& shared = *reinterpret_cast<AccurateShared<S>*>(bytes);
  if (threadIdx.x == S::kMultiplying) ptx::tma_prefetch(A), ptx::tma_prefetch(B);
  start_barriers<S>(shared);
  const float alpha = value_of<float>(g.alpha);
  if (threadIdx.x >= S::kMultiplying) {
    ptx::give_registers<S::kProducerRegisters>();
    if (threadIdx.x == S::kMultiplying) produce_pairs(shared, g, alpha == 0, A, B);
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
      // The kernel that comes behind computes these tiles (simt_f32.cuh); all parts of a sum agree.
      const bool is_left =
          alpha != 0 && g.k > 0 && is_suspect_tile(g, unit.row, unit.column, unit.matrix);
      float sum[S::kBN / 2] = {};
      consume_pairs<S>(sum, shared, ring, unit.steps, warpgroup_row);
      const int row = unit.row + warpgroup_row;
      if constexpr (S::kCluster == 1) {
        if (g.split.parts > 1 && g.split.partials == nullptr) {
          if (is_left) continue;
          join_in_cluster<S>(sum, shared.stages, g.split.parts, [&](float(&some)[16], int column) {
            finish<32>(some, staging, g, C, {unit.matrix, row, unit.column + column}, alpha, beta);
          });
          continue;
        }
      }
      if (is_left || (g.split.parts > 1 && !join_unit<S>(sum, shared, g, unit))) continue;
      finish<S::kBN>(sum, staging, g, C, {unit.matrix, row, unit.column}, alpha, beta);
    }
    finish_stores();
  }
}

}  // namespace gemm

#define TILEWISE_ACCURATE(name, cluster, ...)                                                  \
  extern "C" __global__ void TILEWISE_CLUSTER_##cluster __launch_bounds__(                     \
      gemm::AccurateShape<__VA_ARGS__, cluster>::kThreads, 1)                                  \
      name(const __grid_constant__ gemm::GemmArguments g,                                      \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B, \
           const __grid_constant__ ptx::TensorMap C) {                                         \
    gemm::multiply_accurate<gemm::AccurateShape<__VA_ARGS__, cluster>>(g, A, B, C);            \
  }
