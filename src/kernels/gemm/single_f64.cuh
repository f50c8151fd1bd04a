// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f64 on Hopper where a block computes one tile and is gone, as single.cuh for 16 bits: by TMA and mma.sync m16n8k16. Sums are
// fused multiply-adds.
//
// What such a product waits for are tiles that do not come out even: f64 is slow enough that a multiprocessor's share of C
// decides. So tiles are as wide as the launch says, in units of eight columns, and of 32, 64 or 128 rows. Eight warps
// multiply in any case, each 32 rows by as many columns as there are, up to 64: of a smaller tile several groups of warps have
// the same rows and columns, each with every so manieth stage of 16 k, and add up their sums at the end. So a warp always has
// what it takes to keep its tensor core busy, and its operands take few bytes of shared memory.
#pragma once

#include "kernels/gemm/hopper_f64_result.cuh"
#include "kernels/gemm/single_f64.hpp"
#include "kernels/gemm/single_f64_fetch.cuh"
#include "kernels/gemm/single_f64_operands.cuh"
#include "kernels/gemm/single_work.cuh"
#include "kernels/gemm/width.cuh"
#include "kernels/ptx/elect.cuh"
#include "kernels/ptx/grid.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/setmaxnreg.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/tma.cuh"

namespace gemm::single_f64 {

using f64::Operands;
using single::Work, single::work_of;

constexpr int kBK = kSingleF64BK, kMostStages = kSingleF64MostStages;
constexpr int kMultiplying = kSingleF64Warps * 32, kBringing = kSingleF64Producers * 32;
constexpr int kThreads = kMultiplying + kBringing;
constexpr int kLineBytes = kBK * 8;
constexpr int kMostOfWarp = kSingleF64Unit * kSingleF64MostUnits;  // columns

// Orders of A and B, whether C is written down turned round, and whether TMA brings A and B; else four warps do.
template <bool kAlongA_, bool kAlongB_, bool kTransposes_, bool kMaps_> struct Kernel {
  static constexpr bool kAlongA = kAlongA_, kAlongB = kAlongB_, kTransposes = kTransposes_;
  static constexpr bool kMaps = kMaps_;
};

struct Barriers {
  ptx::Barrier full[kMostStages];   // the stage's bytes have arrived
  ptx::Barrier empty[kMostStages];  // every warp of the group that multiplies it has read it
};

static_assert(sizeof(Barriers) <= kSingleF64BarrierBytes);

// Where stages are in shared memory, behind the barriers.
struct Layout {
  int first_bytes, stage_bytes, stages;

  __device__ __forceinline__ explicit Layout(const GemmArguments& g)
      : first_bytes(g.tile_rows * kLineBytes),
        stage_bytes(first_bytes + columns_of_boxes(g.tile_columns) * kLineBytes),
        stages(g.tile_stages) {}
  static __device__ __forceinline__ int columns_of_boxes(int columns) {
    return (columns + kSingleF64Box - 1) / kSingleF64Box * kSingleF64Box;
  }
};

// `shared`: the first stage.
__device__ __forceinline__ Barriers& barriers_in(unsigned char* shared) {
  return *reinterpret_cast<Barriers*>(shared - kSingleF64BarrierBytes);
}

// How warps share a tile.
struct Arrangement {
  int across, groups_log2;  // warps side by side, and that have the same rows and columns
  int row, column, group;   // this warp's

