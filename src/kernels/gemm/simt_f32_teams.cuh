// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 on the FMA pipes, through registers: global memory is read four elements at a time where A and B are at multiples
// of 16 bytes, else one by one, and quads along k are turned round on the way to shared memory (ladder, rung 18).
//
// A block has a multiprocessor for itself, and eight warps. Of a large tile two teams of four warps compute the sums
// of all elements, each for every other step of k; of a smaller one four teams of two. So a thread always has 128 sums
// to use each of 24 elements for, however small the tile, and what the teams add up stays on the multiprocessor.
// Where there are tiles enough, two blocks share a multiprocessor, each of one team: one multiplies while the other
// begins or stores, and there is nothing to add up.
//
// The loop asks for no bounds. The last step of k, which may be short, comes first and does; the others lie
// inside. Lines outside the matrix are read from the last ones inside, computed and never stored. A quad of
// lines across the end of the matrix takes up to three elements from behind its row of k: there the next
// one follows, as the row with the last k is read in that first step alone.
#pragma once

#include "kernels/gemm/block.cuh"
#include "kernels/gemm/simt_f32_tile.cuh"

namespace gemm {

// A thread's share of one factor on its way from global to shared memory, of which a block has kLines lines
// (rows of A, columns of B) and kBK of k a step. kAlongK: the k of a line are neighbours in memory.
//
// A thread takes four neighbours at a time. Of lines along k that are not aligned these would be single loads of a warp
// that touch 16 lines each, and that is what they cost: so neighbouring threads take neighbouring words, or pairs where
// a thread of a small team would have to remember too many places.
template <typename Shape, int kLines, bool kAlongK> struct SimtCourier {
  static constexpr int kBK = Shape::kBK, kPitch = kLines + 4;
  static constexpr int kWords = kAlongK && !Shape::kAligned ? 128 / Shape::kTeam : 4;
  static constexpr int kPieces = (kAlongK ? kBK : kLines) / kWords;  // side by side
  static constexpr int kStep = Shape::kTeam / kPieces;               // of the other, a go
  static constexpr int kGoes = (kAlongK ? kLines : kBK) / kStep;
  static_assert(kStep * kPieces == Shape::kTeam && kGoes * kStep == (kAlongK ? kLines : kBK));

  const float* from[kGoes];
  long long advance;  // from a step to the next
  int line, l;        // of the thread's first element in the tile
  int lines_inside;   // of a quad of lines, 1 to 4
  float words[kGoes][kWords];

  __device__ __forceinline__ SimtCourier(const float* matrix, long long leading,
                                         long long first_line, long long lines, long long k) {
    const int thread = threadIdx.x % Shape::kTeam;
    const int fast = thread % kPieces * kWords, slow = thread / kPieces;
    line = kAlongK ? slow : fast;
    l = kAlongK ? fast : slow;
    advance = (kAlongK ? kBK : kBK * leading) * Shape::kDown;
    const long long quad = min(first_line + line, (lines - 1) / 4 * 4);
    lines_inside = static_cast<int>(min(lines - quad, 4ll));
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      from[go] = kAlongK
                     ? matrix + min(first_line + line + go * kStep, lines - 1) * leading + (k + l)
                     : matrix + (k + l + go * kStep) * leading + quad;
    }
  }

