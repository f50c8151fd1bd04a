// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Units of work that pairs of f16 do not do for: somewhere in their rows of A or their columns of B the pass before
// (split_f32.cu), or the kernel itself, has found f32 that halves cannot hold. The warpgroup that finds itself with
// one computes it once more in f32 arithmetic, from A and B as they are. Slowly: it is meant to be rare.
#pragma once

#include "kernels/gemm/result.cuh"
#include "kernels/gemm/split_f32.hpp"
#include "kernels/gemm/units.cuh"

namespace gemm {

// Whether the pass has found such f32 in kCount lines (rows of A or columns of B, `lines` in all) for the k of a
// unit. The same in all lanes of a warp, all of which ask.
template <int kCount, int kBK>
__device__ __forceinline__ bool is_suspect(const GemmPairs& pairs, const Unit& unit, int first,
                                           const long long lines, const long long k) {
  constexpr int kWide = kCount / kSplitX + (kCount % kSplitX != 0);
  const int across = static_cast<int>((lines - 1) / kSplitX) + 1;
  const int down = static_cast<int>((k - 1) / kSplitK) + 1;
  const unsigned* const suspects =
      pairs.suspect + (pairs.is_shared ? 0 : static_cast<long long>(unit.matrix) * down * across);
  const int begin = unit.first_k / kSplitK;
  const int end = min(down, (unit.first_k + unit.steps * kBK - 1) / kSplitK + 1);
  unsigned any = 0;
  for (int i = static_cast<int>(threadIdx.x % 32); i < (end - begin) * kWide; i += 32) {
    const int x = first / kSplitX + i % kWide;
    if (x < across) any |= suspects[(begin + i / kWide) * across + x];
  }
  return __any_sync(0xFFFFFFFF, any != 0);
}

// Fetches kCount lines of 16 k, turned so that k comes first; outside of the matrix there are zeros.
template <int kCount, int kPitch>
__device__ __forceinline__ void fetch_f32(float (&to)[16][kPitch], const GemmFactor& factor,
                                          bool along_k, int matrix, int first, long long lines,
                                          int k, int end_k) {
  const float* const from =
      factor.pointers ? static_cast<const float*>(factor.pointers[matrix])
                      : static_cast<const float*>(factor.address) + matrix * factor.stride;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x % 128); i < kCount * 16; i += 128) {
    const int x = along_k ? i / 16 : i % kCount, l = along_k ? i % 16 : i / kCount;
    const long long line = first + x, at = k + l;
    const bool inside = line < lines && at < end_k;
    const long long ld = factor.leading_dimension;
    to[l][x] = inside ? from[along_k ? line * ld + at : at * ld + line] : 0;
  }
}

// A warpgroup's sums of a unit in f32 arithmetic, where wgmma would leave them. `row`, `column`: its first; `room`
// is what its results go through.
template <int kN, int kBK>
__device__ __forceinline__ void multiply_f32(float (&sum)[kN / 2], Staging& room,
                                             const GemmArguments& g, const Unit& unit, int row) {
  struct Step {
    float a[16][64 + 4], b[16][kN + 4];
  };
  static_assert(sizeof(Step) <= sizeof(Staging));
  Step& step = *reinterpret_cast<Step*>(&room);
  const int lane = threadIdx.x % 32, own_row = threadIdx.x / 32 % 4 * 16 + lane / 4;
  const int end = min(static_cast<int>(g.k), unit.first_k + unit.steps * kBK);
  finish_stores();  // of the unit before
#pragma unroll
  for (int i = 0; i < kN / 2; ++i) sum[i] = 0;
#pragma unroll 1
  for (int k = unit.first_k; k < end; k += 16) {
    warpgroup_meet();
    fetch_f32<64>(step.a, g.a, g.pairs_a.along_k != 0, unit.matrix, row, g.m, k, end);
    fetch_f32<kN>(step.b, g.b, g.pairs_b.along_k != 0, unit.matrix, unit.column, g.n, k, end);
    warpgroup_meet();
#pragma unroll 1
    for (int l = 0; l < 16; ++l) {
      const float upper = step.a[l][own_row], lower = step.a[l][own_row + 8];
#pragma unroll
      for (int i = 0; i < kN / 2; i += 4) {
        const float2 b = *reinterpret_cast<const float2*>(&step.b[l][i * 2 + lane % 4 * 2]);
        sum[i] = fmaf(upper, b.x, sum[i]), sum[i + 1] = fmaf(upper, b.y, sum[i + 1]);
        sum[i + 2] = fmaf(lower, b.x, sum[i + 2]), sum[i + 3] = fmaf(lower, b.y, sum[i + 3]);
      }
    }
  }
  warpgroup_meet();
}

}  // namespace gemm
