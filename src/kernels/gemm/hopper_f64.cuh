// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f64 on Hopper: TMA brings tiles of A and B, mma.sync multiplies them 16×8×16 at a time. Products and sums
// are fused multiply-adds, each rounded as IEEE has it, 16 k after 16 k, and of these in an order that does not
// depend on the problem (hopper_f64_layout.cuh).
//
// One warp, the producer, asks for stages; the others multiply, kWM×kWN of the tile each, and meet nobody
// but at the stages' barriers. Parts of a divided sum are the blocks of a cluster, which add them up out of
// each other's shared memory; more parts than a cluster holds are left for the next kernel (parts.cu).
#pragma once

#include <type_traits>

#include "kernels/gemm/ahead.cuh"
#include "kernels/gemm/hopper_f64_fetch.cuh"
#include "kernels/gemm/hopper_f64_layout.cuh"
#include "kernels/gemm/hopper_f64_sums.cuh"
#include "kernels/gemm/rounds.cuh"
#include "kernels/gemm/units.cuh"
#include "kernels/ptx/elect.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/setmaxnreg.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm::f64 {

template <bool kAlongA_, bool kAlongB_, int kBM_, int kBN_, int kWM_, int kWN_, int kBK_,
          int kStages_, int kRegisters_, bool kMaps_>
struct Shape {
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_;
  // Operands are read two doubles at a time where a stage is 16 k; those of 32 k are faster word by word
  // (docs/lab/gpu_gemm.md).
  static constexpr bool kByPairs = kBK_ == 16 && !(kAlongA && kAlongB);
  // Computes Cᵀ = Bᵀ·Aᵀ, so that the instruction's first factor is the one that is across k, the second along it.
  static constexpr bool kTurned = kByPairs && kAlongA;
  static constexpr int kBM = kBM_, kBN = kBN_, kBK = kBK_;
  static constexpr int kWM = kTurned ? kWN_ : kWM_, kWN = kTurned ? kWM_ : kWN_;
  static constexpr int kStages = kStages_;
  // Of a thread that multiplies, where those of all warps are not enough: then the producer is a warpgroup,
  // which gives its registers away.
  static constexpr int kRegisters = kRegisters_;
  static constexpr bool kMaps =
      kMaps_;  // TMA brings A and B; else a warpgroup does, element by element
  static constexpr int kMultiplying = kBM / kWM * (kBN / kWN) * 32;
  static constexpr int kThreads = kMultiplying + (kRegisters > 0 ? 128 : 32);
  static constexpr int kFirstLines = kTurned ? kBN : kBM, kSecondLines = kTurned ? kBM : kBN;
  using First = std::conditional_t<kByPairs, AcrossByPairs<kFirstLines, kBK>,
                                   ByWords<kAlongA, kFirstLines, kBK>>;
  using SecondByPairs =
      std::conditional_t<kTurned, AlongByPairsApart<kSecondLines, kBK>,
                         std::conditional_t<kAlongB, AlongByPairs<kSecondLines, kBK>,
                                            AcrossByWords<kSecondLines, kBK>>>;
  using Second = std::conditional_t<kByPairs, SecondByPairs, ByWords<kAlongB, kSecondLines, kBK>>;
  static constexpr int kFirstBlocks = kWM_ / 16, kSecondBlocks = kWN_ / 16;  // of a warp
  static_assert(kMaps || kRegisters > 0);
  static_assert(kWM % 16 == 0 && kWN % 16 == 0 && (kBK == 32 || (kBK == 16 && kWM_ % 32 == 0)));
};

template <class S> struct alignas(1024) Stage {  // swizzled rows count from 1024 bytes
  double a[S::kBM * S::kBK];
  double b[S::kBN * S::kBK];
};

template <class S> struct Shared {
  Stage<S> stages[S::kStages];
  ptx::Barrier full[S::kStages];   // the stage's bytes have arrived
  ptx::Barrier empty[S::kStages];  // every warp that multiplies has read it
  unsigned earlier;                // that brought their sums of this streamed tile before
};

// Stage number `index` of a ring, and the phase of its barriers.
template <int kStages> struct Ring {
  int index = 0;
  unsigned phase = 0;

  __device__ __forceinline__ void advance() {
    if (++index == kStages) index = 0, phase ^= 1;
  }
};

template <class S> using UnitsOf = Units<S::kBM, S::kBK, 1>;

