// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tall products of f16 and bf16 whose rows of A are a line of 128 bytes or several: TMA brings them as they are, all of
// what a block computes at one time, or as much as there is room for. B is held, 64 columns of it at a time.
//
// Each of four warpgroups has tiles of 64 rows of its own, and asks for these itself: no warp waits for another but those of
// its warpgroup, and while one stores, others multiply.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/orders.cuh"
#include "kernels/gemm/product_16bit.cuh"
#include "kernels/gemm/result_single.cuh"
#include "kernels/gemm/tall.hpp"
#include "kernels/ptx/elect.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm::tall {

constexpr int kRows = 64, kColumns = 64, kBK = kTileLine;
constexpr int kWarpgroups = kTallBoxesWarpgroups, kPieces = kTallBoxesPieces;
static_assert(kTallMostK / kBK <=
              kPieces);  // a tile's are all on their way before any is given back

struct Shared {
  // Of each warpgroup 64 rows and 64 k at a time, and all of B.
  alignas(1024) Half pieces[kWarpgroups][kPieces][kRows * kBK];
  alignas(1024) Half columns[kTallMostK / kBK][kColumns * kBK];
  Staging staging[kWarpgroups];
  ptx::Barrier full[kWarpgroups][kPieces], columns_are_there;
};

// The pieces of A that a warpgroup has on their way, one behind the other: its tiles' from the first on, `deep` each.
class Pieces {
 public:
  __device__ __forceinline__ Pieces(Shared& shared, const GemmArguments& g, const ptx::TensorMap& A,
                                    int warpgroup, int deep, int stride)
      : shared_(shared),
        map_(A),
        warpgroup_(warpgroup),
        deep_(deep),
        stride_(stride),
        is_across_k_(g.a_across_k != 0) {}

  __device__ __forceinline__ ptx::Barrier& barrier(int i) const {
    return shared_.full[warpgroup_][i];
  }
  // One thread: asks for `count` more of `matrix`.
  __device__ __forceinline__ void ask(int count, int matrix) {
#pragma unroll 1
    for (; count > 0; --count) {
      Half* const to = shared_.pieces[warpgroup_][next_];
      ptx::mbarrier_arrive_expect(&barrier(next_), sizeof(shared_.pieces[0][0]));
      const int row = tile_ * kRows, k = k_ * kBK;
      ptx::tma_load_3d(to, map_, is_across_k_ ? row : k, is_across_k_ ? k : row, matrix,
                       &barrier(next_));
      if (++next_ == kPieces) next_ = 0;
      if (++k_ == deep_) k_ = 0, tile_ += stride_;
      --left_;
    }
  }
  __device__ __forceinline__ void begin(int first, int tiles) {
    tile_ = first, k_ = 0;
    left_ = first < tiles ? ((tiles - 1 - first) / stride_ + 1) * deep_ : 0;
  }
  __device__ __forceinline__ int left() const { return left_; }

 private:
  Shared& shared_;
  const ptx::TensorMap& map_;
  int warpgroup_, deep_, stride_;
  bool is_across_k_;
  int next_ = 0, tile_ = 0, k_ = 0, left_ = 0;
};

// Adds up a tile, and stores it.
template <class Element, bool kTransposes> class Tiles {
 public:
  __device__ __forceinline__ Tiles(Shared& shared, const GemmArguments& g, int warpgroup, int deep,
                                   float alpha, float beta)
      : shared_(shared), g_(g), warpgroup_(warpgroup), deep_(deep), alpha_(alpha), beta_(beta) {}

  __device__ __forceinline__ void add_up(float (&sum)[1][kColumns / 2]) {
#pragma unroll
    for (int i = 0; i < kColumns / 2; ++i) sum[0][i] = 0;
    with_orders<Order::kAsLaunched, Order::kAsLaunched>(g_, [&](auto orders) {
      using Orders = decltype(orders);
#pragma unroll 1
      for (int i = 0; i < deep_; ++i) {
        ptx::mbarrier_wait(&shared_.full[warpgroup_][piece_], phase_);
        start_product_16_bit<Element, Orders::kAlongA, Orders::kAlongB, kColumns>(
            sum, shared_.pieces[warpgroup_][piece_], shared_.columns[i]);
        if (++piece_ == kPieces) piece_ = 0, phase_ ^= 1;
      }
      ptx::wgmma_wait<0>();
      ptx::wgmma_arrived(sum[0]);
    });
  }
  __device__ __forceinline__ void store(float (&sum)[kColumns / 2], const Place& place) {
    std::conditional_t<kTransposes, TransposedTarget, Target> target;
    if constexpr (kTransposes) target = transposed_target_of(g_, place, kColumns, beta_);
    else target = target_of(g_, place, beta_);
    const bool is_wide = target.is_wide && (kTransposes ? beta_ == 0 : target.is_plain);
    const bool is_narrow = !target.is_wide && target.is_plain;
    Staging& staging = shared_.staging[warpgroup_];
    if (is_wide || is_narrow) {
      if (alpha_ != 1) {
#pragma unroll
        for (int i = 0; i < kColumns / 2; ++i) sum[i] *= alpha_;
      }
      if (is_wide) single::store_wide<kColumns>(sum, target, single::lies_inside(target, kColumns));
      else
        single::store_narrow<Element, kColumns>(sum, &staging.warps[threadIdx.x / 32 % 4][0][0],
                                                target);
      __syncwarp();  // what was staged has been read
    } else if constexpr (kTransposes) {
      store_transposed<Element, kColumns>(sum, staging, target, alpha_, beta_);
    } else {
      store_by_warps<Element, kColumns, true>(sum, staging, g_, target, alpha_, beta_);
    }
  }

 private:
  Shared& shared_;
  const GemmArguments& g_;
  int warpgroup_, deep_;
  float alpha_, beta_;
  int piece_ = 0;
  unsigned phase_ = 0;
};

