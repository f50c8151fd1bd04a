// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 on Hopper: TMA brings tiles, wgmma multiplies them, sums are f32.
//
// Tiles lie in shared memory in rows of 128 bytes as they lie in global memory: 64 k where k is
// contiguous, else 64 rows of A (columns of B) in panels, one row a k; wgmma reads either. So no
// operand is ever transposed. Which order A and B have the launch says: there are up to four loops over k in a kernel, but
// one way of its sums to C, which is most of the code and of the time that compilers take.
//
// Tiles of any width are for products whose rows are any number: they are given Cᵀ = Bᵀ·Aᵀ, so that those rows are
// their columns, of which wgmma takes every multiple of eight. A switch in front of the loop over k names the width's
// instructions; those in turns, and the wider ones of 192 rows, have kernels of their own for each width, as such a switch
// costs what is measured in docs/lab/gpu_gemm.md.
#pragma once

#include "kernels/gemm/any_width.hpp"
#include "kernels/gemm/orders.cuh"
#include "kernels/gemm/product_16bit.cuh"
#include "kernels/gemm/warpgroup.cuh"
#include "kernels/gemm/width.cuh"

namespace gemm {

// Of Cᵀ, of whose widths each has kernels of its own.
template <int kBN>
using TurnedTileOfWidth = TurnedTileInTurns<128, kBN, 64, stages_of_width(128, kBN)>;

// The same of tiles that warpgroups share, in clusters as launched.
template <int kBN, Order kOrderB>
struct TurnedTileOfOwnWidth
    : Tile<kOwnRows, kBN, 64,
           stages_of_width(kOwnRows, columns_fetched(kBN, kOrderB == Order::kAlongK)),
           kAsLaunched> {
  static constexpr bool kTransposes = true, kStoresDirectly = true;
};

template <class Element, Order kOrderA_, Order kOrderB_, class Tile> struct SixteenBit {
  using Shape = Tile;
  using S = Tile;
  static constexpr Order kOrderA = kOrderA_, kOrderB = kOrderB_;
  static constexpr int kSlice = 16;
  static constexpr int kPanel = 64;  // elements of a row of 128 bytes
  // Of tiles that are narrow: they are for products which are thin and deep, and have the registers.
  // (Of any width there have to be as many as for three times the sums, see consume().)
  template <int kN>
  static constexpr bool kInTwoLevels = kN <= 64 && (!S::kIsAnyWidth || kN * 3 <= S::kBN);
  static constexpr int kTogether = 256;  // k
  static_assert(S::kBK == kPanel && (kOrderB == Order::kAlongK || !S::kIsAnyWidth));

  // Columns of B that a stage has: as many in either order, where the launch says which.
  static constexpr int kColumnsOfB = columns_fetched(S::kBN, kOrderB == Order::kAlongK);
  static_assert(kOrderB != Order::kAsLaunched || kColumnsOfB == S::kBN);
  static __device__ __forceinline__ int columns_of_b(const GemmArguments& g) {
    return kOrderB == Order::kAlongK ? S::columns(g) : kColumnsOfB;
  }
  static __device__ __forceinline__ bool is_a_across_k(const GemmArguments& g) {
    return lies_across_k<kOrderA>(g.a_across_k);
  }
  static __device__ __forceinline__ bool is_b_across_k(const GemmArguments& g) {
    return lies_across_k<kOrderB>(g.b_across_k);
  }

  // A and B of all stages, each behind the one before. Swizzled rows count from 1024 bytes.
  struct alignas(1024) Stages {
    // There is room for whole slices where blocks of a cluster leave each other their sums.
    static constexpr int kOfSums =
                             (S::kBN / 2 + kSlice - 1) / kSlice * kSlice * S::kMultiplying * 2,
                         kOfStages = S::kStages * (S::kBM + kColumnsOfB) * S::kBK;
    Half halves[S::kIsAnyWidth ? ring_halves(S::kBM) : kOfStages < kOfSums ? kOfSums : kOfStages];
  };
  struct Stage {
    Half *a, *b;
  };
  static __device__ __forceinline__ Stage stage_at(Stages& stages, const GemmArguments& g,
                                                   int index) {
    Half* const a = stages.halves + index * (S::kBM + columns_of_b(g)) * S::kBK;
    return {a, a + S::kBM * S::kBK};
  }
  static __device__ __forceinline__ unsigned stage_bytes(const GemmArguments& g) {
    return (S::kBM + columns_of_b(g)) * S::kBK * sizeof(Half);
  }

  // What several read is shared by rows of A (columns of B); or in clusters as launched, where these lie in panels, by k.
  // (shared_box() in catalogue.hpp describes such a part.)
  static constexpr bool kSharesK = S::kDown == kAsLaunched;
  static __device__ __forceinline__ Share share(const GemmArguments& g) {
    return share_of<S>(g, kSharesK && is_a_across_k(g) ? S::kBK : S::kBM,
                       kSharesK && is_b_across_k(g) ? S::kBK : columns_of_b(g));
  }

  // Asks for `count` rows of A or columns of B from `row` on, from k on: of those that are shared, or of their k, for the
  // part from `first` on.
  template <Along kAlong, class Load>
  static __device__ __forceinline__ void ask(Half* to, int row, int count, int k, int first,
                                             const Load& load) {
    if constexpr (kAlong == Along::kK) {
      load(to + first * S::kBK, k, row + first);
    } else if constexpr (kSharesK) {
      for (int i = 0; i < count; i += kPanel)
        load(to + i * S::kBK + first * kPanel, row + i, k + first);
    } else {
      for (int i = 0; i < count; i += kPanel) load(to + (first + i) * S::kBK, row + first + i, k);
    }
  }

  template <class Orders>
  static __device__ __forceinline__ void fetch(const Stage& stage, const GemmArguments& g,
                                               const Share& share, const Unit& unit, int k,
                                               const ptx::TensorMap& A, const ptx::TensorMap& B,
                                               ptx::Barrier* full) {
    // A matrix that all products share is there once.
    const int matrix_a = g.is_shared_a ? 0 : unit.matrix,
              matrix_b = g.is_shared_b ? 0 : unit.matrix;
    // A request for other blocks is one that the GPU does not merge with the same request of a further block
    // (docs/lab/gpu_gemm.md): made only for what others read.
    const auto fetch_a = [&](Half* to, int x, int y) {
      ptx::tma_load_3d(to, A, x, y, matrix_a, full);
    };
    const auto fetch_b = [&](Half* to, int x, int y) {
      ptx::tma_load_3d(to, B, x, y, matrix_b, full);
    };
    const auto fetch_a_for_all = [&](Half* to, int x, int y) {
      ptx::tma_load_3d_multicast(to, A, x, y, matrix_a, full, share.for_a);
    };
    const auto fetch_b_for_all = [&](Half* to, int x, int y) {
      ptx::tma_load_3d_multicast(to, B, x, y, matrix_b, full, share.for_b);
    };
    constexpr bool kAsItIs = S::kDown != kAsLaunched;  // of one or two blocks, one below the other
    constexpr Along kAlongA = Orders::kAlongA, kAlongB = Orders::kAlongB;
    if (kAsItIs || share.is_all_of_a) ask<kAlongA>(stage.a, unit.row, S::kBM, k, 0, fetch_a);
    else ask<kAlongA>(stage.a, unit.row, S::kBM, k, share.first_a, fetch_a_for_all);
    if constexpr (S::kDown > 1)
      ask<kAlongB>(stage.b, unit.column, S::kBN / S::kDown, k, share.first_b, fetch_b_for_all);
    else if (kAsItIs || share.is_all_of_b)
      ask<kAlongB>(stage.b, unit.column, columns_of_b(g), k, 0, fetch_b);
    else ask<kAlongB>(stage.b, unit.column, columns_of_b(g), k, share.first_b, fetch_b_for_all);
  }

  // Starts what a stage adds to the sums, kTimes times those of 64 rows, from `row` on, and kN columns.
  template <int kN, class Orders, int kTimes, int kRoom>
  static __device__ __forceinline__ void start_product(float (&sum)[kTimes][kRoom],
                                                       const Stage& stage, int row) {
    start_product_16_bit<Element, Orders::kAlongA, Orders::kAlongB, kN>(sum, stage.a + row * S::kBK,
                                                                        stage.b);
  }

  // The sums of a unit, of 64 rows from `row` on, or of several times 64. At its end all of the unit's stages have
  // been given back; `arrived` is called when all have come.
  template <int kN, int kTimes, int kRoom, class Shared, class Arrived>
  static __device__ __forceinline__ void add_up(float (&sum)[kTimes][kRoom], Shared& shared,
                                                Ring<S::kStages>& ring, const GemmArguments& g,
                                                const Unit& unit, int row, const Arrived& arrived) {
    const auto of_rows = [&](int i) -> auto& { return reinterpret_cast<float(&)[kN / 2]>(sum[i]); };
#pragma unroll
    for (int i = 0; i < kTimes; ++i) set_to_zero(of_rows(i));
    // To the last wait, as what tensor cores still add to cannot come from several places.
    with_orders<kOrderA, kOrderB>(g, [&](auto orders) {
      int before = 0;
#pragma unroll 1
      for (int step = 0; step < unit.steps; ++step) {
        ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
        start_product<kN, decltype(orders)>(sum, stage_at(shared.stages, g, ring.index), row);
        ptx::wgmma_wait<1>();  // for the step before: its stage has been read
        if (step > 0) give_back(shared, ring, before);
        before = ring.index;
        ring.advance(S::stages(g));
      }
      arrived();
      ptx::wgmma_wait<0>();
#pragma unroll
      for (int i = 0; i < kTimes; ++i) ptx::wgmma_arrived(of_rows(i));
      if (unit.steps > 0) give_back(shared, ring, before);
    });
  }

  // The same for 64 rows in two levels: sums stay in the tensor cores, which truncate, for kTogether k at a time. While
  // these are added up, the tensor cores are at the next.
  template <int kN, class Orders, class Shared>
  static __device__ __forceinline__ void add_up_in_two_levels(float (&sum)[kN / 2], Shared& shared,
                                                              Ring<S::kStages>& ring,
                                                              const GemmArguments& g,
                                                              const Unit& unit, int row,
                                                              float (&some)[2][1][kN / 2]) {
    set_to_zero(sum);
    int left = unit.steps, before = 0;
    const auto take = [&](float(&of)[kN / 2]) {
      ptx::wgmma_arrived(of);
#pragma unroll
      for (int i = 0; i < kN / 2; ++i) sum[i] += of[i];
    };
    const auto step = [&](float(&now)[1][kN / 2]) {
      ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
      start_product<kN, Orders>(now, stage_at(shared.stages, g, ring.index), row);
      ptx::wgmma_wait<1>();  // for the step before: its stage has been read
      if (left < unit.steps) give_back(shared, ring, before);
      before = ring.index;
      ring.advance(S::stages(g));
      --left;
    };
    const auto together = [&](float(&now)[1][kN / 2], float(&previous)[kN / 2]) {
      set_to_zero(now[0]);
      const bool is_first = left == unit.steps;
      const int end = max(0, left - kTogether / S::kBK);
      step(now);
      if (!is_first) take(previous);
#pragma unroll 1
      while (left > end) step(now);
      if (left > 0) return true;
      ptx::wgmma_wait<0>();
      give_back(shared, ring, before);
      take(now[0]);
      return false;
    };
    if (left == 0) return;
    while (together(some[0], some[1][0]) && together(some[1], some[0][0])) {
    }
  }

  template <int kN>
  using HasWidth = std::bool_constant<S::kTransposes ? has_width(kN, widest_in_one(S::kBM, S::kBN))
                                                     : has_width_of_c(kN, S::kBN)>;

  // Of any width not: each width's own code would do what is then to be done. Narrow tiles are mostly a block's only ones, and
  // those of Cᵀ have no registers for it.
  static constexpr bool kTellsArrival = !S::kIsAnyWidth && !S::kTransposes && !kInTwoLevels<S::kBN>;
  struct Nothing {
    __device__ __forceinline__ void operator()() const {}
  };
  template <class Shared, class Arrived = Nothing>
  static __device__ __forceinline__ void consume(float (&sum)[S::kBN / 2], Shared& shared,
                                                 Ring<S::kStages>& ring, const GemmArguments& g,
                                                 const Unit& unit, int row,
                                                 const Arrived& arrived = {}) {
    const auto consume_columns = [&](auto columns) {
      constexpr int kN = decltype(columns)::value;
      auto& own = reinterpret_cast<float(&)[1][kN / 2]>(sum);
      if constexpr (!kInTwoLevels<kN>) {
        add_up<kN>(own, shared, ring, g, unit, row, arrived);
      } else {
        with_orders<kOrderA, kOrderB>(g, [&](auto orders) {
          if constexpr (S::kIsAnyWidth) {  // what is left of the registers for sums will do
            auto& some = reinterpret_cast<float(&)[2][1][kN / 2]>(sum[kN / 2]);
            add_up_in_two_levels<kN, decltype(orders)>(own[0], shared, ring, g, unit, row, some);
          } else {
            float some[2][1][kN / 2];
            add_up_in_two_levels<kN, decltype(orders)>(own[0], shared, ring, g, unit, row, some);
          }
        });
      }
#pragma unroll
      for (int i = kN / 2; i < S::kBN / 2; ++i) sum[i] = 0;
    };
    if constexpr (S::kIsAnyWidth) with_width<HasWidth>(S::columns(g), consume_columns);
    else consume_columns(std::integral_constant<int, S::kBN>{});
  }
  // Of warpgroups that take turns: the whole tile.
  template <int kTimes, class Shared, class Arrived>
  static __device__ __forceinline__ void consume(float (&sum)[kTimes][S::kBN / 2], Shared& shared,
                                                 Ring<S::kStages>& ring, const GemmArguments& g,
                                                 const Unit& unit, const Arrived& arrived) {
    add_up<S::kBN>(sum, shared, ring, g, unit, 0, arrived);
  }

  // Registers for what C holds while sums are added to it: what these, addresses and the like leave, but no more than help.
  static constexpr int kFree = S::kMultiplyingRegisters - (S::kInTurns ? S::kBN : S::kBN / 2) - 68;
  static constexpr int kHeld = kFree < 64 ? kFree : 64;

  // kN columns: all, or of those that a block of a cluster adds up.
  template <int kN>
  static __device__ __forceinline__ void finish(float (&sum)[kN / 2], Staging& staging,
                                                const GemmArguments& g, const Target& target,
                                                float alpha, float beta) {
    store_by_warps<Element, kN, S::kBN <= 64, kHeld>(sum, staging, g, target, alpha, beta);
  }
  template <int kN, class SomeStaging>
  static __device__ __forceinline__ void finish(float (&sum)[kN / 2], SomeStaging& staging,
                                                const GemmArguments& g, const BoxTarget& target,
                                                float alpha, float) {
    if (alpha != 1) {
#pragma unroll
      for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha;
    }
    store_boxes<Element, kN>(sum, staging, g, target);
  }
  template <int kN>
  static __device__ __forceinline__ void finish(float (&sum)[kN / 2], Staging& staging,
                                                const GemmArguments&,
                                                const TransposedTarget& target, float alpha,
                                                float beta) {
    constexpr bool kDirectly = S::kStoresDirectly && kN == S::kBN;
    if constexpr (kDirectly) {
      if (goes_directly<kN>(target, beta)) [[likely]] {
        if (alpha != 1) [[unlikely]] {
#pragma unroll
          for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha;
        }
        return store_directly<Element, kN>(sum, staging, target);
      }
    }
    store_transposed<Element, kN, !kDirectly, kHeld>(sum, staging, target, alpha, beta);
  }
};

}  // namespace gemm

