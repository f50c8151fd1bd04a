// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products of f16 and bf16 whose rows of A are a line of 128 bytes or several: TMA brings them as they are, all of
// what a block computes at one time, or as much as there is room for. B is held, as many columns of it at a time as there is
// room for: 128 of a short k, else 64. C leaves in boxes, too, but for Cᵀ in f32, whose sectors threads store whole, and where
// it is added to or aligned to nothing.
//
// Each of four warpgroups has tiles of 64 rows of its own, and asks for these itself: no warp waits for another but those of
// its warpgroup, and while one stores, others multiply.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/orders.cuh"
#include "kernels/gemm/product_16bit.cuh"
#include "kernels/gemm/result_boxes.cuh"
#include "kernels/gemm/result_single.cuh"
#include "kernels/gemm/result_turned_boxes.cuh"
#include "kernels/gemm/tall.hpp"
#include "kernels/ptx/elect.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm::tall {

constexpr int kRows = 64, kColumns = 64, kMostColumns = kTallBoxesMostColumns, kBK = kTileLine;
constexpr int kWarpgroups = kTallBoxesWarpgroups, kPieces = kTallBoxesPieces;
// A tile's are all on their way before any is given back.
static_assert(kTallMostK / kBK <= kPieces);

struct Shared {
  // Of each warpgroup 64 rows and 64 k at a time, and of B boxes of 64 columns and 64 k.
  alignas(1024) Half pieces[kWarpgroups][kPieces][kRows * kBK];
  alignas(1024) Half columns[kTallMostK / kBK][kColumns * kBK];
  Staging staging[kWarpgroups];
  ptx::Barrier full[kWarpgroups][kPieces], columns_are_there;
};

// The tiles of a warpgroup, one in each round: neighbours are in one block, but in the last round, which not all have, each in
// another.
struct Turns {
  int blocks, block, warpgroup, tiles;

  __device__ __forceinline__ int tile(int round) const {
    const int of_round = blocks * kWarpgroups, first = round * of_round;
    return first + (first + of_round <= tiles ? block * kWarpgroups + warpgroup
                                              : warpgroup * blocks + block);
  }
  __device__ __forceinline__ int rounds() const {
    const int whole = tiles / (blocks * kWarpgroups);
    return whole + (tile(whole) < tiles ? 1 : 0);
  }
};

// The pieces of A that a warpgroup has on their way, one behind the other: its tiles' from the first on, `deep` each.
class Pieces {
 public:
  __device__ __forceinline__ Pieces(Shared& shared, const GemmArguments& g, const ptx::TensorMap& A,
                                    const Turns& turns, int deep)
      : shared_(shared), map_(A), turns_(turns), deep_(deep), is_across_k_(g.a_across_k != 0) {}

  // One thread: asks for `count` more of `matrix`.
  __device__ __forceinline__ void ask(int count, int matrix) {
#pragma unroll 1
    for (; count > 0; --count) {
      ptx::Barrier* const barrier = &shared_.full[turns_.warpgroup][next_];
      ptx::mbarrier_arrive_expect(barrier, sizeof(shared_.pieces[0][0]));
      const int row = turns_.tile(round_) * kRows, k = k_ * kBK;
      ptx::tma_load_3d(shared_.pieces[turns_.warpgroup][next_], map_, is_across_k_ ? row : k,
                       is_across_k_ ? k : row, matrix, barrier);
      if (++next_ == kPieces) next_ = 0;
      if (++k_ == deep_) k_ = 0, ++round_;
      --left_;
    }
  }
  __device__ __forceinline__ void begin() {
    round_ = k_ = 0;
    left_ = turns_.rounds() * deep_;
  }
  __device__ __forceinline__ int left() const { return left_; }

 private:
  Shared& shared_;
  const ptx::TensorMap& map_;
  const Turns& turns_;
  int deep_;
  bool is_across_k_;
  int next_ = 0, round_ = 0, k_ = 0, left_ = 0;
};

