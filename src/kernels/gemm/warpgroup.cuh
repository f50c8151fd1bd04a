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
#include "kernels/ptx/grid.cuh"
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

// C(row, column …) = alpha·sums + beta·C in f32, four neighbours, for those inside C.
__device__ __forceinline__ void store_four(float* C, long long ldc, int row, int column, int m,
                                           int n, bool aligned, float alpha, float beta,
                                           float (&four)[4]) {
  if (row >= m || column >= n) return;
  float* const target = C + row * ldc + column;
#pragma unroll
  for (int i = 0; i < 4; ++i) four[i] *= alpha;
  if (aligned && column + 3 < n) {
    if (beta != 0) {
      const float4 old = *reinterpret_cast<const float4*>(target);
      four[0] = fmaf(beta, old.x, four[0]), four[1] = fmaf(beta, old.y, four[1]);
      four[2] = fmaf(beta, old.z, four[2]), four[3] = fmaf(beta, old.w, four[3]);
    }
    *reinterpret_cast<float4*>(target) = make_float4(four[0], four[1], four[2], four[3]);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (column + i < n) target[i] = beta != 0 ? fmaf(beta, target[i], four[i]) : four[i];
  }
}

// A warpgroup's sums to C in f32; `row` is its first. Of two neighbouring lanes the even one gets all four
// columns that both have of one eight, the odd one those of the next: 16 bytes each.
template <int kN>
__device__ __forceinline__ void store_f32(const float (&sum)[kN / 2], float* C, long long ldc,
                                          int row, int column, int m, int n, float alpha,
                                          float beta) {
  const int lane = threadIdx.x % 32;
  const bool odd = lane % 2 != 0;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  column += lane % 4 / 2 * 4 + (odd ? 8 : 0);
  const bool aligned = ((reinterpret_cast<size_t>(C) | ldc * 4) & 15) == 0;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 8) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* const here = &sum[i + half * 2];
      const float* const next = here + 4;
      const float first = __shfl_xor_sync(0xFFFFFFFF, odd ? here[0] : next[0], 1);
      const float second = __shfl_xor_sync(0xFFFFFFFF, odd ? here[1] : next[1], 1);
      float four[4] = {odd ? first : here[0], odd ? second : here[1], odd ? next[0] : first,
                       odd ? next[1] : second};
      store_four(C, ldc, row + half * 8, column + i * 2, m, n, aligned, alpha, beta, four);
    }
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

// Where a warp's 16×64 elements meet that go to rows of C which begin anywhere.
struct alignas(16) Corner {
  Half rows[16][64 + 8];  // eights of two neighbouring rows lie in different banks
};

// 16×64 elements to C, row by row, two neighbours of 4 aligned bytes at a time. `row`, `column`: the first.
__device__ __forceinline__ void store_rows(const Corner& corner, Half* C, long long ldc, int row,
                                           int column, int m, int n) {
  const int lane = threadIdx.x % 32, count = min(64, n - column);
#pragma unroll 4
  for (int r = 0; r < 16; ++r) {
    if (row + r >= m) break;
    Half* const target = C + (row + r) * ldc + column;
    // Elements from the first that lies at 4 bytes on; before it there is one at most.
    const int odd = static_cast<int>(reinterpret_cast<size_t>(target) / 2 % 2),
              first = odd + lane * 2;
    if (first + 1 < count)
      *reinterpret_cast<unsigned*>(target + first) =
          corner.rows[r][first] | unsigned{corner.rows[r][first + 1]} << 16;
    else if (first < count) target[first] = corner.rows[r][first];
    if (odd && lane == 0 && count > 0) target[0] = corner.rows[r][0];
  }
}

// The same to C in 16 bits: lanes first exchange their sums, so that each has eight neighbours.
template <class Element, int kN>
__device__ __forceinline__ void store_16_bit(float (&sum)[kN / 2], Half* C, long long ldc, int row,
                                             int column, int m, int n, float alpha, float beta,
                                             Corner& corner) {
  const int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16;
  const bool aligned = ((reinterpret_cast<size_t>(C) | ldc * 2) & 15) == 0;
#pragma unroll
  for (int i = 0; i < kN / 2; i += 16) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int r = row + lane / 4 + half * 8;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& s = sum[i + j * 4 + half * 2 + e];
          s *= alpha;
          const int c = column + i * 2 + j * 8 + lane % 4 * 2 + e;  // C is read as the sums lie
          if (beta != 0 && r < m && c < n) s = fmaf(beta, widen<Element>(C[r * ldc + c]), s);
        }
      }
      unsigned x[4];
#pragma unroll
      for (int j = 0; j < 4; ++j)
        x[j] = pack<Element>(sum[i + j * 4 + half * 2], sum[i + j * 4 + half * 2 + 1]);
      transpose_4(x);
      const int c = column + i * 2 + lane % 4 * 8;
      const uint4 eight = make_uint4(x[0], x[1], x[2], x[3]);
      if (aligned && c + 8 <= n) {
        if (r < m) *reinterpret_cast<uint4*>(C + r * ldc + c) = eight;
      } else if (!aligned || column + kN > n) {
        *reinterpret_cast<uint4*>(&corner.rows[lane / 4 + half * 8][i * 2 % 64 + lane % 4 * 8]) =
            eight;
      }
    }
    constexpr int kGroup = kN < 64 ? kN : 64;  // columns that meet in the corner
    if ((i + 16) * 2 % kGroup != 0) continue;
    const int first = column + i * 2 + 32 - kGroup;
    // With aligned rows only the eights that reach over the end have come here.
    const int begin = aligned ? max(first, n / 8 * 8) : first;
    if (aligned && (begin >= n || begin >= first + kGroup)) continue;
    __syncwarp();
    if (aligned) {
      const int width = n - begin;
      for (int at = lane; at < 16 * 8; at += 32) {
        const int r = at / 8, c = at % 8;
        if (row + r < m && c < width)
          C[(row + r) * ldc + begin + c] = corner.rows[r][begin - first + c];
      }
    } else {
      store_rows(corner, C, ldc, row, first, m, min(n, first + kGroup));
    }
    __syncwarp();
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