  // Fetches the last step, of `count` <= kBK of k, `before` steps from here; what lies outside is 0.
  __device__ __forceinline__ void fetch_last(int before, int count) {
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      const int inside = kAlongK ? count - l : l + go * kStep < count ? lines_inside : 0;
      const float* const source = from[go] + before * advance;
#pragma unroll
      for (int i = 0; i < kWords; ++i) words[go][i] = i < inside ? source[i] : 0;
    }
  }

  // Fetches the next kBK of k, all of which are there.
  __device__ __forceinline__ void fetch() {
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      if constexpr (Shape::kAligned) {
        const float4 quad = *reinterpret_cast<const float4*>(from[go]);
        words[go][0] = quad.x, words[go][1] = quad.y, words[go][2] = quad.z, words[go][3] = quad.w;
      } else {
#pragma unroll
        for (int i = 0; i < kWords; ++i) words[go][i] = from[go][i];
      }
      from[go] += advance;
    }
  }

  // Where this thread's first element stands in a stage's share of the factor.
  __device__ __forceinline__ int place() const { return l * kPitch + line; }

  __device__ __forceinline__ void put(float* to) const {
#pragma unroll
    for (int go = 0; go < kGoes; ++go) {
      const float(&word)[kWords] = words[go];
      if constexpr (kAlongK) {
#pragma unroll
        for (int i = 0; i < kWords; ++i) to[i * kPitch + go * kStep] = word[i];
      } else {
        *reinterpret_cast<float4*>(to + go * kStep * kPitch) =
            make_float4(word[0], word[1], word[2], word[3]);
      }
    }
  }
};

// Where a thread reads in one stage and writes in the other.
template <typename Shape> struct SimtPlaces {
  const float *read_a, *read_b;
  float *put_a, *put_b;
  int to_other_stage = sizeof(SimtStage<Shape>) / sizeof(float);  // from the one that is read

  __device__ __forceinline__ void swap_stages() {
    read_a += to_other_stage, read_b += to_other_stage;
    put_a -= to_other_stage, put_b -= to_other_stage;
    to_other_stage = -to_other_stage;
  }
};

// The threads that compute the tile together wait for each other.
template <typename Shape> __device__ __forceinline__ void team_meets() {
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(1 + threadIdx.x / Shape::kTeam),
               "n"(Shape::kTeam)
               : "memory");
}

// One step of kBK k. kMore: another follows, and its first fragments are read too. As soon as that one is in shared
// memory, the next but one is fetched, which has a whole step's time to arrive.
template <bool kMore, typename Shape, typename CourierA, typename CourierB>
__device__ __forceinline__ void team_step(float (&sums)[Shape::kTM][Shape::kTN],
                                          SimtFragment<Shape> (&fragments)[2],
                                          SimtPlaces<Shape>& places, CourierA& courier_a,
                                          CourierB& courier_b, bool is_another_further) {
  constexpr int kBK = Shape::kBK;
#pragma unroll
  for (int p = 0; p < kBK; ++p) {
    if (kMore && p == kBK - 1) {
      courier_b.put(places.put_b), courier_a.put(places.put_a);
      team_meets<Shape>();  // the next step is there, and nobody reads this one any more
      places.swap_stages();
      if (is_another_further) courier_a.fetch(), courier_b.fetch();
    }
    SimtFragment<Shape>& next = fragments[(p + 1) % 2];
    if (kMore || p + 1 < kBK) read_rows(next, places.read_a, (p + 1) % kBK);
    multiply_add<Shape, 0, 2>(sums, fragments[p % 2]);
    if (kMore || p + 1 < kBK) read_columns(next, places.read_b, (p + 1) % kBK);
    multiply_add<Shape, 2>(sums, fragments[p % 2]);
  }
}

