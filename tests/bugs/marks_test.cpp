// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "marks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tilewise::bugs {
namespace {

using Checks = std::set<std::string>;

Marks marks_of(const std::string& text) {
  const std::string path = testing::TempDir() + "/tilewise_marks_test.cu";
  std::ofstream(path) << text;
  Marks marks;
  try {
    marks = read_marks(path);
  } catch (...) {
    std::filesystem::remove(path);
    throw;
  }
  std::filesystem::remove(path);
  return marks;
}

TEST(Marks, SayWhichChecksMustAndMayNameALine) {
  const Marks marks = marks_of("a;\nb;  // BUG: races, bounds\nc;  // also: sync\n");
  ASSERT_EQ(marks.required.size(), 1u);
  EXPECT_EQ(marks.required.at(2), (Checks{"races", "bounds"}));
  EXPECT_EQ(marks.allowed.at(3), Checks{"sync"});
  EXPECT_TRUE(marks.allows(2, "bounds"));
  EXPECT_TRUE(marks.allows(3, "sync"));
  EXPECT_FALSE(marks.allows(2, "sync"));
  EXPECT_FALSE(marks.allows(1, "races"));
  EXPECT_FALSE(marks.only_numerics);
}

TEST(Marks, AreMetByEveryLineOfOneKind) {
  const Marks marks =
      marks_of("a;  // BUG: races\nb;  // BUG: races\nc;  // or: sync\nd;  // also: sync\n");
  EXPECT_TRUE(marks.are_met({1, 2}));
  EXPECT_TRUE(marks.are_met({3}));
  EXPECT_TRUE(marks.are_met({1, 3, 4}));
  EXPECT_FALSE(marks.are_met({1, 4}));
  EXPECT_FALSE(marks.are_met({}));
  EXPECT_FALSE(marks_of("a;  // BUG: races\n").are_met({}));
}

TEST(Marks, OfNumericsAskForNoFinding) {
  const Marks marks = marks_of("d = f();  // BUG: numerics\n");
  EXPECT_TRUE(marks.only_numerics);
  EXPECT_TRUE(marks.required.empty());
}

TEST(Marks, AreMissingNowhere) { EXPECT_THROW(marks_of("a;\n"), std::runtime_error); }

TEST(Marks, LinesOfInlinedCodeAreThoseOfTheirCalls) {
  const std::string ptx =
      "mov;\n"
      ".loc 1 10 3\nadd;\n"
      ".loc 1 12 3\n.loc 2 5 7, function_name $L0, inlined_at 1 12 3\nld;\n"
      ".loc 2 9 1, function_name $L1, inlined_at 2 5 7\nst;\n"
      ".loc 3 1 1\nret;\n"
      ".file 1 \"bugs/kernel.cu\"\n.file 2 \"bugs/wrapper.cuh\"\n.file 3 \"else.cuh\"\n";
  const std::vector<int> lines = source_lines(ptx, "/kernel.cu");
  EXPECT_EQ(lines[1], 0);
  EXPECT_EQ(lines[3], 10);
  EXPECT_EQ(lines[6], 12);
  EXPECT_EQ(lines[8], 12);
  EXPECT_EQ(lines[10], 0);
}

}  // namespace
}  // namespace tilewise::bugs
