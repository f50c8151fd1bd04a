// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 products on f16 tensor cores by mma.sync, as exact as f32 arithmetic, for every GPU from sm_80 on; Hopper's own
// instructions are faster there (warpgroup_accurate.cuh, which says why this is exact). A and B come as pairs of f16
// (split_f32.cu): upper·upper + upper·lower + lower·upper is their product up to 2^-22.
//
// Tensor cores truncate where they add: they add up sixteen k, the small products first, and f32 registers, which round,
// the sums of these.
#pragma once

#include "kernels/gemm/mma_product.cuh"
#include "kernels/gemm/suspects.cuh"

namespace gemm {

template <class Tile_> struct MmaPairs {
  using Tile = Tile_;
  using Element = Half;
  static constexpr bool kAlongA = true, kAlongB = true, kSettles = true;
  static constexpr int kHalves = 2, kK = 16;
  using SlabA = Slab<Half, true, Tile::kBM * 2, Tile::kBK>;
  using SlabB = Slab<Half, true, Tile::kBN * 2, Tile::kBK>;
  static constexpr int kRows = Tile::kWM / 16, kColumns = Tile::kWN / 8;
  using Sums = float[kRows][kColumns][4];

  struct Fragment {
    unsigned upper_a[kRows][4], lower_a[kRows][4];  // tiles of 16×16
    unsigned upper_b[kColumns / 2][4], lower_b[kColumns / 2][4];
  };

  MatrixReader<SlabA, true, kRows> reader_a;
  MatrixReader<SlabB, true, kColumns / 2> reader_b;

  __device__ __forceinline__ MmaPairs(int row, int column)
      : reader_a(row, threadIdx.x / 8 % 2, threadIdx.x / 16 % 2),
        reader_b(column, threadIdx.x / 16 % 2, threadIdx.x / 8 % 2) {}

  static __device__ __forceinline__ MmaSource<Half> source_a(const GemmArguments& g) {
    return source(g.pairs_a, g.m);
  }
  static __device__ __forceinline__ MmaSource<Half> source_b(const GemmArguments& g) {
    return source(g.pairs_b, g.n);
  }

  __device__ __forceinline__ void read(Fragment& fragment, const unsigned char* a,
                                       const unsigned char* b, int k) const {
    constexpr int kLowerA = Tile::kBytesA / 2, kLowerB = Tile::kBytesB / 2;
    reader_a.read(fragment.upper_a, a, k);
    reader_a.read(fragment.lower_a, a + kLowerA, k);
    reader_b.read(fragment.upper_b, b, k);
    reader_b.read(fragment.lower_b, b + kLowerB, k);
  }

  static __device__ __forceinline__ void multiply(Sums& sums, const Fragment& f) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      float some[kColumns][4];
      const auto add = [&](const auto& mma, const unsigned(&a)[4], const auto& b) {
#pragma unroll
        for (int j = 0; j < kColumns; ++j)
          mma(some[j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      };
      add(ptx::mma_f16_from_zero, f.lower_a[i], f.upper_b);
      add(ptx::mma_f16, f.upper_a[i], f.lower_b);
      add(ptx::mma_f16, f.upper_a[i], f.upper_b);
#pragma unroll
      for (int j = 0; j < kColumns; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] += some[j][e];
    }
  }

  // Undoes the scales of pairs, or where these do not do, computes the tile once more. `row`, `column`: the warp's first.
  static __device__ __forceinline__ void settle(Sums& sums, unsigned char* shared,
                                                const GemmArguments& g, const TilePlace& tile,
                                                const Depth& depth, long long row,
                                                long long column) {
    const auto first_k = static_cast<int>(depth.begin);
    const unsigned in_a = suspects_in<Tile::kBM>(g.pairs_a, blockIdx.z, first_k, depth.end,
                                                 static_cast<int>(tile.row), g.m, g.k);
    const unsigned in_b = suspects_in<Tile::kBN>(g.pairs_b, blockIdx.z, first_k, depth.end,
                                                 static_cast<int>(tile.column), g.n, g.k);
    if (is_in_any(in_a | in_b)) multiply_in_f32(sums, shared, g, tile, depth, row, column);
    else unscale(sums, g, row, column);
  }

 private:
  static __device__ __forceinline__ MmaSource<Half> source(const GemmPairs& pairs,
                                                           long long lines) {
    const long long half = lines * pairs.pitch;
    return {pairs.halves + (pairs.is_shared ? 0 : blockIdx.z * 2 * half), pairs.pitch, half};
  }

  // A lane's rows are `row` + 8·half of each 16, its columns `column` and the next of each eight.
  static __device__ __forceinline__ void unscale(Sums& sums, const GemmArguments& g, long long row,
                                                 long long column) {
    const float* const rows = g.pairs_a.unscale + (g.pairs_a.is_shared ? 0 : blockIdx.z * g.m);
    const float* const columns = g.pairs_b.unscale + (g.pairs_b.is_shared ? 0 : blockIdx.z * g.n);
    const int lane = threadIdx.x % 32;
    row += lane / 4, column += lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kRows * 2; ++i) {
      const float of_row = row + i * 8 < g.m ? rows[row + i * 8] : 0;
#pragma unroll
      for (int j = 0; j < kColumns * 2; ++j) {
        const long long c = column + j / 2 * 8 + j % 2;
        float& sum = sums[i / 2][j / 2][i % 2 * 2 + j % 2];
        sum = sum * of_row * (c < g.n ? columns[c] : 0);
      }
    }
  }

