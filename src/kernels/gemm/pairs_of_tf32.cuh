// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of warpgroup_pairs.cuh that do not depend on how its warps wait for each other: how f32 become pairs of tf32,
// how these are multiplied, what a scout looks for, and how the sums of all teams become C.
#pragma once

#include "kernels/gemm/pairs.cuh"
#include "kernels/gemm/suspects.cuh"
#include "kernels/gemm/warpgroup.cuh"
#include "kernels/ptx/shared.cuh"

namespace gemm {

template <int kLines> constexpr int kWarpsOf = (kLines + 31) / 32;  // with a lane a line

// x = upper + lower up to 2^-22 of it. Rounded by two instructions: cvt.rna.tf32.f32 takes four, to keep infinities and
// NaN. Here the lower half of these is NaN, whatever becomes of the upper one.
struct PairOfTf32 {
  unsigned upper, lower;
};
__device__ __forceinline__ PairOfTf32 split_in_tf32(float x) {
  const unsigned upper = (__float_as_uint(x) + 0x1000) & 0xFFFFE000;
  return {upper, __float_as_uint(x - __uint_as_float(upper))};
}

// Where a thread finds its elements of A for eight k, in the order in which wgmma takes them. What wgmma calls k i and
// i + 4 are k 2·i and 2·i + 1 here, as they are in PlacesOfB. Which rows of the tile the thread's two are is chosen so
// that reads of 8 bytes have no bank conflicts.
template <Along> class PlacesOfA;

// 32 k of a row of A in a row of 128 bytes.
template <> class PlacesOfA<Along::kK> {
 public:
  __device__ __forceinline__ PlacesOfA() {
    const int lane = threadIdx.x % 32;
    at_ = ptx::kept(row(0) * 32 + (lane % 4 / 2 ^ row(0) % 8) * 4 + lane % 2 * 2);
  }
  static __device__ __forceinline__ int row(int second) {
    const int group = threadIdx.x % 32 / 4;
    return threadIdx.x / 32 % 4 * 16 + group % 4 * 2 + group / 4 + second * 8;
  }
  __device__ __forceinline__ void get(float (&to)[4], const float* a, int k) const {
    const float2 first = *reinterpret_cast<const float2*>(a + (at_ ^ k));
    const float2 second = *reinterpret_cast<const float2*>(a + 8 * 32 + (at_ ^ k));
    to[0] = first.x, to[1] = second.x, to[2] = first.y, to[3] = second.y;
  }

 private:
  unsigned at_;
};

// 32 rows of A of one k in a row.
template <> class PlacesOfA<Along::kOther> {
 public:
  __device__ __forceinline__ PlacesOfA() {
    const int lane = threadIdx.x % 32, k = lane % 4 * 2;
    const int piece = row(0) % 32 / 4, panel = row(0) / 32 * 32 * 32;
    at_ = ptx::kept(panel + k * 32 + (piece ^ k) * 4 + row(0) % 4);
  }
  static __device__ __forceinline__ int row(int second) {
    return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 * 2 + second;
  }
  __device__ __forceinline__ void get(float (&to)[4], const float* a, int k) const {
    const float2 even = *reinterpret_cast<const float2*>(a + at_ + k * 32);
    const float2 odd = *reinterpret_cast<const float2*>(a + (at_ ^ 4) + (k + 1) * 32);
    to[0] = even.x, to[1] = even.y, to[2] = odd.x, to[3] = odd.y;
  }

 private:
  unsigned at_;
};

// The same of B's columns: a warp has eight k, a lane all of them of one of 32 columns, or half of one of 16. Its halves
// lie along k, in rows of 128 bytes as TMA would swizzle them; of eight k first those with even numbers.
template <Along kAlong, int kBN> class PlacesOfB;

template <Along kAlong> class PlacesOfB<kAlong, 32> {
 public:
  __device__ __forceinline__ PlacesOfB() {
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    to_ = ptx::kept(lane * 32 + (2 * warp ^ lane % 8) * 4);
    if constexpr (kAlong == Along::kOther) from_ = ptx::kept(warp * 8 * 32 + lane);
  }
  __device__ __forceinline__ void split(float (&halves)[2][32 * 32], const float* b) const {
    float x[8];
    get(x, b);
    PairOfTf32 pairs[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) pairs[k] = split_in_tf32(x[k]);
    const auto store = [](float* to, unsigned e, unsigned f, unsigned g, unsigned h) {
      *reinterpret_cast<uint4*>(to) = make_uint4(e, f, g, h);
    };
    store(halves[0] + to_, pairs[0].upper, pairs[2].upper, pairs[4].upper, pairs[6].upper);
    store(halves[0] + (to_ ^ 4), pairs[1].upper, pairs[3].upper, pairs[5].upper, pairs[7].upper);
    store(halves[1] + to_, pairs[0].lower, pairs[2].lower, pairs[4].lower, pairs[6].lower);
    store(halves[1] + (to_ ^ 4), pairs[1].lower, pairs[3].lower, pairs[5].lower, pairs[7].lower);
  }

 private:
  __device__ __forceinline__ void get(float (&x)[8], const float* b) const {
    if constexpr (kAlong == Along::kK) {
      const float4 low = *reinterpret_cast<const float4*>(b + to_);
      const float4 high = *reinterpret_cast<const float4*>(b + (to_ ^ 4));
      x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
      x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
    } else {
#pragma unroll
      for (int k = 0; k < 8; ++k) x[k] = b[(from_ ^ k * 4) + k * 32];
    }
  }
  unsigned to_, from_ = 0;
};

template <> class PlacesOfB<Along::kK, 16> {
 public:
  __device__ __forceinline__ PlacesOfB() {
    const int warp = threadIdx.x / 32 % 4, column = threadIdx.x % 16, half = threadIdx.x / 16 % 2;
    const int even = column * 32 + (2 * warp ^ column % 8) * 4;
    from_ = ptx::kept(even ^ half * 4);
    to_ = ptx::kept(even + half * 2);
  }
  __device__ __forceinline__ void split(float (&halves)[2][16 * 32], const float* b) const {
    const float4 x = *reinterpret_cast<const float4*>(b + from_);
    const PairOfTf32 pairs[4] = {split_in_tf32(x.x), split_in_tf32(x.y), split_in_tf32(x.z),
                                 split_in_tf32(x.w)};
    const auto store = [](float* to, unsigned e, unsigned f) {
      *reinterpret_cast<uint2*>(to) = make_uint2(e, f);
    };
    store(halves[0] + to_, pairs[0].upper, pairs[2].upper);
    store(halves[0] + (to_ ^ 4), pairs[1].upper, pairs[3].upper);
    store(halves[1] + to_, pairs[0].lower, pairs[2].lower);
    store(halves[1] + (to_ ^ 4), pairs[1].lower, pairs[3].lower);
  }

 private:
  unsigned from_, to_;
};

// A unit of work, as a scout tells its team.
struct alignas(16) PairsUnit {
  int row, column, matrix, part;
  int first_k, steps;
  int above;  // rows, from the first on, that others store
  int is_last;
};
// `number`: the unit's.
__device__ __forceinline__ PairsUnit pairs_unit_of(const Unit& unit, const GemmArguments& g,
                                                   unsigned number) {
  constexpr int kRows = 64;
  Unit moved = unit;
  const int above = end_with_matrix<kRows>(moved, g);
  return {moved.row,     moved.column, moved.matrix, moved.part,
          moved.first_k, moved.steps,  above,        number + gridDim.x >= g.tiles.units};
}
// A block's first.
template <class S> __device__ __forceinline__ PairsUnit first_pairs_unit(const GemmArguments& g) {
  const Unit unit = g.tiles.first_unit != FirstUnit::kAny
                        ? first_unit<S::kBM, S::kBK>(g, S::kBN)
                        : Units<S::kBM, S::kBK, 1>(g, S::kBN).get();
  return pairs_unit_of(unit, g, blockIdx.x);
}

// A team's: the upper and lower halves of B of its last two steps; at the end of a unit its sums; or what it needs to
// multiply in f32.
template <class S> union alignas(1024) PairsRoom {
  float halves[2][2][S::kBN * 32];
  float sums[S::kSums];
  Staging staging;
  __device__ PairsRoom() {}
};

// Stages of a unit for each team. The last may be empty: a stage's place is always the same team's, and each team hears
// of each unit.
template <class S> __device__ __forceinline__ int stages_of(int steps) {
  return max(1, (steps + S::kTeams - 1) / S::kTeams);
}

// The places of a team in a ring of kStages that teams share evenly, one after the other.
template <int kTeams, int kStages> struct TeamRing {
  static_assert(kStages % kTeams == 0, "a place is always the same team's");
  int index;
  unsigned phase = 0;

  __device__ __forceinline__ explicit TeamRing(int team) : index(team) {}
  __device__ __forceinline__ void advance() {
    index += kTeams;
    if (index >= kStages) index -= kStages, phase ^= 1;
  }
};

// A warp has read what a barrier is about.
__device__ __forceinline__ void warp_arrives(ptx::Barrier* barrier) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(barrier);
}