  __device__ __forceinline__ explicit Arrangement(const GemmArguments& g, int warp)
      : across(g.tile_columns <= kMostOfWarp       ? 1
               : g.tile_columns <= 2 * kMostOfWarp ? 2
                                                   : 4) {  // as single_f64_across() has it
    constexpr int kWarpsLog2 = 3;
    static_assert(kSingleF64Warps == 1 << kWarpsLog2);
    const int across_log2 = across / 2, down_log2 = g.tile_rows / 64;  // of 1, 2 and 4
    groups_log2 = kWarpsLog2 - across_log2 - down_log2;
    column = warp & (across - 1);
    row = warp >> across_log2 & ((1 << down_log2) - 1);
    group = warp >> (across_log2 + down_log2);
  }
  __device__ __forceinline__ int groups() const { return 1 << groups_log2; }
};

// Two meetings at the start. Of those that multiply, of which two warps make barriers, with the one warp that makes the first
// stage's: all are there.
template <class K> constexpr int kStarting = kMultiplying + (K::kMaps ? 32 : 0);
template <class K> __device__ __forceinline__ void say_that_barriers_are_there() {
  asm volatile("barrier.cta.arrive.aligned 1, %0;" ::"n"(kStarting<K>) : "memory");
}
template <class K> __device__ __forceinline__ void wait_for_barriers() {
  asm volatile("barrier.cta.sync.aligned 1, %0;" ::"n"(kStarting<K>) : "memory");
}
// And of those two warps with the four that bring A and B.
__device__ __forceinline__ void say_that_stages_have_barriers() {
  asm volatile("barrier.cta.arrive.aligned 3, %0;" ::"n"(64 + kBringing) : "memory");
}
__device__ __forceinline__ void wait_for_barriers_of_stages() {
  asm volatile("barrier.cta.sync.aligned 3, %0;" ::"n"(64 + kBringing) : "memory");
}
// Waits until the warps that multiply have all come here.
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cta.sync.aligned 2, %0;" ::"n"(kMultiplying) : "memory");
}

// Makes the barriers of stages, but for the full one that the first one's producer makes: two warps that would else wait do,
// number 1 the full ones, number 2 the empty ones.
template <class K>
__device__ __forceinline__ void prepare(unsigned char* shared, const Arrangement& own, int warp) {
  if (warp != 1 && warp != 2) return;
  const bool full = warp == 1;
  Barriers& barriers = barriers_in(shared);
  ptx::Barrier* const all = full ? barriers.full : barriers.empty;
  const int count = !full ? kSingleF64Warps >> own.groups_log2 : K::kMaps ? 1 : kBringing;
  if (ptx::elect_one()) {
#pragma unroll
    for (int i = 0; i < kMostStages; ++i)
      if (!K::kMaps || !full || i > 0) ptx::mbarrier_init(&all[i], count);
    ptx::fence_mbarrier_init();
  }
  __syncwarp();
  say_that_stages_have_barriers();
}

// Asks for a stage's lines of one factor.
template <bool kAlongK>
__device__ __forceinline__ void ask_for_lines(unsigned char* to, const ptx::TensorMap& map,
                                              int lines, int line, int k, int matrix,
                                              ptx::Barrier* full) {
  if constexpr (kAlongK) {
    ptx::tma_load_3d(to, map, k, line, matrix, full);
  } else {
#pragma unroll 1
    for (int i = 0; i < lines; i += kSingleF64Box)
      ptx::tma_load_3d(to + i * kLineBytes, map, line + i, k, matrix, full);
  }
}

// One of the four warps that ask for stages, each for every fourth: one alone would ask too slowly.
template <class K>
__device__ __forceinline__ void produce(unsigned char* shared, const GemmArguments& g,
                                        const ptx::TensorMap& A, const ptx::TensorMap& B,
                                        int producer) {
  const ZeroTest<double> alpha(g.alpha);
  const Layout layout(g);
  Barriers& barriers = barriers_in(shared);
  const int rows = g.tile_rows, columns = g.tile_columns;
  const Work work = work_of(g, rows, kBK);
  const int matrix_a = g.is_shared_a ? 0 : work.matrix, matrix_b = g.is_shared_b ? 0 : work.matrix;
  const int columns_asked =
      K::kAlongB ? max(columns, kSingleF64Box) : layout.columns_of_boxes(columns);
  const unsigned bytes = static_cast<unsigned>((rows + columns_asked) * kLineBytes);
  const auto ask = [&](int step, int index) {
    ptx::Barrier* const full = &barriers.full[index];
    unsigned char* const a = shared + index * layout.stage_bytes;
    unsigned char* const b = a + layout.first_bytes;
    const int k = work.first_k + step * kBK;
    ptx::mbarrier_arrive_expect(full, bytes);
    ask_for_lines<K::kAlongA>(a, A, rows, work.row, k, matrix_a, full);
    ask_for_lines<K::kAlongB>(b, B, columns, work.column, k, matrix_b, full);
  };
  ptx::wait_for_previous_grid();
  const int steps = alpha.is_zero() ? 0 : work.steps;  // for alpha = 0 nothing is read
  if (producer == 0) {
    if (ptx::elect_one()) {
      ptx::mbarrier_init(&barriers.full[0], 1);
      ptx::fence_mbarrier_init();
      if (steps > 0) ask(0, 0);
    }
    __syncwarp();
    say_that_barriers_are_there<K>();
  }
  wait_for_barriers_of_stages();
  if (!ptx::elect_one()) return;
  int index = producer;
  unsigned phase = 0;
#pragma unroll 1
  for (int step = producer; step < steps; step += kSingleF64Producers) {
    if (step >= layout.stages) ptx::mbarrier_wait(&barriers.empty[index], phase ^ 1);
    if (step > 0) ask(step, index);
    index += kSingleF64Producers;
    if (index >= layout.stages) index = producer, phase ^= 1;  // its first
  }
}