// A block's first unit, if there is one.
struct Start {
  Unit unit;
  bool is_there;
};
template <class S> __device__ __forceinline__ Start start_of(const GemmArguments& g) {
  if (g.tiles.first_unit != FirstUnit::kAny) return {first_unit<S::kBM, S::kBK>(g, S::kBN), true};
  const UnitsOf<S> units(g, S::kBN);
  return {units.get(), units.more()};
}

// Asks for the stages of a unit.
template <class S>
__device__ __forceinline__ void fetch_unit(Shared<S>& shared, Ring<S::kStages>& ring,
                                           const GemmArguments& g, const Unit& unit,
                                           const ptx::TensorMap& A, const ptx::TensorMap& B,
                                           const Rounds& rounds) {
  const int last_of_round = rounds.last_step(unit);
  // A matrix that all products share is there once.
  const int matrix_a = g.is_shared_a ? 0 : unit.matrix, matrix_b = g.is_shared_b ? 0 : unit.matrix;
#pragma unroll 1
  for (int step = 0; step < unit.steps; ++step) {
    if (step == last_of_round) rounds.end();
    ptx::Barrier* const full = &shared.full[ring.index];
    Stage<S>& stage = shared.stages[ring.index];
    const int k = unit.first_k + step * S::kBK;
    // The first time round nothing is to be waited for: the phase before the first is complete.
    ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
    ptx::mbarrier_arrive_expect(full, sizeof(Stage<S>));
    ask<S::kAlongA, S::kBM, S::kBK>(stage.a, unit.row, k, [&](double* to, int x, int y) {
      ptx::tma_load_3d(to, A, x, y, matrix_a, full);
    });
    ask<S::kAlongB, S::kBN, S::kBK>(stage.b, unit.column, k, [&](double* to, int x, int y) {
      ptx::tma_load_3d(to, B, x, y, matrix_b, full);
    });
    ring.advance();
  }
}

// Asks for the stages of all units.
template <class S>
__device__ __forceinline__ void produce(Shared<S>& shared, const GemmArguments& g,
                                        const Start& start, const ptx::TensorMap& A,
                                        const ptx::TensorMap& B) {
  if (!start.is_there) return;
  Ring<S::kStages> ring;
  Rounds rounds(g, true);
  fetch_unit(shared, ring, g, start.unit, A, B, rounds);
  UnitsOf<S> units(g, S::kBN);
#pragma unroll 1
  while (rounds.begin_next(units)) fetch_unit(shared, ring, g, units.get(), A, B, rounds);
}

// The same for factors of any alignment, by all threads of the producer.
template <class S>
__device__ __forceinline__ void fetch(Shared<S>& shared, const GemmArguments& g, UnitsOf<S> units) {
  Ring<S::kStages> ring;
#pragma unroll 1
  for (; units.more(); units.advance()) {
    const Unit unit = units.get();
    Fetcher<S::kAlongA, S::kBM, S::kBK> a(address_of(g.a, unit.matrix), g.a.leading_dimension,
                                          unit.row, g.m, unit.first_k);
    Fetcher<S::kAlongB, S::kBN, S::kBK> b(address_of(g.b, unit.matrix), g.b.leading_dimension,
                                          unit.column, g.n, unit.first_k);
    int k_left = static_cast<int>(g.k) - unit.first_k;
#pragma unroll 1
    for (int step = 0; step < unit.steps; ++step, k_left -= S::kBK) {
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      Stage<S>& stage = shared.stages[ring.index];
      a.fetch(stage.a, k_left);
      b.fetch(stage.b, k_left);
      ptx::mbarrier_arrive_behind_copies(&shared.full[ring.index]);
      ring.advance();
    }
  }
}

// Tells the producer that this warp has read a stage.
template <class S> __device__ __forceinline__ void give_back(Shared<S>& shared, int index) {
  __syncwarp();  // all lanes have read
  if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&shared.empty[index]);
}

// What mma.sync takes of a factor: of the first 16 lines, of the second twice eight.
using FirstOperand = double[8];
using SecondOperands = double[2][4];

