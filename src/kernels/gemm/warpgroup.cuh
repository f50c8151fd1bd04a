// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Hopper kernels of the library share: which unit of work comes next, rings of stages, a tile of
// 16-bit elements in shared memory, and how sums become C.
//
// As many blocks as the GPU holds stay from the first unit to the last. Of a block's warpgroups the last,
// the producer, asks TMA for stages; the others multiply, 64 rows of the tile each. A cluster of two
// blocks computes two tiles, one below the other, and fetches what both read of B once, each its half.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/setmaxnreg.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/wgmma_shapes.cuh"

namespace gemm {

using ptx::Along;
using tilewise::kernels::GemmArguments;
using Half = unsigned short;  // f16 or bf16: only tensor cores look at its value

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
// second-level cache. Parts of a sum lie far apart, matrices of a batch farther.
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
        next_(blockIdx.x / kCluster),
        count_(static_cast<long long>(down_) * across_ * parts_ * g.matrices) {}

  __device__ __forceinline__ bool more() const { return next_ < count_; }
  __device__ __forceinline__ void advance() { next_ += gridDim.x / kCluster; }

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
    unit.part = static_cast<int>(slab % parts_), unit.matrix = static_cast<int>(slab / parts_);
    unit.tile = (static_cast<long long>(unit.matrix) * down_ * kCluster + down) * across_ + across;
    unit.first_k = unit.part * k_each_;
    unit.steps = max(0, (min(k_each_, k_ - unit.first_k) + kBK - 1) / kBK);
    return unit;
  }

 private:
  unsigned rank_, down_, across_, parts_;
  int k_, k_each_;
  long long next_, count_;
};

// Matrix `number` of the batch.
template <class T> __device__ __forceinline__ T* matrix_at(const GemmResult& c, int number) {
  if (c.pointers) return static_cast<T*>(c.pointers[number]);
  return static_cast<T*>(c.address) + number * c.stride;
}

// Packs two sums as the lower and the upper half of 32 bits, each rounded to nearest even.
template <class Element> __device__ __forceinline__ unsigned pack(float low, float high) {
  unsigned packed;
  if constexpr (std::is_same_v<Element, ptx::BF16>)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

template <class Element> __device__ __forceinline__ float widen(unsigned short bits) {
  float value;
  if constexpr (std::is_same_v<Element, ptx::BF16>) value = __uint_as_float(unsigned{bits} << 16);
  else asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

// C(row, column), C(row, column + 1) = alpha·sums + beta·C in f32, for those inside C.
__device__ __forceinline__ void store_pair(float* C, long long ldc, int row, int column, int m,
                                           int n, bool aligned, float alpha, float beta,
                                           float first, float second) {
  if (row >= m || column >= n) return;
  float* const target = C + row * ldc + column;
  first *= alpha, second *= alpha;
  if (aligned && column + 1 < n) {
    if (beta != 0) {
      const float2 old = *reinterpret_cast<const float2*>(target);
      first = fmaf(beta, old.x, first), second = fmaf(beta, old.y, second);
    }
    *reinterpret_cast<float2*>(target) = make_float2(first, second);
  } else {
    target[0] = beta != 0 ? fmaf(beta, target[0], first) : first;
    if (column + 1 < n) target[1] = beta != 0 ? fmaf(beta, target[1], second) : second;
  }
}

// A warpgroup's sums to C in f32; `row` is its first. Eight rows of 32 bytes an instruction: each sector
// of C is touched once.
template <int kN>
__device__ __forceinline__ void store_f32(const float (&sum)[kN / 2], float* C, long long ldc,
                                          int row, int column, int m, int n, float alpha,
                                          float beta) {
  const int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  column += lane % 4 * 2;
  const bool aligned = ((reinterpret_cast<size_t>(C) | ldc * 4) & 7) == 0;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 4) {
    store_pair(C, ldc, row, column + i * 2, m, n, aligned, alpha, beta, sum[i], sum[i + 1]);
    store_pair(C, ldc, row + 8, column + i * 2, m, n, aligned, alpha, beta, sum[i + 2], sum[i + 3]);
  }
}

// Lane q of four holds x[j], the q-th word of group j; afterwards it holds group q, whole.
__device__ __forceinline__ void transpose_4(unsigned (&x)[4]) {
  const int q = threadIdx.x % 4;
  const auto exchange = [](unsigned& a, unsigned& b, bool upper, int distance) {
    const unsigned give = upper ? a : b;
    const unsigned got = __shfl_xor_sync(0xFFFFFFFF, give, distance);
    if (upper) a = got;
    else b = got;
  };
  exchange(x[0], x[1], q & 1, 1);
  exchange(x[2], x[3], q & 1, 1);
  exchange(x[0], x[2], q & 2, 2);
  exchange(x[1], x[3], q & 2, 2);
}

// Eight neighbours of C in 16 bits from `count` of which on are outside it.
template <class Element>
__device__ __forceinline__ void store_eight(Half* target, uint4 eight, int count, bool aligned) {
  if (aligned && count >= 8) {
    *reinterpret_cast<uint4*>(target) = eight;
    return;
  }
  const unsigned words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (i < count) target[i] = static_cast<Half>(words[i / 2] >> (i % 2 * 16));
}

// The same to C in 16 bits: lanes first exchange their sums, so that each stores 16 bytes.
template <class Element, int kN>
__device__ __forceinline__ void store_16_bit(float (&sum)[kN / 2], Half* C, long long ldc, int row,
                                             int column, int m, int n, float alpha, float beta) {
  const int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  const bool aligned = ((reinterpret_cast<size_t>(C) | ldc * 2) & 15) == 0;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 16) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int r = row + half * 8;
      if (beta != 0) {  // C is read as the sums lie
#pragma unroll
        for (int j = 0; j < 4; ++j)
          for (int e = 0; e < 2; ++e) {
            const int c = column + i * 2 + j * 8 + lane % 4 * 2 + e;
            float& s = sum[i + j * 4 + half * 2 + e];
            s *= alpha;
            if (r < m && c < n) s = fmaf(beta, widen<Element>(C[r * ldc + c]), s);
          }
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          for (int e = 0; e < 2; ++e) sum[i + j * 4 + half * 2 + e] *= alpha;
      }
      unsigned x[4];
#pragma unroll
      for (int j = 0; j < 4; ++j)
        x[j] = pack<Element>(sum[i + j * 4 + half * 2], sum[i + j * 4 + half * 2 + 1]);
      transpose_4(x);
      const int c = column + i * 2 + lane % 4 * 8;
      if (r < m && c < n)
        store_eight<Element>(C + r * ldc + c, make_uint4(x[0], x[1], x[2], x[3]), n - c, aligned);
    }
  }
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
  if constexpr (S::kCluster > 1) ptx::cluster_sync();  // the neighbour's barriers are ready too
  else __syncthreads();
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

}  // namespace gemm
