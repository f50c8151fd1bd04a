// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Hopper kernels of the library share: all but what a stage holds, how it is multiplied, and how
// sums become results.
//
// As many blocks as the GPU holds stay from the first unit of work to the last. Of a block's warpgroups the
// last, the producer, asks TMA for stages; the others multiply, 64 rows of the tile each. The blocks of a
// cluster compute neighbouring tiles, and fetch what several of them read once, each its share.
//
// A kernel is a struct that gives run() the rest:
//   Shape            a Tile (warpgroup_tiles.cuh)
//   Stage, Stages    what of A and B one step of kBK k reads, and the ring of them in shared memory
//   stage_at(), stage_bytes()  one of these and its size, where Stages is no array
//   share()          the share that a block asks for
//   fetch()          asks for a stage
//   kSlice           sums a thread that a block of a cluster adds up at a time
//   consume()        a warpgroup's sums of one unit
//   kTellsArrival    it calls its last argument once all stages of the unit have come, and sets the sums to zero itself
//   finish<kN>()     kN columns of a warpgroup's sums to C
#pragma once

#include "kernels/gemm/ahead.cuh"
#include "kernels/gemm/block.cuh"
#include "kernels/gemm/orders.cuh"
#include "kernels/gemm/result.cuh"
#include "kernels/gemm/result_direct.cuh"
#include "kernels/gemm/result_transposed.cuh"
#include "kernels/gemm/rounds.cuh"
#include "kernels/gemm/units.cuh"
#include "kernels/gemm/warpgroup_tiles.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/elect.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/setmaxnreg.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/wgmma_shapes.cuh"

namespace gemm {

using ptx::Along;

// What a block asks for of every stage, and for which blocks, where those of its cluster read the same. Worked out once:
// the one thread that asks is what a small tile waits for (docs/lab/gpu_gemm.md).
struct Share {
  bool is_all_of_a, is_all_of_b;  // nobody else reads the same
  int first_a, first_b;           // of the rows and columns, or of the stage's k
  unsigned short for_a, for_b;    // a bit each
};
// `a`, `b`: how many rows and columns, or k, there are to share.
template <class S> __device__ __forceinline__ Share share_of(const GemmArguments& g, int a, int b) {
  using C = typename S::InCluster;
  return {C::across(g) == 1,
          C::down(g) == 1,
          C::first_across(g, a),
          C::first_down(g, b),
          static_cast<unsigned short>(C::same_rows(g)),
          static_cast<unsigned short>(C::same_columns(g))};
}

// What results go through. Spare boxes lie in front of it, so that stages have to end there.
template <class S>
using StagingOf =
    std::conditional_t<S::kHasSpareStage, BoxStaging<S::kStages, S::kMultiplying / 32>, Staging>;

// A block's shared memory.
template <class K> struct Shared {
  using S = typename K::Shape;
  typename K::Stages stages;
  StagingOf<S> staging[S::kMultiplying / 128];
  ptx::Barrier full[S::kStages];  // the stage's bytes have arrived
  ptx::Barrier empty
      [S::kStages];  // every warp that multiplies, of all blocks that this one fetches for, has read it
  unsigned last;  // whether this block is the last of a divided sum
};

template <class K>
__device__ __forceinline__ decltype(auto) stage_at(Shared<K>& shared, const GemmArguments& g,
                                                   int index) {
  if constexpr (std::is_array_v<typename K::Stages>) return (shared.stages[index]);
  else return K::stage_at(shared.stages, g, index);
}
template <class K> __device__ __forceinline__ unsigned stage_bytes(const GemmArguments& g) {
  if constexpr (std::is_array_v<typename K::Stages>) return sizeof(typename K::Stage);
  else return K::stage_bytes(g);
}

template <class K> struct UnitsOf : Units<K::Shape::kBM, K::Shape::kBK, K::Shape::kDown> {
  __device__ __forceinline__ explicit UnitsOf(const GemmArguments& g)
      : Units<K::Shape::kBM, K::Shape::kBK, K::Shape::kDown>(g, K::Shape::columns(g)) {}
};

// Stage number `index` of a ring, and the phase of its barriers.
template <int kStages> struct Ring {
  int index = 0;
  unsigned phase = 0;
  // give_back(): whether this lane tells the block's own producer, and where that of a neighbour has its first barrier
  bool gives = false;
  unsigned there = 0;

  __device__ __forceinline__ void advance(int stages = kStages) {
    if (++index == stages) index = 0, phase ^= 1;
  }
  __device__ __forceinline__ void skip(int count, int stages = kStages) {
    const int further = index + count, rounds = further / stages;
    index = further - rounds * stages, phase ^= rounds % 2;
  }
};

// The warpgroup's number, which the compiler then knows to be the same in all lanes, and the warp's.
__device__ __forceinline__ int warpgroup_number() {
  return __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 128), 0);
}
__device__ __forceinline__ int warp_number() {
  return __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 32), 0);
}

