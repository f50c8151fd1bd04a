// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/divide.hpp"
#include "gemm/gpu/boxes.hpp"
#include "gemm/gpu/estimate_terms.hpp"
#include "gemm/gpu/rounds.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;
using kernels::Pipe;

// What is not in the facts of a GPU, by order of magnitude.
constexpr double kFillMicroseconds = 1.2;  // from a block's first load to its first multiplication
constexpr double kStreamMicroseconds = 4.0;      // stretches that begin and end within tiles
constexpr double kWideStreamMicroseconds = 2.5;  // of f64
// Of the share of their time for which f64 blocks leave places empty, how much the memory is idle.
constexpr double kWideIdleMemory = 0.5;
// Of an f64 block's speed alone, when it began beside another: seen of tiles of 64×64.
constexpr double kWideLastRound = 0.7;
// Of an f32 block of one team the same: two end together, and so the next two begin on one multiprocessor.
constexpr double kTeamLastRound = 0.56;
// What of two such blocks' beginnings and ends does not hide behind multiplications.
constexpr double kTeamsShown = 1.2;
// What of storing a tile holds up the next of two warpgroups that take turns; and where k is short, divided by k: of tiles larger
// than 128×128 which threads store, as sums leave no registers for it; and of tiles of Cᵀ, which threads store, where C's rows
// are multiples of 16 bytes (measured from 512 to 1024): of others TMA stores neither.
constexpr double kTurnsShown = 0.3, kLargeTurnsShownK = 600, kTransposedTurnsShownK = 450;
constexpr std::int64_t kLeastTurnsShownK = 256;
// The same of tiles that TMA stores, in f32, in 16 bits, and of larger ones in 16 bits (measured from 128 on); and of those that
// have a stage more (stages_of_boxes()).
constexpr double kWideBoxesShownK = 280, kBoxesShownK = 220, kLargeBoxesShownK = 150;
constexpr std::int64_t kLeastBoxesShownK = 400;
constexpr double kStageMoreShown = 0.18;
// Where a kernel does nothing but store boxes: what each block saves, and larger tiles, which so leave all sums in registers.
constexpr double kBoxesSavedMicroseconds = 1.0, kLargeBoxesTime = 0.98;
// The same of other tiles of 16 bits, whose warpgroups all store at one time, with C in f32, and where columns are C's rows, as
// sums leave registers sector by sector.
constexpr double kTogetherShownK = 450, kSectorsShownK = 900;
// And of 16 bits, which are turned round on their way.
constexpr double kTurnedShownK = 1800;
constexpr double kLongRoundMicroseconds = 5;  // of blocks of strips
// Small f64 tiles by clusters whose blocks share multiprocessors, beside blocks that are no cluster's.
constexpr double kWideSharedClusterTime = 1.35;
// What storing f64 holds up the next tile: of 128×128, and of smaller ones.
constexpr double kLargeWideStoreTime = 0.5, kWideStoreTime = 2.0;
// Two meetings of a cluster; of 16-bit tiles, beside single ones with another kernel behind them.
constexpr double kClusterJoinMicroseconds = 1.0, kNarrowClusterJoinMicroseconds = 2.2;
constexpr double kClusterBytesPerMicrosecond =
    1.2e4;  // that a block reads of its neighbours' shared memory
