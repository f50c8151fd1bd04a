// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 as IEEE has it, on the FMA pipes: any order of A and B.
//
// Both factors stand in shared memory with the rows of A, the columns of B side by side, so that a
// thread reads four of them at a time. Two ways lead there: cp.async of single elements, for small tiles
// (simt_f32_copied.cuh), and registers, for tiles of teams (simt_f32_teams.cuh). A thread's sums are quads of rows
// times quads of columns; its fragments of the next k are read while the FMAs use the ones before (ladder, rung 18).
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/simt_f32_copied.cuh"
#include "kernels/gemm/simt_f32_teams.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// C(row, column … column + 3) = alpha·sum, inside C.
__device__ __forceinline__ void store_quad(float* c, long long columns_left, bool is_aligned,
                                           float alpha, const float* sum) {
  if (is_aligned && columns_left >= 4) {
    *reinterpret_cast<float4*>(c) =
        make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (j < columns_left) c[j] = alpha * sum[j];
}

// Whether quads of columns stand at multiples of 16 bytes.
__device__ __forceinline__ bool is_aligned(const GemmResult& c) {
  return reinterpret_cast<unsigned long long>(matrix_of<float>(c)) % 16 == 0 &&
         c.leading_dimension % 4 == 0;
}

// Whether they do, and each is inside C or outside it as a whole.
__device__ __forceinline__ bool has_whole_quads(const GemmArguments& arguments) {
  return is_aligned(arguments.c) && arguments.n % 4 == 0;
}

// kRows of a thread's rows from `first` on become alpha·sums + beta·C. All of C comes before any of it is stored: no load may
// pass a store, and one after the other they take as long as C is far, each. Without a branch, so that they do come at once.
template <typename Shape, int kRows, bool kQuads>
__device__ __forceinline__ void add_result(const GemmArguments& arguments, const TilePlace& tile,
                                           const SimtPlace<Shape>& place, float alpha, float beta,
                                           int first, float (&sums)[kRows][Shape::kTN]) {
  constexpr int kEach = kQuads ? 4 : 1;
  const float* const c = matrix_of<float>(arguments.c);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const long long row =
        tile.row + place.row + (first + i) / 4 * (Shape::kLanesM * 4) + (first + i) % 4;
#pragma unroll
    for (int j = 0; j < Shape::kTN; j += kEach) {
      const long long column = tile.column + place.column + j / 4 * 4 * Shape::kLanesN + j % 4;
      const bool inside = row < arguments.m && column < arguments.n;
      const float* const from = c + row * arguments.c.leading_dimension + column;
      float old[kEach] = {};
      if constexpr (kQuads) {
        const float4 four =
            inside ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
        old[0] = four.x, old[1] = four.y, old[2] = four.z, old[3] = four.w;
      } else {
        old[0] = inside ? *from : 0;
      }
#pragma unroll
      for (int e = 0; e < kEach; ++e) sums[i][j + e] = fmaf(alpha, sums[i][j + e], beta * old[e]);
    }
  }
}

// kRows of a thread's rows, from `first` on, to C = alpha·sums + beta·C. beta = 0 does not read C. By teams: quads are whole.
template <typename Shape, int kRows>
__device__ __forceinline__ void store_tile(const GemmArguments& arguments, const TilePlace& tile,
                                           const SimtPlace<Shape>& place, float alpha, int first,
                                           float (&sums)[kRows][Shape::kTN]) {
  const float beta = value_of<float>(arguments.beta);
  float* const c = matrix_of<float>(arguments.c);
  const long long leading = arguments.c.leading_dimension;
  const bool is_quad = is_aligned(arguments.c);
  if (beta != 0) {
    if (Shape::kByTeams || has_whole_quads(arguments))
      add_result<Shape, kRows, true>(arguments, tile, place, alpha, beta, first, sums);
    else add_result<Shape, kRows, false>(arguments, tile, place, alpha, beta, first, sums);
    alpha = 1;  // it is in them
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const long long row =
        tile.row + place.row + (first + i) / 4 * (Shape::kLanesM * 4) + (first + i) % 4;
    if (row >= arguments.m) continue;
#pragma unroll
    for (int j = 0; j < Shape::kTN; j += 4) {
      const long long column = tile.column + place.column + j * Shape::kLanesN;
      if (column < arguments.n)
        store_quad(c + row * leading + column, arguments.n - column, is_quad, alpha, &sums[i][j]);
    }
  }
}