// All threads of the teams.
template <class S> __device__ __forceinline__ void teams_meet() { meet<S::kTeamThreads>(); }

// The same; whether any of them says so.
template <class S> __device__ __forceinline__ bool teams_meet_or(bool own) {
  unsigned any;
  asm volatile(
      "{\n.reg .pred own, any;\nsetp.ne.u32 own, %1, 0;\n"
      "barrier.cta.red.or.pred.aligned any, 1, %2, own;\nselp.u32 %0, 1, 0, any;\n}"
      : "=r"(any)
      : "r"(static_cast<unsigned>(own)), "n"(S::kTeamThreads)
      : "memory");
  return any != 0;
}

// --- what scouts do --------------------------------------------------------------------------------------

// Asks for kCount rows of A or columns of B, from `line` on, and 32 k.
template <Along kAlong, int kCount>
__device__ __forceinline__ void ask_for_lines(float* to, const ptx::TensorMap& map, int line, int k,
                                              int matrix, ptx::Barrier* full) {
  if constexpr (kAlong == Along::kK) {
    ptx::tma_load_3d(to, map, k, line, matrix, full);
  } else {
    for (int i = 0; i < kCount; i += 32)
      ptx::tma_load_3d(to + i * 32, map, line + i, k, matrix, full);
  }
}