// Adds up a tile, and stores it.
template <class Element, bool kTransposes> class Tiles {
 public:
  __device__ __forceinline__ Tiles(Shared& shared, const GemmArguments& g, int warpgroup, int deep,
                                   float alpha, float beta)
      : shared_(shared),
        g_(g),
        warpgroup_(warpgroup),
        deep_(deep),
        alpha_(alpha),
        beta_(beta),
        in_boxes_(g.boxes.are_stored && beta == 0) {}

  template <int kN> __device__ __forceinline__ void add_up(float (&sum)[1][kN / 2]) {
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum[0][i] = 0;
    with_orders<Order::kAsLaunched, Order::kAsLaunched>(g_, [&](auto orders) {
      using Orders = decltype(orders);
#pragma unroll 1
      for (int i = 0; i < deep_; ++i) {
        ptx::mbarrier_wait(&shared_.full[warpgroup_][piece_], phase_);
        start_product_16_bit<Element, Orders::kAlongA, Orders::kAlongB, kN>(
            sum, shared_.pieces[warpgroup_][piece_],
            shared_.columns[i * (kN > kColumns ? kN / kColumns : 1)]);
        if (++piece_ == kPieces) piece_ = 0, phase_ ^= 1;
      }
      ptx::wgmma_wait<0>();
      ptx::wgmma_arrived(sum[0]);
    });
  }
  template <int kN>
  __device__ __forceinline__ void store(float (&sum)[kN / 2], const Place& place) {
    Staging& staging = shared_.staging[warpgroup_];
    if (in_boxes_) {
      if (alpha_ != 1) {
#pragma unroll
        for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha_;
      }
      if constexpr (kTransposes) store_turned_boxes<Element, kN>(sum, staging, g_, place);
      else store_boxes<Element, kN>(sum, staging, g_, BoxTarget{place, g_.result_bytes == 4});
      return;
    }
    std::conditional_t<kTransposes, TransposedTarget, Target> target;
    if constexpr (kTransposes) target = transposed_target_of(g_, place, kN, beta_);
    else target = target_of(g_, place, beta_);
    const bool is_wide = target.is_wide && (kTransposes ? beta_ == 0 : target.is_plain);
    const bool is_narrow = !target.is_wide && target.is_plain;
    if (kN > kColumns || is_wide || is_narrow) {
      if (alpha_ != 1) {
#pragma unroll
        for (int i = 0; i < kN / 2; ++i) sum[i] *= alpha_;
      }
      if (is_wide) single::store_wide<kN>(sum, target, single::lies_inside(target, kN));
      else
        single::store_narrow<Element, kN>(sum, &staging.warps[threadIdx.x / 32 % 4][0][0], target);
      __syncwarp();  // what was staged has been read
      return;
    }
    if constexpr (kN > kColumns) return;
    else if constexpr (kTransposes)
      store_transposed<Element, kN>(sum, staging, target, alpha_, beta_);
    else store_by_warps<Element, kN, true>(sum, staging, g_, target, alpha_, beta_);
  }

 private:
  Shared& shared_;
  const GemmArguments& g_;
  int warpgroup_, deep_;
  float alpha_, beta_;
  bool in_boxes_;
  int piece_ = 0;
  unsigned phase_ = 0;
};

// One thread: asks for `boxes` boxes of B, side by side from `column` on, of all k.
__device__ __forceinline__ void ask_for_columns(Shared& shared, const GemmArguments& g,
                                                const ptx::TensorMap& B, int column, int boxes,
                                                int deep, int matrix) {
  ptx::mbarrier_arrive_expect(&shared.columns_are_there,
                              static_cast<unsigned>(boxes * deep * sizeof(shared.columns[0])));
#pragma unroll 1
  for (int i = 0; i < boxes * deep; ++i) {
    const int k = i / boxes * kBK, at = column + i % boxes * kColumns;
    ptx::tma_load_3d(shared.columns[i], B, g.b_across_k ? at : k, g.b_across_k ? k : at, matrix,
                     &shared.columns_are_there);
  }
}