constexpr double kStoreBytesPerMicrosecond = 3e4;       // that a block stores, with all others
constexpr double kStoreTimeOfOne = 1.5;                 // warpgroup, beside that of two
constexpr double kCacheBytesPerClockAndSm = 40;         // from the L2 cache
constexpr double kNarrowCacheBytesPerClockAndSm = 50;   // the same of 16-bit floats by TMA
constexpr double kWideCacheBytesPerClockAndSm = 50;     // and of f64 by TMA
constexpr double kNarrowCopiesBytesPerClockAndSm = 30;  // and by cp.async
constexpr int kThin = 16;                               // columns of the narrowest strips
constexpr double kThinCopiesBytesPerClockAndSm = 42;    // which have more on its way
// Where rows of A or B begin within lines, and within sectors: boxes have rows of a line.
constexpr StraddlingTraffic kStraddling{1.5, 1.9};
// Small tiles that are streamed begin at different k, and so find less of what others read in the cache.
constexpr double kStreamedTraffic = 1.65, kWideStreamedTraffic = 1.95;
// Of f64 tiles smaller than 128×128: two blocks of a multiprocessor are soon at different k, and read from memory what the
// others did. On an H100 8192×8192×8192 took 1.47 times as long by 64×64 as by 128×128, 6144×6144×6144 1.2 times,
// 4096×4096×4096 1.08 times; on an H200, which has the bandwidth, 16384×16384×16384 1.45 times. By bytes of A and B.
constexpr double kNearBytes = 0.45e9, kFarBytes = 1e9, kFarTime = 1.4;
constexpr std::int64_t kFarExtent = 1024, kFarK = 4096;
// What tiles of 64 rows and more ask for at most: nearly all that others reach of an H100's memory; of an H200's 0.7, and
// beyond 37 MB 0.8 of what is more.
constexpr double kBoxesMemoryShare = 0.8, kBoxesBytesPerMicrosecondAndSm = 25500;
constexpr double kMoreBoxesBytesPerMicrosecondAndSm = 29500, kMoreBoxesMicroseconds = 1.5;
// And those of 128 rows of the larger factor and more, of an H200's, where others cannot ask for all; seen beside more than
// 64 rows of the other.
constexpr double kWideBoxesMemoryShare = 0.86, kWideBoxesBytesPerMicrosecondAndSm = 31500;
constexpr int kWideBoxes = 128, kBesideWideBoxes = 64;
constexpr double kMmaMemoryShare = 0.7;  // the same of mma.sync, of an H200's
// What narrow tiles of Cᵀ in turns take longer where their 128 columns of B lie across k.
constexpr double kNarrowTurnsAcrossTime = 1.12;
// What 16-bit tiles would take longer if hardly any of their rows were there: TMA is slow with such, few as they may be.
constexpr double kMissingRowsTime = 0.7;
// Where several blocks ask for what is not in the cache yet; and where those are not neighbours, as of parts of k.
constexpr double kSharedMissTime = 1.1, kFarSharedMissTime = 1.25;
constexpr double kFullMemoryShare = 0.5;  // of the multiprocessors' blocks, of 16-bit tiles
constexpr double kAloneBytesPerMicrosecond = 4.7e4;  // that one of these gets where few others ask
constexpr double kReducerBytesPerMicrosecond = 6e4;  // one block reads partial sums
constexpr double kPartsMicroseconds = 0.8;           // of the kernel that adds up parts
constexpr double kPartsBytesPerMicrosecond = 3e6;    // that it reads, or the one before stores
constexpr double kStripPartsMicroseconds = 1.0;      // more, behind strips of 16 bits
constexpr double kFollowerMicroseconds =
    1.2;  // from the end of a kernel to the next, which waits for it
// Work that lasts draws all the power that a GPU may, and the clock gives way: presumably to what is brought to the
// multiprocessors, too, as tiles that ask for less are the faster then.
// Of the time of 16-bit multiplications, for each byte that a block asks the cache for an element of its tile and k.
constexpr double kPowerTime = 2, kLongMicroseconds = 55;
// The most of what streamed 16-bit tiles ask for that comes from memory, and by how many times its size A and B then exceed
// the cache.
constexpr double kMostStreamedMisses = 0.5, kMostMissBeyond = 1.5;
// Of f32 and f64 what comes from memory of a factor so many times as large as the cache is all but 1/e.
constexpr double kMissedCaches = 1.7;

bool is_mma(Pipe pipe) {
  return pipe == Pipe::kMmaTF32 || pipe == Pipe::kMmaF16 || pipe == Pipe::kMmaBF16;
}

// Blocks that share a multiprocessor: less shared memory than Hopper's holds fewer.
std::int64_t blocks_on_one(const GemmKernel& kernel, const model::Gpu& gpu) {
  const std::int64_t bytes =
      std::int64_t{kernel.dynamic_shared_bytes} + gpu.shared_reserved_per_block;
  const std::int64_t held = kernel.dynamic_shared_bytes > 0
                                ? std::int64_t{gpu.shared_per_sm} / bytes
                                : kernel.blocks_per_sm;
  return std::clamp<std::int64_t>(held, 1, std::max(1, kernel.blocks_per_sm));
}