// The same for factors of any alignment, by all threads of the four warps together.
template <class K>
__device__ __forceinline__ void fetch(unsigned char* shared, const GemmArguments& g) {
  const ZeroTest<double> alpha(g.alpha);
  const Layout layout(g);
  Barriers& barriers = barriers_in(shared);
  const Work work = work_of(g, g.tile_rows, kBK);
  wait_for_barriers_of_stages();
  ptx::wait_for_previous_grid();
  const int steps = alpha.is_zero() ? 0 : work.steps;  // for alpha = 0 nothing is read
  f64::LineFetcher<K::kAlongA> a(f64::address_of(g.a, work.matrix), g.a.leading_dimension, work.row,
                                 g.m - work.row, work.first_k);
  f64::LineFetcher<K::kAlongB> b(f64::address_of(g.b, work.matrix), g.b.leading_dimension,
                                 work.column, g.n - work.column, work.first_k);
  int index = 0, k_left = static_cast<int>(g.k) - work.first_k;
  unsigned phase = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step, k_left -= kBK) {
    if (step >= layout.stages) ptx::mbarrier_wait(&barriers.empty[index], phase ^ 1);
    double* const stage = reinterpret_cast<double*>(shared + index * layout.stage_bytes);
    a.fetch(stage, g.tile_rows, k_left);
    b.fetch(stage + layout.first_bytes / 8, g.tile_columns, k_left);
    ptx::mbarrier_arrive_behind_copies(&barriers.full[index]);
    if (++index == layout.stages) index = 0, phase ^= 1;
  }
}

// A warp's sums, by units of eight columns: [16 rows][unit], in mma.sync's order of a lane's.
template <int kUnits> using Sums = double[2][kUnits][4];

// Adds up what a warp has of the block's work. What a product waits for is asked for while the tensor core is at the one
// before, and no earlier: registers that it has just read can take it then.
template <class K, int kUnits, int kAcross> class Warp {
 public:
  __device__ __forceinline__ Warp(Sums<kUnits>& sums, unsigned char* shared, const Layout& layout,
                                  const Arrangement& own)
      : sums_(sums),
        barriers_(barriers_in(shared)),
        base_(ptx::shared_address(shared)),
        stage_bytes_(layout.stage_bytes),
        stages_(layout.stages),
        groups_(own.groups()),
        index_(own.group),
        first_(own.row * kSingleF64WarpRows * kLineBytes),
        second_(layout.first_bytes, own.column) {}

  // Of as many stages.
  __device__ __forceinline__ void add_up(int count) {
    if (count == 0) return;
    wait();
    first_.read(a_[0], stage_, 0);
    second_.read(b_[0], stage_, 0);
    first_.read(a_[1], stage_, 1);
#pragma unroll 1
    for (;;) {
      // __syncwarp keeps that order, over which the compiler moves no load.
#pragma unroll
      for (int j = 0; j + 1 < kUnits; ++j) {
        ptx::mma_f64_k16(sums_[0][j], a_[0], b_[j % 2]);
        __syncwarp();
        second_.read(b_[(j + 1) % 2], stage_, j + 1);
        __syncwarp();
        ptx::mma_f64_k16(sums_[1][j], a_[1], b_[j % 2]);
      }
      constexpr int kLast = kUnits - 1;
      ptx::mma_f64_k16(sums_[0][kLast], a_[0], b_[kLast % 2]);
      __syncwarp();
      // That product has the last that this stage holds.
      ptx::mbarrier_arrive_if(threadIdx.x % 32 == 0, &barriers_.empty[index_]);
      const bool is_last = --count == 0;
      if (!is_last) {
        index_ += groups_;
        if (index_ >= stages_) index_ -= stages_, phase_ ^= 1;  // to the group's first
        wait();
        first_.read(a_[0], stage_, 0);
        if (kLast % 2 == 1) second_.read(b_[0], stage_, 0);
      }
      __syncwarp();
      ptx::mma_f64_k16(sums_[1][kLast], a_[1], b_[kLast % 2]);
      if (is_last) return;
      __syncwarp();
      if (kLast % 2 == 0) second_.read(b_[0], stage_, 0);
      first_.read(a_[1], stage_, 1);
    }
  }

 private:
  __device__ __forceinline__ void wait() {
    ptx::mbarrier_wait(&barriers_.full[index_], phase_);
    stage_ = base_ + index_ * stage_bytes_;
  }

  Sums<kUnits>& sums_;
  Barriers& barriers_;
  unsigned base_;
  int stage_bytes_, stages_, groups_;
  int index_;
  unsigned phase_ = 0, stage_ = 0;
  f64::FirstReader<K::kAlongA> first_;
  f64::SecondReader<K::kAlongB, kAcross> second_;
  double a_[2][8], b_[2][4];
};

