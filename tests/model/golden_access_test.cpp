// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "model/golden_access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"
#include "core/file.hpp"

namespace tilewise::model {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

const fs::path kGolden = fs::path(TILEWISE_TESTS_DIR) / "golden";

const std::string kHeader =
    "id,access,bytes_per_lane,pattern,active_mask,lane_byte_offsets,shared_wavefronts,"
    "shared_bank_conflicts,global_requests,global_sectors\n";

std::string offsets(int stride) {
  std::string text;
  for (int lane = 0; lane < 32; ++lane) {
    if (lane > 0) text += ' ';
    text += std::to_string(lane * stride);
  }
  return text;
}

std::string row(const std::string& before, const std::string& after, int stride = 4) {
  return before + "," + offsets(stride) + "," + after + "\n";
}

const std::string kGoodRow = row("1,ld.shared,4,seq,0xffffffff", "1,0,,");

TEST(GoldenAccess, TheRulesReproduceEveryRowOfTheH200) {
  const GoldenReport report = check_golden(kGolden);
  for (const GoldenMismatch& mismatch : report.first_mismatches) ADD_FAILURE() << to_text(mismatch);
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_EQ(report.files[0].file.filename(), "async_copy.csv");
  EXPECT_EQ(report.files[0].rows, 719 + 338);
  EXPECT_EQ(report.files[1].file.filename(), "memory_access.csv");
  EXPECT_EQ(report.files[1].rows, 498);
  EXPECT_EQ(report.matches, 719 + 338 + 498);
  EXPECT_EQ(report.not_measured, 0);
  EXPECT_EQ(report.mismatches(), 0);
}

// Recorded after the rules were written down (Nsight Compute, the same GPU): capture_patterns() and
// 1- and 2-byte accesses, then 364 more loads in pairs that merge and conflict at once. Where only the
// smsp__sass counter was recorded for a load that may merge, its wavefronts are left empty: see
// tests/golden/README.md.
TEST(GoldenAccess, TheRulesHoldForWhatTheyWereNotMadeFrom) {
  const fs::path file = fs::path(TILEWISE_TESTS_DIR) / "model/h200_access.csv";
  GoldenReport report;
  check_rows(parse_golden_access(read_file(file), file.string()), file, report);
  for (const GoldenMismatch& mismatch : report.first_mismatches) ADD_FAILURE() << to_text(mismatch);
  EXPECT_EQ(report.rows, 1732);
  EXPECT_EQ(report.matches, 1732);
}

TEST(GoldenAccess, CopiesOfBothSidesHave64Offsets) {
  const std::string before = "1,cp.async.ca.both,4,seq,0xffffffff,";
  const auto rows =
      parse_golden_access(kHeader + before + offsets(4) + " " + offsets(8) + ",2,1,1,8\n", "both");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].offsets[31], 124u);
  EXPECT_EQ(rows[0].from[31], 248u);
  EXPECT_EQ(evaluate(rows[0]), rows[0].expected);
  const auto refused = [&](const std::string& text, const std::string& part) {
    test::expect_error(ErrorCode::kInvalidInput, {part}, [&] {
      parse_golden_access(kHeader + before + text + ",2,1,1,8\n", "both");
    });
  };
  refused(offsets(4), "32 offsets, expected 64");
  refused(offsets(4) + " " + offsets(4) + " 0", "more than 64 offsets");
  refused(offsets(4) + " " + offsets(2), "2 of lane 1 is not a multiple of 4 bytes");
}

// The recorded rows are not all alike: each rule decides some of them.
TEST(GoldenAccess, TheGoldenRowsCoverTheRules) {
  const auto rows = parse_golden_access(read_file(kGolden / "h200/memory_access.csv"), "golden");
  int merged = 0, empty_phases = 0;
  std::set<std::string> accesses;
  for (const GoldenAccess& row : rows) {
    accesses.insert(row.access);
    if (row.access != "ld.shared" || row.bytes_per_lane == 4) continue;
    if (shared_store(row.offsets, row.active_mask, row.bytes_per_lane).wavefronts !=
        row.expected.shared_wavefronts) {
      ++merged;
    }
    if ((row.active_mask & 0xFFFF) == 0 || row.active_mask >> 16 == 0) ++empty_phases;
  }
  EXPECT_EQ(accesses.size(), 10u);
  EXPECT_GE(merged, 10);
  EXPECT_GE(empty_phases, 2);
}

