// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f64 on Hopper: TMA brings tiles of A and B, mma.sync multiplies them 16×8×16 at a time. Products and sums
// are fused multiply-adds in the order of k, each rounded as IEEE has it.
//
// One warp, the producer, asks for stages; the others multiply, kWM×kWN of the tile each, and meet nobody
// but at the stages' barriers. Parts of a divided sum are the blocks of a cluster, which add them up out of
// each other's shared memory; more parts than a cluster holds are left for the next kernel (parts.cu).
#pragma once

#include "kernels/gemm/ahead.cuh"
#include "kernels/gemm/hopper_f64_fetch.cuh"
#include "kernels/gemm/hopper_f64_layout.cuh"
#include "kernels/gemm/hopper_f64_result.cuh"
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
  static constexpr int kBM = kBM_, kBN = kBN_, kWM = kWM_, kWN = kWN_, kBK = kBK_;
  static constexpr int kStages = kStages_;
  // Of a thread that multiplies, where those of all warps are not enough: then the producer is a warpgroup,
  // which gives its registers away.
  static constexpr int kRegisters = kRegisters_;
  static constexpr bool kMaps =
      kMaps_;  // TMA brings A and B; else a warpgroup does, element by element
  static constexpr int kMultiplying = kBM / kWM * (kBN / kWN) * 32;
  static constexpr int kThreads = kMultiplying + (kRegisters > 0 ? 128 : 32);
  static constexpr int kRowBlocks = kWM / 16, kColumnBlocks = kWN / 16;  // of a warp
  using LayoutA = StageLayout<kAlongA, kBM, kBK>;
  using LayoutB = StageLayout<kAlongB, kBN, kBK>;
  static_assert(kMaps || kRegisters > 0);
  static_assert(kWM % 16 == 0 && kWN % 16 == 0 && (kBK == 32 || (kBK == 16 && kWM % 32 == 0)));
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
    S::LayoutA::ask(stage.a, unit.row, k, [&](double* to, int x, int y) {
      ptx::tma_load_3d(to, A, x, y, matrix_a, full);
    });
    S::LayoutB::ask(stage.b, unit.column, k, [&](double* to, int x, int y) {
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

// Sums of a warp: [16 rows][8 columns], in mma.sync's order of a lane's.
template <class S> using Sums = double[S::kRowBlocks][S::kColumnBlocks * 2][4];

// Reads a warp's operands out of stages. `row`, `column`: where the warp's tile begins in the block's.
template <class S> class Reader {
 public:
  __device__ __forceinline__ Reader(int row, int column)
      : a_(ptx::kept(S::LayoutA::place(row, threadIdx.x % 32 / 4, threadIdx.x % 4) * 8)),
        b_(ptx::kept(S::LayoutB::place(column, threadIdx.x % 32 / 4, threadIdx.x % 4) * 8)) {}

  // 16 k from p on, in mma.sync's order, of 16 rows and of 8 columns. `stage`: its address in shared memory, a
  // multiple of what is flipped.
  __device__ __forceinline__ void read_rows(double (&a)[8], unsigned stage, int i, int p) const {
    using Layout = typename S::LayoutA;
#pragma unroll
    for (int e = 0; e < 8; ++e)
      a[e] = ptx::load_shared(((stage + a_) ^ Layout::flip(e % 2, p + e / 2 * 4) * 8) +
                              Layout::offset(e % 2, i, p + e / 2 * 4) * 8);
  }
  __device__ __forceinline__ void read_columns(double (&b)[4], unsigned stage, int j, int p) const {
    using Layout = typename S::LayoutB;
    constexpr int kBegin = S::kBM * S::kBK;
#pragma unroll
    for (int e = 0; e < 4; ++e)
      b[e] = ptx::load_shared(((stage + b_) ^ Layout::flip(j % 2, p + e * 4) * 8) +
                              (kBegin + Layout::offset(j % 2, j / 2, p + e * 4)) * 8);
  }

 private:
  unsigned a_, b_;  // bytes
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
// A warp that waited at the beginning of each 16 k would find the others of its scheduler waiting, too: they
// take turns at the tensor core, and so come to the end together. Therefore the last row block is multiplied
// while the first of the next 16 k is read, and each of the next columns as soon as these are done with.
template <class S>
__device__ __forceinline__ void consume_rows(Sums<S>& sums, Shared<S>& shared,
                                             Ring<S::kStages>& ring, int steps,
                                             const Reader<S>& reader) {
  constexpr int kRows = S::kRowBlocks, kColumns = S::kColumnBlocks * 2;
  if (steps == 0) return;
  double a[2][8], b[kColumns][4];
  ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
  unsigned stage = ptx::shared_address(&shared) + ring.index * sizeof(Stage<S>);
  reader.read_rows(a[0], stage, 0, 0);
#pragma unroll
  for (int j = 0; j < kColumns; ++j) reader.read_columns(b[j], stage, j, 0);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i + 1 < kRows; ++i) {
      reader.read_rows(a[(i + 1) % 2], stage, i + 1, 0);
#pragma unroll
      for (int j = 0; j < kColumns; ++j) ptx::mma_f64_k16(sums[i][j], a[i % 2], b[j]);
    }
    // At the very end what follows reads the last stage once more, for nothing.
    if (step + 1 < steps) stage = next_stage(shared, ring);
    reader.read_rows(a[0], stage, 0, 0);
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      ptx::mma_f64_k16(sums[kRows - 1][j], a[1], b[j]);
      reader.read_columns(b[j], stage, j, 0);
    }
  }
  give_back(shared, ring.index);
  ring.advance();
}