// The same of a team's rows of C that is not aligned, by neighbouring elements a warp: stores of single elements that
// are four apart would write each sector of C four times. `room`: the team's share of what teams have added up, or
// what has been stages where there is one team.
template <typename Shape, int kRows>
__device__ __forceinline__ void store_unaligned(const GemmArguments& arguments,
                                                const TilePlace& tile,
                                                const SimtPlace<Shape>& place, float alpha,
                                                const float (&sums)[kRows][Shape::kTN],
                                                float* room) {
  constexpr int kBand = Shape::kLanesM * 4;  // rows of a warp side by side
  constexpr int kBandsOfWarp = kRows / 4;    // of a team
  constexpr int kHigh = Shape::kBM / Shape::kWM * kBandsOfWarp * kBand;
  const int thread = threadIdx.x % Shape::kTeam, team = threadIdx.x / Shape::kTeam;
  const int first = place.row / Shape::kWM * kBandsOfWarp * kBand + place.row % Shape::kWM;
  team_meets<Shape>();  // nobody reads others' sums, or stages, any more
#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int j = 0; j < Shape::kTN; j += 4)
      *reinterpret_cast<float4*>(room + (first + i / 4 * kBand + i % 4) * Shape::kBN +
                                 place.column + j * Shape::kLanesN) =
          make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
  team_meets<Shape>();
  const float beta = value_of<float>(arguments.beta);
  float* const c = matrix_of<float>(arguments.c);
  const auto place_of_element = [&](int i, float*& to) {
    const int line = i / Shape::kBN, band = line / kBand;
    const long long row = tile.row + band / kBandsOfWarp * Shape::kWM +
                          (team * kBandsOfWarp + band % kBandsOfWarp) * kBand + line % kBand;
    const long long column = tile.column + i % Shape::kBN;
    to = c + row * arguments.c.leading_dimension + column;
    return row < arguments.m && column < arguments.n;
  };
  float* to;
  if (beta == 0) {
#pragma unroll 4
    for (int i = thread; i < kHigh * Shape::kBN; i += Shape::kTeam)
      if (place_of_element(i, to)) *to = alpha * room[i];
    return;
  }
  constexpr int kTogether = 4;  // loads before stores, as in add_result()
  static_assert(kHigh * Shape::kBN % (kTogether * Shape::kTeam) == 0);
#pragma unroll 1
  for (int i = thread; i < kHigh * Shape::kBN; i += kTogether * Shape::kTeam) {
    float old[kTogether];
#pragma unroll
    for (int t = 0; t < kTogether; ++t)
      old[t] = place_of_element(i + t * Shape::kTeam, to) ? *to : 0;
#pragma unroll
    for (int t = 0; t < kTogether; ++t)
      if (place_of_element(i + t * Shape::kTeam, to))
        *to = fmaf(alpha, room[i + t * Shape::kTeam], beta * old[t]);
  }
}

// Whether alpha is read again behind the loop: the register that would keep it makes the loop of this one tile wait for
// itself up to 3 % longer, counted in its machine code; the loops of others wait less with it.
template <typename Shape> constexpr bool kReadsAlphaAgain = Shape::kDown == 2 && Shape::kAligned;

// `shared`: stages, and room for the sums of teams.
template <typename Shape, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void simt_f32(const GemmArguments& arguments, unsigned char* shared) {
  auto* const stages = reinterpret_cast<SimtStage<Shape>*>(shared);
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const TilePlace tile =
      place_of_tile<Shape::kBM, Shape::kBN>(blockIdx.x, arguments.m, arguments.n);
  const float alpha = value_of<float>(arguments.alpha);
  const Depth depth = depth_of_block(arguments, alpha == 0);
  const SimtPlace<Shape> place;

  float sums[Shape::kTM][Shape::kTN] = {};
  if constexpr (Shape::kByTeams)
    sum_of_team<Shape, kAlongA, kAlongB>(sums, arguments, tile, depth, stages, place);
  else sum_copied<Shape, kAlongA, kAlongB>(sums, arguments, tile, depth, stages, place);
  if constexpr (!Shape::kByTeams) {
    store_tile<Shape, Shape::kTM>(arguments, tile, place, alpha, 0, sums);
  } else if constexpr (Shape::kDown == 1) {
    if (has_whole_quads(arguments))
      store_tile<Shape, Shape::kTM>(arguments, tile, place, alpha, 0, sums);
    else
      store_unaligned<Shape, Shape::kTM>(arguments, tile, place, alpha, sums,
                                         reinterpret_cast<float*>(shared));
  } else {
    constexpr int kRows = Shape::kTM / Shape::kDown;
    float total[kRows][Shape::kTN];
    float* const room = add_up_teams<Shape>(total, sums, shared);
    const float factor = kReadsAlphaAgain<Shape> ? value_of<float>(arguments.alpha) : alpha;
    if (has_whole_quads(arguments))
      store_tile<Shape, kRows>(arguments, tile, place, factor,
                               static_cast<int>(threadIdx.x) / Shape::kTeam * kRows, total);
    else store_unaligned<Shape, kRows>(arguments, tile, place, factor, total, room);
  }
}

}  // namespace gemm

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k"). Teams' sums, and tiles that
// are turned round, take more shared memory than a kernel may declare.
#define TILEWISE_SIMT_F32(name, along_a, along_b, suffix)                                \
  extern "C" __global__ void __launch_bounds__(Shape::kThreads, kBlocks)                 \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments arguments) { \
    if constexpr (!Shape::kByTeams) {                                                    \
      __shared__ __align__(                                                              \
          16) unsigned char shared[Shape::kStages * sizeof(gemm::SimtStage<Shape>)];     \
      gemm::simt_f32<Shape, along_a, along_b>(arguments, shared);                        \
    } else {                                                                             \
      extern __shared__ __align__(16) unsigned char room[];                              \
      gemm::simt_f32<Shape, along_a, along_b>(arguments, room);                          \
    }                                                                                    \
  }
#define TILEWISE_SIMT_F32_ORDERS(name)      \
  TILEWISE_SIMT_F32(name, true, true, _kk)  \
  TILEWISE_SIMT_F32(name, true, false, _kx) \
  TILEWISE_SIMT_F32(name, false, true, _xk) \
  TILEWISE_SIMT_F32(name, false, false, _xx)
