// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/suite.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"

namespace tilewise::bench {
namespace {

constexpr const char* kHead = "group,trans_a,trans_b,m,n,k\n";

TEST(Suite, ReadsEveryField) {
  const std::vector<GemmShape> shapes = parse_suite(
      std::string("# a comment\n\n") + kHead + "one,N,T,1,22,333\r\n two words , T , N ,4,5,6",
      "s");
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].group, "one");
  EXPECT_EQ(shape_name(shapes[0]), "1x22x333 NT");
  EXPECT_EQ(shapes[1].group, "two words");
  EXPECT_EQ(shape_name(shapes[1]), "4x5x6 TN");
}

TEST(Suite, TheDefaultIsTheFileOfTheRepository) {
  std::ifstream file(TILEWISE_TESTS_DIR "/../bench/suites/cpu.csv");
  std::ostringstream text;
  text << file.rdbuf();
  const std::vector<GemmShape> of_file = parse_suite(text.str(), "file");
  const std::vector<GemmShape> embedded = load_suite("cpu");
  ASSERT_EQ(embedded.size(), of_file.size());
  EXPECT_GE(embedded.size(), 40u);
  for (std::size_t i = 0; i < embedded.size(); ++i) {
    EXPECT_EQ(embedded[i].group + shape_name(embedded[i]),
              of_file[i].group + shape_name(of_file[i]));
  }
  EXPECT_FALSE(load_suite("short").empty());
}

TEST(Suite, WithoutTranspositionsNothingIsTransposed) {
  const std::vector<GemmShape> shapes = parse_suite("group,m,n,k\nodd,7,8,9\n", "s");
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].group, "odd");
  EXPECT_EQ(shape_name(shapes[0]), "7x8x9 NN");
  EXPECT_EQ(load_suite("gpu").size(), 55u);
  EXPECT_EQ(load_suite("batch").size(), 32u);
}

TEST(Suite, WithoutBatchProductsStandAlone) {
  const auto batches = [](const std::string& text) {
    std::vector<std::int64_t> found;
    for (const GemmShape& shape : parse_suite(text, "s")) found.push_back(shape.batch);
    return found;
  };
  EXPECT_EQ(batches(std::string(kHead) + "g,N,N,7,8,9\n"), std::vector<std::int64_t>{1});
  EXPECT_EQ(batches("group,m,n,k,batch\ng,7,8,9,10\ng,7,8,9,1\n"),
            (std::vector<std::int64_t>{10, 1}));
  EXPECT_EQ(batches("group,trans_a,trans_b,m,n,k,batch\ng,N,T,7,8,9,11\n"),
            std::vector<std::int64_t>{11});
  const GemmShape shape{"g", true, false, 7, 8, 9, 12};
  EXPECT_EQ(shape_name(shape), "7x8x9 TN, 12 times");
}

TEST(Suite, ReadsAFile) {
  const test::TemporaryFolder folder;
  const auto file = folder.with("own.csv", std::string(kHead) + "g,N,N,3,4,5\n");
  EXPECT_EQ(load_suite(file.string()).size(), 1u);
  test::expect_error(ErrorCode::kInvalidInput, {"nowhere.csv"},
                     [&] { load_suite((folder / "nowhere.csv").string()); });
}

struct Malformed {
  std::string text;
  std::vector<std::string> parts;
};

class MalformedSuite : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSuite, IsRefusedWithLineAndField) {
  std::vector<std::string> parts = GetParam().parts;
  parts.emplace_back("s.csv");
  test::expect_error(ErrorCode::kInvalidInput, parts,
                     [] { parse_suite(GetParam().text, "s.csv"); });
}

std::string row(const std::string& text) { return kHead + text; }

INSTANTIATE_TEST_SUITE_P(
    All, MalformedSuite,
    testing::Values(Malformed{"", {"no product"}}, Malformed{kHead, {"no product"}},
                    Malformed{"group,m,n,k\n", {"no product"}},
                    Malformed{"group,m,k,n\nx,1,1,1\n", {":1:", "column 'n'", "'k'"}},
                    Malformed{"group,m,n,k\nx,N,N,1,1,1\n", {":2:", "expected 4 fields", "got 6"}},
                    Malformed{"group,m,n,k\nx,1,1,0\n", {":2:", "k:", "'0'"}},
                    Malformed{"group,m,n\n", {":1:", "expected 4 fields", "got 3"}},
                    Malformed{"group,trans_a,trans_b,m,k,n\nx,N,N,1,1,1\n",
                              {":1:", "column 'n'", "'k'"}},
                    Malformed{"group,m,n,k,batch\nx,1,1,1,0\n", {":2:", "batch:", "'0'"}},
                    Malformed{"group,m,n,k,count\n", {":1:", "expected 4 fields", "got 5"}},
                    Malformed{"group,m,n,k,batch\nx,1,1,1,2\nx,1,1,1,2\n",
                              {":3:", "1x1x1 NN, 2 times", "twice"}},
                    Malformed{row("g,N,N,1,1\n"), {":2:", "expected 6 fields", "got 5"}},
                    Malformed{row("g,N,N,1,1,1,\n"), {":2:", "got 7"}},
                    Malformed{row("g,n,N,1,1,1\n"), {":2:", "trans_a", "'n'"}},
                    Malformed{row("g,N,,1,1,1\n"), {":2:", "trans_b", "''"}},
                    Malformed{row("g,N,N,0,1,1\n"), {":2:", "m:", "'0'"}},
                    Malformed{row("g,N,N,1,-1,1\n"), {":2:", "n:", "'-1'"}},
                    Malformed{row("g,N,N,1,1,1e3\n"), {":2:", "k:", "'1e3'"}},
                    Malformed{row("g,N,N,1,1,99999999999999999999\n"), {":2:", "k:"}},
                    Malformed{row(",N,N,1,1,1\n"), {":2:", "group"}},
                    Malformed{row("all,N,N,1,1,1\n"), {":2:", "'all'"}},
                    Malformed{row("a\tb,N,N,1,1,1\n"), {":2:", "control character"}},
                    Malformed{row("g,N,N,1,2,3\ng,N,N,1,2,3\n"), {":3:", "1x2x3 NN", "twice"}},
                    Malformed{std::string("\0\xff\xfe", 3), {":1:"}}));

}  // namespace
}  // namespace tilewise::bench
