// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 products on Hopper's f16 tensor cores, as exact as f32 arithmetic: A and B come as pairs of f16
// (split_f32.cu), and upper·upper + upper·lower + lower·upper is their product up to 2^-22.
//
// Tensor cores truncate where they add. So no sum stays there for long: each chain of kChain k starts from
// zero, the small products first, and f32 registers, which round, add up the chains. While they add one, the
// tensor cores are at the next, or work for the other warpgroup. Narrow tiles, which k is long for, have registers
// left to add up kTogether k at a time, and the sums of these.
#pragma once

#include "kernels/gemm/suspects.cuh"
#include "kernels/gemm/unscale.cuh"
#include "kernels/gemm/warpgroup.cuh"

namespace gemm {

template <class Tile, int kChain> struct Accurate {
  using Shape = Tile;
  using S = Tile;
  static constexpr int kSlice = S::kBN % 32 == 0 ? 16 : 8;
  static constexpr int kTogether = 256;  // k
  static constexpr bool kInTwoLevels = S::kBN <= 64 || S::kBM == 64;
  // One warpgroup starts two chains, then the other, while the first adds up. Left alone, their instructions alternate, both
  // end at the same time, and the tensor cores idle while both add up.
  static constexpr bool kTakesTurns = S::kMultiplying == 256;
  static_assert(S::kBK % (2 * kChain) == 0);

  struct alignas(1024) Stage {  // upper and lower halves, each in rows of kBK k
    Half a[2][S::kBM][S::kBK];
    Half b[2][S::kBN][S::kBK];
  };

  using Stages = Stage[S::kStages];

  static __device__ __forceinline__ Share share(const GemmArguments& g) {
    return share_of<S>(g, S::kBM, S::kBN);
  }
  static constexpr Order kOrderA = Order::kAlongK, kOrderB = Order::kAlongK;  // as pairs lie
  template <class Orders>
  static __device__ __forceinline__ void fetch(Stage& stage, const GemmArguments& g,
                                               const Share& share, const Unit& unit, int k,
                                               const ptx::TensorMap& A, const ptx::TensorMap& B,
                                               ptx::Barrier* full) {
    const int own = share.first_b;
    const int matrix_a = g.pairs_a.is_shared ? 0 : unit.matrix * 2;
    const int matrix_b = g.pairs_b.is_shared ? 0 : unit.matrix * 2;
    for (int half = 0; half < 2; ++half) {
      ptx::tma_load_3d(stage.a[half], A, k, unit.row, matrix_a + half, full);
      if constexpr (S::kDown == 1)
        ptx::tma_load_3d(stage.b[half], B, k, unit.column, matrix_b + half, full);
      else
        ptx::tma_load_3d_multicast(stage.b[half][own], B, k, unit.column + own, matrix_b + half,
                                   full, share.for_b);
    }
  }

  // Starts product = A·B for kChain k of a stage, the small products first.
  static __device__ __forceinline__ void start_chain(float (&product)[S::kBN / 2],
                                                     const Stage& stage, int row, int first) {
    const auto a = ptx::describe_rows<S::kBK * 2>(&stage.a[0][row][0]);
    const auto b = ptx::describe_rows<S::kBK * 2>(&stage.b[0][0][0]);
    // Descriptors count in 16 bytes.
    constexpr int kLowerA = sizeof(stage.a[0]) / 16, kLowerB = sizeof(stage.b[0]) / 16;
    const auto add = [&](int a_half, int b_half, int k, auto keep) {
      ptx::wgmma<ptx::F16, S::kBN, Along::kK, Along::kK, decltype(keep)::value>(
          product, a + a_half * kLowerA + (first + k) / 8, b + b_half * kLowerB + (first + k) / 8);
    };
    ptx::wgmma_fence();
    add(1, 0, 0, std::integral_constant<int, 0>{});
#pragma unroll
    for (int k = 16; k < kChain; k += 16) add(1, 0, k, std::integral_constant<int, 1>{});
#pragma unroll
    for (int k = 0; k < kChain; k += 16) add(0, 1, k, std::integral_constant<int, 1>{});
#pragma unroll
    for (int k = 0; k < kChain; k += 16) add(0, 0, k, std::integral_constant<int, 1>{});
    ptx::wgmma_commit();
  }

  static __device__ __forceinline__ void consume(float (&sum)[S::kBN / 2], Shared<Accurate>& shared,
                                                 Ring<S::kStages>& ring, const GemmArguments& g,
                                                 const Unit& unit, int row) {
    constexpr int kStepsTogether = kTogether / S::kBK;
    if (unit.steps == 0) return;
    float some[kInTwoLevels ? S::kBN / 2 : 1] = {};
    // Narrow tiles have registers left to ask early for what is needed at the end.
    const Place place{unit.matrix, unit.row + row, unit.column};
    Unscales<S::kBN> unscales;
    if (kInTwoLevels) unscales.load(g, place);
    const unsigned in_a = suspects_in<S::kBM, S::kBK>(g.pairs_a, unit, unit.row, g.m, g.k);
    const unsigned in_b = suspects_in<S::kBN, S::kBK>(g.pairs_b, unit, unit.column, g.n, g.k);
#pragma unroll 1
    for (int step = 0; step < unit.steps; ++step) {
      ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
      const Stage& stage = shared.stages[ring.index];
      const auto take = [&](float(&product)[S::kBN / 2]) {
        ptx::wgmma_arrived(product);
#pragma unroll
        for (int i = 0; i < S::kBN / 2; ++i) {
          if constexpr (kInTwoLevels) some[i] += product[i];
          else sum[i] += product[i];
        }
      };
#pragma unroll
      for (int k = 0; k < S::kBK; k += 2 * kChain) {
        float product[2][S::kBN / 2];
        if (kTakesTurns) wait_for_turn(row / kWarpgroupM);
        start_chain(product[0], stage, row, k);
        start_chain(product[1], stage, row, k + kChain);
        if (kTakesTurns) give_turn(1 - row / kWarpgroupM);
        ptx::wgmma_wait<1>();
        take(product[0]);
        ptx::wgmma_wait<0>();
        if (k + 2 * kChain == S::kBK) give_back(shared, ring, ring.index);
        take(product[1]);
      }
      ring.advance();
      if constexpr (kInTwoLevels) {
        if (step % kStepsTogether != kStepsTogether - 1 && step + 1 < unit.steps) continue;
#pragma unroll
        for (int j = 0; j < S::kBN / 2; ++j) sum[j] += some[j], some[j] = 0;
      }
    }
    if (is_in_any(in_a | in_b))
      multiply_f32<S::kBN, S::kBK>(sum, shared.staging[row / kWarpgroupM], g, unit, unit.row + row);
    else if (kInTwoLevels) unscale<S::kBN>(sum, unscales);
    else unscale<S::kBN>(sum, g, place);
  }

  template <int kN>
  static __device__ __forceinline__ void finish(float (&sum)[kN / 2], Staging& staging,
                                                const GemmArguments& g, const Target& target,
                                                float alpha, float beta) {
    store_by_warps<float, kN, kInTwoLevels>(sum, staging, g, target, alpha, beta);
  }
};

}  // namespace gemm

// `...`: kBM, kBN, kBK and stages.
#define TILEWISE_ACCURATE(name, cluster, chain, ...) \
  TILEWISE_WARPGROUP_KERNEL(name, cluster, gemm::Accurate<gemm::Tile<__VA_ARGS__, cluster>, chain>)