// Waits until the multiplying threads have all come here.
template <int kCount> __device__ __forceinline__ void meet() {
  asm volatile("barrier.cta.sync.aligned 1, %0;" ::"n"(kCount) : "memory");
}

// Barriers of all stages: one arrival fills, every warp that multiplies what this block fetches empties.
template <class K>
__device__ __forceinline__ void init_barriers(Shared<K>& shared, const GemmArguments& g) {
  using S = typename K::Shape;
  for (int i = 0; i < S::kStages; ++i) {
    ptx::mbarrier_init(&shared.full[i], 1);
    ptx::mbarrier_init(&shared.empty[i], S::InCluster::neighbours(g) * S::kReaders);
  }
  ptx::fence_mbarrier_init();
}

// Who prepares the barriers, which the producer waits for: it has nothing else to do so early.
constexpr int kPreparingWarp = 1;
constexpr int kPrepared = 6;  // the barrier of these two warps

// All threads: prepares barriers, and tells those who wait for them, in the neighbours too.
template <class K>
__device__ __forceinline__ void prepare(Shared<K>& shared, const GemmArguments& g, int warp) {
  if (warp == kPreparingWarp && ptx::elect_one()) init_barriers(shared, g);
  if (K::Shape::InCluster::blocks(g) > 1) ptx::cluster_arrive_behind_fence();
  else if (warp == kPreparingWarp)
    asm volatile("barrier.cta.arrive.aligned %0, 64;" ::"n"(kPrepared) : "memory");
}
// Waits until the barriers are there, the neighbours' too, and what earlier kernels wrote: the producer's warp, or all that
// multiply.
template <class K, bool kProduces>
__device__ __forceinline__ void wait_for_start(const GemmArguments& g) {
  if (K::Shape::InCluster::blocks(g) > 1) ptx::cluster_wait();
  else if (kProduces) asm volatile("barrier.cta.sync.aligned %0, 64;" ::"n"(kPrepared) : "memory");
  else meet<K::Shape::kMultiplying>();
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
}

// Lets a unit's rows end with the matrix where they would reach beyond it: rows that are not there take TMA three
// times as long as others and more, when all multiprocessors ask for such (docs/lab/gpu_gemm.md). Returns how many of its rows,
// from the first on, then belong to the tile above. Where the matrix has fewer rows than the tile, nothing helps.
template <int kBM>
__device__ __forceinline__ int end_with_matrix(Unit& unit, const GemmArguments& g) {
  constexpr int kTogether = 8;  // TMA wants 16 bytes, where rows are neighbours in memory
  const int last = (static_cast<int>(g.m) - kBM + kTogether - 1) / kTogether * kTogether;
  if (g.m < kBM || unit.row <= last) return 0;
  const int above = unit.row - last;
  unit.row = last;
  return above;
}

template <class K>
__device__ __forceinline__ Unit unit_to_fetch(const UnitsOf<K>& units, const GemmArguments& g) {
  Unit unit = units.get();
  end_with_matrix<K::Shape::kBM>(unit, g);
  return unit;
}

