// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor maps, box copies and operands of wgmma against what an NVIDIA H100 did (tests/golden/h100,
// described in tests/golden/README.md), and what becomes of files that say something else.
#include "vgpu/golden_tma.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"
#include "core/file.hpp"

namespace tilewise::vgpu {
namespace {

using test::TemporaryFolder;

const std::filesystem::path kGolden = std::filesystem::path(TILEWISE_TESTS_DIR) / "golden/h100";

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

const std::filesystem::path kOfH200 = kGolden.parent_path() / "h200";

void expect_all(const std::filesystem::path& file, int records) {
  const GoldenRecords result = check_tma_file(file);
  EXPECT_EQ(result.records, records);
  EXPECT_EQ(result.matches, records);
  for (const std::string& mismatch : result.first_mismatches) ADD_FAILURE() << mismatch;
}

TEST(GoldenTensorMap, TheSameRequestsAreRefusedAsByTheDriver) {
  expect_all(kGolden / "tensor_maps.csv", 800);
  expect_all(kOfH200 / "tensor_maps.csv", 800);
  EXPECT_GT(count(read_file(kGolden / "tensor_maps.csv"), ",0\n"), 400);
}

TEST(GoldenTensorCopy, EveryByteIsAsOnTheGpu) {
  expect_all(kGolden / "tensor_copies.csv", 339);
  expect_all(kOfH200 / "tensor_copies.csv", 340);
  const std::string text = read_file(kGolden / "tensor_copies.csv");
  EXPECT_GT(count(text, ",1,\n"), 50) << "faults";
}

TEST(GoldenMatrixDescriptor, ElementsAreFoundWhereTheGpuFindsThem) {
  expect_all(kGolden / "wgmma_layouts.csv", 360);
}

TEST(GoldenTma, FilesAreFoundByTheirNames) {
  EXPECT_EQ(find_tma_files(kGolden.parent_path()).size(), 5u);
  EXPECT_EQ(find_tma_files(kGolden).size(), 3u);
  EXPECT_TRUE(find_tma_files(kGolden / "nowhere").empty());
}

// The first two rows of a golden file, with one piece of the first one changed.
GoldenRecords check_changed(const std::string& name, const std::string& from,
                            const std::string& to) {
  const TemporaryFolder folder;
  std::string text = read_file(kGolden / name);
  const std::size_t first = text.find('\n') + 1;
  text.resize(text.find('\n', text.find('\n', first) + 1) + 1);
  const std::size_t at = text.find(from, first);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  folder.with(name, text);
  return check_tma_file(folder / name);
}

void expect_mismatch(const GoldenRecords& result, const std::string& message) {
  EXPECT_EQ(result.records, 2);
  EXPECT_EQ(result.matches, 1);
  ASSERT_EQ(result.first_mismatches.size(), 1u);
  EXPECT_NE(result.first_mismatches[0].find(message), std::string::npos)
      << result.first_mismatches[0];
}

TEST(GoldenTma, WhatDiffersIsSaid) {
  expect_mismatch(check_changed("tensor_maps.csv", "zero,0", "zero,1"),
                  "row 0: accepted by the driver, refused here");
  expect_mismatch(check_changed("tensor_copies.csv", "2048,0,e2", "2048,1,e2"),
                  "row 0: a fault on the GPU, copied here");
  expect_mismatch(check_changed("tensor_copies.csv", "e2d4b65c2feb5679", "1"),
                  "computed e2d4b65c2feb5679");
  expect_mismatch(check_changed("wgmma_layouts.csv", "b35f38e9fe1c3f0c", "1"),
                  "computed b35f38e9fe1c3f0c");
}

TEST(GoldenTma, MalformedRowsAreRefusedWithTheirLine) {
  const auto refused = [](const char* name, const char* from, const char* to, const char* message) {
    test::expect_error(ErrorCode::kInvalidInput, {message}, [&] { check_changed(name, from, to); });
  };
  refused("tensor_maps.csv", ",zero,0", "", ":2: 9 fields, expected 11");
  refused("tensor_maps.csv", "u8", "u7", "field 2 is 'u7'");
  refused("tensor_maps.csv", "3 9 6 0 0", "3 9 6 0 0 0", "field 5 is '3 9 6 0 0 0'");
  refused("tensor_copies.csv", ",2048,", ",x,", "field 13 is 'x', expected a number");
  refused("tensor_copies.csv", ",2048,", ",65536,", "a box within 64 KiB");
  refused("tensor_copies.csv", "load,s64,1,400", "load,s64,1,1048576", "within a mebibyte");
  refused("tensor_copies.csv", ",0,2048", ",0 0,2048", "one coordinate for each dimension");
  refused("tensor_copies.csv", "load", "lift", "field 2 is 'lift'");
  refused("wgmma_layouts.csv", "s8,8", "s8,12", "a multiple of 8");
  refused("wgmma_layouts.csv", "40000022002f0000", "4000002200ff3fff", "within 48 KiB");
  refused("wgmma_layouts.csv", "s8", "s4", "field 2 is 's4'");
  const TemporaryFolder folder;
  folder.with("tensor_maps.csv", "");
  test::expect_error(ErrorCode::kInvalidInput, {"has no rows"},
                     [&] { check_tma_file(folder / "tensor_maps.csv"); });
  test::expect_error(ErrorCode::kInvalidInput, {"expected tensor_maps.csv"},
                     [&] { check_tma_file(folder / "other.csv"); });
}

}  // namespace
}  // namespace tilewise::vgpu