TEST(GoldenAccess, WritesWhatItReads) {
  std::string text = read_file(kGolden / "h200/memory_access.csv");
  std::erase(text, '\r');  // the file ends its lines as spreadsheets do; ours do not
  const auto rows = parse_golden_access(text, "golden");
  EXPECT_TRUE(to_csv(rows) == text);
  EXPECT_TRUE(parse_golden_access(to_csv(rows), "again") == rows);
}

TEST(GoldenAccess, ReportsMismatchesByName) {
  const TemporaryFolder folder;
  folder.with("memory_access.csv", kHeader + kGoodRow +
                                       row("7,ld.shared,4,wrong,0xffffffff", "2,1,,") +
                                       row("8,st.global,4,off,0xffffffff", ",,1,5"));
  const GoldenReport report = check_golden(folder.path());
  EXPECT_EQ(report.rows, 3);
  EXPECT_EQ(report.matches, 1);
  EXPECT_EQ(report.mismatches(), 2);
  ASSERT_EQ(report.first_mismatches.size(), 2u);
  EXPECT_EQ(to_text(report.first_mismatches[0]),
            "row 7 ld.shared 4 wrong: expected 2 wavefronts, 1 bank conflicts, computed 1, 0");
  EXPECT_EQ(to_text(report.first_mismatches[1]),
            "row 8 st.global 4 off: expected 5 sectors, computed 4");
}

TEST(GoldenAccess, KeepsOnlyTheFirstMismatches) {
  const TemporaryFolder folder;
  std::string text = kHeader;
  for (int id = 0; id < 50; ++id) {
    text += row(std::to_string(id) + ",ld.shared,4,wrong,0xffffffff", "9,8,,");
  }
  folder.with("memory_access.csv", text);
  const GoldenReport report = check_golden(folder.path());
  EXPECT_EQ(report.mismatches(), 50);
  EXPECT_EQ(report.first_mismatches.size(), kMostMismatches);
  EXPECT_EQ(report.first_mismatches.back().id, 9);
}

TEST(GoldenAccess, RowsWithoutCountsAreNeitherRightNorWrong) {
  const TemporaryFolder folder;
  folder.with("memory_access.csv", kHeader + row("1,ld.shared,4,seq,0xffffffff", ",,,") +
                                       row("2,ld.global,4,seq,0xffffffff", ",,,4"));
  const GoldenReport report = check_golden(folder.path());
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.matches, 1);
  EXPECT_EQ(report.not_measured, 1);
  EXPECT_EQ(report.mismatches(), 0);
}

// A count in a column that does not apply is wrong, whatever it says.
TEST(GoldenAccess, CountsThatCannotApplyAreMismatches) {
  const TemporaryFolder folder;
  folder.with("memory_access.csv", kHeader + row("1,ld.shared,4,seq,0xffffffff", "1,0,1,4"));
  const GoldenReport report = check_golden(folder.path());
  ASSERT_EQ(report.mismatches(), 1);
  EXPECT_NE(to_text(report.first_mismatches[0]).find("1 requests, 4 sectors, computed none, none"),
            std::string::npos);
}

TEST(GoldenFolder, LooksOneLevelDownAndNamesWhatItDoesNotCheck) {
  const TemporaryFolder folder;
  for (const char* name : {"h200/mma", "a100", "a100/deep/deeper"})
    fs::create_directories(folder / name);
  folder.with("README.md", "text");
  folder.with("h200/memory_access.csv", kHeader + kGoodRow);
  folder.with("h200/mma/mma_m16n8k16_f32_f16.bin", "1234");
  folder.with("a100/memory_access.csv",
              kHeader + kGoodRow + row("2,ld.shared,4,seq,0xffffffff", "1,0,,"));
  folder.with("a100/deep/memory_access.csv", "not looked at");
  const GoldenReport report = check_golden(folder.path());
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_EQ(report.files[0].file, folder / "a100/memory_access.csv");
  EXPECT_EQ(report.files[0].rows, 2);
  EXPECT_EQ(report.files[1].matches, 1);
  EXPECT_EQ(report.matches, 3);
  EXPECT_EQ(report.not_checked,
            (std::vector<fs::path>{folder / "a100/deep/memory_access.csv",
                                   folder / "h200/mma/mma_m16n8k16_f32_f16.bin"}));
  EXPECT_EQ(check_golden(folder / "h200").rows, 1);
}