// What a block's producer begins with.
struct Start {
  Unit unit;
  Share share;
  bool is_there;  // there is a unit for this block
};
template <class K> __device__ __forceinline__ Start start_of(const GemmArguments& g) {
  using S = typename K::Shape;
  if ((S::kDown == 1 || S::kDown == kAsLaunched) && g.tiles.first_unit != FirstUnit::kAny) {
    Unit unit = first_unit<S::kBM, S::kBK>(g, S::columns(g));
    end_with_matrix<S::kBM>(unit, g);
    return {unit, {true, true, 0, 0, 1, 1}, true};
  }
  const UnitsOf<K> units(g);
  return {unit_to_fetch<K>(units, g), K::share(g), units.more()};
}

// Asks for the stages of a unit.
template <class K>
__device__ __forceinline__ void fetch_unit(Shared<K>& shared, Ring<K::Shape::kStages>& ring,
                                           const GemmArguments& g, const Unit& unit,
                                           const Share& share, const ptx::TensorMap& A,
                                           const ptx::TensorMap& B, const Rounds& rounds) {
  using S = typename K::Shape;
  const int last_of_round = rounds.last_step(unit);
  // A loop for each order, where there are several: what this one thread does in a step is what small tiles wait for.
  with_orders<K::kOrderA, K::kOrderB>(g, [&](auto orders) {
#pragma unroll 1
    for (int step = 0; step < unit.steps; ++step) {
      if (step == last_of_round) rounds.end();
      ptx::Barrier* const full = &shared.full[ring.index];
      // The first time round nothing is to be waited for: the phase before the first is complete.
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      ptx::mbarrier_arrive_expect(full, stage_bytes<K>(g));  // the neighbours' shares count
      K::template fetch<decltype(orders)>(stage_at(shared, g, ring.index), g, share, unit,
                                          unit.first_k + step * S::kBK, A, B, full);
      ring.advance(S::stages(g));
    }
  });
}

// The producer: asks for the stages of all units.
template <class K>
__device__ __forceinline__ void produce(Shared<K>& shared, const GemmArguments& g,
                                        const Start& start, const ptx::TensorMap& A,
                                        const ptx::TensorMap& B) {
  using S = typename K::Shape;
  Ring<S::kStages> ring;
  if (start.is_there) {
    Rounds rounds(g, S::InCluster::blocks(g) == 1 || ptx::cluster_rank() == 0);
    fetch_unit(shared, ring, g, start.unit, start.share, A, B, rounds);
    UnitsOf<K> units(g);
#pragma unroll 1
    while (rounds.begin_next(units))
      fetch_unit(shared, ring, g, unit_to_fetch<K>(units, g), start.share, A, B, rounds);
  }
  // Nobody leaves while a neighbour may still reach into its shared memory, to fill it or to say that it
  // has read.
  if (S::InCluster::blocks(g) > 1) {
    for (int i = 0; i < S::stages(g); ++i) {
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      ring.advance(S::stages(g));
    }
  }
}

// Tells the producers that this warp has read a stage.
template <class K>
__device__ __forceinline__ void give_back(Shared<K>& shared, const Ring<K::Shape::kStages>& ring,
                                          int index) {
  if constexpr (K::Shape::kDown == 1) {
    if (ring.gives) ptx::mbarrier_arrive(&shared.empty[index]);
  } else if constexpr (K::Shape::kDown != kAsLaunched) {
    const unsigned lane = threadIdx.x % 32;
    if (lane < K::Shape::kDown) ptx::mbarrier_arrive_beside(&shared.empty[index], lane);
  } else {
    ptx::mbarrier_arrive_if(ring.gives, &shared.empty[index]);
    ptx::mbarrier_arrive_at_if(ring.there != 0,
                               ring.there + static_cast<unsigned>(index * sizeof(ptx::Barrier)));
  }
}