// C's tile in shared memory, where stages were, once for each group: in lines as C has them in memory.
struct Sheet {
  int lines, width, pitch;

  __device__ __forceinline__ Sheet(const GemmArguments& g, bool transposes)
      : lines(transposes ? g.tile_columns : g.tile_rows),
        width(transposes ? g.tile_rows : g.tile_columns),
        // As single_f64_pitch() has it.
        pitch(transposes ? width + 2 : width + (width % 16 == 0 ? 8 : 0)) {}
};

// Leaves a warp's sums there.
template <class K, int kUnits, int kAcross>
__device__ __forceinline__ void leave(const Sums<kUnits>& sums, double* shared, const Sheet& sheet,
                                      const Arrangement& own) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int row = own.row * kSingleF64WarpRows + Operands<K::kAlongA>::line(g);
  const int column = own.column * kSingleF64Unit + Operands<K::kAlongB>::pair(t);
  double* to = shared + own.group * sheet.lines * sheet.pitch +
               (K::kTransposes ? column * sheet.pitch + row : row * sheet.pitch + column);
  const int unit = kAcross * kSingleF64Unit * (K::kTransposes ? sheet.pitch : 1);
#pragma unroll
  for (int j = 0; j < kUnits; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const double first = sums[i / 2][j][i % 2 * 2], second = sums[i / 2][j][i % 2 * 2 + 1];
      if constexpr (K::kTransposes) to[i * 8] = first, to[i * 8 + sheet.pitch] = second;
      else *reinterpret_cast<double2*>(to + i * 8 * sheet.pitch) = make_double2(first, second);
    }
    to += unit;
  }
}

// Where that goes in C: the tile's first element, and what of its lines is inside and no other tile's.
struct Target {
  double* c;
  long long leading;
  int from_line, lines, from_x, width;
  bool is_aligned;  // pairs of neighbours can be stored as such
  // That, and there are whole pairs; that what C holds does not count.
  unsigned is_in_pairs, is_plain;

  template <class K>
  static __device__ __forceinline__ Target of(const GemmArguments& g, const Work& work,
                                              const Sheet& sheet, double beta, K) {
    const long long row = work.row, column = work.column;
    const long long line = K::kTransposes ? column : row, x = K::kTransposes ? row : column;
    Target to;
    double* const c = f64::address_of(g.c, work.matrix, work.part);
    to.leading = g.c.leading_dimension;
    to.c = c + line * to.leading + x;
    const auto inside = [](int extent, long long left) {
      return static_cast<int>(min(static_cast<long long>(extent), left));
    };
    to.lines = inside(sheet.lines, (K::kTransposes ? g.n : g.m) - line);
    to.width = inside(sheet.width, (K::kTransposes ? g.m : g.n) - x);
    to.from_line = K::kTransposes ? 0 : work.above;
    to.from_x = K::kTransposes ? work.above : 0;
    to.is_aligned = reinterpret_cast<unsigned long long>(c) % 16 == 0 && to.leading % 2 == 0;
    to.is_in_pairs = ptx::kept(to.is_aligned && to.width % 2 == 0);
    to.is_plain = ptx::kept(beta == 0);
    return to;
  }
};