// Reads a warp's operands out of stages. `row`, `column`: where the warp's tile begins in the block's.
template <class S> class Reader {
 public:
  __device__ __forceinline__ Reader(int row, int column) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    first_ = ptx::pinned(S::First::place(S::kTurned ? column : row, g, t) * 8);
    second_ = ptx::pinned(S::Second::place(S::kTurned ? row : column, g, t) * 8);
  }

  // 16 k from `from` on of 16 lines. `stage`: its address in shared memory.
  __device__ __forceinline__ void read_first(FirstOperand& a, unsigned stage, int block,
                                             int from) const {
    read<typename S::First>(stage + (S::kTurned ? sizeof(Stage<S>::a) : 0), first_, block, from,
                            [&](int half, int k, double value) { a[k * 2 + half] = value; });
  }
  __device__ __forceinline__ void read_second(SecondOperands& b, unsigned stage, int block,
                                              int from) const {
    read<typename S::Second>(stage + (S::kTurned ? 0 : sizeof(Stage<S>::a)), second_, block, from,
                             [&](int half, int k, double value) { b[half][k] = value; });
  }

 private:
  template <class Layout, class Take>
  static __device__ __forceinline__ void read(unsigned factor, unsigned place, int block, int from,
                                              const Take& take) {
#pragma unroll
    for (int x = 0; x < 8 / Layout::kWidth; ++x) {
      double values[Layout::kWidth];
      ptx::load_shared(values,
                       factor + (place ^ Layout::flip(x) * 8) + Layout::offset(x, block, from) * 8);
#pragma unroll
      for (int y = 0; y < Layout::kWidth; ++y) take(Layout::half(x, y), Layout::k(x, y), values[y]);
    }
  }

  unsigned first_, second_;  // bytes
};

// Gives a stage back and waits for the next, whose address it returns.
template <class S>
__device__ __forceinline__ unsigned next_stage(Shared<S>& shared, Ring<S::kStages>& ring) {
  give_back(shared, ring.index);
  ring.advance();
  ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
  return ptx::shared_address(&shared) + ring.index * sizeof(Stage<S>);
}

// The sums of one unit. At its end all of its stages have been given back.
//
// A warp that waited at the beginning of each 16 k would find the others of its scheduler waiting, too: they take turns at
// the tensor core, and so come to the end together. Therefore it asks for the next 16 k while some of the last products
// are still to come, and for everything else when a product in front keeps the tensor core busy. That order is kept
// by __syncwarp, over which the compiler moves no load: else it asks for all at once, and has no registers left.
template <class S>
__device__ __forceinline__ void consume_lines(Sums<S>& sums, Shared<S>& shared,
                                              Ring<S::kStages>& ring, int steps, int row,
                                              int column) {
  constexpr int kFirst = S::kFirstBlocks, kSecond = S::kSecondBlocks;
  static_assert(kFirst % 2 == 0);
  if (steps == 0) return;
  const Reader<S> reader(row, column);
  FirstOperand a[2];
  SecondOperands b[kSecond];
  ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
  unsigned stage = ptx::shared_address(&shared) + ring.index * sizeof(Stage<S>);
  reader.read_first(a[0], stage, 0, 0);
  reader.read_second(b[0], stage, 0, 0);
#pragma unroll 1
  for (;; --steps) {
    const auto multiply = [&](int i, int from, int to) {
#pragma unroll
      for (int j = from; j < to; ++j) ptx::mma_f64_k16(sums[i][j], a[i % 2], b[j / 2][j % 2]);
    };
#pragma unroll
    for (int i = 0; i + 1 < kFirst; ++i) {
      multiply(i, 0, 1);
      __syncwarp();
      if (i == 0)
#pragma unroll
        for (int j = 1; j < kSecond; ++j) reader.read_second(b[j], stage, j, 0);
      reader.read_first(a[(i + 1) % 2], stage, i + 1, 0);
      multiply(i, 1, kSecond * 2);
    }
    multiply(kFirst - 1, 0, 2);
    if (steps > 1) {
      stage = next_stage(shared, ring);
      reader.read_first(a[0], stage, 0, 0);
      reader.read_second(b[0], stage, 0, 0);
    }
    multiply(kFirst - 1, 2, kSecond * 2);
    if (steps == 1) break;
  }
  give_back(shared, ring.index);
  ring.advance();
}

