// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise ladder --device cpu`: the same table and the same files, on every build and machine.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../core/temporary_folder.hpp"
#include "core/file.hpp"
#include "core/npy.hpp"
#include "program.hpp"
#include "report/format.hpp"

namespace tilewise::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CpuLadder : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Json json(const std::string& name) const { return Json::parse(read_file(folder_ / name)); }

  Outcome ladder(const Words& more, const Environment& environment = {}) const {
    Words arguments{"ladder", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, environment);
  }

  TemporaryFolder folder_;
};

TEST_F(CpuLadder, TableOfEveryRungOnStdoutAndNothingOnStderr) {
  const Outcome outcome = ladder({"--m", "65", "--n", "97", "--k", "33"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* rung : {"triple_loop", "loop_order", "cache_blocks", "registers", "simd",
                           "packing", "prefetch", "threads", "engine"}) {
    EXPECT_TRUE(contains(outcome.out, std::string("\n") + rung + " ")) << rung;
  }
  EXPECT_TRUE(contains(outcome.out, "m = 65, n = 97, k = 33"));
  EXPECT_TRUE(contains(outcome.out, "FMA peak, measured: "));
  EXPECT_TRUE(contains(outcome.out, "GFLOP/s"));
  EXPECT_TRUE(contains(outcome.out, "9 rungs, every result equal to the f64 reference"));
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(report::text_width(line), 100u) << line;
  }
}

TEST_F(CpuLadder, FilesInAndOut) {
  npy::Array a{Dtype::kF64, Order::kRowMajor, 2, 3, {}},
      b{Dtype::kF32, Order::kColumnMajor, 3, 2, {}};
  const double a_values[] = {1, 2, 3, 4, 5, 6};
  const float b_values[] = {1, 0, -1, 2, 1, 0};  // columns (1, 0, -1) and (2, 1, 0)
  a.bytes.resize(sizeof a_values);
  b.bytes.resize(sizeof b_values);
  std::memcpy(a.bytes.data(), a_values, sizeof a_values);
  std::memcpy(b.bytes.data(), b_values, sizeof b_values);
  npy::write(path("a.npy"), a);
  npy::write(path("b.npy"), b);
  for (const char* rung : {"triple_loop", "registers", "prefetch", "engine"}) {
    const Outcome outcome =
        ladder({"--a", path("a.npy"), "--b", path("b.npy"), "--alpha", "2", "--rungs", rung,
                "--save-c", path("c.npy"), "--json", path("r.json"), "--csv", path("r.csv"),
                "--html", path("r.html")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const npy::Array c = npy::read(path("c.npy"));
    ASSERT_TRUE(c.rows == 2 && c.columns == 2);
    EXPECT_EQ(c.dtype, Dtype::kF32);
    const double expected[2][2] = {{-4, 8}, {-4, 26}};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) EXPECT_EQ(c.at(i, j), expected[i][j]) << rung << i << j;
    }
    EXPECT_TRUE(contains(read_file(folder_ / "r.csv"), std::string("\r\n") + rung + ","));
    EXPECT_TRUE(contains(read_file(folder_ / "r.html"), "id=\"rung-" + std::string(rung) + "\""));
    const Json result = json("r.json");
    EXPECT_EQ(result["context"]["a"], path("a.npy"));
    EXPECT_EQ(result["rungs"][0]["name"], rung);
    EXPECT_EQ(result["rungs"][0]["verified"], true);
  }
}

TEST_F(CpuLadder, RangesAndRepeat) {
  ASSERT_EQ(ladder({"--size", "32", "--rungs", "simd..prefetch", "--repeat", "4", "--json",
                    path("r.json")})
                .code,
            0);
  const Json result = json("r.json");
  ASSERT_EQ(result["rungs"].size(), 3u);
  EXPECT_EQ(result["rungs"][0]["name"], "simd");
  for (const Json& rung : result["rungs"]) EXPECT_EQ(rung["samples_ms"].size(), 4u);
}

TEST_F(CpuLadder, TheEnvironmentChoosesTheInstructionSet) {
  const Words words{"--size", "40", "--rungs", "simd", "--json", path("r.json")};
  ASSERT_EQ(ladder(words, {{"TILEWISE_CPU", "portable"}}).code, 0);
  EXPECT_EQ(json("r.json")["context"]["instruction_set"], "portable");
  const Outcome unknown = ladder(words, {{"TILEWISE_CPU", "sse9"}});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "TILEWISE_CPU=sse9")) << unknown.err;
}

TEST_F(CpuLadder, EmptyProblemsAreDone) {
  for (const Words& extents : {Words{"0", "5", "5"}, Words{"5", "0", "5"}, Words{"5", "5", "0"}}) {
    const Outcome outcome = ladder({"--m", extents[0], "--n", extents[1], "--k", extents[2]});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

}  // namespace
}  // namespace tilewise::test
