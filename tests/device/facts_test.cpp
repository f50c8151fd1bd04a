// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/facts.hpp"

#include <gtest/gtest.h>

#include <map>

namespace tilewise::device::cuda {
namespace {

// What the driver says of an H200.
int h200_attribute(DeviceAttribute attribute) {
  using enum DeviceAttribute;
  static const std::map<DeviceAttribute, int> values{
      {kMaxThreadsPerBlock, 1024},
      {kMaxBlockDimX, 1024},
      {kMaxBlockDimY, 1024},
      {kMaxBlockDimZ, 64},
      {kMaxGridDimX, 2147483647},
      {kMaxGridDimY, 65535},
      {kMaxGridDimZ, 65535},
      {kMaxSharedMemoryPerBlock, 49152},
      {kTotalConstantMemory, 65536},
      {kWarpSize, 32},
      {kMaxRegistersPerBlock, 65536},
      {kClockRate, 1980000},
      {kMultiprocessorCount, 132},
      {kMemoryClockRate, 3201000},
      {kGlobalMemoryBusWidth, 6144},
      {kL2CacheSize, 62914560},
      {kMaxThreadsPerMultiprocessor, 2048},
      {kComputeCapabilityMajor, 9},
      {kComputeCapabilityMinor, 0},
      {kMaxSharedMemoryPerMultiprocessor, 233472},
      {kMaxRegistersPerMultiprocessor, 65536},
      {kMaxSharedMemoryPerBlockOptin, 232448},
      {kMaxBlocksPerMultiprocessor, 32},
      {kReservedSharedMemoryPerBlock, 1024},
  };
  return values.at(attribute);
}

model::Gpu h200_facts(const std::string& name) {
  return facts_from_driver(name, 150'754'820'096, h200_attribute);
}

TEST(Facts, ComeFromTheDriver) {
  const model::Gpu gpu = h200_facts("NVIDIA H200");
  EXPECT_EQ(gpu.key, "NVIDIA H200");
  EXPECT_EQ(gpu.compute_major, 9);
  EXPECT_EQ(gpu.sm_count, 132);
  EXPECT_DOUBLE_EQ(gpu.boost_clock_mhz, 1980);
  EXPECT_EQ(gpu.max_warps_per_sm, 64);
  EXPECT_EQ(gpu.max_blocks_per_sm, 32);
  EXPECT_EQ(gpu.l2_bytes, 62914560u);
  EXPECT_EQ(gpu.shared_per_sm, 233472u);
  EXPECT_EQ(gpu.shared_per_block_optin, 232448u);
  EXPECT_EQ(gpu.memory_bytes, 150'754'820'096u);
  EXPECT_NEAR(gpu.memory_bandwidth, 4.917e12, 1e9);  // 2 · 3201 MHz · 6144 bits
  EXPECT_EQ(gpu.max_grid_y, 65535u);
}

TEST(Facts, AreCompletedFromTheGpuOfThatName) {
  model::Gpu gpu = h200_facts("NVIDIA H200");
  complete(gpu, model::catalogue());
  const model::Gpu& known = model::find_gpu("h200");
  EXPECT_EQ(gpu.key, "h200");
  EXPECT_EQ(gpu.fp32_lanes_per_sm, 128);
  EXPECT_EQ(gpu.fp64_lanes_per_sm, 64);
  EXPECT_EQ(gpu.tensor.f16, known.tensor.f16);
  EXPECT_EQ(gpu.memory_bandwidth, known.memory_bandwidth);
  EXPECT_EQ(gpu.boost_clock_mhz, 1980);  // the driver's own
  EXPECT_EQ(gpu.sources.front(), "CUDA driver: device attributes");
  EXPECT_GT(gpu.sources.size(), 1u);
}

TEST(Facts, OfAnUnknownNameTakeTheSmOfTheSameCapability) {
  model::Gpu gpu = h200_facts("NVIDIA H20");
  complete(gpu, model::catalogue());
  EXPECT_EQ(gpu.key, "NVIDIA H20");
  EXPECT_EQ(gpu.fp32_lanes_per_sm, 128);
  EXPECT_EQ(gpu.tensor.f16, 0);  // a product's own: not guessed
  EXPECT_NE(gpu.sources.back().find("capability 9.0"), std::string::npos);
}

TEST(Facts, OfAnUnknownCapabilityTakeTheProgrammingGuides) {
  const auto lanes = [](int major, int minor) {
    model::Gpu gpu;
    gpu.compute_major = major;
    gpu.compute_minor = minor;
    complete(gpu, {});
    return std::pair{gpu.fp32_lanes_per_sm, gpu.fp64_lanes_per_sm};
  };
  EXPECT_EQ(lanes(8, 0), std::pair(64, 32));
  EXPECT_EQ(lanes(8, 9), std::pair(128, 2));
  EXPECT_EQ(lanes(10, 0), std::pair(128, 64));
  EXPECT_EQ(lanes(12, 0), std::pair(128, 2));
}

}  // namespace
}  // namespace tilewise::device::cuda
