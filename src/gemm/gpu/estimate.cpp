// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/divide.hpp"
#include "gemm/gpu/boxes.hpp"
#include "gemm/gpu/rounds.hpp"

namespace tilewise::gpu {
namespace {

using kernels::GemmKernel;
using kernels::Pipe;

// What is not in the facts of a GPU, by order of magnitude.
constexpr double kLaunchMicroseconds = 2.0;  // of each launch behind another in a stream
constexpr double kFillMicroseconds = 1.2;  // from a block's first load to its first multiplication
// What the pass that makes pairs takes beside the bytes it moves: the next kernel's start hides behind it.
constexpr double kPairsMicroseconds = 0.6;
constexpr double kRestrideMicroseconds = 2.5;    // the same of the pass that copies to aligned rows
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
// What of storing a tile holds up the next of two warpgroups that take turns; of tiles larger than 128×128, whose sums leave
// no registers for it, by k (measured from 512 on). TMA stores those as fast in 16 bits, in f32 twice as fast.
constexpr double kTurnsShown = 0.3, kLargeTurnsShownK = 600, kLargeBoxesShownK = 300;
constexpr std::int64_t kLeastTurnsShownK = 256;
// The same of other tiles of 16 bits, whose warpgroups all store at one time, with C in f32, and where columns are C's rows, as
// sums leave registers sector by sector.
constexpr double kTogetherShownK = 450, kSectorsShownK = 900;
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
// Where rows of A or B begin within a sector, and within a line: boxes have rows of a line.
constexpr double kSectorStraddlingTraffic = 1.9, kLineStraddlingTraffic = 1.5;
// Small tiles that are streamed begin at different k, and so find less of what others read in the cache.
constexpr double kStreamedTraffic = 1.65, kWideStreamedTraffic = 1.95;
// Of f64 tiles smaller than 128×128: two blocks of a multiprocessor are soon at different k, and read from memory what the
// others did. On an H100 8192×8192×8192 took 1.47 times as long by 64×64 as by 128×128, 6144×6144×6144 1.2 times,
// 4096×4096×4096 1.08 times; on an H200, which has the bandwidth, 16384×16384×16384 1.45 times. By bytes of A and B.
constexpr double kNearBytes = 0.45e9, kFarBytes = 1e9, kFarTime = 1.4;
constexpr std::int64_t kFarExtent = 1024, kFarK = 4096;
constexpr double kMemoryShare = 0.85;  // of the datasheet's bandwidth that copies reach
// What tiles of 64 rows and more ask for at most: nearly all that others reach of an H100's memory; of an H200's 0.7, and
// beyond 37 MB 0.8 of what is more.
constexpr double kBoxesMemoryShare = 0.8, kBoxesBytesPerMicrosecondAndSm = 25500;
constexpr double kMoreBoxesBytesPerMicrosecondAndSm = 29500, kMoreBoxesMicroseconds = 1.5;
constexpr double kMmaMemoryShare = 0.7;  // the same of mma.sync, of an H200's
// What 16-bit tiles would take longer if hardly any of their rows were there: TMA is slow with such, few as they may be.
constexpr double kMissingRowsTime = 0.7;
// Where several blocks ask for what is not in the cache yet; and where those are not neighbours, as of parts of k.
constexpr double kSharedMissTime = 1.1, kFarSharedMissTime = 1.25;
constexpr double kFullMemoryShare = 0.5;  // of the multiprocessors' blocks, of 16-bit tiles
constexpr double kAloneBytesPerMicrosecond = 4.7e4;  // that one of these gets where few others ask
constexpr double kReducerBytesPerMicrosecond = 6e4;  // one block reads partial sums
constexpr double kPartsMicroseconds = 0.8;           // of the kernel that adds up parts
constexpr double kPartsBytesPerMicrosecond = 3e6;    // that it reads, or the one before stores
constexpr double kFollowerMicroseconds =
    1.2;  // from the end of a kernel to the next, which waits for it
constexpr double kOrderedMicroseconds =
    2;  // later begins one that does not wait inside (wants_order())

// Single tiles (kernels/gemm/single.cuh), fitted to 3400 times of 330 products on an H100, less the 2.6 µs that other estimates
// leave out of what events measure. The start, and each warpgroup's; what one block gets of the cache, and all together, which
// counts more where rows begin within lines and within sectors; what a step takes at least, as one waits for the last; how
// these and the memory add up; what storing 64 columns takes, in 16 bits with what goes before; of parts what goes on between
// two kernels.
constexpr double kSingleFillMicroseconds = -0.25, kSingleWarpgroupMicroseconds = 0.35;
constexpr double kSingleBytesPerMicrosecond = 1.75e5, kSinglesBytesPerMicrosecond = 2.3e7;
constexpr double kLineStraddlingSingle = 1.15, kSectorStraddlingSingle = 1.7;
constexpr double kLineStraddlingSingles = 2.1, kSectorStraddlingSingles = 3.8;
constexpr double kSingleStepMicroseconds = 0.1;
constexpr double kSingleMemoryShare = 0.87;  // of the datasheet's bandwidth, of an H200's less
constexpr double kSingleExponent = 3.3, kFarSingleExponent = 8;
constexpr double kSingleStoreMicroseconds = 0.75;
constexpr double kSingleNarrowStoreBegins = 0.35, kSingleNarrowStoreMicroseconds = 0.45;
constexpr double kSingleTurnedStoreBegins = 0.1, kSingleTurnedStoreMicroseconds = 1.0;
constexpr double kSinglePartsMicroseconds = 2.5, kSinglePartsBytesPerMicrosecond = 6e6;
// Each block beyond two that asks for what comes from memory, up to four; or beyond one, for twice as much as the cache holds.
constexpr double kSingleReaderTime = 0.1, kMostSingleReaders = 4;
constexpr double kFarSingleReaderTime = 0.2, kFarFromCache = 2;
constexpr double kSinglePanelTime = 1.05;  // where each asks for 128 bytes a row
// What tiles would take longer if hardly any of their rows, or columns of a panel, were there.
constexpr double kSingleMissingRowsTime = 1.2;
constexpr double kSingleAgainMicroseconds = 1.8;  // from a block's end to the next one's first load

// Work that lasts draws all the power that a GPU may, and the clock gives way: presumably to what is brought to the
// multiprocessors, too, as tiles that ask for less are the faster then.
// Of the time of 16-bit multiplications, for each byte that a block asks the cache for an element of its tile and k.
constexpr double kPowerTime = 2, kLongMicroseconds = 55;
// The most of what streamed 16-bit tiles ask for that comes from memory, and by how many times its size A and B then exceed
// the cache.
constexpr double kMostStreamedMisses = 0.5, kMostMissBeyond = 1.5;
// Of f32 and f64 what comes from memory of a factor so many times as large as the cache is all but 1/e.
constexpr double kMissedCaches = 1.7;

// What mma.sync gets out of tensor cores that have faster instructions of their own: Hopper's, and those of Blackwell
// in datacenters, of which no more is known here.
constexpr double kMmaShareOfHopper = 0.62;
double mma_share(const model::Gpu& gpu) {
  return gpu.compute_major == 9 || gpu.compute_major == 10 ? kMmaShareOfHopper : 1.0;
}

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

// FLOP a cycle and SM. A rate that the catalogue does not know is taken as that of the plain pipes.
double flop_per_clock(Pipe pipe, const model::Gpu& gpu) {
  const double f32 = 2.0 * gpu.fp32_lanes_per_sm, f64 = 2.0 * gpu.fp64_lanes_per_sm;
  const auto known = [](int rate, double other) { return rate > 0 ? rate : other; };
  switch (pipe) {
    case Pipe::kF32: return f32;
    case Pipe::kF64: return f64;
    case Pipe::kTensorF64: return known(gpu.tensor.f64, f64);
    case Pipe::kTensorTF32: return known(gpu.tensor.tf32, f32);
    case Pipe::kTensorF16: return known(gpu.tensor.f16, f32);
    case Pipe::kTensorBF16: return known(gpu.tensor.bf16, f32);
    case Pipe::kMmaTF32: return mma_share(gpu) * known(gpu.tensor.tf32, f32);
    case Pipe::kMmaF16: return mma_share(gpu) * known(gpu.tensor.f16, f32);
    case Pipe::kMmaBF16: return mma_share(gpu) * known(gpu.tensor.bf16, f32);
  }
  return f32;
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

double bytes_of(double lines, double k, std::int64_t count, const kernels::GemmFactor& factor,
                std::size_t element) {
  const bool shared = factor.pointers == nullptr && factor.stride == 0;
  return lines * k * static_cast<double>(element) * (shared ? 1.0 : static_cast<double>(count));
}

double memory_bytes(const Problem& problem) {
  const double results = static_cast<double>(problem.m()) * static_cast<double>(problem.n()) *
                         static_cast<double>(problem.count);
  return factor_bytes(problem) +
         results * static_cast<double>(size_of(problem.result)) * (problem.reads_c() ? 2 : 1);
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

// Where the rows of a factor begin, as the kernel reads it.
enum class Straddling { kNothing, kLines, kSectors };
Straddling straddling_of(const PreparedFactor& prepared, const kernels::GemmFactor& factor,
                         std::int64_t count, std::size_t element) {
  constexpr std::int64_t kSector = 32, kLine = 128;
  const std::int64_t alignment =
      prepared.preparation == kernels::Preparation::kNone
          ? alignment_of(factor, count, element)
          : prepared.leading_dimension * static_cast<std::int64_t>(element);
  return alignment % kSector != 0 ? Straddling::kSectors
         : alignment % kLine != 0 ? Straddling::kLines
                                  : Straddling::kNothing;
}

// How much more traffic a factor is for it.
double straddling_traffic(const PreparedFactor& prepared, const kernels::GemmFactor& factor,
                          std::int64_t count, std::size_t element,
                          double of_lines = kLineStraddlingTraffic,
                          double of_sectors = kSectorStraddlingTraffic) {
  switch (straddling_of(prepared, factor, count, element)) {
    case Straddling::kSectors: return of_sectors;
    case Straddling::kLines: return of_lines;
    case Straddling::kNothing: break;
  }
  return 1.0;
}

// From the L2 cache to a multiprocessor.
double cache_bytes_per_clock(const Plan& plan, const Problem& oriented) {
  const std::size_t element = size_of(oriented.operand);
  const bool by_tma = plan.kernel->box_a.lines > 0;
  if (element == 8 && by_tma) return kWideCacheBytesPerClockAndSm;
  if (element != 2) return kCacheBytesPerClockAndSm;
  if (!by_tma) return kNarrowCopiesBytesPerClockAndSm;
  return kNarrowCacheBytesPerClockAndSm /
         std::max(straddling_traffic(plan.a, oriented.arguments.a, oriented.count, element),
                  straddling_traffic(plan.b, oriented.arguments.b, oriented.count, element));
}

// How many times as long C in 16 bits takes where its rows are no multiples of 16 bytes long: the narrower what a lane
// stores. (Where they begin is not asked: plans would differ by it.)
double unaligned_store_time(const GemmKernel& kernel, const Problem& oriented) {
  constexpr double kByElements = 3.0;
  if (kernel.transposes_result) return oriented.m() % 8 == 0 ? 1.0 : kByElements;
  return oriented.n() % 8 == 0 ? 1.0 : oriented.n() % 2 == 0 ? 1.5 : kByElements;
}

// What A, B and C take from and to memory by boxes.
double boxes_memory_time(const Problem& oriented, const model::Gpu& gpu) {
  const double bytes = memory_bytes(oriented), of_one = bytes / gpu.sm_count;
  const double least =
      std::min(of_one / kBoxesBytesPerMicrosecondAndSm,
               of_one / kMoreBoxesBytesPerMicrosecondAndSm + kMoreBoxesMicroseconds);
  return std::max(bytes * 1e6 / (gpu.memory_bandwidth * kBoxesMemoryShare), least);
}

double prepared_bytes(const PreparedFactor& factor) {
  return factor.preparation == kernels::Preparation::kNone
             ? 0.0
             : 2.0 * static_cast<double>(factor.place.bytes);
}

// What is done to A and B before, and the launches of that.
void add_preparation(Estimate& e, const Plan& plan, const Problem& oriented,
                     const model::Gpu& gpu) {
  const double bandwidth = gpu.memory_bandwidth * kMemoryShare / 1e6;  // bytes a µs
  bool copies = false;
  for (const PreparedFactor* factor : {&plan.a, &plan.b}) {
    if (factor->preparation == kernels::Preparation::kNone) continue;
    e.preparation += prepared_bytes(*factor) / bandwidth;
    if (factor->preparation == kernels::Preparation::kRestride) {
      copies = true;
      continue;
    }
    e.launches += kLaunchMicroseconds;
    if (factor == &plan.b) e.preparation += kPairsMicroseconds;
  }
  if (copies) {
    e.launches += kLaunchMicroseconds;
    if (wants_order(plan, oriented, gpu)) e.launches += kOrderedMicroseconds;
    e.preparation += kRestrideMicroseconds;
  }
}

// Of single tiles. A block waits for what it asks for, hardly ever for its multiplications.
Estimate estimate_of_single(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  const auto& x = oriented.arguments;
  const std::size_t element = size_of(oriented.operand);
  Estimate e;
  e.tiles = tiles_of(plan, oriented) * oriented.count;
  e.blocks = e.tiles * plan.parts;
  const auto blocks = static_cast<double>(e.blocks);
  e.waves = blocks / std::max(1, gpu.sm_count);
  const double rounds = std::ceil(e.waves);
  const auto k = static_cast<double>(plan.k_each);
  const double peak = flop_per_clock(kernel.pipe, gpu) * gpu.boost_clock_mhz;  // FLOP a µs and SM
  e.compute = rounds * k *
              std::max(kSingleStepMicroseconds / kernel.bk, 2.0 * kernel.bm * kernel.bn / peak);
  const auto lines = [&](double of_lines, double of_sectors) {
    const auto of = [&](int count, const PreparedFactor& prepared,
                        const kernels::GemmFactor& factor) {
      return count *
             straddling_traffic(prepared, factor, oriented.count, element, of_lines, of_sectors);
    };
    return of(kernel.bm, plan.a, x.a) + of(kernel.bn, plan.b, x.b);
  };
  const double of_k = k * static_cast<double>(element);
  const double of_one = rounds * lines(kLineStraddlingSingle, kSectorStraddlingSingle) * of_k /
                        kSingleBytesPerMicrosecond;
  const double of_all = blocks * lines(kLineStraddlingSingles, kSectorStraddlingSingles) * of_k /
                        kSinglesBytesPerMicrosecond;
  e.cache = std::max(of_one, of_all);
  // Of the larger factor most comes from memory, and is asked for by all tiles below each other, or side by side; where it lies
  // across k, by 128 bytes a row and panel.
  const bool is_b_larger = oriented.n() >= oriented.m();
  const auto readers =
      static_cast<double>(is_b_larger ? divide_up(oriented.m(), std::int64_t{kernel.bm})
                                      : divide_up(oriented.n(), std::int64_t{kernel.bn}));
  const bool is_one_panel =
      is_b_larger ? !oriented.b_along_k && kernel.bn < 128 : !oriented.a_along_k && kernel.bm < 128;
  const double bytes = memory_bytes(oriented);
  const bool is_far = bytes > kFarFromCache * static_cast<double>(gpu.l2_bytes);
  e.memory = bytes * 1e6 / (gpu.memory_bandwidth * kSingleMemoryShare) *
             (1 + (is_far ? kFarSingleReaderTime * (readers - 1)
                          : kSingleReaderTime * std::clamp(readers - 2, 0.0, kMostSingleReaders))) *
             (is_one_panel ? kSinglePanelTime : 1.0);
  const auto missing = [](std::int64_t extent, int of_tile) {
    return 1 - static_cast<double>(extent) / of_tile;
  };
  double slower = 1;
  if (oriented.m() < kernel.bm)
    slower += kSingleMissingRowsTime * std::sqrt(missing(oriented.m(), kernel.bm));
  if (oriented.n() < kernel.bn && !oriented.b_along_k)
    slower += kSingleMissingRowsTime * std::sqrt(missing(oriented.n(), kernel.bn));
  for (double* const time : {&e.compute, &e.memory, &e.cache}) *time *= slower;
  // They do not quite hide behind each other, but for what lasts long.
  const double exponent = is_far ? kFarSingleExponent : kSingleExponent;
  double powers = 0;
  for (const double time : {e.compute, e.memory, of_one * slower, of_all * slower})
    powers += std::pow(time, exponent);
  const double shown = std::pow(powers, 1 / exponent) - std::max({e.compute, e.memory, e.cache});
  const double sixty_fours = kernel.bn / 64.0;
  double store = 0;
  if (plan.leaves_parts || size_of(oriented.result) == 4) {
    store = kSingleStoreMicroseconds * sixty_fours;
  } else {
    store = unaligned_store_time(kernel, oriented) *
            (kernel.transposes_result
                 ? kSingleTurnedStoreBegins + kSingleTurnedStoreMicroseconds * sixty_fours
                 : kSingleNarrowStoreBegins + kSingleNarrowStoreMicroseconds * sixty_fours);
  }
  e.fill = shown + kSingleFillMicroseconds + kSingleWarpgroupMicroseconds * kernel.bm / 64 + store +
           (rounds - 1) * kSingleAgainMicroseconds;
  e.launches = kLaunchMicroseconds;
  if (!plan.parts_entry.empty()) {
    const double partials = static_cast<double>(kernel.bm) * kernel.bn *
                            static_cast<double>(sum_bytes_of(oriented)) * blocks;
    e.reduction = kSinglePartsMicroseconds + 2 * partials / kSinglePartsBytesPerMicrosecond;
  }
  add_preparation(e, plan, oriented, gpu);
  e.microseconds =
      std::max({e.compute, e.memory, e.cache}) + e.fill + e.reduction + e.preparation + e.launches;
  return e;
}

}  // namespace

double factor_bytes(const Problem& problem) {
  const auto& x = problem.arguments;
  const double m = static_cast<double>(x.m), n = static_cast<double>(x.n),
               k = static_cast<double>(x.k);
  return bytes_of(m, k, problem.count, x.a, size_of(problem.operand)) +
         bytes_of(n, k, problem.count, x.b, size_of(problem.operand));
}

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

Estimate estimate_of(const Plan& plan, const Problem& oriented, const model::Gpu& gpu) {
  const GemmKernel& kernel = *plan.kernel;
  if (kernel.is_single) return estimate_of_single(plan, oriented, gpu);
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
    e.memory = boxes_memory_time(oriented, gpu);
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
  const double busy = plan.streamed > 0 ? sms : std::min(blocks, sms);
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
  if (is_narrow && kernel.box_a.lines > 64 && oriented.m() < kernel.bm) {
    const double share = 1 - static_cast<double>(oriented.m()) / kernel.bm;
    for (double* const time : {&e.compute, &e.memory, &e.cache})
      *time *= 1 + kMissingRowsTime / plan.cluster.across * std::sqrt(share);
  }
  double tile_store =
      static_cast<double>(kernel.bm) * kernel.bn *
      static_cast<double>(plan.leaves_parts ? sum_bytes_of(oriented) : size_of(oriented.result)) /
      kStoreBytesPerMicrosecond;
  if (size_of(oriented.result) == 2 && kernel.box_a.lines > 0 && !plan.leaves_parts)
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
  const double shown_k = !stores_boxes(plan, oriented, gpu) ? kLargeTurnsShownK
                         : size_of(oriented.result) == 4    ? kLargeBoxesShownK
                                                            : 0.0;
  const double turns_shown =
      kernel.bn > 128 ? std::max(kTurnsShown, shown_k / k_that_hides) : kTurnsShown;
  const bool is_stored_long = is_narrow && kernel.box_a.lines > 0 && size_of(oriented.result) == 4;
  const double long_store = is_stored_long
                                ? (kernel.transposes_result ? kSectorsShownK : kTogetherShownK) /
                                      k_that_hides * tile_store
                                : 0.0;
  const double shown =
      kernel.hides_result
          ? std::max(turns_shown * tile_store, (tile_store - e.compute / (rounds_behind + 1)) / 2)
      : is_wide ? 0.3 * kFillMicroseconds + wide_store_time * tile_store
                : std::max(long_store, shown_share * (kFillMicroseconds + tile_store));
  // The last tile is stored by two warpgroups, by the only one, or by the one whose turn it is, which first has to hand half
  // of it to the other.
  const bool by_one =
      is_narrow && kernel.box_a.lines > 0 && (kernel.hides_result || kernel.bm == 64);
  const double last_store = tile_store * (by_one ? kStoreTimeOfOne : 1);
  e.fill = kernel.overhead + kFillMicroseconds + last_store + shown * rounds_behind;

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
    e.launches += kFollowerMicroseconds;
  }
  add_preparation(e, plan, oriented, gpu);
  e.microseconds =
      std::max({e.compute, e.memory, e.cache}) + e.fill + e.reduction + e.preparation + e.launches;
  return e;
}

}  // namespace tilewise::gpu