// What was seen of a line, of every eighth element.
struct SeenLine {
  float sum = 0, largest = 0, nonzero = 0;

  __device__ __forceinline__ void see(float x) {
    const float size = fabsf(x);
    sum += size, largest = fmaxf(largest, size);
    nonzero += size != 0 ? 1.0f : 0.0f;
  }
  // One element makes up most of the sum, or a sixteenth as many as there are would.
  __device__ __forceinline__ bool is_uneven() const {
    return sum < fmaf(nonzero, 0.0625f, 1.0f) * largest;
  }
  // Beyond 2^±90, where lower halves and sums of products are not sure to be within f32.
  __device__ __forceinline__ bool is_far() const {
    const unsigned exponent = __float_as_uint(largest) >> 23;
    return largest != 0 && (exponent > 127 + kMostExponent || exponent < 127 - kMostExponent);
  }
};

// Four neighbours along k of each of kCount lines of a stage, a lane one of 32, others in each stage. Where there are
// fewer lines several lanes look at one: a branch by lane would part a warp that barriers take for one.
template <Along kAlong, int kCount>
__device__ __forceinline__ void look_at_lines(SeenLine* to, const float* lines, int number) {
  static_assert(kCount % 32 == 0 || 32 % kCount == 0);
  const int lane = threadIdx.x % (kCount < 32 ? kCount : 32), piece = number % 8;
#pragma unroll
  for (int i = 0; i < kWarpsOf<kCount>; ++i) {
    const float* const from = lines + i * 32 * 32;
    if constexpr (kAlong == Along::kK) {
      const float4 x = *reinterpret_cast<const float4*>(from + lane * 32 + (piece ^ lane % 8) * 4);
      to[i].see(x.x), to[i].see(x.y), to[i].see(x.z), to[i].see(x.w);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int k = piece * 4 + j;
        to[i].see(from[k * 32 + (lane / 4 ^ k % 8) * 4 + lane % 4]);
      }
    }
  }
}

