// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Hopper rungs 27 to 30 share: the tiles as TMA lays them and wgmma reads them, a step of the
// product, the way of the sums to C, and a kernel for row lengths that TMA cannot take.
//
// A block computes 128×256 elements of C, each of its two multiplying warpgroups 64×256. A stage holds 64
// k: A in rows of 64 k, B in four panels of 64 columns, each with a row for every k. All these rows are
// 128 bytes, and their pieces of 16 bytes are swizzled: exchanged by the number of the row modulo 8.
#pragma once

#include "kernels/ladder/half.cuh"
#include "kernels/ladder/quad.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/wgmma_shapes.cuh"

constexpr int kBM = 128, kBN = 256, kBK = 64, kWarpgroupM = 64;
constexpr int kPanel = 64;  // columns of B: the widest box that swizzles by 128 bytes
constexpr int kPanels = kBN / kPanel;
constexpr int kMultiplyingThreads = kBM / kWarpgroupM * 128;
constexpr int kSums = kWarpgroupM * kBN / 128;  // a thread

struct alignas(1024) Stage {  // swizzled rows count from 1024 bytes
  Half a[kBM][kBK];
  Half b[kPanels][kBK][kPanel];
};
constexpr unsigned kStageBytes = sizeof(Stage);

// The (step + 1)-th use of stage number `index` in a ring of kStages; phases of its barriers alternate.
template <int kStages> struct Ring {
  int index = 0;
  unsigned phase = 0;

  __device__ __forceinline__ void advance() {
    if (++index == kStages) index = 0, phase ^= 1;
  }
};

// Asks for a stage: 128×64 of A and 64×256 of B. What lies outside the matrices arrives as zeros, and
// counts as bytes all the same.
__device__ __forceinline__ void load_stage(Stage& stage, const ptx::TensorMap& A,
                                           const ptx::TensorMap& B, int row, int column, int k,
                                           ptx::Barrier* full) {
  ptx::mbarrier_arrive_expect(full, kStageBytes);
  ptx::tma_load(stage.a, A, row, k, full);
  for (int i = 0; i < kPanels; ++i) ptx::tma_load(stage.b[i], B, k, column + i * kPanel, full);
}

// Starts the product of one stage, for the warpgroup whose rows begin at `row` of the block's.
__device__ __forceinline__ void start_product(float (&sum)[kSums], const Stage& stage, int row) {
  ptx::wgmma_fence();
#pragma unroll
  for (int k = 0; k < kBK; k += 16) {
    const auto a = ptx::describe_tile(&stage.a[row][k], sizeof(Half) * 8 * kBK);
    const auto b = ptx::describe_tile(stage.b[0][k], sizeof(Half) * 8 * kPanel, sizeof(stage.b[0]));
    ptx::wgmma<ptx::BF16, kBN, ptx::Along::kK, ptx::Along::kOther, 1>(sum, a, b);
  }
  ptx::wgmma_commit();
}

// Four neighbouring columns of one row. Lanes 2i and 2i + 1 hold two of them each, in two groups of eight
// columns: a[0] and a[1] of the first, b[0] and b[1] of the second group. They exchange: the even lane gets
// the four of the first group, the odd lane those of the second.
__device__ __forceinline__ float4 join_pairs(const float* a, const float* b, bool odd) {
  const float2 keep = odd ? make_float2(b[0], b[1]) : make_float2(a[0], a[1]);
  const float2 give = odd ? make_float2(a[0], a[1]) : make_float2(b[0], b[1]);
  const float x = __shfl_xor_sync(~0u, give.x, 1), y = __shfl_xor_sync(~0u, give.y, 1);
  return odd ? make_float4(x, y, keep.x, keep.y) : make_float4(keep.x, keep.y, x, y);
}

// C = alpha·sum + beta·C for a warpgroup's 64×256 elements; `row` is their first. kVector: eight rows of
// 64 bytes an instruction; every sector of C is touched once.
template <bool kVector>
__device__ __forceinline__ void store_sums(float* C, const float (&sum)[kSums], unsigned row,
                                           unsigned column, int m, int n, float alpha, float beta) {
  const unsigned lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  if constexpr (kVector) {
    const bool odd = lane % 2;
    column += lane / 2 % 2 * 4 + odd * 8;
#pragma unroll
    for (int i = 0; i < kSums; i += 8) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 quad = join_pairs(&sum[i + half * 2], &sum[i + 4 + half * 2], odd);
        store_quad<true>(C, row + half * 8, column + i * 2, m, n, alpha, &quad.x, beta);
      }
    }
  } else {
    column += lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kSums; i += 4) {
      store_pair<false>(C, row, column + i * 2, m, n, alpha, sum[i], sum[i + 1], beta);
      store_pair<false>(C, row + 8, column + i * 2, m, n, alpha, sum[i + 2], sum[i + 3], beta);
    }
  }
}

// For row lengths that are no multiple of 16 bytes, which TMA cannot take, and for k = 0: all threads of
// the block fetch each stage themselves and lay it out as TMA would; wgmma must be told (the fence).
template <int kThreads>
__device__ __forceinline__ void multiply_any(Stage& stage, int m, int n, int k, float alpha,
                                             const Half* A, const Half* B, float beta, float* C) {
  const int thread = threadIdx.x;
  const bool multiplies = thread < kMultiplyingThreads;
  const int warpgroup_row = thread / 128 * kWarpgroupM;
  const unsigned row0 = block_y() * kBM, column0 = blockIdx.x * kBN;
  const auto write = [](Half* row, int piece, int number, uint4 eight) {
    reinterpret_cast<uint4*>(row)[piece ^ number % 8] = eight;
  };

  float sum[kSums] = {};
  for (unsigned k0 = 0; k0 < k; k0 += kBK) {
#pragma unroll 1
    for (int i = thread; i < kBM * kBK / 8; i += kThreads) {
      const int row = i / (kBK / 8), piece = i % (kBK / 8);
      write(stage.a[row], piece, row, load_8_or_zero<false>(A, row0 + row, k0 + piece * 8, m, k));
    }
#pragma unroll 1
    for (int i = thread; i < kBK * kBN / 8; i += kThreads) {
      const int row = i / (kBN / 8), column = i % (kBN / 8) * 8;
      write(stage.b[column / kPanel][row], column % kPanel / 8, row,
            load_8_or_zero<false>(B, k0 + row, column0 + column, k, n));
    }
    ptx::fence_proxy_async();
    __syncthreads();
    if (multiplies) {
      start_product(sum, stage, warpgroup_row);
      ptx::wgmma_wait<0>();
      ptx::wgmma_arrived(sum);
    }
    __syncthreads();
  }
  if (multiplies) store_sums<false>(C, sum, row0 + warpgroup_row, column0, m, n, alpha, beta);
}