// The same where registers hold all operands of 16 k twice: those of one half of a stage are read while those of
// the other are multiplied.
template <class S>
__device__ __forceinline__ void consume_halves(Sums<S>& sums, Shared<S>& shared,
                                               Ring<S::kStages>& ring, int steps, int row,
                                               int column) {
  constexpr int kFirst = S::kFirstBlocks, kSecond = S::kSecondBlocks;
  if (steps == 0) return;
  const Reader<S> reader(row, column);
  FirstOperand a[2][kFirst];
  SecondOperands b[2][kSecond];
  const auto read = [&](int half, unsigned stage) {
#pragma unroll
    for (int i = 0; i < kFirst; ++i) reader.read_first(a[half][i], stage, i, half * 16);
#pragma unroll
    for (int j = 0; j < kSecond; ++j) reader.read_second(b[half][j], stage, j, half * 16);
  };
  const auto multiply = [&](int half) {
#pragma unroll
    for (int i = 0; i < kFirst; ++i)
#pragma unroll
      for (int j = 0; j < kSecond * 2; ++j)
        ptx::mma_f64_k16(sums[i][j], a[half][i], b[half][j / 2][j % 2]);
  };
  ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
  unsigned stage = ptx::shared_address(&shared) + ring.index * sizeof(Stage<S>);
  read(0, stage);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    read(1, stage);
    multiply(0);
    // At the very end what follows reads the last stage once more, for nothing.
    if (step + 1 < steps) stage = next_stage(shared, ring);
    read(0, stage);
    multiply(1);
  }
  give_back(shared, ring.index);
  ring.advance();
}

// Waits until the multiplying threads have all come here.
template <class S> __device__ __forceinline__ void meet() {
  asm volatile("barrier.cta.sync.aligned 1, %0;" ::"n"(S::kMultiplying) : "memory");
}

// Adds up the parts that the blocks of a cluster have, in their order: each leaves its sums in its shared
// memory, and adds up those of all for every so manieth slice, four results a thread. `take(slice, pairs)`.
template <class S, class Take>
__device__ __forceinline__ void join_in_cluster(const Sums<S>& sums, Shared<S>& shared,
                                                const Take& take) {
  constexpr int kSlices = S::kFirstBlocks * S::kSecondBlocks * 2;
  static_assert(sizeof(Sums<S>) * S::kMultiplying <= sizeof(shared.stages));
  double2* const own = reinterpret_cast<double2*>(&shared) + threadIdx.x;
  meet<S>();  // all warps have read their last stage
#pragma unroll
  for (int slice = 0; slice < kSlices; ++slice)
#pragma unroll
    for (int pair = 0; pair < 2; ++pair)
      own[(slice * 2 + pair) * S::kMultiplying] = pair_of<S>(
          sums, slice / 2 / S::kSecondBlocks, slice / 2 % S::kSecondBlocks, slice % 2, pair);
  ptx::cluster_sync();
  const int blocks = static_cast<int>(ptx::cluster_blocks());
  const int first = static_cast<int>(ptx::cluster_rank());
  double2 totals[kSlices / 2][2];  // there are two blocks or more
#pragma unroll
  for (int i = 0; i < kSlices / 2; ++i) {
    if (first + i * blocks >= kSlices) break;
    const double2* const there = own + (first + i * blocks) * 2 * S::kMultiplying;
#pragma unroll
    for (int pair = 0; pair < 2; ++pair)
      totals[i][pair] = ptx::load_beside(there + pair * S::kMultiplying, 0);
#pragma unroll 1
    for (int block = 1; block < blocks; ++block)
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        const double2 more = ptx::load_beside(there + pair * S::kMultiplying, block);
        totals[i][pair].x += more.x, totals[i][pair].y += more.y;
      }
  }
  ptx::cluster_arrive();  // what is stored now is nobody else's in the cluster
#pragma unroll
  for (int i = 0; i < kSlices / 2; ++i)
    if (first + i * blocks < kSlices) take(first + i * blocks, totals[i]);
  ptx::cluster_wait();  // nobody leaves while others read
}