// The ring of those that multiply.
template <class K>
__device__ __forceinline__ Ring<K::Shape::kStages> readers_ring(Shared<K>& shared,
                                                                const GemmArguments& g) {
  using C = typename K::Shape::InCluster;
  Ring<K::Shape::kStages> ring;
  const unsigned lane = threadIdx.x % 32;
  ring.gives = lane == 0 && C::blocks(g) == 1;
  if constexpr (K::Shape::kDown == kAsLaunched) {
    const unsigned count = C::blocks(g) == 1 ? 0 : C::neighbours(g);
    if (lane < count) ring.there = ptx::address_beside(&shared.empty, C::neighbour(g, lane));
  }
  return ring;
}

// Adds up the parts of a streamed tile in their order, in the block that comes last. Returns whether this is that block.
template <class K>
__device__ __forceinline__ bool join_unit(float (&sum)[K::Shape::kBN / 2], Shared<K>& shared,
                                          const GemmArguments& g, const Parts& parts) {
  using S = typename K::Shape;
  const GemmSplit& split = g.split;
  const int count = S::kBM * S::columns(g);
  const auto has = [&](int i) { return i < S::columns(g) / 2; };
  const int thread = threadIdx.x;
  float* const all = static_cast<float*>(split.partials) + thread;
  float* const own = all + parts.place_of(parts.own) * count;
#pragma unroll
  for (int i = 0; i < S::kBN / 2; ++i)
    if (has(i)) own[i * S::kMultiplying] = sum[i];
  meet<S::kMultiplying>();
  if (thread == 0) {
    __threadfence();  // the block's sums are there before its arrival is
    unsigned* const arrivals = &split.arrivals[parts.arrivals];
    const unsigned before = atomicAdd(arrivals, 1u);
    __threadfence();  // and the others' sums before they are read
    shared.last = before + 1 == static_cast<unsigned>(parts.count);
    if (shared.last) *arrivals = 0;  // as it was found
  }
  meet<S::kMultiplying>();
  const bool last = shared.last != 0;
  meet<S::kMultiplying>();  // before the next unit writes it
  if (!last) return false;
#pragma unroll
  for (int i = 0; i < S::kBN / 2; ++i) sum[i] = 0;
#pragma unroll 1
  for (int part = 0; part < parts.count; ++part) {
    const float* const from = all + parts.place_of(part) * count;
#pragma unroll
    for (int i = 0; i < S::kBN / 2; ++i)
      if (has(i)) sum[i] += __ldcg(from + i * S::kMultiplying);
  }
  return true;
}

// Adds up the parts of a divided sum in their order, where they are the blocks of a cluster: each leaves its
// sums in its shared memory, where the stages were, and adds up those of all for its share of the columns.
// `take(sums, column)` gets kSlice sums a thread and the first of their columns.
template <class K, class Take>
__device__ __forceinline__ void join_in_cluster(const float (&sum)[K::Shape::kBN / 2],
                                                Shared<K>& shared, const GemmArguments& g,
                                                const Take& take) {
  constexpr int kThreads = K::Shape::kMultiplying, kSlice = K::kSlice;
  const int slices = (K::Shape::columns(g) / 2 + kSlice - 1) / kSlice, parts = g.split.parts;
  float4* const own = reinterpret_cast<float4*>(&shared.stages) + threadIdx.x;
  meet<kThreads>();  // the other warpgroup has read its last stage
  constexpr int kSums = K::Shape::kBN / 2, kWhole = (kSums + kSlice - 1) / kSlice * kSlice;
#pragma unroll
  for (int i = 0; i < kWhole; i += 4) {
    if (i / kSlice >= slices) break;
    own[i / 4 * kThreads] = i < kSums ? make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3])
                                      : make_float4(0, 0, 0, 0);
  }
  ptx::cluster_sync();
#pragma unroll 1
  for (int slice = static_cast<int>(ptx::cluster_rank()); slice < slices; slice += parts) {
    float total[kSlice] = {};
#pragma unroll 1
    for (int part = 0; part < parts; ++part) {
#pragma unroll
      for (int i = 0; i < kSlice / 4; ++i) {
        const float4 four = ptx::load_beside(own + (slice * (kSlice / 4) + i) * kThreads, part);
        total[i * 4] += four.x, total[i * 4 + 1] += four.y;
        total[i * 4 + 2] += four.z, total[i * 4 + 3] += four.w;
      }
    }
    take(total, slice * kSlice * 2);
  }
  ptx::cluster_sync();  // nobody leaves while others read
}

