// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "model/limit.hpp"

#include <gtest/gtest.h>

namespace tilewise::model {
namespace {

// Round figures: 10 SMs at 1000 MHz, so 10,000 SM cycles a microsecond; 100 GB/s.
Gpu round_gpu() {
  Gpu gpu;
  gpu.sm_count = 10;
  gpu.boost_clock_mhz = 1000;
  gpu.fp32_lanes_per_sm = 128;
  gpu.fp64_lanes_per_sm = 64;
  gpu.memory_bandwidth = 100e9;
  gpu.max_warps_per_sm = 64;
  return gpu;
}

// Four blocks of 8 warps on each SM.
Occupancy half_full() {
  Occupancy result;
  result.blocks_per_sm = 4;
  result.warps_per_sm = 32;
  result.fraction = 0.5;
  return result;
}

constexpr std::uint64_t kManyBlocks = 1000;

double time_of(const Limit& limit, std::string_view pipe) {
  for (const PipeTime& time : limit.pipes) {
    if (time.pipe == pipe) return time.microseconds;
  }
  ADD_FAILURE() << "no pipe " << pipe;
  return -1;
}

Limit find(const Counters& counters, double bytes = 0, std::uint64_t blocks = kManyBlocks,
           Dtype dtype = Dtype::kF32) {
  return find_limit(round_gpu(), counters, dtype, bytes, half_full(), blocks);
}

// 10'000 SM cycles a microsecond; rates in FLOP a cycle.
TEST(Limit, TensorCoresAreAPipeWhereTheyAreUsed) {
  Gpu gpu = round_gpu();
  gpu.tensor = {.f64 = 256, .tf32 = 2048, .f16 = 4096, .bf16 = 4096};
  Counters counters;
  counters.tensor_fmas_bf16 = 1'024'000'000;  // 2 x / 4096 / 10'000 = 50 us
  counters.tensor_fmas_f64 = 12'800'000;      // 2 x / 256 / 10'000 = 10 us
  counters.tensor_fmas_fp8 = 1'000'000;       // which this GPU does not have
  counters.wgmma_shared_bytes = 12'800'000;   // with the copies, / 128 / 10'000 = 15 us
  counters.bulk_load_bytes = 6'400'000;
  counters.async_copy_wavefronts = 100'000;  // / 10'000 = 10 us more
  counters.async_copy_sectors = 200'000;     // / 4 / 10'000 = 5 us
  const Limit limit = find_limit(gpu, counters, Dtype::kF32, 0, half_full(), kManyBlocks);
  EXPECT_DOUBLE_EQ(time_of(limit, "tensor"), 60);
  EXPECT_DOUBLE_EQ(time_of(limit, "shared memory"), 25);
  EXPECT_DOUBLE_EQ(time_of(limit, "global memory (L1)"), 5);
  EXPECT_EQ(limit.summary, "tensor cores");
  for (const PipeTime& time : find(Counters{}).pipes) EXPECT_NE(time.pipe, "tensor");
}

TEST(Limit, HandComputedTimes) {
  Counters counters;
  counters.fma_threads = 12'800'000;          // / (128 x 10'000) = 10 us
  counters.warp_instructions = 1'000'000;     // / (4 x 10'000) = 25 us
  counters.shared_load_wavefronts = 200'000;  // with the stores, / 10'000 = 30 us
  counters.shared_store_wavefronts = 100'000;
  counters.global_load_requests = 10'000;  // 15'000 in all: 1.5 us
  counters.global_store_requests = 5'000;
  counters.global_load_sectors = 180'000;  // 200'000 in all, / 4 / 10'000 = 5 us
  counters.global_store_sectors = 20'000;
  const Limit limit = find(counters, 4'000'000);  // / 100 GB/s = 40 us
  EXPECT_DOUBLE_EQ(time_of(limit, "FMA"), 10);
  EXPECT_DOUBLE_EQ(time_of(limit, "issue"), 25);
  EXPECT_DOUBLE_EQ(time_of(limit, "shared memory"), 30);
  EXPECT_DOUBLE_EQ(time_of(limit, "global memory (L1)"), 5);
  EXPECT_DOUBLE_EQ(time_of(limit, "DRAM"), 40);
  ASSERT_EQ(limit.pipes.size(), 5u);
  EXPECT_EQ(limit.pipes[0].pipe, "DRAM");
  EXPECT_EQ(limit.pipes[1].pipe, "shared memory");
  EXPECT_EQ(limit.pipes[4].pipe, "global memory (L1)");
  EXPECT_EQ(limit.summary, "DRAM bandwidth");
}

TEST(Limit, NamesEachPipe) {
  Counters counters;
  counters.fma_threads = 1'000'000;
  EXPECT_EQ(find(counters).summary, "FMA pipe");
  counters.warp_instructions = 1'000'000;
  EXPECT_EQ(find(counters).summary, "instruction issue");
  counters.shared_load_wavefronts = 1'000'000;
  EXPECT_EQ(find(counters).summary, "shared-memory wavefronts");
  counters.shared_store_conflicts = 250'000;
  EXPECT_EQ(find(counters).summary, "shared-memory wavefronts (bank conflicts)");
  EXPECT_EQ(find(counters, 1e9).summary, "DRAM bandwidth");
}

TEST(Limit, F64HasItsOwnLanes) {
  Counters counters;
  counters.fma_threads = 12'800'000;
  EXPECT_DOUBLE_EQ(time_of(find(counters, 0, kManyBlocks, Dtype::kF64), "FMA"), 20);
}

// A naive kernel: two loads an FMA. Neighbouring lanes touch 4 sectors and 1, scattered ones 32 and 1.
TEST(Limit, GlobalMemoryCoalescedAndNot) {
  Counters coalesced;
  coalesced.fma_threads = 32'000;
  coalesced.global_load_requests = 2'000;
  coalesced.global_load_sectors = 5'000;  // 1250 cycles of sectors, but a cycle a request
  EXPECT_EQ(find(coalesced).summary, "global-memory requests");
  EXPECT_DOUBLE_EQ(time_of(find(coalesced), "global memory (L1)"), 0.2);

  Counters scattered = coalesced;
  scattered.global_load_sectors = 33'000;
  EXPECT_EQ(find(scattered).summary, "global-memory sectors (uncoalesced)");
  EXPECT_DOUBLE_EQ(time_of(find(scattered), "global memory (L1)"), 0.825);

  Counters doubles = coalesced;  // 8 sectors a request are neighbours of 8 bytes
  doubles.global_load_sectors = 16'000;
  EXPECT_EQ(find(doubles, 0, kManyBlocks, Dtype::kF64).summary, "global-memory sectors");
  EXPECT_EQ(find(doubles).summary, "global-memory sectors (uncoalesced)");
}

// A tiled kernel with 16-byte loads touches 16 sectors a request, and that is as it should be.
TEST(Limit, VectorLoadsAreNotCalledUncoalesced) {
  Counters counters;
  counters.fma_threads = 320'000;
  counters.global_load_requests = 1'000;
  counters.global_load_sectors = 16'000;
  EXPECT_EQ(find(counters).summary, "global-memory sectors");
}

TEST(Limit, FewBlocksLeaveSmsIdle) {
  Counters counters;
  counters.fma_threads = 12'800'000;
  const Limit limit = find(counters, 0, 5);  // half the SMs
  EXPECT_EQ(limit.summary, "FMA pipe");
  EXPECT_EQ(limit.caveat, "too few blocks to fill the GPU");
  EXPECT_DOUBLE_EQ(time_of(limit, "FMA"), 20);
  EXPECT_EQ(find(counters, 0, 9).caveat, "too few blocks to fill the GPU");
  EXPECT_EQ(find(counters, 0, 10).caveat, "");
  // DRAM does not care which SMs ask.
  EXPECT_DOUBLE_EQ(time_of(find(counters, 1e6, 1), "DRAM"), 10);
}

TEST(Limit, FewWarpsLeaveSchedulersIdle) {
  Counters counters;
  counters.warp_instructions = 1'000'000;
  counters.fma_threads = 12'800'000;
  Occupancy one_small_block;
  one_small_block.blocks_per_sm = 1;
  one_small_block.warps_per_sm = 2;
  const Limit limit =
      find_limit(round_gpu(), counters, Dtype::kF32, 0, one_small_block, kManyBlocks);
  EXPECT_EQ(limit.summary, "instruction issue");
  EXPECT_EQ(limit.caveat, "too few warps to hide latency");
  EXPECT_DOUBLE_EQ(time_of(limit, "issue"), 50);  // two of four schedulers
  EXPECT_DOUBLE_EQ(time_of(limit, "FMA"), 20);    // and half the lanes
}

// Ten blocks of 4 warps on ten SMs: 4 resident warps, though eight blocks would fit on each.
TEST(Limit, ResidentWarpsAreThoseOfTheBlocksThereAre) {
  Counters counters;
  counters.fma_threads = 1'000'000;
  Occupancy roomy;
  roomy.blocks_per_sm = 8;
  roomy.warps_per_sm = 32;
  const auto caveat = [&](std::uint64_t blocks) {
    return find_limit(round_gpu(), counters, Dtype::kF32, 0, roomy, blocks).caveat;
  };
  EXPECT_EQ(caveat(10), "too few warps to hide latency");
  EXPECT_EQ(caveat(11), "");  // one SM has two blocks
}

TEST(Limit, NothingToDo) {
  EXPECT_EQ(find({}).summary, "nothing to do");
  EXPECT_EQ(find({}, 0, 0).summary, "nothing to do");
  Counters counters;
  counters.fma_threads = 1;
  EXPECT_EQ(find(counters, 0, 0).summary, "nothing to do");
}

TEST(Limit, UnknownOccupancyIsNotHeldAgainstTheKernel) {
  Counters counters;
  counters.fma_threads = 1'000'000;
  const Limit limit = find_limit(round_gpu(), counters, Dtype::kF32, 0, {}, kManyBlocks);
  EXPECT_EQ(limit.summary, "FMA pipe");
}

}  // namespace
}  // namespace tilewise::model