// Adds up the parts of a streamed tile in their order, in the block that comes last. Returns whether this is it.
template <class S>
__device__ __forceinline__ bool join_streamed(Sums<S>& sums, Shared<S>& shared,
                                              const GemmSplit& split, const Parts& parts) {
  constexpr int kPairs = S::kBM * S::kBN / 2, kSums = S::kFirstBlocks * S::kSecondBlocks * 8;
  double2* const all = static_cast<double2*>(split.partials) + threadIdx.x;
  double2* const own = all + parts.place_of(parts.own) * kPairs;
  double* const flat = &sums[0][0][0];
#pragma unroll
  for (int i = 0; i < kSums; i += 2)
    own[i / 2 * S::kMultiplying] = make_double2(flat[i], flat[i + 1]);
  meet<S>();
  if (threadIdx.x == 0) {
    __threadfence();  // the block's sums are there before its arrival is
    shared.earlier = atomicAdd(&split.arrivals[parts.arrivals], 1u);
    __threadfence();  // and the others' sums before they are read
  }
  meet<S>();
  const bool is_last = shared.earlier + 1 == static_cast<unsigned>(parts.count);
  meet<S>();  // before the next unit writes it
  if (!is_last) return false;
#pragma unroll
  for (int i = 0; i < kSums; ++i) flat[i] = 0;
#pragma unroll 1
  for (int part = 0; part < parts.count; ++part) {
    const double2* const from = all + parts.place_of(part) * kPairs;
#pragma unroll
    for (int i = 0; i < kSums; i += 2) {
      const double2 more = __ldcg(from + i / 2 * S::kMultiplying);
      flat[i] += more.x, flat[i + 1] += more.y;
    }
  }
  if (threadIdx.x == 0) split.arrivals[parts.arrivals] = 0;  // as it was found
  return true;
}

// Adds up a tile's parts, which the blocks of this cluster have, to C.
template <class S>
__device__ __forceinline__ void finish_in_cluster(const Sums<S>& sums, Shared<S>& shared,
                                                  const Result& to) {
  join_in_cluster<S>(sums, shared, [&](int slice, const double2(&pairs)[2]) {
    const int block = slice / 2, i = block / S::kSecondBlocks, j = block % S::kSecondBlocks;
    if (to.is_plain) store_four<S, true>(to, i, j, slice % 2, pairs);
    else store_four<S, false>(to, i, j, slice % 2, pairs);
  });
}

template <class S> __device__ __forceinline__ void init_barriers(Shared<S>& shared) {
  for (int i = 0; i < S::kStages; ++i) {
    ptx::mbarrier_init(&shared.full[i], S::kMaps ? 1 : kFetching);
    ptx::mbarrier_init(&shared.empty[i], S::kMultiplying / 32);
  }
  ptx::fence_mbarrier_init();
}
// As in warpgroup.cuh, for the same reasons: one warp of those that multiply prepares the barriers, for which those that
// fetch wait, and the others that multiply.
constexpr int kPreparingWarp = 1, kPrepared = 6;
template <class S> constexpr int kPreparedThreads = 32 + (S::kMaps ? 32 : kFetching);
template <class S> __device__ __forceinline__ void prepare(Shared<S>& shared, int warp) {
  if (warp != kPreparingWarp) return;
  if (ptx::elect_one()) init_barriers<S>(shared);
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"n"(kPrepared), "n"(kPreparedThreads<S>)
               : "memory");
}
// Waits until the barriers are there, and what earlier kernels wrote.
template <class S, bool kFetches> __device__ __forceinline__ void wait_for_start() {
  if (!kFetches) meet<S>();
  else
    asm volatile("barrier.cta.sync.aligned %0, %1;" ::"n"(kPrepared), "n"(kPreparedThreads<S>)
                 : "memory");
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
}

template <class S>
__device__ __forceinline__ void multiply_units(Shared<S>& shared, const GemmArguments& g) {
  const int warp = threadIdx.x / 32;
  const int row = warp / (S::kBN / S::kWN) * S::kWM, column = warp % (S::kBN / S::kWN) * S::kWN;
  Ring<S::kStages> ring;
  UnitsOf<S> units(g, S::kBN);
  Unit unit = units.get();
  bool more = units.more();
  wait_for_start<S, false>();
  const double alpha = value_of<double>(g.alpha), beta = value_of<double>(g.beta);
  const auto next = [&] {
    units.advance();
    more = units.more();
    if (more) unit = units.get();
  };
#pragma unroll 1
  for (; more; next()) {
    if (alpha == 0) unit.steps = 0;  // as does the producer
    const auto target_of = [&](const Unit& of) {
      return result_of<S::kWM, S::kWN>(g, of.matrix, of.part, of.row + row, of.column + column,
                                       alpha, beta);
    };
    if (beta != 0) [[unlikely]]
      ask_for_result<S::kWM, S::kWN>(target_of(anew(unit)));
    Sums<S> sums = {};
    if constexpr (S::kBK == 32) consume_halves<S>(sums, shared, ring, unit.steps, row, column);
    else consume_lines<S>(sums, shared, ring, unit.steps, row, column);
    const Result to = target_of(unit);
    if (!unit.is_whole && g.c.part_stride == 0) {
      if (ptx::cluster_blocks() > 1) {
        finish_in_cluster<S>(sums, shared, to);
        continue;
      }
      if (!join_streamed<S>(sums, shared, g.split, units.parts_of())) continue;
    }
    if (to.is_plain) store_sums<S, true>(to, sums);
    else if (to.beta == 0) store_sums<S, false>(to, sums);
    else if (to.is_aligned && to.n % 2 == 0) add_to_result<S, true>(to, sums);
    else add_to_result<S, false>(to, sums);
  }
}