  // The same sums in f32 arithmetic, from A and B as they are.
  static __device__ __forceinline__ void multiply_in_f32(Sums& sums, unsigned char* shared,
                                                         const GemmArguments& g,
                                                         const TilePlace& tile, const Depth& depth,
                                                         long long row, long long column) {
    // k. The sums of so many are added up, as errors grow with the number of sums that one register takes in.
    constexpr int kTogether = 64;
    struct Step {
      float a[8][Tile::kBM + 4], b[8][Tile::kBN + 4];
    };
    static_assert(2 * sizeof(Step) <= Tile::kStages * Tile::kStageBytes);
    Step* const steps = reinterpret_cast<Step*>(shared);
    const int lane = threadIdx.x % 32, matrix = blockIdx.z;
    const int own_row = static_cast<int>(row - tile.row) + lane / 4,
              own_column = static_cast<int>(column - tile.column) + lane % 4 * 2;
    const auto begin = static_cast<int>(depth.begin), end = static_cast<int>(depth.end);
    Lines<Tile::kBM, Tile::kThreads> a(g.a, g.pairs_a.along_k != 0, matrix,
                                       static_cast<int>(tile.row), g.m, end);
    Lines<Tile::kBN, Tile::kThreads> b(g.b, g.pairs_b.along_k != 0, matrix,
                                       static_cast<int>(tile.column), g.n, end);
    float some[kRows * kColumns * 4];
#pragma unroll
    for (int i = 0; i < kRows * kColumns * 4; ++i)
      sums[i / 4 / kColumns][i / 4 % kColumns][i % 4] = 0, some[i] = 0;
    a.load(begin), b.load(begin);
    __syncthreads();  // nobody reads stages any more
#pragma unroll 1
    for (int k = begin; k < end; k += 8) {
      Step& step = steps[(k - begin) / 8 % 2];  // the other may still be read
      a.store(step.a), b.store(step.b);
      __syncthreads();
      a.load(k + 8), b.load(k + 8);  // zeros behind the end
#pragma unroll 1
      for (int l = 0; l < 8; ++l) {
        float of_a[kRows * 2], of_b[kColumns * 2];
#pragma unroll
        for (int i = 0; i < kRows * 2; ++i) of_a[i] = step.a[l][own_row + i * 8];
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
          const float2 both = *reinterpret_cast<const float2*>(&step.b[l][own_column + j * 8]);
          of_b[j * 2] = both.x, of_b[j * 2 + 1] = both.y;
        }
#pragma unroll
        for (int i = 0; i < kRows * kColumns * 4; ++i) {
          const int down = i / 4 / kColumns * 2 + i % 4 / 2, across = i / 4 % kColumns * 2 + i % 2;
          some[i] = fmaf(of_a[down], of_b[across], some[i]);
        }
      }
      if ((k - begin) % kTogether != kTogether - 8 && k + 8 < end) continue;
#pragma unroll
      for (int i = 0; i < kRows * kColumns * 4; ++i)
        sums[i / 4 / kColumns][i / 4 % kColumns][i % 4] += some[i], some[i] = 0;
    }
  }
};

}  // namespace gemm

// `...`: kBM, kBN, kBK, kWM, kWN, stages. An element is a pair of f16, as large as an f32.
#define TILEWISE_MMA_ACCURATE(name, blocks, ...)                                             \
  extern "C" __global__ void __launch_bounds__(gemm::MmaTile<float, __VA_ARGS__>::kThreads,  \
                                               blocks)                                       \
      name(const __grid_constant__ tilewise::kernels::GemmArguments g) {                     \
    gemm::mma_product<gemm::MmaPairs<gemm::MmaTile<float, __VA_ARGS__>>, gemm::StripF32>(g); \
  }