// The kernel of a shape, for A and B in these orders. `...`: the Tile. `cluster`: its kDown.
#define TILEWISE_WARPGROUP(name, cluster, element, order_a, order_b, ...) \
  TILEWISE_WARPGROUP_KERNEL(                                              \
      name, cluster,                                                      \
      gemm::SixteenBit<element, gemm::Order::order_a, gemm::Order::order_b, __VA_ARGS__>)
#define TILEWISE_WARPGROUP_TILE(name, cluster, element, bm, bn, stages) \
  TILEWISE_WARPGROUP(name, cluster, element, kAsLaunched, kAsLaunched,  \
                     gemm::Tile<bm, bn, 64, stages, cluster>)
// The same whose warpgroups take turns, and once more for all of C in boxes, of up to most_stages.
#define TILEWISE_WARPGROUP_TURNS(name, cluster, element, bm, bn, stages, most_stages) \
  TILEWISE_WARPGROUP(name, cluster, element, kAsLaunched, kAsLaunched,                \
                     gemm::TileInTurns<bm, bn, 64, stages, cluster>)                  \
  TILEWISE_WARPGROUP(name##_boxes, cluster, element, kAsLaunched, kAsLaunched,        \
                     gemm::TileInBoxes<bm, bn, 64, stages, most_stages, cluster>)