// Whether this lane of the producer asks for stages: the elected one, whose requests follow each other at once. Large
// tiles are 3 % slower that way where products are large (docs/lab/gpu_gemm.md): they keep the loop over lanes that compilers
// put around each request of a lane they do not know to be one. Why is not known; it may be that it spaces requests.
template <class S> __device__ __forceinline__ bool is_asking() {
  if constexpr (S::kBM * S::kBN == 128 * 128) return threadIdx.x == S::kMultiplying;
  else return ptx::elect_one();
}

// A and B: their tensor maps, or null.
template <class S>
__device__ __forceinline__ void multiply(const GemmArguments& g, const ptx::TensorMap* A,
                                         const ptx::TensorMap* B) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared<S>& shared = *reinterpret_cast<Shared<S>*>(bytes);
  constexpr int kProducer = S::kMultiplying / 32;
  const int warp = __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 32), 0);
  prepare(shared, warp);
  if constexpr (S::kMaps) {
    // Not by the producer, as in warpgroup.cuh.
    constexpr int kIdle = S::kRegisters > 0 ? kProducer + 1 : 0;
    if (warp == kIdle && ptx::elect_one()) ptx::tma_prefetch(*A), ptx::tma_prefetch(*B);
  }
  if (warp >= kProducer) {
    if constexpr (S::kRegisters > 0) ptx::give_registers<S::kMaps ? 24 : 40>();
    if (S::kMaps && warp > kProducer) {
      if (warp == kProducer + 2) prepare_rounds(g);
      return;
    }
    Start start;
    if constexpr (S::kMaps) start = start_of<S>(g);
    const ZeroTest<double> alpha(g.alpha);
    wait_for_start<S, true>();
    if (alpha.is_zero()) return;  // nothing is read
    if constexpr (!S::kMaps) fetch(shared, g, UnitsOf<S>(g, S::kBN));
    else if (is_asking<S>()) produce(shared, g, start, *A, *B);
    return;
  }
  if constexpr (S::kMaps) fetch_ahead<S::kMultiplying>(g);
  if constexpr (S::kRegisters > 0) ptx::take_registers<S::kRegisters>();
  multiply_units(shared, g);
}

}  // namespace gemm::f64

// The kernels of one shape, one for each order of A and B: k ("along k") or x ("across k"). `blocks`: of a
// multiprocessor.
#define TILEWISE_HOPPER_F64(name, blocks, along_a, along_b, ...)                                 \
  extern "C" __global__ void __launch_bounds__(                                                  \
      gemm::f64::Shape<along_a, along_b, __VA_ARGS__, true>::kThreads, blocks)                   \
      name(const __grid_constant__ gemm::GemmArguments g,                                        \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B) { \
    gemm::f64::multiply<gemm::f64::Shape<along_a, along_b, __VA_ARGS__, true>>(g, &A, &B);       \
  }
#define TILEWISE_HOPPER_F64_ANY(name, blocks, along_a, along_b, ...)                        \
  extern "C" __global__ void __launch_bounds__(                                             \
      gemm::f64::Shape<along_a, along_b, __VA_ARGS__, false>::kThreads, blocks)             \
      name(const __grid_constant__ gemm::GemmArguments g) {                                 \
    gemm::f64::multiply<gemm::f64::Shape<along_a, along_b, __VA_ARGS__, false>>(g, nullptr, \
                                                                                nullptr);   \
  }
#define TILEWISE_HOPPER_F64_ORDERS(macro, name, blocks, ...) \
  macro(name##_kk, blocks, true, true, __VA_ARGS__)          \
      macro(name##_kx, blocks, true, false, __VA_ARGS__)     \
          macro(name##_xk, blocks, false, true, __VA_ARGS__) \
              macro(name##_xx, blocks, false, false, __VA_ARGS__)
