// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32 on Hopper (warpgroup_accurate.cuh) where one factor is much larger than the other: the large
// one, A here, is never written in pairs. TMA brings it as it is, and a warpgroup splits it on the way from
// shared memory to the registers from which wgmma multiplies. B comes in pairs, of which a pass before has
// made it (split_f32.cu) as it has found the scales of A.
//
// What that pass looks for in B is looked for here in A: that pairs do not do for it (suspects.cuh).
#pragma once

#include "kernels/gemm/pairs.cuh"
#include "kernels/gemm/suspects.cuh"
#include "kernels/gemm/unscale.cuh"
#include "kernels/gemm/warpgroup.cuh"

namespace gemm {

// Halves of 64×32 elements of A, as wgmma takes them, 64×16 at a time.
struct Halves {
  unsigned upper[2][4], lower[2][4];
};

// Whether pairs do not do for a row of A, which is in four lanes.
__device__ __forceinline__ bool is_suspect_row(const SeenPairs& row) {
  Seen seen = row.seen();
#pragma unroll
  for (int other = 1; other < 4; other *= 2) {
    seen.lossy += __shfl_xor_sync(~0u, seen.lossy, other);
    seen.nonzero += __shfl_xor_sync(~0u, seen.nonzero, other);
  }
  return seen.suspect();
}

// What a thread has seen of two rows of A, and the scales of these.
struct RawRows {
  float scale[2];
  SeenPairs seen[2];

  __device__ __forceinline__ RawRows(const GemmArguments& g, int matrix, int row) {
    const float* const unscales = g.pairs_a.unscale + (g.pairs_a.is_shared ? 0 : matrix * g.m);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = row + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i * 8;
      const unsigned unscale = at < g.m ? __float_as_uint(unscales[at]) : 127u << 23;
      scale[i] = __uint_as_float((254u << 23) - unscale);  // the reciprocal of a power of two
    }
  }

  // Whether pairs do not do for either row.
  __device__ __forceinline__ bool suspect() {
    const bool first = is_suspect_row(seen[0]);
    return is_suspect_row(seen[1]) || first;
  }
};

// Where a thread finds its elements of A in a stage: rows of 128 bytes, whose pieces of 16 TMA has exchanged,
// one panel of them after the other. `row`: the warpgroup's first.
template <Along kAlong, int kBM, int kBK> class RawPlaces;

// 32 k of a row of A in a row.
template <int kBM, int kBK> class RawPlaces<Along::kK, kBM, kBK> {
 public:
  __device__ __forceinline__ explicit RawPlaces(int row) {
    const int lane = threadIdx.x % 32, first = row + threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      at_[i] = first * 32 + ((2 * i + lane % 4 / 2) ^ (lane / 4)) * 4 + lane % 2 * 2;
  }
  // Elements k + 2·(lane % 4) and the next, of row lane / 4, and 8 rows below where `low`.
  __device__ __forceinline__ float2 get(const float* a, int k, bool low) const {
    return *reinterpret_cast<const float2*>(a + k / 32 * 32 * kBM + at_[k % 32 / 8] + low * 8 * 32);
  }

 private:
  int at_[4];
};

// 32 rows of A of one k in a row.
template <int kBM, int kBK> class RawPlaces<Along::kOther, kBM, kBK> {
 public:
  __device__ __forceinline__ explicit RawPlaces(int row) {
    const int lane = threadIdx.x % 32, first = row + threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int line = first + i / 2 * 8, k = lane % 4 * 2 + i % 2;
      at_[i] = line / 32 * 32 * kBK + k * 32 + ((line % 32 / 4) ^ k) * 4 + line % 4;
    }
  }
  __device__ __forceinline__ float2 get(const float* a, int k, bool low) const {
    return {a[at_[low * 2] + k * 32], a[at_[low * 2 + 1] + k * 32]};
  }

 private:
  int at_[4];
};