// What the groups have left of neighbours, added up in their order, times alpha: to C where what that holds does not count.
// By as few instructions as there can be, as nothing hides them: a line a warp, and a pair or an element a lane.
template <class Neighbours>
__device__ __forceinline__ void store_plain(const double* shared, const Sheet& sheet, int groups,
                                            const Target& to, double alpha, int warp) {
  constexpr int kEach = sizeof(Neighbours) / sizeof(double);
  constexpr int kTogether = 4;  // lines whose sums are on their way at a time
  const int of_group = sheet.lines * sheet.pitch, lane = threadIdx.x % 32;
  const int first = to.from_line + warp;
#pragma unroll 1
  for (int x = to.from_x + lane * kEach; x < to.width; x += 32 * kEach) {
    const double* line_at = shared + first * sheet.pitch + x;
    double* at = to.c + first * to.leading + x;
#pragma unroll 1
    for (int left = to.lines - first; left > 0; left -= kTogether * kSingleF64Warps) {
      double sums[kTogether][kEach];
      const double* from = line_at;
      const auto load = [&](double(&to)[kEach], int i) {
        *reinterpret_cast<Neighbours*>(to) =
            *reinterpret_cast<const Neighbours*>(from + i * kSingleF64Warps * sheet.pitch);
      };
#pragma unroll
      for (int i = 0; i < kTogether; ++i)
        if (i * kSingleF64Warps < left) load(sums[i], i);
#pragma unroll 1
      for (int group = 1; group < groups; ++group) {
        from += of_group;
        double more[kTogether][kEach];
#pragma unroll
        for (int i = 0; i < kTogether; ++i)
          if (i * kSingleF64Warps < left) load(more[i], i);
#pragma unroll
        for (int i = 0; i < kTogether; ++i)
#pragma unroll
          for (int e = 0; e < kEach; ++e) sums[i][e] += more[i][e];
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
#pragma unroll
        for (int e = 0; e < kEach; ++e) sums[i][e] *= alpha;
        if (i * kSingleF64Warps < left)
          *reinterpret_cast<Neighbours*>(at) = *reinterpret_cast<const Neighbours*>(sums[i]);
        at += kSingleF64Warps * to.leading;
      }
      line_at += kTogether * kSingleF64Warps * sheet.pitch;
    }
  }
}

// What C holds there: into the second-level cache, before it is added to.
__device__ __forceinline__ void ask_for_result(const Target& to, int warp) {
  constexpr int kLine = 128 / sizeof(double);
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int line = to.from_line + warp; line < to.lines; line += kSingleF64Warps)
#pragma unroll 1
    for (int x = to.from_x + lane * kLine; x < to.width + kLine; x += 32 * kLine)
      ptx::prefetch_to_l2(to.c + line * to.leading + min(x, to.width - 1));
}

// The same with beta·C.
__device__ __forceinline__ void store(const double* shared, const Sheet& sheet, int groups,
                                      const Target& to, double alpha, double beta, int warp) {
  const int of_group = sheet.lines * sheet.pitch, lane = threadIdx.x % 32;
  f64::Result result{};
  result.alpha = alpha, result.beta = beta, result.is_aligned = to.is_aligned;
  constexpr int kTogether = 4;  // lines of which C is on its way at a time
#pragma unroll 1
  for (int x = to.from_x + lane * 2; x < to.width; x += 64) {
#pragma unroll 1
    for (int first = to.from_line + warp; first < to.lines; first += kTogether * kSingleF64Warps) {
      double2 held[kTogether];
      const auto each = [&](const auto& with) {
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          const int line = first + i * kSingleF64Warps;
          if (line < to.lines) with(i, line, to.c + line * to.leading + x);
        }
      };
      each([&](int i, int, const double* c) { held[i] = f64::held_pair(c, to.width - x, result); });
      each([&](int i, int line, double* c) {
        const double* from = shared + line * sheet.pitch + x;
        double2 sum = *reinterpret_cast<const double2*>(from);
#pragma unroll 1
        for (int group = 1; group < groups; ++group) {
          const double2 more = *reinterpret_cast<const double2*>(from += of_group);
          sum.x += more.x, sum.y += more.y;
        }
        f64::store_pair(c, to.width - x, result, sum.x, sum.y, held[i]);
      });
    }
  }
}