template <class Element, bool kTransposes>
__device__ __forceinline__ void run(const GemmArguments& g, const ptx::TensorMap& A,
                                    const ptx::TensorMap& B) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const int warp = __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 32), 0);
  const int warpgroup = warp / 4;
  const int tiles = static_cast<int>((g.m + kRows - 1) / kRows), n = static_cast<int>(g.n);
  const int first = static_cast<int>(blockIdx.x) * kWarpgroups + warpgroup,
            stride = static_cast<int>(gridDim.x) * kWarpgroups;
  const int matrix = static_cast<int>(g.tiles.first_matrix + blockIdx.z),
            matrix_a = g.is_shared_a ? 0 : matrix, matrix_b = g.is_shared_b ? 0 : matrix;
  ptx::wait_for_previous_grid();
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const int deep = alpha == 0 ? 0 : static_cast<int>((g.k + kBK - 1) / kBK);
  const bool asks = warp % 4 == 0 && ptx::elect_one();
  Pieces pieces(shared, g, A, warpgroup, deep, stride);
  Tiles<Element, kTransposes> own(shared, g, warpgroup, deep, alpha, beta);
  if (asks) {
    if (warpgroup == 0) ptx::mbarrier_init(&shared.columns_are_there, 1);
#pragma unroll
    for (int i = 0; i < kPieces; ++i) ptx::mbarrier_init(&pieces.barrier(i), 1);
    ptx::fence_mbarrier_init();
  }
  unsigned columns_phase = 0;
#pragma unroll 1
  for (int column = 0; column < n; column += kColumns, columns_phase ^= 1) {
    if (asks) {
      pieces.begin(first, tiles);
      if (warpgroup == 0 && deep > 0) {
        ptx::mbarrier_arrive_expect(&shared.columns_are_there,
                                    static_cast<unsigned>(deep * sizeof(shared.columns[0])));
#pragma unroll 1
        for (int i = 0; i < deep; ++i)
          ptx::tma_load_3d(shared.columns[i], B, g.b_across_k ? column : i * kBK,
                           g.b_across_k ? i * kBK : column, matrix_b, &shared.columns_are_there);
      }
      pieces.ask(min(pieces.left(), kPieces), matrix_a);
    }
    if (column == 0) {
      __syncthreads();  // the barriers are there
      ptx::let_next_grid_start();
    }
    if (deep > 0) ptx::mbarrier_wait(&shared.columns_are_there, columns_phase);
#pragma unroll 1
    for (int tile = first; tile < tiles; tile += stride) {
      float sum[1][kColumns / 2];
      own.add_up(sum);
      warpgroup_meet();  // all have read these pieces
      if (asks) pieces.ask(min(pieces.left(), deep), matrix_a);
      own.store(sum[0], Place{matrix, tile * kRows, column});
    }
    if (column + kColumns < n) __syncthreads();  // and these columns
  }
}

}  // namespace gemm::tall

// The kernel `name`, of C or of Cᵀ.
#define TILEWISE_TALL_BOXES(name, element, transposes)                                           \
  extern "C" __global__ void __launch_bounds__(gemm::tall::kWarpgroups * 128, 1)                 \
      name(const __grid_constant__ gemm::GemmArguments g,                                        \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B) { \
    gemm::tall::run<element, transposes>(g, A, B);                                               \
  }