// Clusters of so many blocks that run at a time: each lies within a group of multiprocessors, and groups differ, from
// one H200 to the next, too. Seen were 66 of two, fewer than 40 of three, fewer than 32 of four, 17 of six and no more,
// fewer than 16 of seven, 15 of eight. One too many takes a second round. Of larger ones of blocks that share
// multiprocessors an eighth fewer ran than groups of 16 have room for.
std::int64_t clusters_at_a_time(int blocks, const GemmKernel& kernel, const model::Gpu& gpu) {
  if (blocks > 2 && kernel.blocks_per_sm > 1)
    return std::max(1, gpu.sm_count / 16 * (16 / blocks) * 7 / 8);
  constexpr std::array<int, 9> kOfH200{132, 132, 66, 38, 30, 22, 17, 15, 15};  // by their blocks
  constexpr int kMultiprocessors = 132;
  return std::max(1,
                  kOfH200.at(static_cast<std::size_t>(blocks)) * gpu.sm_count / kMultiprocessors);
}

// Steps of k of the busiest block where tiles are streamed.
double streamed_steps(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const std::int64_t blocks = stream_blocks(plan, gpu);
  const std::int64_t steps = divide_up(oriented.k(), std::int64_t{plan.kernel->bk});
  const std::int64_t tiles = tiles_of(plan, oriented) / plan.cluster.blocks();
  const std::int64_t rounds = (tiles * oriented.count - plan.streamed) / blocks;
  // Blocks at different k of their tiles find less of what they read in the cache.
  const double streamed_step = size_of(oriented.operand) == 8 ? 1.0 : 1.08;
  return streamed_step * static_cast<double>(divide_up(plan.streamed * steps, blocks)) +
         static_cast<double>(rounds * steps);
}

// With so many blocks on a multiprocessor. What of mma.sync was measured was so on an H200; elsewhere all but the
// multiplications themselves is taken to last as many cycles as there.
double efficiency_of(std::int64_t blocks, const GemmKernel& kernel, const model::Gpu& gpu) {
  double efficiency = kernel.efficiency;
  if (kernel.blocks_per_sm > 1) {
    const double fullness =
        static_cast<double>(blocks - 1) / static_cast<double>(kernel.blocks_per_sm - 1);
    efficiency = kernel.efficiency_alone + (kernel.efficiency - kernel.efficiency_alone) * fullness;
  }
  if (!is_mma(kernel.pipe)) return efficiency;
  const double measured_with =
      kMmaShareOfHopper * (kernel.pipe == Pipe::kMmaTF32 ? 2048 : 4096);  // FLOP a cycle and SM
  return 1 / (1 + (1 / efficiency - 1) * flop_per_clock(kernel.pipe, gpu) / measured_with);
}

// Of large f32 tiles only those by one team have a multiprocessor's places for two.
bool is_one_of_two_teams(const GemmKernel& kernel) {
  return kernel.pipe == Pipe::kF32 && kernel.bm * kernel.bn >= 128 * 128 &&
         kernel.blocks_per_sm > 1;
}

// Blocks spread evenly over the multiprocessors. As many as fit run at a time; fewer, each faster, but not so much
// faster that nothing is lost.
double compute_time(const Plan& plan, std::int64_t blocks, const Problem& oriented,
                    const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const std::int64_t deep =
      round_up(plan.k_each, static_cast<std::int64_t>(kernel.bk) * kernel.steps_together);
  const double work = 2.0 * kernel.bm * kernel.bn * static_cast<double>(deep) * kernel.products;
  const double peak = flop_per_clock(kernel.pipe, gpu) * gpu.boost_clock_mhz;  // FLOP a µs and SM
  if (plan.streamed > 0) {
    const double a_step =
        2.0 * kernel.bm * kernel.bn * kernel.bk * kernel.products * kernel.blocks_per_sm;
    return a_step * streamed_steps(plan, oriented, gpu) / (peak * kernel.efficiency);
  }
  const std::int64_t on_one = plan.cluster_parts > 1
                                  ? divide_up(blocks / plan.cluster_parts,
                                              clusters_at_a_time(plan.cluster_parts, kernel, gpu))
                                  : divide_up(blocks, blocks_at_a_time(plan, gpu));
  const std::int64_t together = blocks_on_one(kernel, gpu);
  const bool is_wide = size_of(oriented.operand) == 8;
  const std::int64_t rest = on_one % together;
  double time =
      static_cast<double>(on_one - rest) * work / (peak * efficiency_of(together, kernel, gpu));
  if (rest > 0) {
    double efficiency = efficiency_of(rest, kernel, gpu);
    const bool is_large = kernel.bm * kernel.bn >= 64 * 64;
    if (on_one > rest && is_large && is_wide) efficiency *= kWideLastRound;
    if (on_one > rest && is_one_of_two_teams(kernel)) efficiency *= kTeamLastRound;
    time += static_cast<double>(rest) * work / (peak * efficiency);
  }
  if (is_wide && kernel.bm * kernel.bn < 64 * 64 && plan.cluster_parts > 1 && on_one > 1)
    time *= kWideSharedClusterTime;
  return time;
}