template <int kCount> __device__ __forceinline__ void set_to_zero(float (&sum)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum[i] = 0;
}

// Turns of two warpgroups: one waits for its own, the other gives it.
__device__ __forceinline__ void wait_for_turn(int own) {
  asm volatile("barrier.cta.sync.aligned %0, 256;" ::"r"(4 + own) : "memory");
}
__device__ __forceinline__ void give_turn(int other) {
  asm volatile("barrier.cta.arrive.aligned %0, 256;" ::"r"(4 + other) : "memory");
}

// Where the sums of a kernel's warpgroup go.
template <class S>
using TargetOf = std::conditional_t<S::kTransposes, TransposedTarget,
                                    std::conditional_t<S::kStoresBoxes, BoxTarget, Target>>;
template <class S>
__device__ __forceinline__ TargetOf<S> find_target(const GemmArguments& g, const Place& place,
                                                   float beta) {
  if constexpr (S::kTransposes) {
    return transposed_target_of(g, place, S::columns(g), beta);
  } else if constexpr (S::kStoresBoxes) {
    return BoxTarget{place, g.result_bytes == 4};
  } else {
    Target target = target_of(g, place, beta);
    if constexpr (S::kIsAnyWidth) target.columns_left = min(target.columns_left, S::columns(g));
    return target;
  }
}

// The multiplying warpgroups: the sums of all units, and what becomes of them.
template <class K>
__device__ __forceinline__ void multiply(Shared<K>& shared, const GemmArguments& g) {
  using S = typename K::Shape;
  const int warpgroup_row = warpgroup_number() * kWarpgroupM;
  Ring<S::kStages> ring = readers_ring(shared, g);
  Staging& staging = shared.staging[threadIdx.x / 128];
  UnitsOf<K> units(g);
  Unit unit = units.get();
  bool more = units.more();
  wait_for_start<K, false>(g);
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  constexpr bool kTakesTurns = [] {
    if constexpr (requires { K::kTakesTurns; }) return K::kTakesTurns;
    else return false;
  }();
  if (kTakesTurns && warpgroup_row > 0) give_turn(0);
  const auto next = [&] {
    units.advance();
    more = units.more();
    if (more) unit = units.get();
  };
  // What comes next is worked out while the last products are on their way, where that can be.
  constexpr bool kEarlyNext = [] {
    if constexpr (requires { K::kTellsArrival; }) return K::kTellsArrival;
    else return false;
  }();
  const auto next_unless_early = [&] {
    if constexpr (!kEarlyNext) next();
  };
#pragma unroll 1
  for (; more; next_unless_early()) {
    if (alpha == 0) unit.steps = 0;  // as does the producer
    std::conditional_t<kEarlyNext, Unit, Unit&> now = unit;
    bool is_stretch = false;  // of a tile that others compute parts of
    Parts parts{};
    const auto find_parts = [&] {
      is_stretch = g.split.streamed > 0 && !now.is_whole;
      if (is_stretch) parts = units.parts_of();
    };
    if constexpr (kEarlyNext) find_parts();
    const int above = end_with_matrix<S::kBM>(now, g) - warpgroup_row;
    const Place place{now.matrix, now.row + warpgroup_row, now.column, above, now.part};
    constexpr bool kEarly = S::kBN <= 64;  // others do not have the registers, or the need
    TargetOf<S> target;
    if (kEarly) target = find_target<S>(g, place, beta);
    if (beta != 0) [[unlikely]]
      ask_for_result<S::kBN>(find_target<S>(g, anew(place), beta));
    float sum[S::kBN / 2];
    if constexpr (kEarlyNext) {
      K::consume(sum, shared, ring, g, now, warpgroup_row, next);
    } else {
      set_to_zero(sum);
      K::consume(sum, shared, ring, g, now, warpgroup_row);
    }
    if (!kEarly) target = find_target<S>(g, place, beta);
    if constexpr (S::kDown == 1 || S::kDown == kAsLaunched) {
      if (g.split.parts > 1 && g.c.part_stride == 0) {
        join_in_cluster(sum, shared, g, [&](float(&some)[K::kSlice], int column) {
          K::template finish<K::kSlice * 2>(some, staging, g, target.at_column(column), alpha,
                                            beta);
        });
        continue;
      }
    }
    if constexpr (!kEarlyNext) find_parts();
    if (is_stretch && !join_unit(sum, shared, g, parts)) continue;
    K::template finish<S::kBN>(sum, staging, g, target, alpha, beta);
  }
  if (kTakesTurns && warpgroup_row == 0) wait_for_turn(0);  // the last that was given
}

