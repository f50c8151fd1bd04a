// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The pass before an accurate f32 product: every x of A and B becomes two f16, an upper and a lower half
// with x·scale = upper + lower, up to 2^-22 of x. scale is a power of two, one for each row of A and each
// column of B, so the product of the halves is turned back by two exact multiplications.
//
// The scale brings the largest of 32 elements, taken along all of k, to [2^10, 2^11). There is room for
// a factor of 32 above it (f16 ends at 65504), and below it as far as 2^-13 of it lower halves still
// have their bits (f16's smallest step is 2^-24). A block that finds more than a few elements outside of
// this range, or one that is not finite, says so: what it is multiplied with then goes in f32.
//
// Either way through memory is read as it lies, and written along k: what lies across k changes places
// on its way through shared memory.
//
// Of a factor that is split where it is multiplied (warpgroup_raw.cuh) only the scales are found here.
#include "kernels/gemm/block.cuh"
#include "kernels/gemm/pairs.cuh"
#include "kernels/gemm/split_f32.hpp"
#include "kernels/ptx/grid.cuh"

namespace {

using gemm::magnitude;
using gemm::Pair;
using gemm::Scale;
using gemm::scale_for;
using gemm::Seen;
using tilewise::kernels::kSplitK;
using tilewise::kernels::kSplitX;
using tilewise::kernels::SplitArguments;
using tilewise::kernels::SplitFactor;

constexpr int kWarps = 8, kSamples = 32;
// A matrix of a factor.
struct Part {
  const float* matrix;
  long long leading_dimension;
  int lines;
  unsigned short* halves;
  float* unscale;
};

// Eight neighbours along k, upper halves and lower ones.
__device__ __forceinline__ void store_eight(unsigned short* upper, unsigned short* lower,
                                            const float (&values)[8], float scale, Seen& seen) {
  Pair pairs[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float first = values[2 * j] * scale, second = values[2 * j + 1] * scale;
    seen.count(first), seen.count(second);
    pairs[j] = gemm::split(first, second);
  }
  *reinterpret_cast<uint4*>(upper) =
      make_uint4(pairs[0].upper, pairs[1].upper, pairs[2].upper, pairs[3].upper);
  *reinterpret_cast<uint4*>(lower) =
      make_uint4(pairs[0].lower, pairs[1].lower, pairs[2].lower, pairs[3].lower);
}

// Of a row along k, with all lanes: four times eight neighbours.
__device__ __forceinline__ Scale scale_of_row(const float* row, int k) {
  const int lane = threadIdx.x % 32;
  const int sample = static_cast<int>(static_cast<long long>(lane / 8) * (k - 8) / 3) + lane % 8;
  const float sampled = sample >= 0 && sample < k ? row[sample] : 0;
  return scale_for(__reduce_max_sync(0xFFFFFFFF, magnitude(sampled)));
}

// Of each lane's column across k, with all warps.
__device__ __forceinline__ Scale scale_of_column(const float* column, bool inside,
                                                 long long leading_dimension, int k) {
  __shared__ unsigned largest[kWarps][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned most = 0;
#pragma unroll
  for (int i = 0; i < kSamples / kWarps; ++i) {
    const int sample = warp * (kSamples / kWarps) + i;
    const auto at = static_cast<int>(static_cast<long long>(sample) * (k - 1) / (kSamples - 1));
    if (inside) most = max(most, magnitude(column[at * leading_dimension]));
  }
  largest[warp][lane] = most;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kWarps; ++i) most = max(most, largest[i][lane]);
  return scale_for(most);
}

// The scales alone, of lines x0 ….
__device__ __forceinline__ void find_scales(const Part& f, bool along_k, int k, int x0) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (!along_k) {
    const int x = x0 + lane;
    const bool inside = x < f.lines;
    const Scale scale = scale_of_column(f.matrix + x, inside, f.leading_dimension, k);
    if (warp == 0 && inside) f.unscale[x] = scale.unscale;
    return;
  }
#pragma unroll
  for (int i = 0; i < kSplitX / kWarps; ++i) {
    const int x = x0 + warp + i * kWarps;
    if (x >= f.lines) continue;
    const Scale scale = scale_of_row(f.matrix + x * f.leading_dimension, k);
    if (lane == 0) f.unscale[x] = scale.unscale;
  }
}

