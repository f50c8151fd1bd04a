// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Products that are thin: C has few columns (or few rows: then Cᵀ is computed), or both and k is long. Little is
// multiplied with each element, so what counts is that enough bytes of A and B are on their way at any time, and
// what comes before the first and behind the last.
//
// Warps share nothing while they multiply. Each has kLines lines of A and all columns of the strip and, of the
// block's k, every kDown-th step; it brings its steps of A and B into a ring of its own in shared memory by cp.async
// and waits for nobody. At the end warps add up their sums; where k is divided, a second kernel adds up those of
// blocks. Orders never change. Loops are rolled up where they can be: operands are met once, so code is met cold.
#pragma once

#include "kernels/gemm/add_parts.cuh"
#include "kernels/gemm/block.cuh"
#include "kernels/gemm/slab.cuh"
#include "kernels/gemm/strip.hpp"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/grid.cuh"

namespace gemm {

// A lane's way through one factor whose rows begin at multiples of 16 bytes. A step is kBK k of kLines lines, and
// kStride behind the one before; steps are asked for one after the other.
template <class T, bool kAlongK, int kLines, int kBK, int kStride> class Feeder {
  using Of = Slab<T, kAlongK, kLines, kBK>;
  static constexpr int kTogether = 32 / Of::kPieces;  // rows that a warp copies at a time
  static_assert(Of::kPieces * kTogether == 32 && Of::kRows % kTogether == 0);

  const T* from_;  // the lane's first piece of the next step
  long long leading_;
  long long lines_left_, k_left_;  // from there on
  int row_, piece_;

 public:
  static constexpr int kBytes = Of::kBytes;

  __device__ __forceinline__ Feeder(const T* matrix, long long leading_dimension,
                                    long long first_line, long long lines, long long first_k,
                                    long long end_k)
      : leading_(leading_dimension),
        row_(threadIdx.x % 32 / Of::kPieces),
        piece_(threadIdx.x % 32 % Of::kPieces) {
    const long long line = first_line + (kAlongK ? row_ : piece_ * Of::kEach),
                    k = first_k + (kAlongK ? piece_ * Of::kEach : row_);
    from_ = matrix + (kAlongK ? line * leading_ + k : k * leading_ + line);
    lines_left_ = lines - line, k_left_ = end_k - k;
  }

  // Asks for the next step. What lies outside the matrix becomes 0.
  __device__ __forceinline__ void copy(unsigned char* stage) {
    constexpr long long kMost = Of::kRows;
    const T* at = from_;
    const long long width = kAlongK ? k_left_ : lines_left_;
    const int rows = static_cast<int>(min(kAlongK ? lines_left_ : k_left_, kMost));
    const int bytes =
        static_cast<int>(min(max(width, 0ll), static_cast<long long>(Of::kEach)) * sizeof(T));
#pragma unroll
    for (int i = 0; i < Of::kRows; i += kTogether) {
      // Rows eight apart are exchanged the same way.
      ptx::cp_async_up_to_16(
          stage + Of::place(row_ + i % 8, piece_) + i / 8 * 8 * Of::kPieces * kPiece, at,
          i < rows ? bytes : 0);
      at += kTogether * leading_;
    }
    from_ += kAlongK ? kStride : kStride * leading_;
    k_left_ -= kStride;
  }

  // What Multiply reads.
  __device__ __forceinline__ const unsigned char* view(const unsigned char* stage) const {
    return stage;
  }
};

// What a kernel of this family is. Way::Feeder: how steps come (Feeder, or RawFeeder of strip_any.cuh); Way::Multiply:
// how a step is multiplied, where a lane's sums belong, and whether each step's are added up apart (strip_f32.cuh,
// strip_16bit.cuh). T: the type of A and B. Tiles of kLines rows and kN columns; k of a step (kBK), stages of a warp's
// ring, warps side by side (kAcross, each with its lines) and along k (kDown).
template <class Way, class T_, bool kAlongA_, bool kAlongB_, int kLines_, int kN_, int kBK_,
          int kStages_, int kAcross_, int kDown_>
struct StripShape {
  using T = T_;
  using Multiply = typename Way::template Multiply<StripShape>;
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  static constexpr int kLines = kLines_, kN = kN_, kBK = kBK_, kStages = kStages_;
  static constexpr int kAcross = kAcross_, kDown = kDown_;
  static constexpr int kM = kLines * kAcross, kThreads = 32 * kAcross * kDown;
  static constexpr int kSlots = kLines * kN / 32 / 4;  // of four sums, that a lane has
  using SlabA = Slab<typename T::Stored, kAlongA, kLines, kBK>;
  using SlabB = Slab<typename T::Stored, kAlongB, kN, kBK>;
  using FeederA =
      typename Way::template Feeder<typename T::Stored, kAlongA, kLines, kBK, kDown * kBK>;
  using FeederB = typename Way::template Feeder<typename T::Stored, kAlongB, kN, kBK, kDown * kBK>;
  static constexpr int kStageBytes = FeederA::kBytes + FeederB::kBytes;
  static constexpr int kRingBytes = kStages * kStageBytes;
  // Where several warps' sums are added up, the tile is put together behind the rings, in f32.
  static constexpr int kSharedBytes = kAcross * kDown * kRingBytes + (kDown > 1 ? kM * kN * 4 : 0);
  static_assert(kRingBytes >= kLines * kN * 4);  // where a warp leaves its sums
};

// Where a sum belongs in its warp's tile.
struct SumPlace {
  int row, column;
};

// Of Multiply, where rows begin at multiples of 16 bytes.
template <template <class> class Multiply_> struct StripWay {
  template <class S> using Multiply = Multiply_<S>;
  template <class T, bool kAlongK, int kLines, int kBK, int kStride>
  using Feeder = gemm::Feeder<T, kAlongK, kLines, kBK, kStride>;
};

constexpr int kStripSumWarps = kStripSumThreads / 32;

// Where this warp's lines and steps are.
struct StripPlace {
  TilePlace tile;
  int across, down;  // numbers of the warp
  int lane;
};

// Tiles are numbered down C's columns.
template <class S>
__device__ __forceinline__ TilePlace place_of_strip_tile(const GemmArguments& g, unsigned tile) {
  if (g.n <= S::kN) return {static_cast<long long>(tile) * S::kM, 0};
  const unsigned down = static_cast<unsigned>((g.m - 1) / S::kM) + 1;
  return {static_cast<long long>(tile % down) * S::kM, static_cast<long long>(tile / down) * S::kN};
}

template <class S> __device__ __forceinline__ StripPlace place_of_strip(const GemmArguments& g) {
  const int warp = threadIdx.x / 32;
  return {place_of_strip_tile<S>(g, blockIdx.x), warp % S::kAcross, warp / S::kAcross,
          static_cast<int>(threadIdx.x % 32)};
}

// Calls `add` with what of A and B each of this warp's steps reads.
template <class S, class Add>
__device__ __forceinline__ void for_steps(unsigned char* ring, const GemmArguments& g,
                                          const StripPlace& place, const Depth& depth,
                                          const Add& add) {
  using Stored = typename S::T::Stored;
  constexpr int kAhead = S::kStages - 1, kStride = S::kDown * S::kBK;
  const long long first = depth.begin + place.down * S::kBK,
                  row = place.tile.row + place.across * S::kLines;
  const int steps =
      row < g.m ? static_cast<int>((max(depth.end - first, 0ll) + kStride - 1) / kStride) : 0;
  typename S::FeederA a(matrix_of<Stored>(g.a), g.a.leading_dimension, row, g.m, first, depth.end);
  typename S::FeederB b(matrix_of<Stored>(g.b), g.b.leading_dimension, place.tile.column, g.n,
                        first, depth.end);
  int stage = 0, next = 0;
#pragma unroll 1
  for (int step = -kAhead; step < steps; ++step) {
    if (step >= 0) {
      ptx::cp_async_wait<kAhead - 1>();
      __syncwarp();  // all lanes' copies have come, and all have read the stage that is filled next
    }
    if (step + kAhead < steps) {
      unsigned char* const to = ring + next * S::kStageBytes;
      a.copy(to), b.copy(to + S::FeederA::kBytes);
    }
    ptx::cp_async_commit();
    next = next + 1 == S::kStages ? 0 : next + 1;
    if (step < 0) continue;
    const unsigned char* const from = ring + stage * S::kStageBytes;
    add(a.view(from), b.view(from + S::FeederA::kBytes));
    stage = stage + 1 == S::kStages ? 0 : stage + 1;
  }
  ptx::cp_async_wait<0>();
  __syncwarp();
}

// The sums of this warp's steps.
template <class S>
__device__ __forceinline__ void add_steps(float (&sums)[S::kSlots][4], unsigned char* ring,
                                          const GemmArguments& g, const StripPlace& place,
                                          const Depth& depth) {
  // A step's sums apart from those of all, where registers are left for both: errors grow with each sum.
  constexpr bool kInTwoLevels = S::Multiply::kInTwoLevels;
  typename S::Multiply multiply;
  for_steps<S>(ring, g, place, depth, [&](const auto& a, const auto& b) {
    if constexpr (kInTwoLevels) {
      float some[S::kSlots][4] = {};
      multiply.add(some, a, b);
#pragma unroll
      for (int i = 0; i < S::kSlots * 4; ++i) sums[i / 4][i % 4] += some[i / 4][i % 4];
    } else {
      multiply.add(sums, a, b);
    }
  });
  if constexpr (requires { multiply.is_suspect(sums); }) {
    if (!multiply.is_suspect(sums)) return;
#pragma unroll
    for (int i = 0; i < S::kSlots * 4; ++i) sums[i / 4][i % 4] = 0;
    for_steps<S>(ring, g, place, depth,
                 [&](const auto& a, const auto& b) { multiply.add_in_f32(sums, a, b); });
  }
}

// A warp's or a block's part of C, put together in shared memory in f32, as C is stored: kLines rows and kN columns, or
// where C is transposed the other way round.
template <class S, int kLines, bool kTransposed> struct Whole {
  static constexpr int kWidth = kTransposed ? kLines : S::kN;
  float* elements;

  // Four sums of a lane of a warp whose lines begin at `row`.
  __device__ __forceinline__ void put(int row, int slot, int lane, const float4& sums) const {
    const float four[4] = {sums.x, sums.y, sums.z, sums.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const SumPlace at = S::Multiply::place(slot, i, lane);
      if constexpr (kTransposed) elements[at.column * kWidth + row + at.row] = four[i];
      else elements[(row + at.row) * kWidth + at.column] = four[i];
    }
  }

  // To C, by threads of which this is one of kThreads; the first line is line `row` of C's tile.
  template <class C, int kThreads>
  __device__ __forceinline__ void store(const GemmArguments& g, const TilePlace& tile,
                                        long long row, int thread, float alpha, float beta) const {
    const long long high = kTransposed ? g.n - tile.column : g.m - row,
                    wide = kTransposed ? g.m - row : g.n - tile.column;
    C* const corner = matrix_of<C>(g.c) + (kTransposed ? tile.column * g.c.leading_dimension + row
                                                       : row * g.c.leading_dimension + tile.column);
#pragma unroll 4
    for (int i = thread * 4; i < kLines * S::kN; i += kThreads * 4) {
      const int down = i / kWidth, across = i % kWidth;
      if (down >= high) break;
      float4 four = *reinterpret_cast<const float4*>(elements + i);
      four = make_float4(alpha * four.x, alpha * four.y, alpha * four.z, alpha * four.w);
      C* const to = corner + down * g.c.leading_dimension + across;
      store_four<typename S::T>(to, four, wide - across, beta);
    }
  }
};

// Where a tile's sums of one part are left: [matrix][tile][part][across][slot][lane].
template <class S>
__device__ __forceinline__ float4* partials_of(const GemmArguments& g, long long tile, int part) {
  return static_cast<float4*>(g.split.partials) +
         (tile * g.split.parts + part) * (S::kM * S::kN / 4);
}

// Calls `what` with a type C that `g` says C is of, and whether C is transposed.
template <class S, class What>
__device__ __forceinline__ void with_result(const GemmArguments& g, const What& what) {
  using Stored = typename S::T::Stored;
  const auto with_type = [&](auto transposed) {
    if (g.result_bytes == 4) what(transposed, float{});
    else what(transposed, Stored{});
  };
  if (g.result_is_transposed) with_type(std::true_type{});
  else with_type(std::false_type{});
}

// Makes C of the sums of the block's warps, or leaves them for the second kernel.
template <class S>
__device__ __forceinline__ void finish_strip(float (&sums)[S::kSlots][4], unsigned char* shared,
                                             const GemmArguments& g, const StripPlace& place,
                                             float alpha, float beta) {
  constexpr int kWarps = S::kAcross * S::kDown;
  const bool is_part = g.split.parts > 1;
  float4* const partials =
      partials_of<S>(g, static_cast<long long>(blockIdx.z) * gridDim.x + blockIdx.x,
                     static_cast<int>(blockIdx.y)) +
      place.across * S::kSlots * 32 + place.lane;
  const auto slot_of = [&](int i) {
    return make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
  };
  if constexpr (S::kDown == 1) {
    if (is_part) {
#pragma unroll
      for (int i = 0; i < S::kSlots; ++i) partials[i * 32] = slot_of(i);
      return;
    }
    with_result<S>(g, [&](auto transposed, auto type) {
      const long long row = place.tile.row + place.across * S::kLines;
      const Whole<S, S::kLines, decltype(transposed)::value> whole{
          reinterpret_cast<float*>(shared + place.across * S::kRingBytes)};
#pragma unroll
      for (int i = 0; i < S::kSlots; ++i) whole.put(0, i, place.lane, slot_of(i));
      __syncwarp();
      whole.template store<decltype(type), 32>(g, place.tile, row, place.lane, alpha, beta);
    });
  } else {
    const auto of_warp = [&](int down) {
      return reinterpret_cast<float4*>(shared +
                                       (down * S::kAcross + place.across) * S::kRingBytes) +
             place.lane;
    };
    float4* const own = of_warp(place.down);
#pragma unroll
    for (int i = 0; i < S::kSlots; ++i) own[i * 32] = slot_of(i);
    __syncthreads();
    const auto sum_of = [&](int slot) {
      float4 sum = of_warp(0)[slot * 32];
#pragma unroll
      for (int down = 1; down < S::kDown; ++down) add(sum, of_warp(down)[slot * 32]);
      return sum;
    };
    if (is_part) {
#pragma unroll 2
      for (int i = place.down; i < S::kSlots; i += S::kDown) partials[i * 32] = sum_of(i);
      return;
    }
    with_result<S>(g, [&](auto transposed, auto type) {
      const Whole<S, S::kM, decltype(transposed)::value> whole{
          reinterpret_cast<float*>(shared + kWarps * S::kRingBytes)};
#pragma unroll 2
      for (int i = place.down; i < S::kSlots; i += S::kDown)
        whole.put(place.across * S::kLines, i, place.lane, sum_of(i));
      __syncthreads();
      whole.template store<decltype(type), S::kThreads>(g, place.tile, place.tile.row,
                                                        static_cast<int>(threadIdx.x), alpha, beta);
    });
  }
}

template <class S> __device__ __forceinline__ void strip(const GemmArguments& g) {
  extern __shared__ __align__(128) unsigned char shared[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const StripPlace place = place_of_strip<S>(g);
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  float sums[S::kSlots][4] = {};
  add_steps<S>(sums, shared + threadIdx.x / 32 * S::kRingBytes, g, place,
               depth_of_block(g, alpha == 0));
  finish_strip<S>(sums, shared, g, place, alpha, beta);
}

// The second kernel: adds up what blocks have left of their parts. A block has one slot of one warp of a tile; its warps
// have every so-many-th part.
template <class S> __device__ __forceinline__ void add_parts(const GemmArguments& g) {
  __shared__ float4 of_warps[kStripSumWarps][32];
  constexpr int kSlotsOfTile = S::kM * S::kN / kStripSumsOfBlock;
  const unsigned slot = blockIdx.x % kSlotsOfTile, tile = blockIdx.x / kSlotsOfTile;
  const int warp = threadIdx.x / 32;
  const long long number = static_cast<long long>(blockIdx.z) * (gridDim.x / kSlotsOfTile) + tile;
  const float4* const partials = partials_of<S>(g, number, 0) + slot * 32 + threadIdx.x % 32;
  const TilePlace at = place_of_strip_tile<S>(g, tile);
  ptx::wait_for_previous_grid();
  float4 sum = {};
  add_every(sum, partials, S::kM * S::kN / 4, warp, kStripSumWarps, g.split.parts);
  of_warps[warp][threadIdx.x % 32] = sum;
  __syncthreads();
  if (threadIdx.x >= kStripSumsOfBlock) return;
  // An element of C a thread.
  float all = 0;
#pragma unroll
  for (int other = 0; other < kStripSumWarps; ++other)
    all += reinterpret_cast<const float*>(of_warps[other])[threadIdx.x];
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const SumPlace in = S::Multiply::place(slot % S::kSlots, threadIdx.x % 4, threadIdx.x / 4);
  const long long row = at.row + slot / S::kSlots * S::kLines + in.row,
                  column = at.column + in.column, ldc = g.c.leading_dimension;
  if (row >= g.m || column >= g.n) return;
  with_result<S>(g, [&](auto transposed, auto type) {
    store_one<typename S::T>(
        matrix_of<decltype(type)>(g.c) +
            (decltype(transposed)::value ? column * ldc + row : row * ldc + column),
        alpha * all, beta);
  });
}

}  // namespace gemm

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k").
#define TILEWISE_STRIP(name, suffix, Way, T, along_a, along_b, ...)                      \
  extern "C" __global__ void __launch_bounds__(                                          \
      gemm::StripShape<Way, T, along_a, along_b, __VA_ARGS__>::kThreads, 1)              \
      name##suffix(const __grid_constant__ tilewise::kernels::GemmArguments g) {         \
    gemm::strip<gemm::StripShape<Way, T, along_a, along_b, __VA_ARGS__>>(g);             \
  }                                                                                      \
  extern "C" __global__ void __launch_bounds__(gemm::kStripSumWarps * 32)                \
      name##suffix##_parts(const __grid_constant__ tilewise::kernels::GemmArguments g) { \
    gemm::add_parts<gemm::StripShape<Way, T, along_a, along_b, __VA_ARGS__>>(g);         \
  }
#define TILEWISE_STRIP_ORDERS(name, Way, T, ...)              \
  TILEWISE_STRIP(name, _kk, Way, T, true, true, __VA_ARGS__)  \
  TILEWISE_STRIP(name, _kx, Way, T, true, false, __VA_ARGS__) \
  TILEWISE_STRIP(name, _xk, Way, T, false, true, __VA_ARGS__) \
  TILEWISE_STRIP(name, _xx, Way, T, false, false, __VA_ARGS__)