// Both warpgroups come here, at one place of the program, as synccheck wants it; and neither only arrives, as racecheck does
// not follow that.
__device__ __forceinline__ void meet_other() {
  asm volatile("barrier.cta.sync.aligned 7, 256;" ::: "memory");
}

// Sums of a warpgroup, where the stages were, for the other one.
template <class K, int kCount>
__device__ __forceinline__ void leave_sums(const float (&sum)[kCount], Shared<K>& shared) {
  float4* const to = reinterpret_cast<float4*>(&shared.stages) + threadIdx.x % 128;
#pragma unroll
  for (int i = 0; i < kCount; i += 4)
    to[i / 4 * 128] = make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]);
}
template <class K, int kCount>
__device__ __forceinline__ void take_sums(float (&sum)[kCount], const Shared<K>& shared) {
  const float4* const from = reinterpret_cast<const float4*>(&shared.stages) + threadIdx.x % 128;
#pragma unroll
  for (int i = 0; i < kCount; i += 4) {
    const float4 four = from[i / 4 * 128];
    sum[i] = four.x, sum[i + 1] = four.y, sum[i + 2] = four.z, sum[i + 3] = four.w;
  }
}

// The same where warpgroups take turns: one multiplies a tile while the other stores the one before. Whose turn it is
// has seen all stages before its own arrive: a barrier says in which of two phases it is, not in which of many. Of the last
// tile each stores a half, as nothing hides that.
template <class K>
__device__ __forceinline__ void multiply_in_turns(Shared<K>& shared, const GemmArguments& g) {
  using S = typename K::Shape;
  constexpr int kTimes = S::kBM / kWarpgroupM;
  static_assert(kTimes == 2 && sizeof(shared.stages) >= S::kBN / 2 * 128 * sizeof(float));
  static_assert(!S::kHasSpareStage || sizeof(shared.stages) % 1024 == 0);
  const int own = warpgroup_number();
  Ring<S::kStages> ring = readers_ring(shared, g);
  auto& staging = shared.staging[threadIdx.x / 128];
  UnitsOf<K> units(g);
  const int count = units.left();
  if (own > 0 && count > 1) units.advance();
  Unit unit = units.get();
  wait_for_start<K, false>(g);
  const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
  const int steps = alpha == 0 ? 0 : unit.steps;  // as the producer has it
  if (own > 0) ring.skip(steps, S::stages(g));
  const auto target_at = [&](Unit in, int row) {
    const int above = end_with_matrix<S::kBM>(in, g);
    return find_target<S>(g, Place{in.matrix, in.row + row, in.column, above - row}, beta);
  };
  const auto finish = [&](float(&of)[S::kBN / 2], const Unit& in, int row) {
    K::template finish<S::kBN>(of, staging, g, target_at(in, row), alpha, beta);
  };
  const auto ask_for = [&](const Unit& in) {
    if constexpr (!S::kStoresBoxes) {
#pragma unroll 1
      for (int i = 0; i < kTimes; ++i) ask_for_result<S::kBN>(target_at(anew(in), i * kWarpgroupM));
    }
  };
  const int end = count > 0 ? count + 1 : 0;  // whose the last is not comes once more, to help
#pragma unroll 1
  for (int number = own; number < end; number += 2) {
    const bool multiplies = number < count, shares = number + 1 >= count;
    Unit now = unit;
    now.steps = steps;
    float sum[kTimes][S::kBN / 2];
    // consume() does it, too. Left to that alone, the compiler gives registers out differently, and in a run tiles of Cᵀ took
    // longer (docs/lab/gpu_gemm.md).
    if constexpr (!S::kStoresBoxes) set_to_zero(sum[0]), set_to_zero(sum[1]);
    if (multiplies) {
      if (beta != 0) [[unlikely]]
        ask_for(now);
      if (number > 0) wait_for_turn(own);
      K::consume(sum, shared, ring, g, now, [&] {
        if (shares) return;
        give_turn(1 - own);
        // What comes next is worked out here, where there is time: its own next unit, or the last, of which it stores a half.
        units.advance();
        if (number + 2 < count) units.advance();
        unit = units.get();
        ring.skip(steps, S::stages(g));
      });
    }
    if (shares) {
      meet_other();  // nobody reads stages any more
      if (multiplies) leave_sums(sum[1], shared);
      meet_other();
      // Once more for racecheck, for which a warp has come to a barrier when its own code behind it runs. Until then what the
      // other reads races with what this one has written (docs/lab/gpu_gemm.md).
      meet_other();
      if (!multiplies) take_sums(sum[0], shared);
    }
    finish(sum[0], now, multiplies ? 0 : kWarpgroupM);
    if (!shares) finish(sum[1], now, kWarpgroupM);
  }
}

