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
// this range, or one that is not finite, says so: its tiles are then multiplied in f32.
//
// Either way through memory is read as it lies, and written along k: what lies across k changes places
// on its way through shared memory.
#include "kernels/gemm/split_f32.hpp"

namespace {

using tilewise::kernels::kSplitK;
using tilewise::kernels::kSplitX;
using tilewise::kernels::SplitArguments;
using tilewise::kernels::SplitFactor;

constexpr int kWarps = 8, kSamples = 32;
constexpr int kTarget = 10;        // the largest sample is scaled to [2^10, 2^11)
constexpr int kMostExponent = 50;  // of a sample, either way: scales stay far from the ends of f32

struct Scale {
  float scale, unscale;
  bool suspect;
};

// From the largest |sample|, as bits.
__device__ __forceinline__ Scale scale_for(unsigned largest) {
  const int exponent = static_cast<int>(largest >> 23) - 127;
  if (largest == 0) return {1, 1, false};
  if (exponent > kMostExponent || exponent < -kMostExponent) return {1, 1, true};
  return {__int_as_float((127 + kTarget - exponent) << 23),
          __int_as_float((127 - kTarget + exponent) << 23), false};
}

__device__ __forceinline__ unsigned magnitude(float x) { return __float_as_uint(x) & 0x7FFFFFFF; }

// Counts what a warp's lanes have seen.
struct Seen {
  int lossy = 0, nonzero = 0;
  bool outside = false;

  // Of x·scale. Lower halves lose bits below 2^-3; upper ones end at 65504.
  __device__ __forceinline__ void count(float scaled) {
    const unsigned bits = magnitude(scaled);
    nonzero += bits != 0;
    lossy += bits != 0 && bits < __float_as_uint(0.125f);
    outside |= bits > __float_as_uint(65504.0f);
  }
  // More than a sixteenth, of more than a few.
  __device__ __forceinline__ bool suspect() const { return outside || lossy * 16 > nonzero + 32; }
};

// The halves of x: lower in the upper 16 bits.
__device__ __forceinline__ unsigned split(float scaled) {
  unsigned short upper, lower;
  float back;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(upper) : "f"(scaled));
  asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(upper));
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(lower) : "f"(scaled - back));
  return upper | unsigned{lower} << 16;
}

// Rows that lie along k: a warp splits four of them, 128 k at a time.
__device__ __forceinline__ bool split_along(const SplitFactor& f, int k, int pitch, int x0,
                                            int k0) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool aligned =
      ((reinterpret_cast<size_t>(f.source) | static_cast<size_t>(f.leading_dimension) * 4) & 15) ==
      0;
  const int end = min(k, k0 + kSplitK);
  bool suspect = false;
#pragma unroll 1
  for (int x = x0 + warp; x < min(f.count, x0 + kSplitX); x += kWarps) {
    const float* const row = f.source + x * f.leading_dimension;
    const int sample = static_cast<int>(static_cast<long long>(lane / 8) * (k - 8) / 3) + lane % 8;
    const float at = sample >= 0 && sample < k ? row[sample] : 0;
    const Scale scale = scale_for(__reduce_max_sync(0xFFFFFFFF, magnitude(at)));
    if (k0 == 0 && lane == 0) f.unscale[x] = scale.unscale;
    Seen seen;
    unsigned short* const upper = f.halves + static_cast<long long>(x) * pitch;
    unsigned short* const lower = upper + static_cast<long long>(f.count) * pitch;
    float values[kSplitK / 128][4];
#pragma unroll
    for (int i = 0; i < kSplitK / 128; ++i) {
      const int at_k = k0 + i * 128 + lane * 4;
      if (aligned && at_k + 3 < end) {
        const float4 quad = *reinterpret_cast<const float4*>(row + at_k);
        values[i][0] = quad.x, values[i][1] = quad.y, values[i][2] = quad.z, values[i][3] = quad.w;
      } else {
        for (int j = 0; j < 4; ++j) values[i][j] = at_k + j < end ? row[at_k + j] : 0;
      }
    }
#pragma unroll
    for (int i = 0; i < kSplitK / 128; ++i) {
      const int at_k = k0 + i * 128 + lane * 4;
      if (at_k >= end) continue;
      unsigned pairs[4];
      for (int j = 0; j < 4; ++j) {
        const float scaled = values[i][j] * scale.scale;
        seen.count(scaled);
        pairs[j] = split(scaled);
      }
      // The pitch is a multiple of 8: four of a row are aligned, and the last ones may be written
      // beyond k.
      *reinterpret_cast<uint2*>(upper + at_k) = make_uint2(__byte_perm(pairs[0], pairs[1], 0x5410),
                                                           __byte_perm(pairs[2], pairs[3], 0x5410));
      *reinterpret_cast<uint2*>(lower + at_k) = make_uint2(__byte_perm(pairs[0], pairs[1], 0x7632),
                                                           __byte_perm(pairs[2], pairs[3], 0x7632));
    }
    const int lossy = __reduce_add_sync(0xFFFFFFFF, seen.lossy);
    const int nonzero = __reduce_add_sync(0xFFFFFFFF, seen.nonzero);
    suspect |= scale.suspect || seen.outside || lossy * 16 > nonzero + 32;
  }
  return suspect;
}