// Whether pairs do not do for kCount rows or columns of a tile: a quarter of 32 is uneven, or one is far out. All lanes
// ask.
template <int kCount> __device__ __forceinline__ bool is_suspect(const SeenLine* lines) {
  constexpr int kUneven = 32 / 4;
  bool suspect = false;
#pragma unroll
  for (int i = 0; i < kWarpsOf<kCount>; ++i) {
    suspect |= __popc(__ballot_sync(~0u, lines[i].is_uneven())) >= kUneven;
    suspect |= __any_sync(~0u, lines[i].is_far()) != 0;
  }
  return suspect;
}

// --- what teams do ---------------------------------------------------------------------------------------

// Starts product = A·B for the eight k from `k` on, the small products first.
template <int kBN>
__device__ __forceinline__ void start_chain(float (&product)[kBN / 2], const float (&of_a)[4],
                                            const ptx::RowsDescriptor<128>& halves, int k) {
  constexpr int kLower = kBN * 128 / 16;  // from the upper halves to the lower ones, in 16 bytes
  unsigned upper[4], lower[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const PairOfTf32 pair = split_in_tf32(of_a[i]);
    upper[i] = pair.upper, lower[i] = pair.lower;
  }
  ptx::wgmma_fence();
  ptx::wgmma_tf32_a_in_registers<kBN, 0>(product, lower, halves.at(k / 4));
  ptx::wgmma_tf32_a_in_registers<kBN, 1>(product, upper, halves.at(kLower + k / 4));
  ptx::wgmma_tf32_a_in_registers<kBN, 1>(product, upper, halves.at(k / 4));
  ptx::wgmma_commit();
}

// Adds to a team's sums what a stage holds, in chains of eight k, two of which are at work at one time. `of_a`: A for the
// first; `read(to, k)` reads it for another. `all_read()` is called when the stage has been read.
template <int kBN, class Read, class AllRead>
__device__ __forceinline__ void add_stage(float (&sum)[kBN / 2], float (&of_a)[4],
                                          const ptx::RowsDescriptor<128>& of_b, const Read& read,
                                          const AllRead& all_read) {
  float product[2][kBN / 2];
  const auto take = [&](float(&of)[kBN / 2]) {
    ptx::wgmma_arrived(of);
#pragma unroll
    for (int i = 0; i < kBN / 2; ++i) sum[i] += of[i];
  };
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    const float now[4] = {of_a[0], of_a[1], of_a[2], of_a[3]};
    if (k + 8 < 32) read(of_a, k + 8);
    start_chain<kBN>(product[k / 8 % 2], now, of_b, k);
    if (k + 8 == 32) all_read();
    if (k == 0) continue;
    ptx::wgmma_wait<1>();
    take(product[1 - k / 8 % 2]);
  }
  ptx::wgmma_wait<0>();
  take(product[1]);
}

template <int kCount> __device__ __forceinline__ bool are_finite(const float (&sum)[kCount]) {
  float zero = 0;
#pragma unroll
  for (int i = 0; i < kCount; ++i) zero = fmaf(sum[i], 0.0f, zero);
  return zero == 0;
}

// A team's share of a unit in f32 arithmetic: neighbouring steps.
template <class S>
__device__ __forceinline__ void multiply_in_f32(float (&sum)[S::kBN / 2], Staging& staging,
                                                const GemmArguments& g, const PairsUnit& unit,
                                                int team, bool along_a, bool along_b) {
  constexpr int kBK = 32;
  const int each = stages_of<S>(unit.steps), first = min(team * each, unit.steps);
  Unit own{};
  own.column = unit.column, own.matrix = unit.matrix;
  own.first_k = unit.first_k + first * kBK, own.steps = min(each, unit.steps - first);
  multiply_f32<S::kBN, kBK>(sum, staging, g, own, unit.row, along_a, along_b);
}

// --- the way out -----------------------------------------------------------------------------------------

