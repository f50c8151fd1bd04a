// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../core/temporary_folder.hpp"
#include "core/file.hpp"
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
