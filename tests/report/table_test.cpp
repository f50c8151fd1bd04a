// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "report/format.hpp"
#include "report/report.hpp"
#include "sample.hpp"

namespace tilewise::report {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The line of figures of a rung.
std::string line_of(const std::string& table, std::string_view rung) {
  for (const std::string& line : lines_of(table)) {
    if (line.starts_with(rung)) return line;
  }
  return {};
}

class TableWidth : public testing::TestWithParam<int> {};

TEST_P(TableWidth, NoLineIsWider) {
  for (const auto& result : {test::virtual_result(), test::cuda_result(), test::cpu_result()}) {
    for (const std::string& line : lines_of(ladder_table(result, GetParam(), false))) {
      EXPECT_LE(text_width(line), static_cast<std::size_t>(GetParam())) << line;
      EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, TableWidth, testing::Values(40, 60, 80, 93, 100));

TEST(Table, LongFileNamesDoNotWidenIt) {
  bench::LadderResult result = test::virtual_result();
  result.context.a_file = std::string(150, 'a') + ".npy";
  result.context.b_file = "b.npy";
  result.context.device = std::string(200, 'd');
  for (const std::string& line : lines_of(ladder_table(result, 100, false))) {
    EXPECT_LE(text_width(line), 100u) << line;
  }
}

TEST(Table, ShowsCountersOnTheVirtualGpu) {
  const std::string table = ladder_table(test::virtual_result(), 100, false);
  const std::string line = line_of(table, "shared_column");
  EXPECT_TRUE(contains(line, "ok 1.2e-07")) << line;  // ties round to even: 1.25 prints as 1.2
  EXPECT_TRUE(contains(line, "1.06M")) << line;       // sectors: 1048576 + 8192
  EXPECT_TRUE(contains(line, "36.1M")) << line;       // wavefronts: 34000000 · 17 / 16
  EXPECT_TRUE(contains(line, "31.0M")) << line;       // conflicts
  EXPECT_TRUE(contains(line, "approx.")) << line;
  EXPECT_FALSE(contains(table, "GFLOP/s"));
  EXPECT_TRUE(contains(table, "virtual NVIDIA H200"));
  EXPECT_TRUE(contains(table, "C = 1.5·A·B + -0.5·C, m = 255, n = 257, k = 511"));
}

TEST(Table, ShowsTimesOnARealGpu) {
  const std::string table = ladder_table(test::cuda_result(), 100, false);
  const std::string line = line_of(table, "z_order");
  EXPECT_TRUE(contains(line, "48750")) << line;
  EXPECT_TRUE(contains(line, "95.6")) << line;
  EXPECT_TRUE(contains(line, "1.37 us")) << line;
  EXPECT_TRUE(contains(line, "1.23M")) << line;  // Nsight Compute's wavefronts: 1000000 + 234567
  EXPECT_TRUE(contains(table, "beside cuBLAS 13.1.0"));
  EXPECT_TRUE(contains(table, "Nsight Compute"));
}

TEST(Table, ShowsTimesAndThePeakOnTheCpu) {
  const std::string table = ladder_table(test::cpu_result(), 100, false);
  EXPECT_TRUE(contains(table, "FMA peak, measured: 118 GFLOP/s on 1 thread, 237 on 2\n"));
  const std::string loop = line_of(table, "triple_loop"), packing = line_of(table, "packing");
  EXPECT_TRUE(contains(loop, " 0.59 ")) << loop;
  EXPECT_TRUE(contains(loop, " 0.5 ")) << loop;  // % of the peak
  EXPECT_TRUE(contains(packing, " 94.7 ")) << packing;
  EXPECT_TRUE(contains(packing, " 80.0 ")) << packing;
  EXPECT_TRUE(contains(packing, " 160.00 ")) << packing;
  EXPECT_TRUE(line_of(table, "threads").ends_with(" 2.00        2")) << line_of(table, "threads");
  EXPECT_TRUE(contains(table, "    Copies in the order in which tiles read them.\n"));
  EXPECT_FALSE(contains(table, "cuBLAS"));
  EXPECT_FALSE(contains(table, "regis-"));
}

TEST(Table, EveryRungShowsItsIdeaAndItsLimit) {
  const std::string table = ladder_table(test::virtual_result(), 100, false);
  EXPECT_TRUE(
      contains(table, "    Lanes in Z order: no conflicts on load or store.  Limit: shared"));
  // Where the idea leaves no room, the limit has its own line.
  EXPECT_TRUE(contains(table, "same bank.\n    Limit: shared-memory wavefronts."));
  EXPECT_TRUE(contains(table, "rungs have fewer blocks than the 132 SMs of NVIDIA H200"));
}

TEST(Table, AFigureThatWasNotMeasuredIsADash) {
  const std::string line = line_of(ladder_table(test::virtual_result(), 100, false), "cpu");
  EXPECT_TRUE(contains(line, "–")) << line;
}

TEST(Table, WrongResultsStandOutWithoutColour) {
  bench::LadderResult result = test::virtual_result();
  result.rungs[2].verified = false;
  result.rungs[2].error = 0.5;
  const std::string table = ladder_table(result, 100, false);
  EXPECT_TRUE(contains(line_of(table, "tile_2d"), "WRONG 5.0e-01"));
  EXPECT_TRUE(contains(table, "WRONG results: 1 of 6: tile_2d"));
  EXPECT_FALSE(contains(table, "every result equal"));
}

TEST(Table, NamesWhyCountersAreApproximateOnce) {
  const std::string table = ladder_table(test::virtual_result(), 100, false);
  EXPECT_TRUE(
      contains(table, "approximate: shared_column, z_order: ptxas merged two loads of line 12"));
}

TEST(Table, ColourOnlyWhenAllowed) {
  EXPECT_FALSE(contains(ladder_table(test::virtual_result(), 100, false), "\033"));
  const std::string colored = ladder_table(test::virtual_result(), 100, true);
  EXPECT_TRUE(contains(colored, "\033[32m"));
  std::string plain;  // taking the colours out leaves the uncoloured table
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\033') i = colored.find('m', i);
    else plain += colored[i];
  }
  EXPECT_EQ(plain, ladder_table(test::virtual_result(), 100, false));
}

TEST(Table, NoRungs) {
  bench::LadderResult result;
  result.context = test::virtual_result().context;
  EXPECT_TRUE(contains(ladder_table(result, 100, false), "0 rungs"));
}

}  // namespace
}  // namespace tilewise::report