TEST(GoldenFolder, NamesAFolderWithoutGoldenFiles) {
  const TemporaryFolder folder;
  folder.with("other.csv", kHeader + kGoodRow);
  test::expect_error(ErrorCode::kInvalidInput, {folder.path().string(), "memory_access.csv"},
                     [&] { check_golden(folder.path()); });
  const auto missing = folder / "missing";
  test::expect_error(ErrorCode::kInvalidInput, {missing.string(), "No such file"},
                     [&] { check_golden(missing); });
  test::expect_error(ErrorCode::kInvalidInput, {(folder / "other.csv").string(), "directory"},
                     [&] { check_golden(folder / "other.csv"); });
}

TEST(GoldenCsv, ToleratesWhatSpreadsheetsDo) {
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : kHeader + "\n" + kGoodRow + "\n\n") {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  EXPECT_EQ(parse_golden_access(windows, "w"), parse_golden_access(kHeader + kGoodRow, "u"));
  const auto shuffled = parse_golden_access(
      "pattern,id,note,access,bytes_per_lane,active_mask,shared_wavefronts,shared_bank_conflicts,"
      "global_requests,global_sectors,lane_byte_offsets\nseq , 1,x,ld.shared,4,0xffffffff,1,0,,, " +
          offsets(4) + " ",
      "s");
  EXPECT_EQ(shuffled, parse_golden_access(kHeader + kGoodRow, "u"));
}

TEST(GoldenCsv, NamesFileLineAndFault) {
  const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
    test::expect_error(ErrorCode::kInvalidInput, parts,
                       [&] { parse_golden_access(text, "dir/memory_access.csv"); });
  };
  const auto expect_row = [&](const std::string& bad, const std::string& part) {
    expect(kHeader + kGoodRow + bad, {"dir/memory_access.csv:3: ", part});
  };
  expect("", {"dir/memory_access.csv", "no rows"});
  expect(kHeader, {"no rows"});
  expect("id,access\n1,2\n", {"dir/memory_access.csv:1: ", "no column 'bytes_per_lane'"});
  expect_row("2,ld.shared,4\n", "3 fields, the header has 10");
  expect_row(row("1,ld.shared,4,seq,0xffffffff", "1,0,,"), "id 1 stands in the file twice");
  expect_row(row("x,ld.shared,4,seq,0xffffffff", "1,0,,"), "id 'x'");
  expect_row(row("-1,ld.shared,4,seq,0xffffffff", "1,0,,"), "id '-1'");
  expect_row(row("99999999999,ld.shared,4,seq,0xffffffff", "1,0,,"), "id '99999999999'");
  expect_row(row("2,ld.local,4,seq,0xffffffff", "1,0,,"), "access 'ld.local'");
  expect_row(row("2,ldmatrix.x3,16,seq,0xffffffff", "1,0,,", 16), "access 'ldmatrix.x3'");
  expect_row(row("2,ld.shared,5,seq,0xffffffff", "1,0,,"), "bytes_per_lane 5");
  expect_row(row("2,ldmatrix.x1,8,seq,0xffffffff", "1,0,,", 16), "bytes_per_lane 8");
  expect_row(row("2,ldmatrix.x1,16,seq,0x0000ffff", "1,0,,", 16), "needs all lanes");
  expect_row(row("2,ld.shared,4,seq,ffffffff", "1,0,,"), "active_mask 'ffffffff'");
  expect_row(row("2,ld.shared,4,seq,0x", "1,0,,"), "active_mask '0x'");
  expect_row(row("2,ld.shared,4,seq,0x1ffffffff", "1,0,,"), "active_mask");
  expect_row(row("2,ld.shared,4,seq,0xfffffffg", "1,0,,"), "active_mask");
  expect_row(row("2,ld.shared,8,seq,0xffffffff", "1,0,,"), "4 of lane 1 is not a multiple of 8");
  expect_row(row("2,ld.shared,4,seq,0xffffffff", "1.5,0,,"), "shared_wavefronts '1.5'");
  expect_row(row("2,ld.shared,4,seq,0xffffffff", "1,-1,,"), "shared_bank_conflicts '-1'");
  expect_row("2,ld.shared,4,seq,0xffffffff,0 4 8,1,0,,\n", "3 offsets, expected 32");
  expect_row("2,ld.shared,4,seq,0xffffffff," + offsets(4) + " 128,1,0,,\n", "more than 32");
  expect_row("2,ld.shared,4,seq,0xffffffff,0 4x,1,0,,\n", "offset of lane 1 is not a number");
  expect_row("2,ld.shared,4,seq,0xffffffff,,1,0,,\n", "0 offsets");
}