// Rows that lie along k: a warp splits four of them, a lane eight neighbours at a time.
__device__ __forceinline__ bool split_along(const Part& f, int k, int pitch, int x0, int k0) {
  constexpr int kEights = kSplitK / 256;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool aligned =
      ((reinterpret_cast<size_t>(f.matrix) | static_cast<size_t>(f.leading_dimension) * 4) & 15) ==
      0;
  const int end = min(k, k0 + kSplitK);
  bool suspect = false;
#pragma unroll
  for (int i = 0; i < kSplitX / kWarps; ++i) {
    const int x = x0 + warp + i * kWarps;
    if (x >= f.lines) continue;
    const float* const row = f.matrix + x * f.leading_dimension;
    float values[kEights][8];
#pragma unroll
    for (int e = 0; e < kEights; ++e) {
      const int at = k0 + e * 256 + lane * 8;
      if (aligned && at + 7 < end) {
        const float4 low = *reinterpret_cast<const float4*>(row + at);
        const float4 high = *reinterpret_cast<const float4*>(row + at + 4);
        values[e][0] = low.x, values[e][1] = low.y, values[e][2] = low.z, values[e][3] = low.w;
        values[e][4] = high.x, values[e][5] = high.y, values[e][6] = high.z, values[e][7] = high.w;
      } else {
#pragma unroll
        for (int j = 0; j < 8; ++j) values[e][j] = at + j < end ? row[at + j] : 0;
      }
    }
    const Scale scale = scale_of_row(row, k);
    if (k0 == 0 && lane == 0) f.unscale[x] = scale.unscale;
    Seen seen;
    unsigned short* const upper = f.halves + static_cast<long long>(x) * pitch;
    unsigned short* const lower = upper + static_cast<long long>(f.lines) * pitch;
#pragma unroll
    for (int e = 0; e < kEights; ++e) {
      // The pitch is a multiple of 8: eights are aligned, and the last may reach beyond k.
      const int at = k0 + e * 256 + lane * 8;
      if (at < end) store_eight(upper + at, lower + at, values[e], scale.scale, seen);
    }
    seen.lossy = __reduce_add_sync(0xFFFFFFFF, seen.lossy);
    seen.nonzero = __reduce_add_sync(0xFFFFFFFF, seen.nonzero);
    suspect |= scale.suspect || seen.suspect();
  }
  return suspect;
}

// Columns that lie across k: a lane's column is the same all the way, and a warp turns 32×32 at a time.
__device__ __forceinline__ bool split_across(const Part& f, int k, int pitch, int x0, int k0) {
  __shared__ unsigned turned[kWarps][32][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool inside = x0 + lane < f.lines;
  const float* const column = f.matrix + x0 + lane;
  const int end = min(k, k0 + kSplitK);
  float values[32];
  const auto load = [&](int first) {
#pragma unroll
    for (int i = 0; i < 32; ++i)
      values[i] = inside && first + i < end ? column[(first + i) * f.leading_dimension] : 0;
  };
  int first = k0 + warp * 32;
  load(first);
  const Scale scale = scale_of_column(column, inside, f.leading_dimension, k);
  if (k0 == 0 && warp == 0 && inside) f.unscale[x0 + lane] = scale.unscale;
  Seen seen;
#pragma unroll 1
  while (first < end) {
    // Neighbours along k, upper halves in one word and lower ones in the next row.
#pragma unroll
    for (int i = 0; i < 32; i += 2) {
      const float even = values[i] * scale.scale, odd = values[i + 1] * scale.scale;
      seen.count(even), seen.count(odd);
      const Pair pair = gemm::split(even, odd);
      turned[warp][i][lane] = pair.upper;
      turned[warp][i + 1][lane] = pair.lower;
    }
    __syncwarp();
    const int next = first + kWarps * 32, at = first + lane % 16 * 2;
    if (next < end) load(next);
    if (at < end) {
#pragma unroll
      for (int i = 0; i < 32; i += 2) {
        const int x = i + lane / 16;
        if (x0 + x >= f.lines) continue;
        unsigned short* const to = f.halves + static_cast<long long>(x0 + x) * pitch + at;
        *reinterpret_cast<unsigned*>(to) = turned[warp][lane % 16 * 2][x];
        *reinterpret_cast<unsigned*>(to + static_cast<long long>(f.lines) * pitch) =
            turned[warp][lane % 16 * 2 + 1][x];
      }
    }
    __syncwarp();
    first = next;
  }
  return inside && (scale.suspect || seen.suspect());
}

}  // namespace

// Blocks in x: of A, then of B, kSplitX lines each and kSplitK k, or all k where there are no halves to be made;
// lines first. In z the matrices of a batch.
extern "C" __global__ void __launch_bounds__(kWarps * 32)
    gemm_split_f32(const __grid_constant__ SplitArguments s) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  if (blockIdx.x == 0 && blockIdx.z == 0) {
    for (int i = static_cast<int>(threadIdx.x); i < s.arrivals_count; i += kWarps * 32)
      s.arrivals[i] = 0;
  }
  const int blocks_a = s.factors[0].blocks;
  const bool second = static_cast<int>(blockIdx.x) >= blocks_a;
  const SplitFactor& f = s.factors[second];
  const int matrix = static_cast<int>(blockIdx.z);
  if (matrix >= f.matrices) return;
  const int block = static_cast<int>(blockIdx.x) - (second ? blocks_a : 0);
  const int across = (f.lines - 1) / kSplitX + 1;
  const int x0 = block % across * kSplitX, k0 = block / across * kSplitK;
  const long long lines = static_cast<long long>(matrix) * f.lines;
  const Part part{gemm::matrix_of<float>(f.source), f.source.leading_dimension, f.lines,
                  f.halves + lines * 2 * s.pitch, f.unscale + lines};
  if (f.halves == nullptr) return find_scales(part, f.along_k != 0, s.k, x0);
  const bool suspect = f.along_k ? split_along(part, s.k, s.pitch, x0, k0)
                                 : split_across(part, s.k, s.pitch, x0, k0);
  const int any = __syncthreads_or(suspect);
  const long long down = (s.k - 1) / kSplitK + 1;
  if (threadIdx.x == 0) f.suspect[matrix * down * across + block] = any;
}
