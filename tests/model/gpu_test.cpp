// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "model/gpu.hpp"

#include <gtest/gtest.h>

#include <set>

#include "../core/expect_error.hpp"

namespace tilewise::model {
namespace {

TEST(Catalogue, HasEveryGpuOnce) {
  std::set<std::string> keys, names;
  for (const Gpu& gpu : catalogue()) {
    keys.insert(gpu.key);
    names.insert(gpu.name);
  }
  EXPECT_EQ(keys, (std::set<std::string>{"rtx3090", "a6000", "a100", "a100-80gb", "h100",
                                         "h100-pcie", "h200", "l40s", "rtx4090"}));
  EXPECT_EQ(names.size(), catalogue().size());
}

TEST(Catalogue, FindsByKey) {
  EXPECT_EQ(find_gpu("h200").name, "NVIDIA H200");
  EXPECT_EQ(&find_gpu("rtx3090"), &find_gpu("rtx3090"));
}

TEST(Catalogue, SuggestsTheNearestKey) {
  test::expect_error(ErrorCode::kInvalidArgument, {"'rtx309'", "did you mean 'rtx3090'?", "h200"},
                     [] { find_gpu("rtx309"); });
  test::expect_error(ErrorCode::kInvalidArgument, {"'H200'", "did you mean 'h200'?"},
                     [] { find_gpu("H200"); });
  test::expect_error(ErrorCode::kInvalidArgument, {"'mi300x'", "known: rtx3090"},
                     [] { find_gpu("mi300x"); });
  test::expect_error(ErrorCode::kInvalidArgument, {"''"}, [] { find_gpu(""); });
}

// Every figure filled in and possible; sources stand beside them.
TEST(Catalogue, FiguresAreComplete) {
  for (const Gpu& gpu : catalogue()) {
    SCOPED_TRACE(gpu.key);
    EXPECT_GE(gpu.sm_count, 80);
    EXPECT_GE(gpu.boost_clock_mhz, 1400);
    EXPECT_LT(gpu.base_clock_mhz, gpu.boost_clock_mhz);
    EXPECT_EQ(gpu.fp32_lanes_per_sm % 64, 0);
    EXPECT_GT(gpu.fp64_lanes_per_sm, 0);
    EXPECT_EQ(gpu.schedulers_per_sm, 4);
    EXPECT_GT(gpu.tensor.f16, gpu.tensor.tf32);
    EXPECT_EQ(gpu.tensor.f16, gpu.tensor.bf16);
    EXPECT_EQ(gpu.tensor.fp8 > 0, gpu.compute_major == 9 || gpu.compute_minor == 9);
    EXPECT_GT(gpu.memory_bytes, 20'000'000'000u);
    EXPECT_GE(gpu.l2_bytes, 6u << 20);
    EXPECT_EQ(gpu.shared_reserved_per_block, 1024u);
    EXPECT_EQ(gpu.shared_per_block_optin + gpu.shared_reserved_per_block, gpu.shared_per_sm);
    EXPECT_GT(gpu.max_warps_per_sm, 0);
    EXPECT_GT(gpu.max_blocks_per_sm, 0);
    EXPECT_GE(gpu.sources.size(), 6u);
    for (const std::string& source : gpu.sources) EXPECT_NE(source.find(": "), std::string::npos);
  }
}

// DDR: two transfers a clock over the bus. Datasheets round by up to 3 %.
TEST(Catalogue, MemoryClockTimesBusIsTheBandwidth) {
  for (const Gpu& gpu : catalogue()) {
    const double bandwidth = gpu.memory_clock_mhz * 1e6 * 2 * gpu.memory_bus_bits / 8;
    EXPECT_NEAR(bandwidth / gpu.memory_bandwidth, 1.0, 0.03) << gpu.key;
  }
}

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
TEST(Catalogue, LimitsFollowTheComputeCapability) {
  struct Limits {
    int major, minor, warps, blocks;
    std::uint32_t shared_kib;
  };
  for (const Gpu& gpu : catalogue()) {
    bool known = false;
    for (const Limits& limits : {Limits{8, 0, 64, 32, 164},
                                 {8, 6, 48, 16, 100},
                                 {8, 9, 48, 24, 100},
                                 {9, 0, 64, 32, 228}}) {
      if (limits.major != gpu.compute_major || limits.minor != gpu.compute_minor) continue;
      known = true;
      EXPECT_EQ(gpu.max_warps_per_sm, limits.warps) << gpu.key;
      EXPECT_EQ(gpu.max_blocks_per_sm, limits.blocks) << gpu.key;
      EXPECT_EQ(gpu.shared_per_sm, limits.shared_kib * 1024) << gpu.key;
    }
    EXPECT_TRUE(known) << gpu.key;
  }
}

// 1.695 GHz x 128 x 82 x 2; the founding note prints 35,581 GFLOP/s.
TEST(Catalogue, Rtx3090) {
  const Gpu& gpu = find_gpu("rtx3090");
  EXPECT_NEAR(gpu.peak_f32() / 1e9, 35581, 1);
  EXPECT_EQ(gpu.memory_bandwidth, 936e9);
  EXPECT_EQ(gpu.compute_major * 10 + gpu.compute_minor, 86);
  EXPECT_EQ(gpu.sm_count * gpu.fp32_lanes_per_sm, 10496);
  EXPECT_EQ(gpu.base_clock_mhz, 1395);
  EXPECT_EQ(gpu.memory_clock_mhz, 9751);
  EXPECT_EQ(gpu.memory_bus_bits, 384);
  EXPECT_EQ(gpu.memory_bytes, 25414860800u);
  EXPECT_EQ(gpu.l2_bytes, 6291456u);
  EXPECT_EQ(gpu.shared_per_block, 49152u);
  EXPECT_EQ(gpu.constant_bytes, 65536u);
  EXPECT_EQ(gpu.registers_per_block, 65536u);
  EXPECT_EQ(gpu.max_warps_per_sm * gpu.warp_size, 1536);
  EXPECT_EQ(gpu.max_grid_x, 2147483647u);
}

// As the driver (580.159) answers on an H200.
TEST(Catalogue, H200) {
  const Gpu& gpu = find_gpu("h200");
  EXPECT_EQ(gpu.sm_count, 132);
  EXPECT_EQ(gpu.boost_clock_mhz, 1980);
  EXPECT_EQ(gpu.memory_clock_mhz, 3201);
  EXPECT_EQ(gpu.memory_bus_bits, 6016);
  EXPECT_EQ(gpu.memory_bytes, 150109880320u);
  EXPECT_EQ(gpu.l2_bytes, 62914560u);
  EXPECT_EQ(gpu.shared_per_sm, 233472u);
  EXPECT_EQ(gpu.shared_per_block_optin, 232448u);
}

struct Peak {
  const char* key;
  double f32, f64;  // TFLOP/s at the boost clock
  double tensor_clock_mhz;
  double tensor_tf32, tensor_f16, tensor_f64;  // TFLOP/s at that clock, dense
};

// The vendor's tables: lanes and rates in the catalogue must give them back.
TEST(Catalogue, PeaksAreTheVendors) {
  for (const Peak& peak : {Peak{"rtx3090", 35.58, 0.556, 1695, 35.6, 71.1, 0},
                           {"a6000", 38.7, 0.605, 1800, 77.4, 154.8, 0},
                           {"a100", 19.5, 9.7, 1410, 156, 312, 19.5},
                           {"a100-80gb", 19.5, 9.7, 1410, 156, 312, 19.5},
                           {"h100", 66.9, 33.5, 1830, 494.7, 989.4, 61.8},
                           {"h100-pcie", 51.2, 25.6, 1620, 378, 756, 47.3},
                           {"h200", 66.9, 33.5, 1830, 494.7, 989.4, 61.8},
                           {"l40s", 91.6, 1.43, 2520, 183, 366, 0},
                           {"rtx4090", 82.6, 1.29, 2520, 82.6, 165.2, 0}}) {
    SCOPED_TRACE(peak.key);
    const Gpu& gpu = find_gpu(peak.key);
    const double cycles = gpu.sm_count * peak.tensor_clock_mhz * 1e6;
    EXPECT_NEAR(gpu.peak_f32() / 1e12, peak.f32, 0.005 * peak.f32);
    EXPECT_NEAR(gpu.peak_f64() / 1e12, peak.f64, 0.01 * peak.f64);
    EXPECT_NEAR(gpu.tensor.tf32 * cycles / 1e12, peak.tensor_tf32, 0.01 * peak.tensor_tf32);
    EXPECT_NEAR(gpu.tensor.f16 * cycles / 1e12, peak.tensor_f16, 0.01 * peak.tensor_f16);
    EXPECT_NEAR(gpu.tensor.f64 * cycles / 1e12, peak.tensor_f64, 0.01 * peak.tensor_f64);
  }
}

}  // namespace
}  // namespace tilewise::model