template <class Element, bool kTransposes>
__device__ __forceinline__ void run(const GemmArguments& g, const ptx::TensorMap& A,
                                    const ptx::TensorMap& B) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const int warp = __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 32), 0);
  const int warpgroup = warp / 4, n = static_cast<int>(g.n);
  const Turns turns{static_cast<int>(gridDim.x), static_cast<int>(blockIdx.x), warpgroup,
                    static_cast<int>((g.m + kRows - 1) / kRows)};
  const int matrix = static_cast<int>(g.tiles.first_matrix + blockIdx.z),
            matrix_a = g.is_shared_a ? 0 : matrix, matrix_b = g.is_shared_b ? 0 : matrix;
  ptx::wait_for_previous_grid();
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const int deep = alpha == 0 ? 0 : static_cast<int>((g.k + kBK - 1) / kBK);
  // One thread of each warpgroup asks for its pieces of A, and one of another warp for B.
  const bool is_one = ptx::elect_one(), asks = warp % 4 == 0 && is_one,
             asks_for_columns = warp == 1 && is_one && deep > 0;
  // Columns of B that are held at a time. Sums of more leave no registers for C that is not stored as it is.
  const bool is_wide = n > kColumns && g.result_is_aligned && beta == 0 &&
                       deep * kMostColumns <= kTallMostK / kBK * kColumns;
  const int step = is_wide ? kMostColumns : kColumns;
  Pieces pieces(shared, g, A, turns, deep);
  Tiles<Element, kTransposes> own(shared, g, warpgroup, deep, alpha, beta);
  if (asks) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) ptx::mbarrier_init(&shared.full[warpgroup][i], 1);
    ptx::fence_mbarrier_init();
  }
  if (warp == 1) {
    if (is_one) {
      ptx::mbarrier_init(&shared.columns_are_there, 1);
      ptx::fence_mbarrier_init();
    }
    __syncwarp();
  }
  unsigned columns_phase = 0;
#pragma unroll 1
  for (int column = 0; column < n; column += step, columns_phase ^= 1) {
    if (asks) {
      pieces.begin();
      pieces.ask(min(pieces.left(), kPieces), matrix_a);
    }
    if (asks_for_columns) ask_for_columns(shared, g, B, column, step / kColumns, deep, matrix_b);
    if (column == 0) {
      __syncthreads();  // the barriers are there
      ptx::let_next_grid_start();
    }
    if (deep > 0) ptx::mbarrier_wait(&shared.columns_are_there, columns_phase);
    const auto all_tiles = [&](auto columns) {
      constexpr int kN = decltype(columns)::value;
      const int rounds = turns.rounds();
#pragma unroll 1
      for (int round = 0; round < rounds; ++round) {
        float sum[1][kN / 2];
        own.template add_up<kN>(sum);
        if constexpr (kTransposes) ptx::bulk_wait_read<0>();
        warpgroup_meet();  // all have read these pieces, and TMA the boxes before
        if (asks) pieces.ask(min(pieces.left(), deep), matrix_a);
        own.template store<kN>(sum[0], Place{matrix, turns.tile(round) * kRows, column});
      }
    };
    if (is_wide) all_tiles(std::integral_constant<int, kMostColumns>{});
    else if (n - column <= kColumns / 2) all_tiles(std::integral_constant<int, kColumns / 2>{});
    else all_tiles(std::integral_constant<int, kColumns>{});
    if (column + step < n) __syncthreads();  // and these columns
  }
  ptx::bulk_wait_read<0>();  // boxes stay until they have been read
}

}  // namespace gemm::tall

// The kernel `name`, of C or of Cᵀ.
#define TILEWISE_TALL_BOXES(name, element, transposes)                                           \
  extern "C" __global__ void __launch_bounds__(gemm::tall::kWarpgroups * 128, 1)                 \
      name(const __grid_constant__ gemm::GemmArguments g,                                        \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B) { \
    gemm::tall::run<element, transposes>(g, A, B);                                               \
  }