// The same where registers hold all operands of 16 k twice: those of one half of a stage are read while those of
// the other are multiplied.
template <class S>
__device__ __forceinline__ void consume_halves(Sums<S>& sums, Shared<S>& shared,
                                               Ring<S::kStages>& ring, int steps,
                                               const Reader<S>& reader) {
  constexpr int kRows = S::kRowBlocks, kColumns = S::kColumnBlocks * 2;
  if (steps == 0) return;
  double a[2][kRows][8], b[2][kColumns][4];
  const auto read = [&](int half, unsigned stage) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) reader.read_rows(a[half][i], stage, i, half * 16);
#pragma unroll
    for (int j = 0; j < kColumns; ++j) reader.read_columns(b[half][j], stage, j, half * 16);
  };
  const auto multiply = [&](int half) {
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int j = 0; j < kColumns; ++j) ptx::mma_f64_k16(sums[i][j], a[half][i], b[half][j]);
  };
  ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
  unsigned stage = ptx::shared_address(&shared) + ring.index * sizeof(Stage<S>);
  read(0, stage);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    read(1, stage);
    multiply(0);
    if (step + 1 < steps) stage = next_stage(shared, ring);
    read(0, stage);
    multiply(1);
  }
  give_back(shared, ring.index);
  ring.advance();
}

// Four results of a lane: two pairs of neighbours in one row of the warp's 16×16 block (i, j), in its upper
// or lower half. kPlain: to.is_plain, which is known once for many.
template <class S, bool kPlain>
__device__ __forceinline__ void store_four(const Result& to, int i, int j, int half,
                                           const double2 (&pairs)[2]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const long long row = to.row + i * 16 + S::LayoutA::line(half, g);
  double* const c = to.c + row * to.leading + to.column;
  if (!kPlain && row >= to.m) return;
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const int column = j * 16 + S::LayoutB::pair_column(pair, t);
    if constexpr (kPlain)
      *reinterpret_cast<double2*>(c + column) =
          make_double2(to.alpha * pairs[pair].x, to.alpha * pairs[pair].y);
    else store_pair(c + column, to.n - to.column - column, to, pairs[pair].x, pairs[pair].y);
  }
}

// A pair of neighbours in C out of the sums of block (i, j).
template <class S>
__device__ __forceinline__ double2 pair_of(const Sums<S>& sums, int i, int j, int half, int pair) {
  if constexpr (S::kAlongB)
    return make_double2(sums[i][j * 2][half * 2 + pair], sums[i][j * 2 + 1][half * 2 + pair]);
  else return make_double2(sums[i][j * 2 + pair][half * 2], sums[i][j * 2 + pair][half * 2 + 1]);
}

template <class S, bool kPlain>
__device__ __forceinline__ void store_sums(const Result& to, const Sums<S>& sums) {
#pragma unroll
  for (int i = 0; i < S::kRowBlocks; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int j = 0; j < S::kColumnBlocks; ++j) {
        const double2 pairs[2] = {pair_of<S>(sums, i, j, half, 0), pair_of<S>(sums, i, j, half, 1)};
        store_four<S, kPlain>(to, i, j, half, pairs);
      }
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
  constexpr int kSlices = S::kRowBlocks * S::kColumnBlocks * 2;
  static_assert(sizeof(Sums<S>) * S::kMultiplying <= sizeof(shared.stages));
  double2* const own = reinterpret_cast<double2*>(&shared) + threadIdx.x;
  meet<S>();  // all warps have read their last stage
#pragma unroll
  for (int slice = 0; slice < kSlices; ++slice)
#pragma unroll
    for (int pair = 0; pair < 2; ++pair)
      own[(slice * 2 + pair) * S::kMultiplying] = pair_of<S>(
          sums, slice / 2 / S::kColumnBlocks, slice / 2 % S::kColumnBlocks, slice % 2, pair);
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
  constexpr int kPairs = S::kBM * S::kBN / 2, kSums = S::kRowBlocks * S::kColumnBlocks * 8;
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
    const int block = slice / 2, i = block / S::kColumnBlocks, j = block % S::kColumnBlocks;
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
  const Reader<S> reader(row, column);
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
    double sums[S::kRowBlocks][S::kColumnBlocks * 2][4] = {};
    if constexpr (S::kBK == 32) consume_halves<S>(sums, shared, ring, unit.steps, reader);
    else consume_rows<S>(sums, shared, ring, unit.steps, reader);
    const Result to = result_of<S::kWM, S::kWN>(g, unit.matrix, unit.part, unit.row + row,
                                                unit.column + column, alpha, beta);
    if (!unit.is_whole && g.c.part_stride == 0) {
      if (ptx::cluster_blocks() > 1) {
        finish_in_cluster<S>(sums, shared, to);
        continue;
      }
      if (!join_streamed<S>(sums, shared, g.split, units.parts_of())) continue;
    }
    if (to.is_plain) store_sums<S, true>(to, sums);
    else store_sums<S, false>(to, sums);
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
    if constexpr (S::kRegisters > 0)
      ptx::give_registers<S::kMaps ? 24 : S::kMultiplying == 128 ? 56 : 40>();
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