// How much longer small f64 tiles take where what they share has left the cache: kFarTime.
double far_time(const Problem& oriented) {
  if (std::min(oriented.m(), oriented.n()) < kFarExtent || oriented.k() < kFarK) return 1;
  const double share = (factor_bytes(oriented) - kNearBytes) / (kFarBytes - kNearBytes);
  return 1 + (kFarTime - 1) * std::clamp(share, 0.0, 1.0);
}

// How much longer 16-bit multiplications take for so many bytes that `kernel` asks for a k of its tile.
double power_time(const GemmKernel& kernel, const Problem& oriented, double bytes,
                  const model::Gpu& gpu) {
  const bool is_meant = kernel.pipe == Pipe::kTensorF16 || kernel.pipe == Pipe::kTensorBF16;
  if (!is_meant || kernel.products > 1) return 1;
  const double flop = 2.0 * static_cast<double>(oriented.m()) * static_cast<double>(oriented.n()) *
                      static_cast<double>(oriented.k()) * static_cast<double>(oriented.count);
  const double peak = flop_per_clock(kernel.pipe, gpu) * gpu.boost_clock_mhz * gpu.sm_count;
  if (flop / peak < kLongMicroseconds) return 1;
  return 1 + kPowerTime * bytes / (kernel.bm * kernel.bn);
}

// Bytes of B that few tiles, one below the other, read from memory once each: streamed, they are at different k.
double read_again(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  constexpr std::int64_t kFew = 4;
  const std::int64_t down = divide_up(oriented.m(), std::int64_t{plan.kernel->bm});
  const double bytes =
      bytes_of(static_cast<double>(oriented.n()), static_cast<double>(oriented.k()), oriented.count,
               oriented.arguments.b, size_of(oriented.operand));
  if (down > kFew || bytes <= static_cast<double>(gpu.l2_bytes)) return 0;
  const std::int64_t tiles = tiles_of(plan, oriented) / plan.cluster.blocks() * oriented.count;
  return bytes * static_cast<double>((down - 1) * plan.streamed) / static_cast<double>(tiles);
}

// Of the bytes that streamed blocks ask for, how many come from memory: at different k they share only what the cache
// happens to hold.
double streamed_miss_bytes(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const double cache = std::max(1.0, static_cast<double>(gpu.l2_bytes));
  const double down = kernel.bm * plan.cluster.down, across = kernel.bn * plan.cluster.across;
  const auto element = static_cast<double>(size_of(oriented.operand));
  const auto k = static_cast<double>(oriented.k());
  double lines = 0;
  if (size_of(oriented.operand) == 2) {
    const double beyond = factor_bytes(oriented) / cache - 1;
    lines = kMostStreamedMisses * std::clamp(beyond / kMostMissBeyond, 0.0, 1.0) * (down + across);
  } else {
    const auto misses = [&](std::int64_t extent, const kernels::GemmFactor& factor) {
      const double bytes = bytes_of(static_cast<double>(extent), k, oriented.count, factor,
                                    size_of(oriented.operand));
      return 1 - std::exp(-bytes / (cache * kMissedCaches));
    };
    lines = down * misses(oriented.m(), oriented.arguments.a) +
            across * misses(oriented.n(), oriented.arguments.b);
  }
  return lines * element * static_cast<double>(plan.streamed) *
         static_cast<double>(round_up(oriented.k(), std::int64_t{kernel.bk}));
}

