// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of many products, each of which is a tile or a few: what takes the time is to bring A and B and to take C
// away. So there is little else: a team of warps, often of one, computes a tile with all of its k and is gone, several
// teams make a block, and several blocks share a multiprocessor, of which some always wait for memory.
//
// Factors may begin anywhere and have rows of any length (raw_slab.cuh).
//
// A kernel is Tile, and a struct that multiplies:
//   Math::Element, ::Sum          what is copied of A and B; what sums are
//   Math::kAlongA, ::kAlongB      orders of A and B
//   Math::Sums                    a lane's
//   Math::add(sums, a, b, extra)  adds the products of a step; a and b are RawViews, which several warps do not look
//                                 at any more behind a barrier of their own
//   Math::kExtra                  bytes of shared memory that it needs for that
//   Math::leave(sums, to)         leaves them in shared memory, rows of Tile::kSumPitch
#pragma once

#include "kernels/gemm/raw_slab.cuh"
#include "kernels/gemm/strip_element.cuh"
#include "kernels/gemm/units.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/store.cuh"

namespace gemm::batch {

constexpr int kLeastWarps = 4;  // of a block

// kBM×kBN of a team of kTeam warps, kBK of k a step.
template <int kBM_, int kBN_, int kBK_, int kTeam_, int kStages_> struct Tile {
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_, kTeam = kTeam_, kStages = kStages_;
  static constexpr int kWarps = kTeam < kLeastWarps ? kLeastWarps : kTeam, kTeams = kWarps / kTeam;
  static constexpr int kThreads = kWarps * 32, kTeamThreads = kTeam * 32;
  static constexpr int kSumPitch = kBN + 8;  // so that rows of pairs lie in different banks
};

template <class T> __device__ __forceinline__ const T* matrix_at(const GemmFactor& f, unsigned i) {
  if (f.pointers) return static_cast<const T*>(f.pointers[i]);
  return static_cast<const T*>(f.address) + static_cast<long long>(i) * f.stride;
}
template <class T> __device__ __forceinline__ T* matrix_at(const GemmResult& c, unsigned i) {
  if (c.pointers) return static_cast<T*>(c.pointers[i]);
  return static_cast<T*>(c.address) + static_cast<long long>(i) * c.stride;
}

template <class Tile> __device__ __forceinline__ void team_barrier() {
  if constexpr (Tile::kTeam == 1) {
    __syncwarp();
  } else {
    static_assert(Tile::kTeams == 1);
    __syncthreads();
  }
}

// An element of C, of f64 or what strip_element.cuh has: a sum, and a sum + beta · what C holds.
template <class Type, class C, class Sum> __device__ __forceinline__ C result_of(Sum sum) {
  if constexpr (sizeof(C) == 8) return sum;
  else return narrow<typename Type::Element, C>(sum);
}
template <class Type, class C, class Sum>
__device__ __forceinline__ C result_of(Sum sum, Sum beta, C held) {
  if constexpr (sizeof(C) == 8) return fma(beta, held, sum);
  else return result_of<Type, C>(fmaf(beta, widen<typename Type::Element>(held), sum));
}

// Four of them that are neighbours, to C.
template <class Element> __device__ __forceinline__ void put_four(float* to, float4 four) {
  ptx::store_16(to, __float_as_uint(four.x), __float_as_uint(four.y), __float_as_uint(four.z),
                __float_as_uint(four.w));
}
template <class Element> __device__ __forceinline__ void put_four(Half* to, float4 four) {
  ptx::store_8(to, pack<Element>(four.x, four.y), pack<Element>(four.z, four.w));
}

// The sums of a team to C = alpha·sums + beta·C: neighbours in memory by neighbouring lanes, four each where that fits.
// kTurned: element (i, j) goes to j·leading_dimension + i.
template <class Type, class Tile, bool kTurned, class C, class Sum>
__device__ __forceinline__ void store(const Sum* sums, C* c, const GemmArguments& g,
                                      const TilePlace& tile, Sum alpha, Sum beta) {
  constexpr int kLong = kTurned ? Tile::kBM : Tile::kBN;
  constexpr int kRows = kTurned ? Tile::kBN : Tile::kBM;
  const int thread = static_cast<int>(threadIdx.x) % Tile::kTeamThreads;
  const auto rows_left = (kTurned ? g.n - tile.column : g.m - tile.row);
  const auto left = (kTurned ? g.m - tile.row : g.n - tile.column);
  const auto rows = static_cast<int>(min(rows_left, static_cast<long long>(kRows))),
             width = static_cast<int>(min(left, static_cast<long long>(kLong)));
  c += kTurned ? tile.column * g.c.leading_dimension + tile.row
               : tile.row * g.c.leading_dimension + tile.column;
  const auto sum_at = [&](int row, int at) {
    return alpha * (kTurned ? sums[at * Tile::kSumPitch + row] : sums[row * Tile::kSumPitch + at]);
  };
  // `put(to, row, at)` for all of C, from element `at` of a row on that many neighbours as `each` says.
  const auto store_all = [&](auto each, const auto& put) {
    constexpr int kEach = decltype(each)::value;
#pragma unroll 4
    for (int i = thread; i < kRows * kLong / kEach; i += Tile::kTeamThreads) {
      const int row = i / (kLong / kEach), at = i % (kLong / kEach) * kEach;
      if (row < rows && at < width) put(c + row * g.c.leading_dimension + at, row, at);
    }
  };
  // The same where what C holds counts, of type Held, as put(to, row, at, held): of a few it is asked for before one is stored.
  const auto add_all = [&](auto each, auto held_type, const auto& put) {
    constexpr int kEach = decltype(each)::value;
    // Kernels of large tiles have registers for more.
    constexpr int kTogether = kEach == 1 && kRows * kLong >= 64 * Tile::kTeamThreads ? 16 : 4;
    using Held = decltype(held_type);
#pragma unroll 1
    for (int first = thread; first < kRows * kLong / kEach;
         first += kTogether * Tile::kTeamThreads) {
      Held held[kTogether];
      const auto together = [&](const auto& with) {
#pragma unroll
        for (int t = 0; t < kTogether; ++t) {
          const int i = first + t * Tile::kTeamThreads;
          const int row = i / (kLong / kEach), at = i % (kLong / kEach) * kEach;
          if (row < rows && at < width) with(t, c + row * g.c.leading_dimension + at, row, at);
        }
      };
      together(
          [&](int t, const C* from, int, int) { held[t] = *reinterpret_cast<const Held*>(from); });
      together([&](int t, C* to, int row, int at) { put(to, row, at, held[t]); });
    }
  };
  if constexpr (sizeof(C) < 8) {
    constexpr unsigned long long kFour = 4 * sizeof(C);
    const bool fits = (reinterpret_cast<unsigned long long>(c) |
                       static_cast<unsigned long long>(g.c.leading_dimension) * sizeof(C)) %
                              kFour ==
                          0 &&
                      width % 4 == 0;
    if (fits) {
      using Element = typename Type::Element;
      const std::integral_constant<int, 4> four;
      const auto sums_at = [&](int row, int at) {
        return make_float4(sum_at(row, at), sum_at(row, at + 1), sum_at(row, at + 2),
                           sum_at(row, at + 3));
      };
      if (beta != 0) {
        add_all(four, FourOf<C>{}, [&](C* to, int row, int at, FourOf<C> held) {
          put_four<Element>(to, plus_held<Element>(sums_at(row, at), beta, held));
        });
      } else {
        store_all(four, [&](C* to, int row, int at) { put_four<Element>(to, sums_at(row, at)); });
      }
      return;
    }
  }
  const std::integral_constant<int, 1> one;
  if (beta != 0) {
    add_all(one, C{}, [&](C* to, int row, int at, C held) {
      *to = result_of<Type>(sum_at(row, at), beta, held);
    });
  } else {
    store_all(one, [&](C* to, int row, int at) { *to = result_of<Type, C>(sum_at(row, at)); });
  }
}

template <class Type, class Tile, class C, class Sum>
__device__ __forceinline__ void store_either_way(const Sum* sums, C* c, const GemmArguments& g,
                                                 const TilePlace& tile, Sum alpha, Sum beta) {
  // Square tiles are not asked for the other way.
  if (Tile::kBM != Tile::kBN && g.result_is_transposed)
    store<Type, Tile, true>(sums, c, g, tile, alpha, beta);
  else store<Type, Tile, false>(sums, c, g, tile, alpha, beta);
}

template <class Math, class Tile> struct Room {
  using T = typename Math::Element;
  using SlabA = RawSlab<T, Math::kAlongA, Tile::kBM, Tile::kBK>;
  using SlabB = RawSlab<T, Math::kAlongB, Tile::kBN, Tile::kBK>;
  static constexpr int kStage = SlabA::kBytes + SlabB::kBytes;
  static constexpr int kSums =
      Tile::kBM * Tile::kSumPitch * static_cast<int>(sizeof(typename Math::Sum));
  static constexpr int kStages = Tile::kStages * kStage;
  static constexpr int kTeam = (kStages > kSums ? kStages : kSums) + Math::kExtra;
};

// Type: what C is, as strips have it; of f64 anything.
template <class Math, class Tile, class Type>
__device__ __forceinline__ void run(const GemmArguments& g) {
  using Rooms = Room<Math, Tile>;
  using T = typename Math::Element;
  using Sum = typename Math::Sum;
  extern __shared__ __align__(16) unsigned char shared[];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const unsigned team = Tile::kTeams == 1 ? 0 : threadIdx.x / Tile::kTeamThreads;
  const unsigned unit = blockIdx.x * Tile::kTeams + team;
  if (unit >= g.tiles.units) return;
  const unsigned product = quotient(unit, g.tiles.by_tiles);
  const unsigned matrix = g.tiles.first_matrix + product;
  const TilePlace tile =
      place_of_tile<Tile::kBM, Tile::kBN>(unit - product * g.tiles.by_tiles.divisor, g.m, g.n);
  const Sum alpha = value_of<Sum>(g.alpha), beta = value_of<Sum>(g.beta);
  const long long depth = alpha == 0 ? 0 : g.k;  // for alpha = 0 nothing is read

  unsigned char* const room = shared + team * Rooms::kTeam;
  RawCourier<T, Math::kAlongA, Tile::kBM, Tile::kBK, Tile::kTeamThreads> a(
      matrix_at<T>(g.a, matrix), g.a.leading_dimension, tile.row, g.m, 0);
  RawCourier<T, Math::kAlongB, Tile::kBN, Tile::kBK, Tile::kTeamThreads> b(
      matrix_at<T>(g.b, matrix), g.b.leading_dimension, tile.column, g.n, 0);
  const auto copy = [&](int stage, long long k) {
    if (k < depth) {
      const auto left = static_cast<int>(min(depth - k, static_cast<long long>(Tile::kBK)));
      a.copy(room + stage * Rooms::kStage, left);
      b.copy(room + stage * Rooms::kStage + Rooms::SlabA::kBytes, left);
    }
    ptx::cp_async_commit();
  };
  typename Math::Sums sums = {};
#pragma unroll
  for (int i = 0; i < Tile::kStages - 1; ++i) copy(i, static_cast<long long>(i) * Tile::kBK);
  int current = 0;
#pragma unroll 1
  for (long long k = 0; k < depth; k += Tile::kBK) {
    const int last = current == 0 ? Tile::kStages - 1 : current - 1;
    copy(last, k + (Tile::kStages - 1) * Tile::kBK);
    ptx::cp_async_wait<Tile::kStages - 1>();
    team_barrier<Tile>();  // what everyone has copied is there
    const unsigned char* const stage = room + current * Rooms::kStage;
    Math::add(sums, a.view(stage), b.view(stage + Rooms::SlabA::kBytes),
              room + Rooms::kTeam - Math::kExtra);
    // And has been read. (Of several warps by what follows the barrier in add().)
    if constexpr (Tile::kTeam == 1) __syncwarp();
    current = current + 1 == Tile::kStages ? 0 : current + 1;
  }
  Sum* const left = reinterpret_cast<Sum*>(room);
  Math::leave(sums, left);
  team_barrier<Tile>();
  if constexpr (sizeof(Sum) == 8) {
    store_either_way<Type, Tile>(left, matrix_at<double>(g.c, matrix), g, tile, alpha, beta);
  } else {
    using Stored = typename Type::Stored;
    if (sizeof(Stored) == 4 || g.result_bytes == 4)
      store_either_way<Type, Tile>(left, matrix_at<float>(g.c, matrix), g, tile, alpha, beta);
    else store_either_way<Type, Tile>(left, matrix_at<Stored>(g.c, matrix), g, tile, alpha, beta);
  }
}

}  // namespace gemm::batch

// The kernels of one tile, one for each order of A and B: k ("along k") or x ("across k"). `blocks`: of a
// multiprocessor; `...`: what Tile takes.
#define TILEWISE_BATCH(name, blocks, Math, Type, along_a, along_b, ...)                          \
  extern "C" __global__ void __launch_bounds__(gemm::batch::Tile<__VA_ARGS__>::kThreads, blocks) \
      name(const __grid_constant__ gemm::GemmArguments g) {                                      \
    using Tile = gemm::batch::Tile<__VA_ARGS__>;                                                 \
    gemm::batch::run<gemm::batch::Math<Type, Tile, along_a, along_b>, Tile, Type>(g);            \
  }
#define TILEWISE_BATCH_ORDERS(name, blocks, Math, Type, ...)              \
  TILEWISE_BATCH(name##_kk, blocks, Math, Type, true, true, __VA_ARGS__)  \
  TILEWISE_BATCH(name##_kx, blocks, Math, Type, true, false, __VA_ARGS__) \
  TILEWISE_BATCH(name##_xk, blocks, Math, Type, false, true, __VA_ARGS__) \
  TILEWISE_BATCH(name##_xx, blocks, Math, Type, false, false, __VA_ARGS__)