// Tiles of any width, of C or of Cᵀ, for B along k.
#define TILEWISE_WARPGROUP_ANY_WIDTH(name, element, bm, most_bn, transposes) \
  TILEWISE_WARPGROUP(                                                        \
      name, 0, element, kAsLaunched, kAlongK,                                \
      gemm::TileOfAnyWidth<bm, most_bn, 64, tilewise::kernels::kMostStages, transposes>)
// Of Cᵀ by 128 rows, whose warpgroups take turns, for B along k.
#define TILEWISE_WARPGROUP_TURNS_SWAPPED(type, element, bn)                                     \
  TILEWISE_WARPGROUP(gemm_warpgroup_##type##_128x##bn##_turns_swapped, 1, element, kAsLaunched, \
                     kAlongK, gemm::TurnedTileOfWidth<bn>)
// Of Cᵀ by 192 rows of a width that has kernels of its own: for B along k, or for both factors across it.
#define TILEWISE_WARPGROUP_OWN_WIDTH(name, element, bn)      \
  TILEWISE_WARPGROUP(name, 0, element, kAsLaunched, kAlongK, \
                     gemm::TurnedTileOfOwnWidth<bn, gemm::Order::kAlongK>)
#define TILEWISE_WARPGROUP_OWN_WIDTH_ACROSS(name, element, bn)      \
  TILEWISE_WARPGROUP(name##_across, 0, element, kAcrossK, kAcrossK, \
                     gemm::TurnedTileOfOwnWidth<bn, gemm::Order::kAcrossK>)
