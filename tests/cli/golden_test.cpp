// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../core/temporary_folder.hpp"
#include "core/file.hpp"
#include "kernels/images.hpp"
#include "program.hpp"

namespace tilewise::test {
namespace {

const std::string kGolden = std::string(TILEWISE_TESTS_DIR) + "/golden";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GoldenCheck, TheMeasuredFilesMatch) {
  const Outcome outcome = run({"golden", "check", kGolden});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "memory_access.csv: "));
  EXPECT_TRUE(contains(outcome.out, " match"));
  EXPECT_TRUE(contains(outcome.out, "mma_m16n8k32_f32_e4m3.bin: 126 records, 126 match"));
  EXPECT_TRUE(contains(outcome.out, "tensor_maps.csv: 800 records, 800 match"));
  EXPECT_TRUE(contains(outcome.out, "tensor_copies.csv: 339 records, 339 match"));
  EXPECT_TRUE(contains(outcome.out, "wgmma_layouts.csv: 360 records, 360 match"));
  EXPECT_FALSE(contains(outcome.out, ".csv: not checked")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, ".bin: not checked")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "MISMATCH"));
}

TEST(GoldenCheck, AWrongBitOfAProductIsShownAndIsExitCode1) {
  const TemporaryFolder folder;
  std::string records = read_file(kGolden + "/h200/mma/mma_m8n8k4_f64.bin");
  records.back() ^= 1;  // the last element's exponent
  std::filesystem::create_directories(folder / "h200/mma");
  folder.with("memory_access.csv", read_file(kGolden + "/h200/memory_access.csv"));
  folder.with("h200/mma/mma_m8n8k4_f64.bin", records);
  const Outcome outcome = run({"golden", "check", folder.path().string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "186 records, 185 match, 1 MISMATCH")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "record 185 row 7 column 7")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "tensor-core")) << outcome.err;
}

TEST(GoldenCheck, AWrongCopyIsShownAndIsExitCode1) {
  const TemporaryFolder folder;
  std::string maps = read_file(kGolden + "/h100/tensor_maps.csv");
  maps.replace(maps.rfind(',') + 1, 1, maps[maps.rfind(',') + 1] == '0' ? "1" : "0");
  std::filesystem::create_directories(folder / "h100");
  folder.with("memory_access.csv", read_file(kGolden + "/h200/memory_access.csv"));
  folder.with("h100/tensor_maps.csv", maps);
  const Outcome outcome = run({"golden", "check", folder.path().string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "800 records, 799 match, 1 MISMATCH")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "row 799: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "tensor maps")) << outcome.err;
}

TEST(GoldenCheck, AMismatchIsShownAndIsExitCode1) {
  const TemporaryFolder folder;
  std::string csv = read_file(kGolden + "/h200/memory_access.csv");
  // The first row: stride 0, one wavefront and no conflict. Say it had two.
  const std::size_t cell = csv.find(",1,0,,", csv.find('\n'));
  ASSERT_NE(cell, std::string::npos);
  csv.replace(cell, 6, ",2,1,,");
  std::filesystem::create_directory(folder / "h200");
  folder.with("h200/memory_access.csv", csv);
  const Outcome outcome = run({"golden", "check", folder.path().string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "1 MISMATCH")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "stride0")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "tilewise: 1 of ")) << outcome.err;
}

// The last digit of a file's last line with a digit, or a bit of a product, is another one.
void plant(const std::filesystem::path& file) {
  std::string text = read_file(file);
  if (file.extension() == ".bin") {
    text.back() ^= 1;
  } else {
    const std::size_t digit = text.find_last_of("0123456789abcdef");
    text[digit] = text[digit] == '0' ? '1' : '0';
  }
  std::ofstream(file, std::ios::binary) << text;
}

// Everything is recorded as on a real GPU, processes that end with a fault among it; a changed bit in any of
// the files is noticed.
TEST(GoldenCapture, WhatTheVirtualGpuRecordsIsCheckedAndAChangedBitShows) {
  if (kernels::images().empty()) GTEST_SKIP() << "built without nvcc";
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const Outcome captured = run({"golden", "capture", path, "--device", "virtual", "--seed", "3"});
  ASSERT_EQ(captured.code, 0) << captured.out << captured.err;
  EXPECT_TRUE(contains(captured.out, "tensor_copies.csv: 340 records, 340 match")) << captured.out;
  EXPECT_EQ(run({"golden", "check", path}).code, 0);
  for (const char* name :
       {"memory_access.csv", "mma/mma_m16n8k16_f32_bf16.bin", "mma/wgmma_m64n8k32_f16_e5m2.bin",
        "wgmma_layouts.csv", "tensor_maps.csv", "tensor_copies.csv"}) {
    const std::filesystem::path file = folder / "h200" / name;
    const std::string text = read_file(file);
    plant(file);
    const Outcome outcome = run({"golden", "check", path});
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_TRUE(contains(outcome.out, "1 MISMATCH")) << name << outcome.out;
    std::ofstream(file, std::ios::binary) << text;
  }
}

TEST(GoldenCapture, AmpereHasNoFilesOfHopper) {
  if (kernels::images().empty()) GTEST_SKIP() << "built without nvcc";
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const Outcome captured = run({"golden", "capture", path, "--device", "virtual", "--gpu", "a100"});
  ASSERT_EQ(captured.code, 0) << captured.out << captured.err;
  EXPECT_FALSE(contains(captured.out, "wgmma")) << captured.out;
  EXPECT_FALSE(contains(captured.out, "tensor_maps.csv")) << captured.out;
  EXPECT_TRUE(contains(captured.out, "mma_m16n8k8_f32_tf32.bin: 60 records, 60 match"));
}

TEST(GoldenCheck, BadInputIsNamed) {
  const TemporaryFolder folder;
  const Outcome missing = run({"golden", "check", (folder / "nowhere").string()});
  EXPECT_EQ(missing.code, 2);
  EXPECT_TRUE(contains(missing.err, "nowhere")) << missing.err;
  const Outcome empty = run({"golden", "check", folder.path().string()});
  EXPECT_EQ(empty.code, 2);
  folder.with("memory_access.csv", "not,a,golden,file\n");
  const Outcome malformed = run({"golden", "check", folder.path().string()});
  EXPECT_EQ(malformed.code, 2);
  EXPECT_TRUE(contains(malformed.err, "memory_access.csv")) << malformed.err;
}

}  // namespace
}  // namespace tilewise::test