// A team's sums over its share of the block's k.
template <typename Shape, bool kAlongA, bool kAlongB>
__device__ __forceinline__ void sum_of_team(float (&sums)[Shape::kTM][Shape::kTN],
                                            const GemmArguments& arguments, const TilePlace& tile,
                                            const Depth& depth, SimtStage<Shape>* stages,
                                            const SimtPlace<Shape>& place) {
  static_assert(Shape::kByTeams);
  constexpr int kBK = Shape::kBK, kDown = Shape::kDown;
  const int team = static_cast<int>(threadIdx.x) / Shape::kTeam;
  const long long first = depth.begin + team * kBK;
  const auto steps_from = [&](long long k) {
    return static_cast<int>((max(depth.end - k, 0ll) + kDown * kBK - 1) / (kDown * kBK));
  };
  const int steps = steps_from(first);
  // The first team may have a step more than this one; but all pass as many barriers, or compute-sanitizer's racecheck
  // takes for unordered what a barrier of the whole block orders.
  if (kDown > 1 && steps < steps_from(depth.begin)) team_meets<Shape>();
  if (steps == 0) return;
  stages += team * Shape::kStages;
  SimtCourier<Shape, Shape::kBM, kAlongA> courier_a(
      matrix_of<float>(arguments.a), arguments.a.leading_dimension, tile.row, arguments.m, first);
  SimtCourier<Shape, Shape::kBN, kAlongB> courier_b(matrix_of<float>(arguments.b),
                                                    arguments.b.leading_dimension, tile.column,
                                                    arguments.n, first);
  const int before = steps - 1;
  const int count =
      static_cast<int>(min(depth.end - first - static_cast<long long>(before) * (kDown * kBK),
                           static_cast<long long>(kBK)));
  courier_a.fetch_last(before, count);
  courier_b.fetch_last(before, count);
  SimtPlaces<Shape> places{&stages[0].a[0][place.row], &stages[0].b[0][place.column],
                           &stages[0].a[0][0] + courier_a.place(),
                           &stages[0].b[0][0] + courier_b.place()};
  courier_a.put(places.put_a);
  courier_b.put(places.put_b);
  team_meets<Shape>();
  places.put_a += places.to_other_stage, places.put_b += places.to_other_stage;
  if (steps > 1) courier_a.fetch(), courier_b.fetch();
  SimtFragment<Shape> fragments[2];
  read_fragment(fragments[0], places.read_a, places.read_b, 0);
#pragma unroll 1
  for (int i = 1; i < steps; ++i)
    team_step<true>(sums, fragments, places, courier_a, courier_b, i + 1 < steps);
  team_step<false>(sums, fragments, places, courier_a, courier_b, false);
}

// Adds up the teams' sums through shared memory: each for its share of a thread's rows, first its own. Returns where the
// sums stood that the team has added up.
template <typename Shape>
__device__ __forceinline__ float* add_up_teams(
    float (&total)[Shape::kTM / Shape::kDown][Shape::kTN],
    const float (&sums)[Shape::kTM][Shape::kTN], unsigned char* shared) {
  constexpr int kDown = Shape::kDown, kRows = Shape::kTM / kDown, kQuads = Shape::kTN / 4;
  const int thread = threadIdx.x % Shape::kTeam, team = threadIdx.x / Shape::kTeam;
  // [share][other team][row][quad of columns][thread]
  auto* const all = reinterpret_cast<float4*>(shared) + thread;
  const auto place = [&](int share, int other, int row, int quad) {
    return (((share * (kDown - 1) + other) * kRows + row) * kQuads + quad) * Shape::kTeam;
  };
  __syncthreads();  // nobody reads stages any more
#pragma unroll
  for (int share = 0; share < kDown; ++share) {
    const auto row = [&](int i) -> const float(&)[Shape::kTN] { return sums[share * kRows + i]; };
    if (share == team) {
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < Shape::kTN; ++j) total[i][j] = row(i)[j];
    } else {
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < Shape::kTN; j += 4)
          all[place(share, team - (team > share), i, j / 4)] =
              make_float4(row(i)[j], row(i)[j + 1], row(i)[j + 2], row(i)[j + 3]);
    }
  }
  __syncthreads();
#pragma unroll
  for (int other = 0; other < kDown - 1; ++other) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::kTN; j += 4) {
        const float4 more = all[place(team, other, i, j / 4)];
        total[i][j] += more.x, total[i][j + 1] += more.y;
        total[i][j + 2] += more.z, total[i][j + 3] += more.w;
      }
    }
  }
  return reinterpret_cast<float*>(reinterpret_cast<float4*>(shared) + place(team, 0, 0, 0));
}

}  // namespace gemm
