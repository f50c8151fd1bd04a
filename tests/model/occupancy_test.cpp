// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "model/occupancy.hpp"

#include <gtest/gtest.h>

#include "../core/expect_error.hpp"

namespace tilewise::model {
namespace {

Occupancy of(std::string_view gpu, int threads, int registers, std::uint32_t shared_bytes) {
  return occupancy(find_gpu(gpu), {threads, registers, shared_bytes});
}

void expect(const Occupancy& got, int blocks, int warps, OccupancyLimit limit) {
  EXPECT_EQ(got.blocks_per_sm, blocks);
  EXPECT_EQ(got.warps_per_sm, warps);
  EXPECT_EQ(name_of(got.limit), name_of(limit));
}

// A 128x128 tile: 128 threads of 180 registers and more keep 8 warps active, whatever the GPU.
TEST(Occupancy, FewThreadsWithManyRegisters) {
  for (const Gpu& gpu : catalogue()) {
    for (const int registers : {180, 200, 224, 255}) {
      const Occupancy got = occupancy(gpu, {128, registers, 16384});
      EXPECT_EQ(got.warps_per_sm, 8) << gpu.key << " " << registers;
      EXPECT_EQ(got.limit, OccupancyLimit::kRegisters) << gpu.key << " " << registers;
    }
  }
  EXPECT_DOUBLE_EQ(of("a100", 128, 180, 16384).fraction, 8.0 / 64);
  EXPECT_DOUBLE_EQ(of("rtx3090", 128, 180, 16384).fraction, 8.0 / 48);
}

// The same tile with 256 threads of 128 registers and 32 KB of shared memory keeps 16.
TEST(Occupancy, TwiceTheThreadsWithFewerRegisters) {
  for (const Gpu& gpu : catalogue()) {
    const Occupancy got = occupancy(gpu, {256, 128, 32768});
    EXPECT_EQ(got.blocks_per_sm, 2) << gpu.key;
    EXPECT_EQ(got.warps_per_sm, 16) << gpu.key;
    EXPECT_EQ(got.limit, OccupancyLimit::kRegisters) << gpu.key;
  }
}

TEST(Occupancy, FullWhenNothingIsShort) {
  expect(of("h200", 256, 32, 0), 8, 64, OccupancyLimit::kWarps);
  EXPECT_DOUBLE_EQ(of("h200", 256, 32, 0).fraction, 1.0);
  expect(of("rtx3090", 256, 40, 0), 6, 48, OccupancyLimit::kWarps);
  expect(of("rtx3090", 1024, 64, 0), 1, 32, OccupancyLimit::kWarps);
  expect(of("a100", 1024, 32, 0), 2, 64, OccupancyLimit::kWarps);
}

TEST(Occupancy, BlocksLimitSmallBlocks) {
  expect(of("a100", 32, 32, 0), 32, 32, OccupancyLimit::kBlocks);
  expect(of("rtx3090", 64, 32, 0), 16, 32, OccupancyLimit::kBlocks);
  expect(of("rtx4090", 32, 32, 0), 24, 24, OccupancyLimit::kBlocks);
  expect(of("h200", 1, 0, 0), 32, 32, OccupancyLimit::kBlocks);
}

// Every block pays 1 KB to the driver: 32 KB is 33.
TEST(Occupancy, SharedMemoryCountsWhatTheDriverTakes) {
  expect(of("h200", 128, 32, 32768), 6, 24, OccupancyLimit::kSharedMemory);    // 228 / 33
  expect(of("a100", 128, 32, 40960), 4, 16, OccupancyLimit::kSharedMemory);    // 164 / 41
  expect(of("rtx3090", 128, 32, 49152), 2, 8, OccupancyLimit::kSharedMemory);  // 100 / 49
  expect(of("rtx3090", 128, 32, 50176), 2, 8, OccupancyLimit::kSharedMemory);  // 100 / 50
  expect(of("rtx3090", 128, 32, 50177), 1, 4, OccupancyLimit::kSharedMemory);  // and 128 bytes
  expect(of("h200", 128, 32, 227 * 1024), 1, 4, OccupancyLimit::kSharedMemory);
}

// 152 registers: 4864 a warp, three warps of each partition's 16384, twelve in all. The SM's 65536
// together would hold thirteen.
TEST(Occupancy, RegistersComeFromOnePartition) {
  expect(of("a100", 32, 152, 0), 12, 12, OccupancyLimit::kRegisters);
  expect(of("h200", 96, 152, 0), 4, 12, OccupancyLimit::kRegisters);
}

TEST(Occupancy, RegistersAreGivenIn256s) {
  expect(of("h200", 256, 64, 0), 4, 32, OccupancyLimit::kRegisters);
  expect(of("h200", 256, 65, 0), 3, 24,
         OccupancyLimit::kRegisters);  // 2080 becomes 2304: 7 a partition
  expect(of("h200", 256, 72, 0), 3, 24, OccupancyLimit::kRegisters);
  expect(of("h200", 256, 73, 0), 3, 24, OccupancyLimit::kRegisters);  // 2560: 6 a partition
  expect(of("h200", 256, 81, 0), 2, 16, OccupancyLimit::kRegisters);  // 2816: 5 a partition
}

TEST(Occupancy, PartialWarpsCountWhole) {
  expect(of("h200", 33, 32, 0), 32, 64, OccupancyLimit::kWarps);
  expect(of("h200", 100, 32, 0), 16, 64, OccupancyLimit::kWarps);
}

TEST(Occupancy, NamesWhatDoesNotFit) {
  const auto expect_bad = [](int threads, int registers, std::uint32_t shared_bytes,
                             const std::vector<std::string>& parts) {
    test::expect_error(ErrorCode::kInvalidArgument, parts,
                       [&] { of("rtx3090", threads, registers, shared_bytes); });
  };
  expect_bad(0, 32, 0, {"threads per block = 0", "1 to 1024"});
  expect_bad(-32, 32, 0, {"threads per block = -32"});
  expect_bad(1025, 32, 0, {"threads per block = 1025", "1024", "RTX 3090"});
  expect_bad(32, 256, 0, {"registers per thread = 256", "255"});
  expect_bad(32, -1, 0, {"registers per thread = -1"});
  expect_bad(1024, 65, 0, {"registers per block = 73728", "65536"});
  expect_bad(32, 32, 99 * 1024 + 1, {"shared memory", "101377", "101376"});
}

// Nine warps of 6912 registers are 62208, but a launch is checked as if they were twelve.
TEST(Occupancy, TheLaunchCheckRoundsWarpsUp) {
  test::expect_error(ErrorCode::kInvalidArgument, {"registers per block = 82944"},
                     [] { of("h200", 288, 216, 0); });
  expect(of("h200", 224, 255, 0), 1, 7, OccupancyLimit::kRegisters);  // 7 warps round up to 8
}

}  // namespace
}  // namespace tilewise::model