#define TILEWISE_WARPGROUP_OWN_WIDTHS(type, element)                                       \
  TILEWISE_WARPGROUP_OWN_WIDTH(gemm_warpgroup_##type##_192x96_swapped, element, 96)        \
  TILEWISE_WARPGROUP_OWN_WIDTH_ACROSS(gemm_warpgroup_##type##_192x96_swapped, element, 96) \
  TILEWISE_WARPGROUP_OWN_WIDTH(gemm_warpgroup_##type##_192x112_swapped, element, 112)      \
  TILEWISE_WARPGROUP_OWN_WIDTH(gemm_warpgroup_##type##_192x128_swapped, element, 128)      \
  TILEWISE_WARPGROUP_OWN_WIDTH(gemm_warpgroup_##type##_192x144_swapped, element, 144)      \
  TILEWISE_WARPGROUP_OWN_WIDTH(gemm_warpgroup_##type##_192x160_swapped, element, 160)      \
  TILEWISE_WARPGROUP_OWN_WIDTH(gemm_warpgroup_##type##_192x176_swapped, element, 176)      \
  TILEWISE_WARPGROUP_OWN_WIDTH(gemm_warpgroup_##type##_192x192_swapped, element, 192)      \
  TILEWISE_WARPGROUP_OWN_WIDTH_ACROSS(gemm_warpgroup_##type##_192x192_swapped, element, 192)
