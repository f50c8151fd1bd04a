// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What pairs of f16 do not do for: somewhere in a tile's rows of A or its columns of B the pass before (split_f32.cu), or
// the kernel itself, has found f32 that halves cannot hold. Whoever has such a tile computes it once more in f32
// arithmetic, from A and B as they are. Slowly: it is meant to be rare.
#pragma once

#include "kernels/gemm/result.cuh"
#include "kernels/gemm/split_f32.hpp"
#include "kernels/gemm/units.cuh"

namespace gemm {

// Whether the pass has found such f32 in kCount lines (rows of A or columns of B, `lines` in all) of a matrix, for k from
// first_k to end_k, which may be beyond the last. All lanes of a warp ask; what is not 0 in any of them says so
// (is_in_any()). Until that is asked nobody waits for memory.
template <int kCount>
__device__ __forceinline__ unsigned suspects_in(const GemmPairs& pairs, int matrix, int first_k,
                                                long long end_k, int first, const long long lines,
                                                const long long k) {
  constexpr int kWide = (kCount - 2) / kSplitX + 2;  // wherever they begin
  const int across = static_cast<int>((lines - 1) / kSplitX) + 1;
  const int down = static_cast<int>((k - 1) / kSuspectK) + 1;
  const unsigned short* const suspects =
      pairs.suspect + (pairs.is_shared ? 0 : static_cast<long long>(matrix) * down * across);
  const int begin = first_k / kSuspectK;
  const int end = min(down, static_cast<int>((end_k - 1) / kSuspectK) + 1);
  const auto at = [&](int i) {
    const int x = first / kSplitX + i % kWide;
    const bool is_there = i < (end - begin) * kWide && x < across && x * kSplitX < first + kCount;
    return is_there ? unsigned{suspects[(begin + i / kWide) * across + x]} : 0;
  };
  const int lane = threadIdx.x % 32;
  unsigned any = at(lane);
  for (int i = lane + 32; i < (end - begin) * kWide; i += 32) any |= at(i);
  return any;
}
// The same for the k of a unit of work, in steps of kBK.
template <int kCount, int kBK>
__device__ __forceinline__ unsigned suspects_in(const GemmPairs& pairs, const Unit& unit, int first,
                                                const long long lines, const long long k) {
  return suspects_in<kCount>(pairs, unit.matrix, unit.first_k, unit.first_k + unit.steps * kBK,
                             first, lines, k);
}
__device__ __forceinline__ bool is_in_any(unsigned own) { return __any_sync(0xFFFFFFFF, own != 0); }

// Of kCount lines of a factor 8 k at a time, by kThreads threads: on the way from memory in registers, then turned in
// shared memory so that k comes first. Outside of the matrix there are zeros.
template <int kCount, int kThreads> class Lines {
 public:
  __device__ __forceinline__ Lines(const GemmFactor& factor, bool along_k, int matrix, int first,
                                   long long lines, int end_k)
      : from_(factor.pointers ? static_cast<const float*>(factor.pointers[matrix])
                              : static_cast<const float*>(factor.address) + matrix * factor.stride),
        along_k_(along_k),
        first_(first),
        lines_(lines),
        end_k_(end_k),
        leading_dimension_(factor.leading_dimension) {}

  __device__ __forceinline__ void load(int k) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const long long line = first_ + line_of(i), at = k + k_of(i);
      const bool inside = line < lines_ && at < end_k_;
      values_[i] =
          inside ? from_[along_k_ ? line * leading_dimension_ + at : at * leading_dimension_ + line]
                 : 0;
    }
  }
  template <int kPitch> __device__ __forceinline__ void store(float (&to)[8][kPitch]) const {
#pragma unroll
    for (int i = 0; i < kEach; ++i) to[k_of(i)][line_of(i)] = values_[i];
  }

 private:
  static constexpr int kEach = kCount * 8 / kThreads;
  // Neighbouring threads take what are neighbours in memory.
  __device__ __forceinline__ int line_of(int i) const {
    const int element = static_cast<int>(threadIdx.x % kThreads) + i * kThreads;
    return along_k_ ? element / 8 : element % kCount;
  }
  __device__ __forceinline__ int k_of(int i) const {
    const int element = static_cast<int>(threadIdx.x % kThreads) + i * kThreads;
    return along_k_ ? element % 8 : element / kCount;
  }

  const float* from_;
  bool along_k_;
  int first_;
  long long lines_;
  int end_k_;
  long long leading_dimension_;
  float values_[kEach];
};

// A warpgroup's sums of a unit in f32 arithmetic, where wgmma would leave them. `row`: its first; `room`: what its
// results go through; `along_a`, `along_b`: whether A and B lie along k.
template <int kN, int kBK>
__device__ __forceinline__ void multiply_f32(float (&sum)[kN / 2], Staging& room,
                                             const GemmArguments& g, const Unit& unit, int row,
                                             bool along_a, bool along_b) {
  // k. The sums of so many are added up, as errors grow with the number of sums that one register takes in.
  constexpr int kTogether = 64;
  struct Step {
    float a[8][64 + 4], b[8][kN + 4];
  };
  static_assert(2 * sizeof(Step) <= sizeof(Staging));
  Step* const steps = reinterpret_cast<Step*>(&room);
  const int lane = threadIdx.x % 32, own_row = threadIdx.x / 32 % 4 * 16 + lane / 4;
  const int end = min(static_cast<int>(g.k), unit.first_k + unit.steps * kBK);
  Lines<64, 128> a(g.a, along_a, unit.matrix, row, g.m, end);
  Lines<kN, 128> b(g.b, along_b, unit.matrix, unit.column, g.n, end);
  float some[kN / 2];
#pragma unroll
  for (int i = 0; i < kN / 2; ++i) sum[i] = 0, some[i] = 0;
  a.load(unit.first_k), b.load(unit.first_k);
  warpgroup_meet();  // all warps have stored what was in the room
#pragma unroll 1
  for (int k = unit.first_k; k < end; k += 8) {
    Step& step = steps[k / 8 % 2];  // the other may still be read
    a.store(step.a), b.store(step.b);
    warpgroup_meet();
    a.load(k + 8), b.load(k + 8);  // zeros behind the end
#pragma unroll 4
    for (int l = 0; l < 8; ++l) {
      const float upper = step.a[l][own_row], lower = step.a[l][own_row + 8];
#pragma unroll
      for (int i = 0; i < kN / 2; i += 4) {
        const float2 both = *reinterpret_cast<const float2*>(&step.b[l][i * 2 + lane % 4 * 2]);
        some[i] = fmaf(upper, both.x, some[i]), some[i + 1] = fmaf(upper, both.y, some[i + 1]);
        some[i + 2] = fmaf(lower, both.x, some[i + 2]);
        some[i + 3] = fmaf(lower, both.y, some[i + 3]);
      }
    }
    if (k % kTogether != kTogether - 8 && k + 8 < end) continue;
#pragma unroll
    for (int i = 0; i < kN / 2; ++i) sum[i] += some[i], some[i] = 0;
  }
  warpgroup_meet();
}
// The same of factors whose pairs a pass before has made.
template <int kN, int kBK>
__device__ __forceinline__ void multiply_f32(float (&sum)[kN / 2], Staging& room,
                                             const GemmArguments& g, const Unit& unit, int row) {
  multiply_f32<kN, kBK>(sum, room, g, unit, row, g.pairs_a.along_k != 0, g.pairs_b.along_k != 0);
}

}  // namespace gemm
