// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "sample.hpp"

namespace tilewise::report {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// A reader of RFC 4180 that accepts nothing else: lines end in CRLF, quotes are doubled.
Rows read_csv(const std::string& text) {
  Rows rows;
  std::size_t i = 0;
  while (i < text.size()) {
    std::vector<std::string> fields(1);
    while (true) {
      if (text.at(i) == '"') {
        for (++i; text.at(i) != '"' || text.at(i + 1) == '"'; ++i) {
          if (text[i] == '"') ++i;
          fields.back() += text[i];
        }
        ++i;
      }
      while (text.at(i) != ',' && text.at(i) != '\r') {
        EXPECT_NE(text[i], '"');
        fields.back() += text[i++];
      }
      if (text[i++] == '\r') break;
      fields.emplace_back();
    }
    EXPECT_EQ(text.at(i++), '\n');
    rows.push_back(fields);
  }
  return rows;
}

std::map<std::string, std::string> row_of(const Rows& rows, std::size_t rung) {
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < rows.at(0).size(); ++i) row[rows[0][i]] = rows.at(rung + 1).at(i);
  return row;
}

TEST(LadderCsv, EveryRowHasEveryColumn) {
  const Rows rows = read_csv(ladder_csv(test::cuda_result()));
  ASSERT_EQ(rows.size(), 7u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST(LadderCsv, FieldsWithCommasAndQuotesAreQuoted) {
  const std::string csv = ladder_csv(test::virtual_result());
  EXPECT_NE(csv.find("\"Naive, x and y exchanged\""), std::string::npos);
  EXPECT_NE(csv.find("\"2D tile <TM×TN> & \"\"registers\"\"\""), std::string::npos);
  const Rows rows = read_csv(csv);
  EXPECT_EQ(row_of(rows, 0)["title"], "Naive, x and y exchanged");
  EXPECT_EQ(row_of(rows, 2)["title"], "2D tile <TM×TN> & \"registers\"");
}

TEST(LadderCsv, FiguresAreExactAndAbsentOnesEmpty) {
  const Rows rows = read_csv(ladder_csv(test::virtual_result()));
  auto row = row_of(rows, 1);
  EXPECT_EQ(row["shared_load_conflicts"], "31000000");
  EXPECT_EQ(row["error"], "1.25e-07");
  EXPECT_EQ(row["verified"], "true");
  EXPECT_EQ(row["occupancy"], "1");
  EXPECT_EQ(row["time_ms"], "");
  EXPECT_EQ(row["hardware_global_load_sectors"], "");
  auto cpu = row_of(rows, 5);
  EXPECT_EQ(cpu["shared_load_conflicts"], "");
  EXPECT_EQ(cpu["registers"], "");
  auto real = row_of(read_csv(ladder_csv(test::cuda_result())), 3);
  EXPECT_EQ(real["gflops"], "48750.5");
  EXPECT_EQ(real["hardware_global_load_sectors"], "42");
  EXPECT_EQ(real["shared_load_conflicts"], "");
}

TEST(LadderCsv, FiguresOfTheCpuStandAtTheEnd) {
  const Rows rows = read_csv(ladder_csv(test::cpu_result()));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0][rows[0].size() - 3], "threads");
  EXPECT_EQ(row_of(rows, 2)["threads"], "2");
  EXPECT_EQ(row_of(rows, 0)["speed_up"], "");
  EXPECT_EQ(row_of(rows, 1)["gflops"], "94.72");
  EXPECT_EQ(row_of(read_csv(ladder_csv(test::cuda_result())), 3)["threads"], "");
}

}  // namespace
}  // namespace tilewise::report
