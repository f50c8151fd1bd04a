// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/capture_mma.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"
#include "kernels/images.hpp"
#include "vgpu/golden_mma.hpp"

namespace tilewise::bench {
namespace {

// The whole road: operands into registers, the probe's PTX, results back into a file. What it records on
// the virtual GPU must be what the numerics say, for each of the instructions.
TEST(CaptureMma, WhatTheVirtualGpuRecordsMatches) {
  if (kernels::images().empty()) GTEST_SKIP() << "built without nvcc";
  const test::TemporaryFolder folder;
  const auto device = device::open(device::Choice::kVirtual, "h200");
  const std::vector<std::string_view> names = mma_probes(9, 0);
  EXPECT_EQ(names.size(), 25u);
  for (const std::string_view name : names) {
    const std::string text = capture_mma(*device, name, 12, 7);
    const auto file = folder.with(std::string(name) + ".bin", text);
    const vgpu::GoldenRecords outcome = vgpu::check_mma_file(file);
    EXPECT_EQ(outcome.records, 12) << name;
    EXPECT_EQ(outcome.matches, 12) << name;
    for (const std::string& mismatch : outcome.first_mismatches)
      ADD_FAILURE() << name << ": " << mismatch;
    // Operands differ from record to record and from seed to seed.
    EXPECT_NE(text.substr(0, text.size() / 12), text.substr(text.size() / 12, text.size() / 12));
    EXPECT_NE(capture_mma(*device, name, 1, 8), text.substr(0, text.size() / 12));
  }
}

// Whatever is recorded here for sync instructions stands among the golden files.
TEST(CaptureMma, EveryProbeHasAGoldenFile) {
  const std::filesystem::path folder = std::string(TILEWISE_TESTS_DIR) + "/golden/h200/mma";
  for (const std::string_view name : mma_probes(9, 0))
    EXPECT_TRUE(std::filesystem::exists(folder / (std::string(name) + ".bin"))) << name;
}

TEST(CaptureMma, AmpereHasNeitherFp8NorLongF64) {
  const std::vector<std::string_view> names = mma_probes(8, 0);
  EXPECT_EQ(names.size(), 14u);
  EXPECT_TRUE(std::none_of(names.begin(), names.end(), [](std::string_view name) {
    return name.find("e4m3") != name.npos || name == "mma_m16n8k4_f64";
  }));
}

TEST(CaptureMma, UnknownInstructionsAreNamed) {
  const auto device = device::open(device::Choice::kVirtual, "h200");
  test::expect_error(ErrorCode::kUnsupported, {"wgmma_m64n8k16_f32_f16"},
                     [&] { capture_mma(*device, "wgmma_m64n8k16_f32_f16", 1, 1); });
}

}  // namespace
}  // namespace tilewise::bench