// A block, from its start to its end. Until the first stage is asked for nothing else happens, so that comes first: the
// producer works out what the first unit is while one warp of the others prepares the barriers, and waits for that one
// alone (docs/lab/gpu_gemm.md). `warp < kProducer` puts its code near the beginning: compilers place what a branch goes to
// last.
template <class K>
__device__ __forceinline__ void run(const GemmArguments& g, const ptx::TensorMap& A,
                                    const ptx::TensorMap& B) {
  using S = typename K::Shape;
  constexpr int kProducer = S::kMultiplying / 32;
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared<K>& shared = *reinterpret_cast<Shared<K>*>(bytes);
  const int warp = warp_number();
  prepare(shared, g, warp);
  if (warp < kProducer) {
    fetch_ahead<S::kMultiplying>(g);
    ptx::take_registers<S::kMultiplyingRegisters>();
    if constexpr (S::kInTurns) multiply_in_turns(shared, g);
    else multiply(shared, g);
    // Nobody leaves while what it has left in shared memory is on its way to C.
    ptx::bulk_wait_read<0>();
    return;
  }
  ptx::give_registers<S::kProducerRegisters>();
  if (warp > kProducer) {
    // Not by the producer: it would be held up until both maps are there.
    if (warp == kProducer + 1 && ptx::elect_one()) ptx::tma_prefetch(A), ptx::tma_prefetch(B);
    if (S::InCluster::blocks(g) > 1) ptx::cluster_wait();  // who came to a barrier leaves it, too
    if (warp == kProducer + 2) prepare_rounds(g);
    return;
  }
  const Start start = start_of<K>(g);
  const ZeroTest<float> alpha(g.alpha);
  wait_for_start<K, true>(g);
  // For alpha = 0 nothing is read.
  if (!alpha.is_zero() && ptx::elect_one()) produce(shared, g, start, A, B);
}

}  // namespace gemm

// Before a kernel's name: how many blocks its clusters have, where the kernel says so. Where not, the launch may.
#define TILEWISE_CLUSTER_0
#define TILEWISE_CLUSTER_1
#define TILEWISE_CLUSTER_2 __cluster_dims__(2, 1, 1)

// The kernel `name` of what run() takes.
#define TILEWISE_WARPGROUP_KERNEL(name, cluster, ...)                                            \
  extern "C" __global__ void TILEWISE_CLUSTER_##cluster __launch_bounds__(                       \
      __VA_ARGS__::Shape::kThreads, 1)                                                           \
      name(const __grid_constant__ gemm::GemmArguments g,                                        \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B) { \
    gemm::run<__VA_ARGS__>(g, A, B);                                                             \
  }
