// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Each pipe's time is its share of the work over its rate. Rates are a clock cycle and SM, times the
// SMs that have a block, times the boost clock:
//   FMA      fma_threads over the f32 or f64 lanes (CUDA C++ Programming Guide, table "Throughput of
//            Native Arithmetic Instructions").
//   tensor   tensor_fmas_* over the tensor cores' dense rates of that type (model/gpu.hpp), where there are
//            any.
//   issue    warp_instructions over the schedulers, one each a cycle (the same guide, "SIMT
//            Architecture" and "Compute Capability": four schedulers). These are PTX instructions;
//            the machine code has somewhat fewer or more.
//   shared   wavefronts, one a cycle: 32 banks of 4 bytes serve one wavefront (the same guide,
//            "Shared Memory": each bank has a bandwidth of 32 bits a cycle). Copies by cp.async count
//            theirs; what wgmma reads and TMA writes passes 128 bytes a cycle.
//   L1       sectors over 4 (128 bytes) a cycle, and at least a cycle a request (Nsight Compute
//            documentation, "Hardware Model", L1/TEX cache). With sums only, the larger of both is a
//            lower bound of the sum over requests of the larger.
//   DRAM     bytes that must move, each operand once, over the datasheet's bandwidth. Not a matter
//            of SMs.
// A pipe's time is a lower bound of the launch's: it leaves out latency, start and tail.
#include "model/limit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewise::model {
namespace {

constexpr double kSectorsPerCycle = 4;
constexpr double kSharedWavefrontsPerCycle = 1;
constexpr double kBytesPerSector = 32;
constexpr double kBytesPerWavefront = 128;

// SMs that have a block, and the warps on each (0: not known).
struct Parallelism {
  double busy_sms = 0;
  double warps_per_sm = 0;
};

Parallelism parallelism(const Gpu& gpu, const Occupancy& occupancy, std::uint64_t blocks) {
  Parallelism result;
  const std::uint64_t sms = static_cast<std::uint64_t>(gpu.sm_count);
  result.busy_sms = static_cast<double>(std::min(blocks, sms));
  if (occupancy.blocks_per_sm <= 0) return result;
  const std::uint64_t resident =
      std::min(static_cast<std::uint64_t>(occupancy.blocks_per_sm), (blocks + sms - 1) / sms);
  result.warps_per_sm =
      static_cast<double>(resident) * occupancy.warps_per_sm / occupancy.blocks_per_sm;
  return result;
}

double fma_lanes(const Gpu& gpu, Dtype dtype) {
  return dtype == Dtype::kF64 ? gpu.fp64_lanes_per_sm : gpu.fp32_lanes_per_sm;
}

struct Pipe {
  PipeTime time;
  std::string summary;
};

double requests(const Counters& counters) {
  return static_cast<double>(counters.global_load_requests + counters.global_store_requests +
                             counters.async_copy_instructions);
}
double sectors(const Counters& counters) {
  return static_cast<double>(counters.global_load_sectors + counters.global_store_sectors +
                             counters.async_copy_sectors);
}
double wavefronts(const Counters& counters) {
  const std::uint64_t bytes =
      counters.wgmma_shared_bytes + counters.bulk_load_bytes + counters.bulk_store_bytes;
  return static_cast<double>(counters.shared_load_wavefronts + counters.shared_store_wavefronts +
                             counters.async_copy_wavefronts) +
         static_cast<double>(bytes) / kBytesPerWavefront;
}
double conflicts(const Counters& counters) {
  return static_cast<double>(counters.shared_load_conflicts + counters.shared_store_conflicts +
                             counters.async_copy_conflicts);
}

// Cycles of one SM's tensor cores for all of it; 0 for types that the GPU's have not.
double tensor_cycles(const Gpu& gpu, const Counters& counters) {
  const auto cycles = [](std::uint64_t fmas, int flops_per_cycle) {
    return flops_per_cycle > 0 ? 2.0 * static_cast<double>(fmas) / flops_per_cycle : 0.0;
  };
  const TensorRates& rates = gpu.tensor;
  return cycles(counters.tensor_fmas_f16, rates.f16) +
         cycles(counters.tensor_fmas_bf16, rates.bf16) +
         cycles(counters.tensor_fmas_tf32, rates.tf32) +
         cycles(counters.tensor_fmas_fp8, rates.fp8) + cycles(counters.tensor_fmas_s8, rates.s8) +
         cycles(counters.tensor_fmas_f64, rates.f64);
}

std::string shared_summary(const Counters& counters) {
  // Where a quarter of the passes are conflicts, curing them is the next step.
  const bool conflicted = conflicts(counters) >= 0.25 * wavefronts(counters);
  return conflicted ? "shared-memory wavefronts (bank conflicts)" : "shared-memory wavefronts";
}

std::string global_summary(const Counters& counters, Dtype dtype, int warp_size) {
  if (sectors(counters) <= kSectorsPerCycle * requests(counters)) return "global-memory requests";
  // A warp that reads one neighbouring element a lane touches this many sectors a request. Vector
  // loads touch more and are fine, but a kernel that uses them does not go to memory for every FMA.
  const double neighbours = static_cast<double>(size_of(dtype)) * warp_size / kBytesPerSector;
  const double fmas = static_cast<double>(counters.fma_threads + counters.tensor_fmas_f16 +
                                          counters.tensor_fmas_bf16 + counters.tensor_fmas_tf32 +
                                          counters.tensor_fmas_fp8 + counters.tensor_fmas_s8 +
                                          counters.tensor_fmas_f64);
  const bool scalar = requests(counters) * warp_size >= fmas;
  const bool uncoalesced = scalar && sectors(counters) > neighbours * requests(counters);
  return uncoalesced ? "global-memory sectors (uncoalesced)" : "global-memory sectors";
}

// Microseconds for `work` at `rate` a cycle and SM.
double microseconds(double work, double rate, double sms, const Gpu& gpu) {
  return work <= 0 ? 0 : work / (rate * sms * gpu.boost_clock_mhz);
}

std::vector<Pipe> pipes_of(const Gpu& gpu, const Counters& counters, Dtype dtype,
                           double compulsory_bytes, const Parallelism& parallel) {
  // A warp issues at most one instruction a cycle: fewer warps than schedulers leave some idle, and
  // with them their share of the FMA lanes.
  const double schedulers = gpu.schedulers_per_sm;
  const double warps = parallel.warps_per_sm > 0 ? parallel.warps_per_sm : schedulers;
  const double used = std::min(schedulers, warps);
  const double sms = parallel.busy_sms;
  const double fmas = static_cast<double>(counters.fma_threads);
  const double instructions = static_cast<double>(counters.warp_instructions);
  const double l1_cycles = std::max(sectors(counters) / kSectorsPerCycle, requests(counters));
  std::vector<Pipe> pipes{
      {{"FMA", microseconds(fmas, fma_lanes(gpu, dtype) * used / schedulers, sms, gpu)},
       "FMA pipe"},
      {{"issue", microseconds(instructions, used, sms, gpu)}, "instruction issue"},
      {{"shared memory", microseconds(wavefronts(counters), kSharedWavefrontsPerCycle, sms, gpu)},
       shared_summary(counters)},
      {{"global memory (L1)", microseconds(l1_cycles, 1, sms, gpu)},
       global_summary(counters, dtype, gpu.warp_size)},
      {{"DRAM", std::max(0.0, compulsory_bytes) / gpu.memory_bandwidth * 1e6}, "DRAM bandwidth"},
  };
  // A warp uses the tensor core of its own scheduler.
  const double tensor = microseconds(tensor_cycles(gpu, counters), used / schedulers, sms, gpu);
  if (tensor > 0) pipes.insert(pipes.begin() + 1, {{"tensor", tensor}, "tensor cores"});
  return pipes;
}

// With one warp a scheduler, nothing else can issue while it waits for memory or a result.
bool too_few_warps(const Gpu& gpu, const Parallelism& parallel) {
  return parallel.warps_per_sm > 0 && parallel.warps_per_sm < 2.0 * gpu.schedulers_per_sm;
}

}  // namespace

Limit find_limit(const Gpu& gpu, const Counters& counters, Dtype dtype, double compulsory_bytes,
                 const Occupancy& occupancy, std::uint64_t blocks) {
  const Parallelism parallel = parallelism(gpu, occupancy, blocks);
  std::vector<Pipe> pipes;
  if (blocks > 0) pipes = pipes_of(gpu, counters, dtype, compulsory_bytes, parallel);
  // Stable, so that ties keep the order above: arithmetic first.
  std::stable_sort(pipes.begin(), pipes.end(), [](const Pipe& left, const Pipe& right) {
    return left.time.microseconds > right.time.microseconds;
  });

  Limit limit;
  for (const Pipe& pipe : pipes) limit.pipes.push_back(pipe.time);
  if (pipes.empty() || pipes.front().time.microseconds <= 0) {
    limit.summary = "nothing to do";
    return limit;
  }
  limit.summary = pipes.front().summary;
  if (blocks < static_cast<std::uint64_t>(gpu.sm_count)) {
    limit.caveat = kTooFewBlocks;
  } else if (too_few_warps(gpu, parallel)) {
    limit.caveat = kTooFewWarps;
  }
  return limit;
}

}  // namespace tilewise::model
