// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accurate f32 on Hopper without a pass before: for products so small that a second launch, and a second way through
// memory, would take longer than they do themselves.
//
// TMA brings A and B as they are. Warps turn each element into a pair of tf32, upper + lower up to 2^-22 of it, by two
// instructions and without scales, as tf32 has the exponents of f32: A's on its way into registers, from which wgmma
// takes it, and B's from one place in shared memory to another, as wgmma reads tf32 only along k.
// lower·upper + upper·lower + upper·upper is the product.
//
// Two things keep errors below those of f32 arithmetic. Tensor cores truncate where they add: so they add up eight k, the
// small products first, and f32 registers the sums of these. And k is dealt out to teams, warpgroups that compute the
// same tile, each every kTeams-th step, so that each register takes in few sums; at the end those of all teams are added.
// While one team splits, another multiplies.
//
// Where single products make up the sums, pairs miss the last of their bits, and f32 arithmetic is more exact. So each
// team has a scout, a warp that asks TMA for the team's steps, and then looks at every eighth element of each row of A and
// column of B in them: whether one element is as large as many others together, or near the ends of f32's exponents. Then,
// and where a sum is not finite (a lower half of infinity is not a number), the block computes its tile once more in f32
// arithmetic.
#pragma once

#include "kernels/gemm/pairs_of_tf32.cuh"