// From the L2 cache to a multiprocessor.
double cache_bytes_per_clock(const Plan& plan, const Problem& oriented) {
  const std::size_t element = size_of(oriented.operand);
  const bool by_tma = plan.kernel->box_a.lines > 0;
  if (element == 8 && by_tma) return kWideCacheBytesPerClockAndSm;
  if (element != 2) return kCacheBytesPerClockAndSm;
  if (!by_tma)
    return plan.kernel->bn <= kThin ? kThinCopiesBytesPerClockAndSm
                                    : kNarrowCopiesBytesPerClockAndSm;
  return kNarrowCacheBytesPerClockAndSm /
         std::max(straddling_traffic(plan.a, oriented.arguments.a, oriented, kStraddling),
                  straddling_traffic(plan.b, oriented.arguments.b, oriented, kStraddling));
}

// By how many k a tile's multiplications take as long as what its store holds up the next, of 16-bit tiles by TMA.
double k_of_shown_store(const GemmKernel& kernel, const Problem& oriented) {
  if (size_of(oriented.result) == 4)
    return kernel.transposes_result ? kSectorsShownK : kTogetherShownK;
  return kernel.transposes_result ? kTurnedShownK : 0.0;
}

// Of two warpgroups that take turns, what of a tile's store holds up the other.
double shown_of_turns(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const auto by_k = [&](double shown_k, std::int64_t least) {
    return std::max(kTurnsShown, shown_k / static_cast<double>(std::max(oriented.k(), least)));
  };
  if (kernel.transposes_result) {
    const bool is_aligned =
        oriented.m() * static_cast<std::int64_t>(size_of(oriented.result)) % 16 == 0;
    return is_aligned ? by_k(kTransposedTurnsShownK, kLeastTurnsShownK) : kTurnsShown;
  }
  const bool is_large = kernel.bn > 128;
  if (!stores_boxes(plan, oriented, gpu))
    return is_large ? by_k(kLargeTurnsShownK, kLeastTurnsShownK) : kTurnsShown;
  if (is_all_in_boxes(plan, oriented, gpu) && stages_of_boxes(kernel, oriented.k()) > kernel.stages)
    return kStageMoreShown;
  const bool is_wide = size_of(oriented.result) == 4;
  return by_k(is_wide    ? kWideBoxesShownK
              : is_large ? kLargeBoxesShownK
                         : kBoxesShownK,
              kLeastBoxesShownK);
}

// What A, B and C take from and to memory by boxes.
double boxes_memory_time(const GemmKernel& kernel, const Problem& oriented, const model::Gpu& gpu) {
  const double bytes = memory_bytes(oriented), of_one = bytes / gpu.sm_count;
  const bool asks_for_all = gpu.memory_bandwidth * kBoxesMemoryShare <=
                            kBoxesBytesPerMicrosecondAndSm * 1e6 * gpu.sm_count;
  const bool is_wide = (oriented.n() >= oriented.m() ? kernel.bn : kernel.bm) >= kWideBoxes &&
                       std::min(oriented.m(), oriented.n()) > kBesideWideBoxes;
  if (!asks_for_all && is_wide)
    return std::max(bytes * 1e6 / (gpu.memory_bandwidth * kWideBoxesMemoryShare),
                    of_one / kWideBoxesBytesPerMicrosecondAndSm);
  const double least =
      std::min(of_one / kBoxesBytesPerMicrosecondAndSm,
               of_one / kMoreBoxesBytesPerMicrosecondAndSm + kMoreBoxesMicroseconds);
  if (gpu.memory_bandwidth <= 0) return least;
  return std::max(bytes * 1e6 / (gpu.memory_bandwidth * kBoxesMemoryShare), least);
}

}  // namespace

Problem oriented_for(const GemmKernel& kernel, const Problem& problem) {
  if (!kernel.transposes_result) return problem;
  Problem other = problem;
  std::swap(other.arguments.m, other.arguments.n);
  std::swap(other.arguments.a, other.arguments.b);
  std::swap(other.a_along_k, other.b_along_k);
  return other;
}

