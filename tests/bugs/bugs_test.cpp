// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every planted bug is found, with the marked lines and no others, and nothing is found in its twin,
// whatever the order in which asynchronous operations take effect.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "launch.hpp"
#include "marks.hpp"
#include "table.hpp"

namespace tilewise::bugs {
namespace {

std::string describe(const Order& order, const Seen& seen) {
  std::string text = order.name + ":";
  for (const vgpu::Finding& f : seen.findings) text += "\n  [" + f.check + "] " + f.message;
  if (!seen.error.empty()) text += "\n  error: " + seen.error;
  return text;
}

class EveryBug : public testing::TestWithParam<const Case*> {
 protected:
  void SetUp() override {
    if (!images_exist()) GTEST_SKIP() << "built without nvcc: there are no kernels to run";
  }
};

void expect_marked_lines(const Case& bug, const Marks& marks, const Seen& seen) {
  std::set<int> named;
  for (const vgpu::Finding& finding : seen.findings) {
    for (const vgpu::Finding::Place& place : finding.places) {
      const int line = line_in(bug, place);
      EXPECT_TRUE(marks.allows(line, finding.check))
          << bug.name << ".cu:" << line << " is not marked for " << finding.check << ": "
          << finding.message;
      named.insert(line);
    }
    EXPECT_FALSE(finding.places.empty()) << finding.message;
  }
  EXPECT_TRUE(marks.are_met(named)) << "named were lines " << testing::PrintToString(named);
}

// A mark on a line without code could never be met.
TEST_P(EveryBug, IsMarkedOnLinesWithCode) {
  const Case& bug = *GetParam();
  const std::set<int> lines = lines_with_code(bug);
  const Marks marks = read_marks(source_of(bug));
  for (const Marks::Lines* part : {&marks.required, &marks.instead, &marks.allowed}) {
    for (const auto& [line, checks] : *part) {
      EXPECT_TRUE(lines.count(line) != 0) << bug.name << ".cu:" << line;
    }
  }
}

TEST_P(EveryBug, IsFoundAtItsLinesInEveryOrder) {
  const Case& bug = *GetParam();
  const Marks marks = read_marks(source_of(bug));
  for (const Order& order : orders()) {
    const Seen seen = launch(bug, false, order);
    SCOPED_TRACE(describe(order, seen));
    if (marks.only_numerics) {
      EXPECT_TRUE(seen.findings.empty() && seen.error.empty());
      EXPECT_NE(seen.result, bug.expected());
    } else {
      expect_marked_lines(bug, marks, seen);
    }
  }
}

TEST_P(EveryBug, IsNotSeenInTheTwin) {
  const Case& bug = *GetParam();
  for (const Order& order : orders()) {
    const Seen seen = launch(bug, true, order);
    SCOPED_TRACE(describe(order, seen));
    EXPECT_TRUE(seen.findings.empty());
    EXPECT_EQ(seen.error, "");
    EXPECT_EQ(seen.result, bug.expected());
  }
}

// With TILEWISE_BUGS_ROWS=FILE the rows are written there, for table.py.
TEST(Table, OfThePageSaysWhatIsFound) {
  if (!images_exist()) GTEST_SKIP() << "built without nvcc: there are no kernels to run";

  std::ifstream file(std::string(TILEWISE_TESTS_DIR) + "/../docs/bugs.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const char* path = std::getenv("TILEWISE_BUGS_ROWS");
  std::ofstream rows(path ? path : "/dev/null");
  for (const Case& bug : cases()) {
    const std::string row = table_row(bug);
    rows << row << "\n";
    if (path) continue;
    EXPECT_NE(page.find(row), std::string::npos) << "docs/bugs.md lacks\n" << row;
  }
}

TEST(Table, HasACaseForEveryKernelOfTheFolder) {
  std::set<std::string> files, names;
  for (const auto& entry : std::filesystem::directory_iterator(TILEWISE_TESTS_DIR "/bugs")) {
    if (entry.path().extension() == ".cu") files.insert(entry.path().stem().string());
  }
  for (const Case& bug : cases()) EXPECT_TRUE(names.insert(bug.name).second) << bug.name;
  EXPECT_EQ(names, files);
  EXPECT_GE(names.size(), 24u);
}

std::vector<const Case*> pointers() {
  std::vector<const Case*> result;
  for (const Case& c : cases()) result.push_back(&c);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Bugs, EveryBug, testing::ValuesIn(pointers()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace tilewise::bugs