// Columns that lie across k: a lane's column is the same all the way, and a warp turns 32×32 at a time.
__device__ __forceinline__ bool split_across(const SplitFactor& f, int k, int pitch, int x0,
                                             int k0) {
  __shared__ unsigned turned[kWarps][32][33];
  __shared__ unsigned largest[kWarps][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool inside = x0 + lane < f.count;
  const float* const column = f.source + x0 + lane;
  unsigned most = 0;
#pragma unroll
  for (int i = 0; i < kSamples / kWarps; ++i) {
    const int sample = warp * (kSamples / kWarps) + i;
    const auto at = static_cast<int>(static_cast<long long>(sample) * (k - 1) / (kSamples - 1));
    if (inside) most = max(most, magnitude(column[at * f.leading_dimension]));
  }
  largest[warp][lane] = most;
  __syncthreads();
  for (int i = 0; i < kWarps; ++i) most = max(most, largest[i][lane]);
  const Scale scale = scale_for(most);
  if (k0 == 0 && warp == 0 && inside) f.unscale[x0 + lane] = scale.unscale;
  Seen seen;
#pragma unroll 1
  for (int first = k0 + warp * 32; first < min(k, k0 + kSplitK); first += kWarps * 32) {
    float values[32];
#pragma unroll
    for (int i = 0; i < 32; ++i)
      values[i] = inside && first + i < k ? column[(first + i) * f.leading_dimension] : 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const float scaled = values[i] * scale.scale;
      seen.count(scaled);
      turned[warp][i][lane] = split(scaled);
    }
    __syncwarp();
    const int at_k = lane % 16 * 2;
    if (first + at_k < k) {
#pragma unroll
      for (int i = 0; i < 32; i += 2) {
        const int x = i + lane / 16;
        if (x0 + x >= f.count) continue;
        const unsigned one = turned[warp][at_k][x], two = turned[warp][at_k + 1][x];
        unsigned short* const to = f.halves + static_cast<long long>(x0 + x) * pitch + first + at_k;
        *reinterpret_cast<unsigned*>(to) = __byte_perm(one, two, 0x5410);
        *reinterpret_cast<unsigned*>(to + static_cast<long long>(f.count) * pitch) =
            __byte_perm(one, two, 0x7632);
      }
    }
  }
  return inside && (scale.suspect || seen.suspect());
}

}  // namespace

// A block for each kSplitX rows and kSplitK k: in x those of A, then those of B; in y those of k.
extern "C" __global__ void __launch_bounds__(kWarps * 32)
    split_f32(const __grid_constant__ SplitArguments s) {
  const int blocks_a = (s.factors[0].count - 1) / kSplitX + 1;
  const bool second = static_cast<int>(blockIdx.x) >= blocks_a;
  const SplitFactor& f = s.factors[second];
  const int block = static_cast<int>(blockIdx.x) - (second ? blocks_a : 0);
  const int x0 = block * kSplitX, k0 = static_cast<int>(blockIdx.y) * kSplitK;
  const bool suspect =
      f.along_k ? split_along(f, s.k, s.pitch, x0, k0) : split_across(f, s.k, s.pitch, x0, k0);
  const int any = __syncthreads_or(suspect);
  if (threadIdx.x == 0)
    f.suspects[blockIdx.y * ((f.count - 1) / kSplitX + 1) + static_cast<unsigned>(block)] = any;
}