template <class Tile, Along kAlongA> struct Raw {
  using Shape = Tile;
  using S = Tile;
  static constexpr int kSlice = S::kBN >= 128 ? 8 : 4;
  static constexpr int kChain = 32;  // k for which sums stay in the tensor cores
  static_assert(S::kBK == 64 && S::kDown == 1);

  struct alignas(1024) Stage {  // swizzled rows count from 1024 bytes
    float a[S::kBM * S::kBK];
    Half b[2][S::kBN][S::kBK];
  };

  using Stages = Stage[S::kStages];

  static __device__ __forceinline__ Share share(const GemmArguments& g) {
    return share_of<S>(g, S::kBM, S::kBN);
  }
  static constexpr Order kOrderA = kAlongA == Along::kK ? Order::kAlongK : Order::kAcrossK,
                         kOrderB = Order::kAlongK;  // as pairs lie
  template <class Orders>
  static __device__ __forceinline__ void fetch(Stage& stage, const GemmArguments& g, const Share&,
                                               const Unit& unit, int k, const ptx::TensorMap& A,
                                               const ptx::TensorMap& B, ptx::Barrier* full) {
    const int matrix_a = g.is_shared_a ? 0 : unit.matrix;
    const int matrix_b = g.pairs_b.is_shared ? 0 : unit.matrix * 2;
    if constexpr (kAlongA == Along::kK) {
      for (int i = 0; i < S::kBK; i += 32)
        ptx::tma_load_3d(stage.a + i * S::kBM, A, k + i, unit.row, matrix_a, full);
    } else {
      for (int i = 0; i < S::kBM; i += 32)
        ptx::tma_load_3d(stage.a + i * S::kBK, A, unit.row + i, k, matrix_a, full);
    }
    for (int half = 0; half < 2; ++half)
      ptx::tma_load_3d(stage.b[half], B, k, unit.column, matrix_b + half, full);
  }

  // Splits 32 k of a stage, from `first` on.
  static __device__ __forceinline__ void split(Halves& halves, const Stage& stage, int first,
                                               const RawPlaces<kAlongA, S::kBM, S::kBK>& places,
                                               RawRows& rows) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int low = i % 2;  // 8 rows below, then 8 k further
      const float2 x = places.get(stage.a, first + i / 2 * 8, low);
      const float even = x.x * rows.scale[low], odd = x.y * rows.scale[low];
      const Pair pair = gemm::split(even, odd);
      rows.seen[low].count(even, odd, pair.upper);
      halves.upper[i / 4][i % 4] = pair.upper, halves.lower[i / 4][i % 4] = pair.lower;
    }
  }

  // Starts product = A·B for 32 k, the small products first.
  static __device__ __forceinline__ void start_chain(float (&product)[S::kBN / 2], const Halves& a,
                                                     const Stage& stage, int first) {
    const auto upper = ptx::describe_rows<S::kBK * 2>(&stage.b[0][0][0]) + first / 8;
    const auto lower = upper + sizeof(stage.b[0]) / 16;  // descriptors count in 16 bytes
    ptx::wgmma_fence();
    ptx::wgmma_a_in_registers<S::kBN, 0>(product, a.lower[0], upper);
    ptx::wgmma_a_in_registers<S::kBN, 1>(product, a.lower[1], upper + 2);
    ptx::wgmma_a_in_registers<S::kBN, 1>(product, a.upper[0], lower);
    ptx::wgmma_a_in_registers<S::kBN, 1>(product, a.upper[1], lower + 2);
    ptx::wgmma_a_in_registers<S::kBN, 1>(product, a.upper[0], upper);
    ptx::wgmma_a_in_registers<S::kBN, 1>(product, a.upper[1], upper + 2);
    ptx::wgmma_commit();
  }

  static __device__ __forceinline__ void end_chain(float (&sum)[S::kBN / 2],
                                                   float (&product)[S::kBN / 2]) {
    ptx::wgmma_arrived(product);
#pragma unroll
    for (int i = 0; i < S::kBN / 2; ++i) sum[i] += product[i];
  }

  // While the tensor cores multiply a chain, its warpgroup splits the next.
  static __device__ __forceinline__ void consume(float (&sum)[S::kBN / 2], Shared<Raw>& shared,
                                                 Ring<S::kStages>& ring, const GemmArguments& g,
                                                 const Unit& unit, int row) {
    if (unit.steps == 0) return;
    const unsigned in_b = suspects_in<S::kBN, S::kBK>(g.pairs_b, unit, unit.column, g.n, g.k);
    const RawPlaces<kAlongA, S::kBM, S::kBK> places(row);
    RawRows rows(g, unit.matrix, unit.row + row);
    Halves halves[2];
    ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
    split(halves[0], shared.stages[ring.index], 0, places, rows);
#pragma unroll 1
    for (int step = 0; step < unit.steps; ++step) {
      float product[S::kBN / 2];
      const int index = ring.index;
      const Stage& stage = shared.stages[index];
      start_chain(product, halves[0], stage, 0);
      split(halves[1], stage, kChain, places, rows);
      ptx::wgmma_wait<0>();
      end_chain(sum, product);
      start_chain(product, halves[1], stage, kChain);
      ring.advance();
      if (step + 1 < unit.steps) {
        ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
        split(halves[0], shared.stages[ring.index], 0, places, rows);
      }
      if (step % 32 == 31) rows.seen[0].carry(), rows.seen[1].carry();
      ptx::wgmma_wait<0>();
      give_back(shared, ring, index);
      end_chain(sum, product);
    }
    const bool in_a = warpgroup_meet_or(rows.suspect());
    if (in_a || is_in_any(in_b))
      multiply_f32<S::kBN, S::kBK>(sum, shared.staging[row / kWarpgroupM], g, unit, unit.row + row);
    else unscale<S::kBN>(sum, g, {unit.matrix, unit.row + row, unit.column});
  }

  // Straight from registers: C is small beside A, or its rows are the columns here.
  template <int kN>
  static __device__ __forceinline__ void finish(float (&sum)[kN / 2], Staging&,
                                                const GemmArguments& g, const Target& target,
                                                float alpha, float beta) {
    const Place& place = target.place;
    const long long down = g.result_is_transposed ? 1 : g.c.leading_dimension;
    const long long across = g.result_is_transposed ? g.c.leading_dimension : 1;
    const int lane = threadIdx.x % 32, row = place.row + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const int column = place.column + lane % 4 * 2;
    float* const C = matrix_at<float>(g.c, place.matrix, place.part);
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) {
      const int r = row + i / 2 % 2 * 8, c = column + i / 4 * 8 + i % 2;
      if (r >= g.m || r < place.row + place.above || c >= g.n) continue;
      float* const to = C + r * down + c * across;
      const float scaled = alpha * sum[i];
      *to = beta != 0 ? fmaf(beta, *to, scaled) : scaled;
    }
  }
};

}  // namespace gemm

// The kernels of one tile, for A along k and across it. `...`: kBN and stages.
#define TILEWISE_RAW(name, suffix, along_a, bn, stages) \
  TILEWISE_WARPGROUP_KERNEL(name##suffix, 1, gemm::Raw<gemm::Tile<128, bn, 64, stages, 1>, along_a>)
#define TILEWISE_RAW_ORDERS(name, bn, stages)        \
  TILEWISE_RAW(name, _k, ptx::Along::kK, bn, stages) \
  TILEWISE_RAW(name, _x, ptx::Along::kOther, bn, stages)