std::int64_t tiles_of(const Plan& plan, const Problem& oriented) {
  const auto tiles = [](std::int64_t lines, int of_tile, int of_cluster) {
    return round_up(divide_up(lines, std::int64_t{of_tile}), std::int64_t{of_cluster});
  };
  return tiles(oriented.m(), plan.kernel->bm, plan.cluster.down) *
         tiles(oriented.n(), plan.kernel->bn, plan.cluster.across);
}

std::int64_t blocks_at_a_time(const Plan& plan, const model::Gpu& gpu) {
  const int in_cluster = plan.cluster.blocks();
  if (in_cluster <= 2) return std::max(1, gpu.sm_count) / in_cluster * in_cluster;
  return clusters_at_a_time(in_cluster, *plan.kernel, gpu) * in_cluster;
}

std::int64_t stream_blocks(const Plan& plan, const model::Gpu& gpu) {
  return blocks_at_a_time(plan, gpu) * plan.kernel->blocks_per_sm / plan.cluster.blocks();
}

std::uint64_t sum_bytes_of(const Problem& problem) {
  return problem.operand == Dtype::kF64 ? 8 : 4;
}

namespace {

// Of kernels that have no estimate of their own.
Estimate estimate_of_tiles(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = e.tiles * plan.parts;
  const auto sms = static_cast<double>(blocks_at_a_time(plan, gpu)),
             blocks = static_cast<double>(e.blocks);
  e.waves = blocks / (sms * static_cast<double>(blocks_on_one(kernel, gpu)));
  if (plan.cluster_parts > 1) {
    e.waves = blocks / plan.cluster_parts /
              static_cast<double>(clusters_at_a_time(plan.cluster_parts, kernel, gpu));
    if (plan.cluster_parts == 2) e.waves /= static_cast<double>(blocks_on_one(kernel, gpu));
  }
  e.compute = compute_time(plan, e.blocks, oriented, gpu);
  const bool all_in_boxes = is_all_in_boxes(plan, oriented, gpu);
  if (kernel.bn > 128 && all_in_boxes) e.compute *= kLargeBoxesTime;

  // A cluster fetches what its tiles share once; a pair of f16 takes as much as an f32.
  const double lines = static_cast<double>(kernel.bm) / plan.cluster.across +
                       static_cast<double>(kernel.bn) / plan.cluster.down;
  const double element = static_cast<double>(size_of(oriented.operand));
  e.compute *= power_time(kernel, oriented, lines * element, gpu);

  const double bandwidth = gpu.memory_bandwidth * kMemoryShare / 1e6;  // bytes a µs
  if (bandwidth > 0) e.memory = memory_bytes(oriented) / bandwidth;
  const bool is_wide = size_of(oriented.operand) == 8;
  const bool is_narrow = size_of(oriented.operand) == 2;
  if (is_wide && kernel.bm * kernel.bn < 128 * 128) e.compute *= far_time(oriented);
  // mma.sync of f64 as well, but for Hopper's persistent tiles.
  if (is_mma(kernel.pipe) || (is_wide && !kernel.persistent)) {
    e.memory *= kMemoryShare / kMmaMemoryShare;
  } else if (kernel.box_a.lines > 0 && !is_wide) {
    e.memory = boxes_memory_time(kernel, oriented, gpu);
  }
  // Where streamed tiles wait for memory, the others still wait for multiplications: one adds to the other.
  if (plan.streamed > 0 && bandwidth > 0) {
    const double share =
        static_cast<double>(plan.streamed * plan.cluster.blocks()) / static_cast<double>(e.tiles);
    e.compute +=
        std::max(0.0, streamed_miss_bytes(plan, oriented, gpu) / bandwidth - share * e.compute);
  }
  if (is_wide && plan.streamed > 0 && bandwidth > 0)
    e.memory += read_again(plan, oriented, gpu) / bandwidth;
  // While some multiprocessors have nothing left to do, less is asked of the memory.
  if (is_wide && plan.streamed == 0 && kernel.box_a.lines > 0 && e.waves > 1)
    e.memory *= 1 + kWideIdleMemory * (std::ceil(e.waves) / e.waves - 1);
  if (is_wide && plan.cluster_parts > 1 && oriented.m() > kernel.bm && oriented.n() > kernel.bn)
    e.memory *= kFarSharedMissTime;
  if (is_narrow && kernel.box_a.lines > 0 && oriented.m() > kernel.bm && kernel.bm < 128)
    e.memory *= plan.parts > 1 ? kFarSharedMissTime : kSharedMissTime;
  const double busy = plan.streamed > 0 ? sms : std::max(1.0, std::min(blocks, sms));
  // Few blocks do not ask for enough at a time to keep the memory busy.
  if (is_narrow && kernel.box_a.lines > 0) {
    e.memory *= std::max(1.0, kFullMemoryShare * sms / busy);
    if (plan.parts_entry.empty())
      e.memory = std::max(e.memory, memory_bytes(oriented) / (kAloneBytesPerMicrosecond * busy));
  }
  const double tile_bytes = lines * static_cast<double>(plan.k_each) * element;
  // Nor do the few that a last round has.
  if (is_narrow && kernel.box_a.lines > 0 && plan.streamed == 0 && e.waves > 1 && bandwidth > 0) {
    const double each = factor_bytes(oriented) / blocks;
    const double last = blocks * (1 - std::floor(e.waves) / e.waves);
    if (last > 0)
      e.memory += std::max(0.0, each / kAloneBytesPerMicrosecond - last * each / bandwidth);
  }
  e.cache =
      blocks * tile_bytes / (cache_bytes_per_clock(plan, oriented) * gpu.boost_clock_mhz * busy);
  if (plan.streamed > 0 && kernel.blocks_per_sm > 1)
    e.cache *= is_wide ? kWideStreamedTraffic : kStreamedTraffic;
  if (kernel.hides_result && kernel.transposes_result && kernel.bn < 128 && !oriented.a_along_k)
    e.compute *= kNarrowTurnsAcrossTime;
  if (is_narrow && kernel.box_a.lines > 64 && oriented.m() < kernel.bm) {
    const double share = 1 - static_cast<double>(oriented.m()) / kernel.bm;
    for (double* const time : {&e.compute, &e.memory, &e.cache})
      *time *= 1 + kMissingRowsTime / plan.cluster.across * std::sqrt(share);
  }
  double tile_store =
      static_cast<double>(kernel.bm) * kernel.bn *
      static_cast<double>(plan.leaves_parts ? sum_bytes_of(oriented) : size_of(oriented.result)) /
      kStoreBytesPerMicrosecond;
  // In f32 elements that go one by one hold up a warpgroup in turns only where it stores longer than the other multiplies.
  const bool is_wide_result = size_of(oriented.result) == 4;
  const double aligned_store = tile_store;
  if (is_narrow && kernel.box_a.lines > 0 && !plan.leaves_parts)
    tile_store *= unaligned_store_time(kernel, oriented);
  // The first load, the last store, and what of those between does not hide behind multiplications.
  // Where a block is alone on its multiprocessor and ends with its tile, nothing of it does.
  const bool is_alone =
      kernel.shows_ends || (!kernel.persistent && blocks_on_one(kernel, gpu) == 1);
  const double shown_share = is_alone ? 1.0 : is_one_of_two_teams(kernel) ? kTeamsShown : 0.3;
  const double rounds_behind = std::max(0.0, std::ceil(e.waves) - 1);
  const double wide_store_time =
      kernel.bm * kernel.bn < 128 * 128 ? kWideStoreTime : kLargeWideStoreTime;
  // Of two warpgroups that take turns one has two tiles' time to store one; what it asks of the memory holds up the other.
  const auto k_that_hides = static_cast<double>(std::max(oriented.k(), kLeastTurnsShownK));
  const double long_store = is_narrow && kernel.box_a.lines > 0
                                ? k_of_shown_store(kernel, oriented) / k_that_hides * tile_store
                                : 0.0;
  const double shown =
      kernel.hides_result ? std::max(shown_of_turns(plan, oriented, gpu) *
                                         (is_wide_result ? aligned_store : tile_store),
                                     (tile_store - e.compute / (rounds_behind + 1)) / 2)
      : is_wide           ? 0.3 * kFillMicroseconds + wide_store_time * tile_store
                          : std::max(long_store, shown_share * (kFillMicroseconds + tile_store));
  // The last tile is stored by two warpgroups, by the only one, or by the one whose turn it is, which first has to hand half
  // of it to the other.
  const bool by_one =
      is_narrow && kernel.box_a.lines > 0 && (kernel.hides_result || kernel.bm == 64);
  const double last_store = tile_store * (by_one ? kStoreTimeOfOne : 1);
  // Where all wait long for the memory, others ask for more while one block ends and the next begins.
  const bool waits_long = is_narrow && kernel.box_a.lines == 0 && kernel.bn <= kThin &&
                          e.memory > kLongRoundMicroseconds * e.waves;
  const double waits = waits_long ? std::max(0.0, e.memory - std::max(e.compute, e.cache)) : 0.0;
  const double overhead = kernel.overhead - (all_in_boxes ? kBoxesSavedMicroseconds : 0);
  e.fill = overhead + kFillMicroseconds + last_store + std::max(0.0, shown * rounds_behind - waits);

  e.launches = kLaunchMicroseconds;
  const double tile_sums =
      static_cast<double>(kernel.bm) * kernel.bn * static_cast<double>(sum_bytes_of(oriented));
  if (plan.cluster_parts > 1) {
    // Blocks of a cluster end after one tile: nothing of the next one hides behind this one.
    const double rounds = std::ceil(e.waves);
    e.fill = kernel.overhead + (kFillMicroseconds + tile_store) * rounds;
    e.reduction =
        rounds * ((is_narrow ? kNarrowClusterJoinMicroseconds : kClusterJoinMicroseconds) +
                  tile_sums / kClusterBytesPerMicrosecond);
  } else if (plan.streamed > 0) {
    // A block stores a part or two, and reads what others left of a tile.
    const double parts =
        static_cast<double>(stream_blocks(plan, gpu)) / static_cast<double>(plan.streamed) + 1;
    e.reduction = (is_wide ? kWideStreamMicroseconds : kStreamMicroseconds) +
                  2 * tile_sums / kStoreBytesPerMicrosecond +
                  parts * tile_sums / kReducerBytesPerMicrosecond;
    if (plan.b.preparation != kernels::Preparation::kPairs)
      e.launches += kLaunchMicroseconds;  // the clearing
  }
  if (!plan.parts_entry.empty()) {
    const double partials = tile_sums * blocks;
    e.reduction = kPartsMicroseconds + 2 * partials / kPartsBytesPerMicrosecond;
    if (is_narrow && !plan.leaves_parts) e.reduction += kStripPartsMicroseconds;
    e.launches += kFollowerMicroseconds;
  }
  add_preparation(e, plan, oriented, gpu);
  e.microseconds =
      std::max({e.compute, e.memory, e.cache}) + e.fill + e.reduction + e.preparation + e.launches;
  correct_few_columns(e, plan, oriented, gpu);
  return e;
}

Estimate estimate_without_stores(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  if (kernel.goes_by_rounds) return estimate_of_outer(plan, oriented, gpu);
  if (is_of_short_k(plan, oriented)) return estimate_of_short_k(plan, oriented, gpu);
  if (kernel.is_single) {
    return kernel.operand == Dtype::kF64 ? estimate_of_single_f64(plan, oriented, gpu)
                                         : estimate_of_single(plan, oriented, gpu);
  }
  if (kernel.tiles_of_block > 0) return estimate_of_teams(plan, oriented, gpu);
  if (kernel.strides_tiles) return estimate_of_tall(plan, oriented, gpu);
  if (kernel.reads_pieces) return estimate_of_pieces(plan, oriented, gpu);
  if (is_of_many_tiles(oriented, kernel, gpu) && is_known_of_many_tiles(kernel) &&
      plan.parts == 1 && plan.streamed == 0 && plan.cluster == kernel.cluster)
    return estimate_of_many_tiles(plan, oriented, gpu);
  return estimate_of_tiles(plan, oriented, gpu);
}

}  // namespace

Estimate estimate_of(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  Estimate e = estimate_without_stores(plan, oriented, gpu);
  add_stores(e, plan, oriented, gpu);
  return e;
}

}  // namespace tilewise::gpu