template <class S> struct PairsResult {
  static constexpr int kBM = S::kBM, kDownPitch = S::kDownPitch, kAcrossPitch = S::kAcrossPitch;

  // `first`, `second`: which rows of the tile a thread's sums are of.
  static __device__ __forceinline__ void leave(float* room, const float (&sum)[S::kBN / 2],
                                               int first, int second, bool transposed) {
    const int column = threadIdx.x % 4 * 2;
    if (transposed) {
      const bool beside = second == first + 1;
#pragma unroll
      for (int i = 0; i < S::kBN / 2; i += 4) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float* const to = room + (column + i * 2 + j) * kAcrossPitch;
          if (beside) {
            *reinterpret_cast<float2*>(to + first) = make_float2(sum[i + j], sum[i + j + 2]);
          } else {
            to[first] = sum[i + j], to[second] = sum[i + j + 2];
          }
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < S::kBN / 2; i += 4) {
        float* const to = room + column + i * 2;
        *reinterpret_cast<float2*>(to + first * kDownPitch) = make_float2(sum[i], sum[i + 1]);
        *reinterpret_cast<float2*>(to + second * kDownPitch) = make_float2(sum[i + 2], sum[i + 3]);
      }
    }
  }

  // Neighbours of C, a thread's of a unit, of which those from `from` on and before `end` are stored.
  static constexpr int kEach = kBM * S::kBN / S::kTeamThreads;
  static_assert(kEach == 2 || kEach == 4);
  using Vector = std::conditional_t<kEach == 4, float4, float2>;
  struct Place {
    float* to;
    int from, end;
    int in_room;
    bool is_whole;
  };
  static __device__ __forceinline__ Place place_of(const GemmArguments& g, const PairsUnit& unit) {
    const bool transposed = g.result_is_transposed != 0;
    const int thread = static_cast<int>(threadIdx.x), side = transposed ? kBM : S::kBN;
    const int line = thread * kEach / side, at = thread * kEach % side;
    const int rows = static_cast<int>(g.m) - unit.row,
              columns = static_cast<int>(g.n) - unit.column;
    const int first = transposed ? unit.row : unit.column,
              first_line = transposed ? unit.column : unit.row;
    Place place;
    place.to = matrix_at<float>(g.c, unit.matrix, unit.part) +
               (first_line + line) * g.c.leading_dimension + first + at;
    // The first `above` rows are others'.
    place.from = transposed ? unit.above - at : 0;
    place.end = (transposed ? rows : columns) - at;
    if (transposed ? line >= columns : line >= rows || line < unit.above) place.end = 0;
    place.in_room = line * (transposed ? kAcrossPitch : kDownPitch) + at;
    place.is_whole = g.result_is_aligned != 0 && place.from <= 0 && place.end >= kEach;
    return place;
  }

  // Adds up what all teams have left of the tile, and stores it.
  static __device__ __forceinline__ void finish(const PairsRoom<S> (&rooms)[S::kTeams],
                                                const Place& place, float alpha, float beta) {
    float sums[S::kTeams][kEach];
#pragma unroll
    for (int team = 0; team < S::kTeams; ++team) load(sums[team], rooms[team].sums + place.in_room);
#pragma unroll
    for (int apart = 1; apart < S::kTeams; apart *= 2) {
#pragma unroll
      for (int team = 0; team + apart < S::kTeams; team += 2 * apart) {
#pragma unroll
        for (int i = 0; i < kEach; ++i) sums[team][i] += sums[team + apart][i];
      }
    }
    store(place, sums[0], alpha, beta);
  }

 private:
  static __device__ __forceinline__ void load(float (&to)[kEach], const float* from) {
    const Vector vector = *reinterpret_cast<const Vector*>(from);
    to[0] = vector.x, to[1] = vector.y;
    if constexpr (kEach == 4) to[2] = vector.z, to[3] = vector.w;
  }

  static __device__ __forceinline__ void store(const Place& place, float (&x)[kEach], float alpha,
                                               float beta) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) x[i] *= alpha;
    float* const to = place.to;
    if (place.is_whole) {
      if (beta != 0) {
        float c[kEach];
        load(c, to);
#pragma unroll
        for (int i = 0; i < kEach; ++i) x[i] = fmaf(beta, c[i], x[i]);
      }
      Vector vector;
      vector.x = x[0], vector.y = x[1];
      if constexpr (kEach == 4) vector.z = x[2], vector.w = x[3];
      *reinterpret_cast<Vector*>(to) = vector;
      return;
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      if (i >= place.from && i < place.end) to[i] = beta != 0 ? fmaf(beta, to[i], x[i]) : x[i];
  }
};

}  // namespace gemm