template <int kColumns> constexpr int kAcrossOf = single_f64_across(kColumns);
template <int kColumns>
using HasWidth = std::bool_constant<has_single_f64_tile(kSingleF64WarpRows, kColumns)>;

template <class K>
__device__ __forceinline__ void multiply(unsigned char* shared, const GemmArguments& g, int warp) {
  const Arrangement own(g, warp);
  prepare<K>(shared, own, warp);
  Work work = work_of(g, g.tile_rows, kBK);
  const Layout layout(g);
  const Sheet sheet(g, K::kTransposes);
  ptx::wait_for_previous_grid();
  const double alpha = value_of<double>(g.alpha), beta = value_of<double>(g.beta);
  if (alpha == 0) work.steps = 0;  // as the producer has it
  const Target to = Target::of(g, work, sheet, beta, K{});
  const int count = max(0, work.steps - own.group + own.groups() - 1) >> own.groups_log2;
  wait_for_barriers<K>();
  ptx::let_next_grid_start();
  if (!to.is_plain) ask_for_result(to, warp);
  with_width<HasWidth>(g.tile_columns, [&](auto width) {
    constexpr int kColumns = decltype(width)::value, kAcross = kAcrossOf<kColumns>;
    constexpr int kUnits = kColumns / kAcross / kSingleF64Unit;
    Sums<kUnits> sums = {};
    Warp<K, kUnits, kAcross>(sums, shared, layout, own).add_up(count);
    meet();  // all warps have read their last stages
    leave<K, kUnits, kAcross>(sums, reinterpret_cast<double*>(shared), sheet, own);
  });
  meet();
  const auto* const left = reinterpret_cast<const double*>(shared);
  if (to.is_plain && to.is_in_pairs)
    store_plain<double2>(left, sheet, own.groups(), to, alpha, warp);
  else if (to.is_plain) store_plain<double>(left, sheet, own.groups(), to, alpha, warp);
  else store(left, sheet, own.groups(), to, alpha, beta, warp);
}

// A and B: their tensor maps, or null.
template <class K>
__device__ __forceinline__ void run(const GemmArguments& g, const ptx::TensorMap* A,
                                    const ptx::TensorMap* B) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  unsigned char* const shared = bytes + kSingleF64BarrierBytes;
  const int warp = __shfl_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x / 32), 0);
  // What those that multiply take the others give away.
  if (warp < kSingleF64Warps) {
    ptx::take_registers<K::kMaps ? 240 : 232>();
    multiply<K>(shared, g, warp);
    return;
  }
  ptx::give_registers<K::kMaps ? 24 : 40>();
  if constexpr (K::kMaps) produce<K>(shared, g, *A, *B, warp - kSingleF64Warps);
  else fetch<K>(shared, g);
}

}  // namespace gemm::single_f64

// The kernel `name`, with tensor maps, and for any alignment without.
#define TILEWISE_SINGLE_F64(name, along_a, along_b, transposes)                                  \
  extern "C" __global__ void __launch_bounds__(gemm::single_f64::kThreads, 1)                    \
      name(const __grid_constant__ gemm::GemmArguments g,                                        \
           const __grid_constant__ ptx::TensorMap A, const __grid_constant__ ptx::TensorMap B) { \
    gemm::single_f64::run<gemm::single_f64::Kernel<along_a, along_b, transposes, true>>(g, &A,   \
                                                                                        &B);     \
  }
#define TILEWISE_SINGLE_F64_ANY(name, along_a, along_b, transposes)                       \
  extern "C" __global__ void __launch_bounds__(gemm::single_f64::kThreads, 1)             \
      name(const __grid_constant__ gemm::GemmArguments g) {                               \
    gemm::single_f64::run<gemm::single_f64::Kernel<along_a, along_b, transposes, false>>( \
        g, nullptr, nullptr);                                                             \
  }
// For each order of A and B: k ("along k") or x ("across k").
#define TILEWISE_SINGLE_F64_ORDERS(kernel, name, transposes)                           \
  kernel(name##_kk, true, true, transposes) kernel(name##_kx, true, false, transposes) \
      kernel(name##_xk, false, true, transposes) kernel(name##_xx, false, false, transposes)
