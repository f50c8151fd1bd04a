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
#include "kernels/gemm/units.cuh"
#include "kernels/ptx/grid.cuh"

namespace {

using gemm::magnitude;
using gemm::Pair;
using gemm::Scale;
using gemm::scale_for;
using gemm::Seen;
using gemm::SeenPairs;
using tilewise::kernels::kSplitK;
using tilewise::kernels::kSplitThreads;
using tilewise::kernels::kSplitX;
using tilewise::kernels::kSuspectK;
using tilewise::kernels::SplitArguments;
using tilewise::kernels::SplitFactor;

constexpr int kEach = tilewise::kernels::kSplitEach;
constexpr int kLanes = kSplitK / kEach;      // that a line takes
constexpr int kSamples = 32;                 // of a line, of all its k
constexpr int kSampled = kSamples / kLanes;  // by a lane
constexpr int kTogether = kSuspectK / kSplitK;
static_assert(kSplitX == 32 && kEach == 8 && 32 % kLanes == 0);

// A matrix of a factor.
struct Part {
  const float* matrix;
  long long leading_dimension;
  int lines, k, sample_step;
};

// A block's share of a factor whose lines lie across k, and samples of these lines.
struct Turned {
  alignas(16) float values[kSplitX][kSplitK + 4];
  float samples[kSamples][kSplitX + 1];
};

// What a lane needs of its line: its share, from `at` on, and some of the samples.
struct Line {
  float values[kEach];
  float samples[kSampled];  // not looked at before all are asked for

  __device__ __forceinline__ unsigned largest_sample() const {
    unsigned largest = 0;
#pragma unroll
    for (const float sample : samples) largest = max(largest, magnitude(sample));
    return largest;
  }
};

// Of line `x`, which lies along k. Four times eight neighbours are the samples.
__device__ __forceinline__ void read_along(Line& line, const Part& f, int x, int at, int end) {
  const float* const row = f.matrix + x * f.leading_dimension;
  const bool is_there = x < f.lines;
#pragma unroll
  for (int i = 0; i < kSampled; ++i) {
    const int number = static_cast<int>(threadIdx.x % kLanes) + i * kLanes;
    const int sample = number / 8 * f.sample_step + number % 8;
    line.samples[i] = is_there && sample < f.k ? row[sample] : 0;
  }
  if (is_there && reinterpret_cast<size_t>(row) % 16 == 0 && at + kEach <= end) {
    const float4 low = *reinterpret_cast<const float4*>(row + at);
    const float4 high = *reinterpret_cast<const float4*>(row + at + 4);
    line.values[0] = low.x, line.values[1] = low.y, line.values[2] = low.z, line.values[3] = low.w;
    line.values[4] = high.x, line.values[5] = high.y;
    line.values[6] = high.z, line.values[7] = high.w;
  } else {
#pragma unroll
    for (int i = 0; i < kEach; ++i) line.values[i] = is_there && at + i < end ? row[at + i] : 0;
  }
}

// Of lines from x0 on, which lie across k. All of them are read together, a warp eight k of each.
__device__ __forceinline__ void read_across(Line& line, Turned& turned, const Part& f, int x0,
                                            int k0, int end) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool is_there = x0 + lane < f.lines;
  const float* const column = f.matrix + x0 + lane;
  float samples[kSampled];
#pragma unroll
  for (int i = 0; i < kSampled; ++i)
    samples[i] = is_there ? column[(warp + i * kLanes) * f.sample_step * f.leading_dimension] : 0;
  float values[kEach];
  const float* from = column + (k0 + warp * kEach) * f.leading_dimension;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    values[i] = is_there && k0 + warp * kEach + i < end ? *from : 0;
    from += f.leading_dimension;
  }
#pragma unroll
  for (int i = 0; i < kSampled; ++i) turned.samples[warp + i * kLanes][lane] = samples[i];
#pragma unroll
  for (int i = 0; i < kEach; i += 4)
    *reinterpret_cast<float4*>(&turned.values[lane][warp * kEach + i]) =
        make_float4(values[i], values[i + 1], values[i + 2], values[i + 3]);
  __syncthreads();
  const int own = threadIdx.x / kLanes, part = threadIdx.x % kLanes;
#pragma unroll
  for (int i = 0; i < kSampled; ++i) line.samples[i] = turned.samples[part + i * kLanes][own];
#pragma unroll
  for (int i = 0; i < kEach; i += 4) {
    const auto four = *reinterpret_cast<const float4*>(&turned.values[own][part * kEach + i]);
    line.values[i] = four.x, line.values[i + 1] = four.y;
    line.values[i + 2] = four.z, line.values[i + 3] = four.w;
  }
}