TEST(GoldenCsv, InactiveLanesMayPointAnywhere) {
  const std::string text = kHeader + row("1,ld.shared,8,seq,0x55555555", "1,0,,");
  EXPECT_EQ(parse_golden_access(text, "t").size(), 1u);
}

TEST(CapturePatterns, AreLegalAndCoverEveryAccess) {
  const auto rows = capture_patterns(1);
  EXPECT_GE(rows.size(), 400u);
  EXPECT_LE(rows.size(), 2100u);
  std::set<std::string> kinds;
  std::set<std::string> keys;
  for (const GoldenAccess& row : rows) {
    SCOPED_TRACE(row.access + " " + row.pattern);
    kinds.insert(row.access + " " + std::to_string(row.bytes_per_lane));
    EXPECT_TRUE(keys.insert(row.access + std::to_string(row.bytes_per_lane) + row.pattern).second);
    EXPECT_NE(row.active_mask, 0u);
    EXPECT_EQ(row.expected, AccessCounts{});
    const std::uint64_t bytes = static_cast<std::uint64_t>(row.bytes_per_lane);
    for (const LaneAddresses& side : {row.offsets, row.from}) {
      for (const std::uint64_t offset : side) {
        EXPECT_EQ(offset % bytes, 0u);
        EXPECT_LE(offset + bytes, kCaptureBytes);
      }
    }
  }
  // ld, st x shared, global x 4, 8, 16; ldmatrix, stmatrix x 1, 2, 4; cp.async x 4 x either side, both
  EXPECT_EQ(kinds.size(), 30u);
  EXPECT_TRUE(parse_golden_access(to_csv(rows), "captured") == rows);
}

TEST(CapturePatterns, TheSeedDecides) {
  EXPECT_TRUE(capture_patterns(5) == capture_patterns(5));
  EXPECT_FALSE(capture_patterns(5) == capture_patterns(6));
}

// Patterns that would not tell a right rule from a wrong one are not worth capturing.
TEST(CapturePatterns, TellRulesApart) {
  int merging = 0, not_merging = 0, half_decides = 0, masked = 0;
  for (const GoldenAccess& row : capture_patterns(1)) {
    if (row.access != "ld.shared" || row.bytes_per_lane == 4) continue;
    const int bytes = row.bytes_per_lane;
    const int load = shared_load(row.offsets, row.active_mask, bytes).wavefronts;
    const int store = shared_store(row.offsets, row.active_mask, bytes).wavefronts;
    ++(load == store ? not_merging : merging);
    if (row.active_mask != 0xFFFFFFFF) ++masked;
    const int low = shared_load(row.offsets, row.active_mask & 0xFFFF, bytes).wavefronts;
    const int high = shared_load(row.offsets, row.active_mask & 0xFFFF0000, bytes).wavefronts;
    if (low + high != load) ++half_decides;
  }
  EXPECT_GE(merging, 10);
  EXPECT_GE(not_merging, 20);
  EXPECT_GE(half_decides, 5);
  EXPECT_GE(masked, 20);
}

}  // namespace
}  // namespace tilewise::model