namespace gemm {

// 64×kBN results of a block, 32 k a step: 128 bytes, as TMA and wgmma have their rows. kBlocks share a multiprocessor.
template <int kBN_, int kTeams_, int kStages_, int kBlocks_> struct PairsTile {
  static constexpr int kBM = 64, kBN = kBN_, kBK = 32, kTeams = kTeams_, kStages = kStages_;
  static constexpr int kTeamThreads = kTeams * 128, kThreads = kTeamThreads + 128;
  static constexpr int kReaders = 5;  // warps that read a stage: a team and its scout
  // Distances in a team's room between sums of neighbouring rows and columns: what are neighbours in C are here, too.
  static constexpr int kDownPitch = kBN + 4, kAcrossPitch = kBM + 4;
  static constexpr int kSums = kDownPitch * kBM;
  static_assert(kAcrossPitch * kBN <= kSums);
  // Registers are given in eights, those that a launch has at first among all threads.
  static constexpr int kAtFirst = 65536 / (kBlocks_ * kThreads) / 8 * 8;
  static constexpr int kOfScouts = 64;
  static constexpr int kOfTeams = (kAtFirst * (kTeams + 1) - kOfScouts) / kTeams / 8 * 8;
  static_assert(kTeams == 4, "a scout each, of a warpgroup, and the votes of all in 16 bytes");
  // Units of which scouts may have voted before the teams ask for the first of them: a team's scout is at most as many
  // stages ahead as there are places for, and each unit has one.
  static constexpr int kVotes = kStages / kTeams + 1;
  static_assert(kVotes <= kTeams, "a scout prepares one of their barriers each");
};

template <class S> struct alignas(1024) PairsShared {  // swizzled rows count from 1024 bytes
  struct Stage {
    float a[S::kBM * S::kBK], b[S::kBN * S::kBK];
  } stages[S::kStages];
  PairsRoom<S> rooms[S::kTeams];
  ptx::Barrier full[S::kStages], empty[S::kStages];
  PairsUnit units[S::kStages];  // of which the stage is, where it is a team's first
  // Whether a scout has seen what pairs do not do for; and the barriers that say that all have voted.
  uint4 votes[S::kVotes];
  ptx::Barrier voted[S::kVotes];
};

template <class S, Along kAlongA, Along kAlongB> struct Pairs {
  using Shared = PairsShared<S>;
  using Stage = typename Shared::Stage;
  using Stages = TeamRing<S::kTeams, S::kStages>;
  using Result = PairsResult<S>;
  static constexpr int kToldOfBarriers = S::kTeamThreads + S::kTeams * 32;
  static constexpr int kScoutsMeet = 8;  // a barrier's number

  // Where the votes on a block's unit number `unit` are.
  static __device__ __forceinline__ int votes_on(unsigned unit) { return unit % S::kVotes; }

  // --- the scouts --------------------------------------------------------------------------------------

  // What a team's first stage is, worked out while others prepare the barriers: every product begins with waiting for it.
  struct FirstStage {
    unsigned row, column, k, matrix_a, matrix_b;

    __device__ __forceinline__ FirstStage(const GemmArguments& g, const PairsUnit& unit, int team)
        : row(ptx::kept(unit.row)),
          column(ptx::kept(unit.column)),
          k(ptx::kept(unit.first_k + team * S::kBK)),
          matrix_a(ptx::kept(g.is_shared_a ? 0 : unit.matrix)),
          matrix_b(ptx::kept(g.is_shared_b ? 0 : unit.matrix)) {}

    __device__ __forceinline__ void ask(Shared& shared, int steps, int team,
                                        const ptx::TensorMap& A, const ptx::TensorMap& B) const {
      if (ptx::elect_one()) {
        ptx::Barrier* const full = &shared.full[team];
        if (team < steps) {
          Stage& stage = shared.stages[team];
          ptx::mbarrier_arrive_expect(full, sizeof(Stage));
          ask_for_lines<kAlongA, S::kBM>(stage.a, A, row, k, matrix_a, full);
          ask_for_lines<kAlongB, S::kBN>(stage.b, B, column, k, matrix_b, full);
        } else {
          ptx::mbarrier_arrive(full);
        }
      }
      __syncwarp();
    }
  };

  // Asks for stage number `i` of the team's. With the first it says what the unit is.
  static __device__ __forceinline__ void ask(Shared& shared, Stages& ring, const GemmArguments& g,
                                             const PairsUnit& unit, int i, int team,
                                             const ptx::TensorMap& A, const ptx::TensorMap& B) {
    if (ptx::elect_one()) {
      ptx::Barrier* const full = &shared.full[ring.index];
      // The first time round nothing is to be waited for: the phase before the first is complete.
      ptx::mbarrier_wait(&shared.empty[ring.index], ring.phase ^ 1);
      if (i == 0) shared.units[ring.index] = unit;
      const int step = i * S::kTeams + team;
      if (step < unit.steps) {
        Stage& stage = shared.stages[ring.index];
        const int k = unit.first_k + step * S::kBK;
        ptx::mbarrier_arrive_expect(full, sizeof(Stage));
        ask_for_lines<kAlongA, S::kBM>(stage.a, A, unit.row, k, g.is_shared_a ? 0 : unit.matrix,
                                       full);
        ask_for_lines<kAlongB, S::kBN>(stage.b, B, unit.column, k, g.is_shared_b ? 0 : unit.matrix,
                                       full);
      } else {
        ptx::mbarrier_arrive(full);
      }
    }
    __syncwarp();
    ring.advance();
  }

  static __device__ __forceinline__ void scout(Shared& shared, const GemmArguments& g, int team,
                                               const ptx::TensorMap& A, const ptx::TensorMap& B) {
    PairsUnit unit = first_pairs_unit<S>(g);
    const FirstStage first(g, unit, team);
    const ZeroTest<float> alpha(g.alpha);
    ptx::let_next_grid_start();
    ptx::wait_for_previous_grid();
    const bool reads_nothing = alpha.is_zero();  // for alpha = 0
    if (reads_nothing) unit.steps = 0;
    first.ask(shared, unit.steps, team, A, B);
    Stages asking(team), looking(team);
    unsigned number = blockIdx.x;  // of the unit
    int stages, asked;
    const auto begin = [&](int from) {
      stages = stages_of<S>(unit.steps);
      for (asked = from; asked < min(stages, S::kStages / S::kTeams); ++asked)
        ask(shared, asking, g, unit, asked, team, A, B);
    };
    asking.advance();  // the first has been asked for
    begin(1);
    unsigned voted = 0;  // units
    // The others have prepared their barriers, too.
    asm volatile("barrier.cta.sync.aligned %0, %1;" ::"n"(kScoutsMeet), "n"(S::kTeams * 32)
                 : "memory");
    while (true) {
      SeenLine of_a[kWarpsOf<S::kBM>], of_b[kWarpsOf<S::kBN>];
#pragma unroll 1
      for (int i = 0; i < stages; ++i) {
        ptx::mbarrier_wait(&shared.full[looking.index], looking.phase);
        if (i * S::kTeams + team < unit.steps) {
          const Stage& stage = shared.stages[looking.index];
          look_at_lines<kAlongA, S::kBM>(of_a, stage.a, i);
          look_at_lines<kAlongB, S::kBN>(of_b, stage.b, i);
        }
        warp_arrives(&shared.empty[looking.index]);
        looking.advance();
        if (asked < stages) ask(shared, asking, g, unit, asked++, team, A, B);
      }
      const bool suspect = is_suspect<S::kBM>(of_a) | is_suspect<S::kBN>(of_b);
      const bool is_last = unit.is_last;
      if (!is_last) {  // the next unit's first stages, while the teams are still at this one's last
        number += gridDim.x;
        Units<S::kBM, S::kBK, 1> units(g, S::kBN);
        units.go_to(number);
        unit = pairs_unit_of(units.get(), g, number);
        if (reads_nothing) unit.steps = 0;
        begin(0);
      }
      if (threadIdx.x % 32 == 0) {
        reinterpret_cast<unsigned*>(&shared.votes[votes_on(voted)])[team] = suspect;
        ptx::mbarrier_arrive(&shared.voted[votes_on(voted)]);
      }
      ++voted;
      if (is_last) return;
    }
  }

  // --- the teams ---------------------------------------------------------------------------------------

  // A team's sums of a unit: of every kTeams-th step from its own on. It splits B's columns of a step, then multiplies;
  // meanwhile other teams do the other of the two. Doing both at once, for two steps, takes more code, which is met cold.
  static __device__ __forceinline__ void consume(float (&sum)[S::kBN / 2], Shared& shared,
                                                 Stages& ring, int steps, int team,
                                                 const PlacesOfA<kAlongA>& places_a,
                                                 const PlacesOfB<kAlongB, S::kBN>& places_b) {
#pragma unroll
    for (int i = 0; i < S::kBN / 2; ++i) sum[i] = 0;
    const int own = (steps - team + S::kTeams - 1) / S::kTeams;
    auto& halves = shared.rooms[team].halves;
#pragma unroll 1
    for (int i = 0; i < own; ++i) {
      ptx::Barrier* const empty = &shared.empty[ring.index];
      const Stage& stage = shared.stages[ring.index];
      ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
      float of_a[4];
      places_a.get(of_a, stage.a, 0);
      places_b.split(halves[i % 2], stage.b);
      ptx::fence_proxy_async();
      warpgroup_meet();  // these halves are there, and those of the step before have been read
      const auto read = [&](float(&to)[4], int k) { places_a.get(to, stage.a, k); };
      add_stage<S::kBN>(sum, of_a, ptx::RowsDescriptor<128>(halves[i % 2]), read,
                        [&] { warp_arrives(empty); });
      ring.advance();
    }
    if (own < stages_of<S>(steps)) {  // there is one that is empty
      ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
      warp_arrives(&shared.empty[ring.index]);
      ring.advance();
    }
    warpgroup_meet();  // all halves have been read
  }

  static __device__ __forceinline__ void multiply(Shared& shared, const GemmArguments& g) {
    const int team = warpgroup_number();
    const bool transposed = g.result_is_transposed != 0;
    const PlacesOfA<kAlongA> places_a;
    const PlacesOfB<kAlongB, S::kBN> places_b;
    Stages ring(team);
    unsigned done = 0;  // units
    asm volatile("barrier.cta.sync.aligned %0, %1;" ::"n"(kPrepared), "n"(kToldOfBarriers)
                 : "memory");
    ptx::let_next_grid_start();
    ptx::wait_for_previous_grid();
    const float alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
    float* const room = shared.rooms[team].sums;
    // Until the first stage arrives there is nothing to do: so what can be is worked out before.
    PairsUnit unit = first_pairs_unit<S>(g);
#pragma unroll 1
    while (true) {
      if (alpha == 0) unit.steps = 0;  // nothing is read
      const typename Result::Place place = Result::place_of(g, unit);
      float sum[S::kBN / 2];
      consume(sum, shared, ring, unit.steps, team, places_a, places_b);
      Result::leave(room, sum, places_a.row(0), places_a.row(1), transposed);
      ptx::mbarrier_wait(&shared.voted[votes_on(done)], done / S::kVotes % 2);
      const uint4 vote = shared.votes[votes_on(done)];
      ++done;
      const bool suspect = (vote.x | vote.y | vote.z | vote.w) != 0;
      if (teams_meet_or<S>(suspect || !are_finite(sum))) [[unlikely]] {
        multiply_in_f32<S>(sum, shared.rooms[team].staging, g, unit, team, kAlongA == Along::kK,
                           kAlongB == Along::kK);
        const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4;
        Result::leave(room, sum, row, row + 8, transposed);
        teams_meet<S>();
      }
      Result::finish(shared.rooms, place, alpha, beta);
      if (unit.is_last) break;
      ptx::mbarrier_wait(&shared.full[ring.index], ring.phase);
      unit = shared.units[ring.index];
      teams_meet<S>();  // before rooms are filled again
    }
  }

  // A scout prepares its team's barriers itself, so that it waits for nobody before it asks for the first stage.
  static __device__ __forceinline__ void init_barriers(Shared& shared, int team) {
    if (ptx::elect_one()) {
#pragma unroll
      for (int i = 0; i < S::kStages; i += S::kTeams) {
        ptx::mbarrier_init(&shared.full[i + team], 1);
        ptx::mbarrier_init(&shared.empty[i + team], S::kReaders);
      }
      if (team < S::kVotes) ptx::mbarrier_init(&shared.voted[team], S::kTeams);
      ptx::fence_mbarrier_init();
    }
    __syncwarp();
    asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"n"(kPrepared), "n"(kToldOfBarriers)
                 : "memory");
  }