// Eight neighbours along k, upper halves and lower ones.
__device__ __forceinline__ void store_eight(unsigned short* upper, unsigned short* lower,
                                            const float (&values)[kEach], float scale,
                                            SeenPairs& seen) {
  Pair pairs[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float first = values[2 * j] * scale, second = values[2 * j + 1] * scale;
    pairs[j] = gemm::split(first, second);
    seen.count(first, second, pairs[j].upper);
  }
  *reinterpret_cast<uint4*>(upper) =
      make_uint4(pairs[0].upper, pairs[1].upper, pairs[2].upper, pairs[3].upper);
  *reinterpret_cast<uint4*>(lower) =
      make_uint4(pairs[0].lower, pairs[1].lower, pairs[2].lower, pairs[3].lower);
}

// Of the lanes of a line.
template <class Combine>
__device__ __forceinline__ unsigned all_of_line(unsigned own, const Combine& combine) {
#pragma unroll
  for (int apart = 1; apart < kLanes; apart *= 2)
    own = combine(own, __shfl_xor_sync(0xFFFFFFFF, own, apart));
  return own;
}

}  // namespace

// Blocks in x: of A, then of B, kSplitX lines each and kSplitK k, or all k where there are no halves to be made;
// lines first. In z the matrices of a batch. Short code: it is met cold, between kernels that others launch, and a
// line of 128 bytes that is not in the caches costs 15 ns (docs/lab/gpu_gemm.md).
extern "C" __global__ void __launch_bounds__(kSplitThreads, 2048 / kSplitThreads)
    gemm_split_f32(const __grid_constant__ SplitArguments s) {
  __shared__ Turned turned;
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int own = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;  // line, and place in it
  if (blockIdx.x == 0 && blockIdx.z == 0) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < s.arrivals_count; i += kSplitThreads)
      s.arrivals[i] = 0;
  }
  const int blocks_a = s.factors[0].blocks;
  const bool second = static_cast<int>(blockIdx.x) >= blocks_a;
  const SplitFactor& f = s.factors[second];
  const int matrix = static_cast<int>(blockIdx.z);
  if (matrix >= f.matrices) return;
  const int block = static_cast<int>(blockIdx.x) - (second ? blocks_a : 0);
  const int across = static_cast<int>(f.by_across.divisor);
  const int down = static_cast<int>(gemm::quotient(block, f.by_across));
  const int x0 = (block - down * across) * kSplitX, k0 = down * kSplitK;
  const Part part{gemm::matrix_of<float>(f.source), f.source.leading_dimension, f.lines, s.k,
                  f.sample_step};
  const bool makes_halves = f.halves != nullptr;
  const int x = x0 + own, at = k0 + lane * kEach;
  const int end = makes_halves ? min(s.k, k0 + kSplitK) : 0;
  Line line;
  if (f.along_k) read_along(line, part, x, at, end);
  else read_across(line, turned, part, x0, k0, end);
  const Scale scale = scale_for(
      all_of_line(line.largest_sample(), [](unsigned a, unsigned b) { return max(a, b); }));
  const long long row = static_cast<long long>(matrix) * f.lines + x;
  if (x < f.lines && k0 == 0 && lane == 0) f.unscale[row] = scale.unscale;
  if (!makes_halves) return;
  SeenPairs counted;
  if (x < f.lines && at < end) {
    // The pitch is a multiple of 8: eights are aligned, and the last may reach beyond k.
    unsigned short* const upper =
        f.halves + (row + static_cast<long long>(matrix) * f.lines) * s.pitch + at;
    store_eight(upper, upper + static_cast<long long>(f.lines) * s.pitch, line.values, scale.scale,
                counted);
  }
  Seen seen = counted.seen();
  // Both at once: neither is above kSplitK.
  const unsigned both = all_of_line(static_cast<unsigned>(seen.lossy << 16 | seen.nonzero),
                                    [](unsigned a, unsigned b) { return a + b; });
  seen.lossy = static_cast<int>(both >> 16), seen.nonzero = static_cast<int>(both & 0xFFFF);
  const int any = __syncthreads_or(x < f.lines && (scale.suspect || seen.suspect()));
  if (threadIdx.x == 0) {
    const int words_down = (s.k - 1) / kSuspectK + 1, own_word = down / kTogether;
    auto* const flag = reinterpret_cast<unsigned char*>(
        f.suspect + (static_cast<long long>(matrix) * words_down + own_word) * across +
        x0 / kSplitX);
    flag[down % kTogether] = static_cast<unsigned char>(any);
    // What no block is about.
    for (int i = down % kTogether + 1; i < kTogether && k0 + kSplitK >= s.k; ++i) flag[i] = 0;
  }
}