  // A block, from its start to its end (see run() in warpgroup.cuh).
  static __device__ __forceinline__ void run(const GemmArguments& g, const ptx::TensorMap& A,
                                             const ptx::TensorMap& B) {
    constexpr int kFirstScout = S::kTeamThreads / 32;
    extern __shared__ __align__(1024) unsigned char bytes[];
    Shared& shared = *reinterpret_cast<Shared*>(bytes);
    const int warp = warp_number();
    // By one of those that wait at first: it holds up the warp.
    if (warp == 0 && ptx::elect_one()) ptx::tma_prefetch(A), ptx::tma_prefetch(B);
    if (warp < kFirstScout) {
      fetch_ahead<S::kTeamThreads>(g);
      ptx::take_registers<S::kOfTeams>();
      multiply(shared, g);
      return;
    }
    ptx::give_registers<S::kOfScouts>();
    const int team = warp - kFirstScout;
    if (team >= S::kTeams) return;
    init_barriers(shared, team);
    scout(shared, g, team, A, B);
  }
};

}  // namespace gemm

// The kernels of one tile, by the orders of A and B: k ("along k") or x ("across k"). `...`: kBN, teams, stages and
// blocks that share a multiprocessor.
#define TILEWISE_PAIRS(name, blocks, along_a, along_b, ...)                                      \
  extern "C" __global__ void __launch_bounds__(gemm::PairsTile<__VA_ARGS__>::kThreads, blocks)   \
      name(const __grid_constant__ gemm::GemmArguments g,                                        \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B) { \
    gemm::Pairs<gemm::PairsTile<__VA_ARGS__>, along_a, along_b>::run(g, A, B);                   \
  }
#define TILEWISE_PAIRS_ORDERS(name, bn, teams, stages, blocks)                                     \
  TILEWISE_PAIRS(name##_kk, blocks, ptx::Along::kK, ptx::Along::kK, bn, teams, stages, blocks)     \
  TILEWISE_PAIRS(name##_kx, blocks, ptx::Along::kK, ptx::Along::kOther, bn, teams, stages, blocks) \
  TILEWISE_PAIRS(name##_xk, blocks, ptx::Along::kOther, ptx::Along::kK, bn, teams, stages, blocks) \
  TILEWISE_PAIRS(name##_xx, blocks, ptx::Along::kOther, ptx::Along::kOther, bn, teams, stages,     \
                 blocks)
// The same of other widths, for B along k alone.
#define TILEWISE_PAIRS_ALONG_K(name, bn, teams, stages, blocks)                                \
  TILEWISE_PAIRS(name##_kk, blocks, ptx::Along::kK, ptx::Along::kK, bn, teams, stages, blocks) \
  TILEWISE_PAIRS(name##_xk, blocks, ptx::Along::kOther, ptx::Along::kK, bn, teams, stages, blocks)
