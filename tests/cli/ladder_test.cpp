// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise ladder` on the virtual GPU: what it reads, runs and writes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../core/temporary_folder.hpp"
#include "core/counters.hpp"
#include "core/file.hpp"
#include "core/float16.hpp"
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

using Element = double (*)(std::int64_t row, std::int64_t column);

npy::Array matrix(Dtype dtype, std::int64_t rows, std::int64_t columns, Order order,
                  Element element) {
  npy::Array array{dtype, order, rows, columns, {}};
  array.bytes.resize(static_cast<std::size_t>(rows * columns) * size_of(dtype));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const double f64 = element(r, c);
      const float f32 = static_cast<float>(f64);
      const std::uint16_t f16 = f64_to_f16(f64);
      const void* value = dtype == Dtype::kF64   ? static_cast<const void*>(&f64)
                          : dtype == Dtype::kF32 ? static_cast<const void*>(&f32)
                                                 : static_cast<const void*>(&f16);
      const std::int64_t index = order == Order::kRowMajor ? r * columns + c : c * rows + r;
      std::memcpy(array.bytes.data() + static_cast<std::size_t>(index) * size_of(dtype), value,
                  size_of(dtype));
    }
  }
  return array;
}

// Halves, so that every product and sum is exact in every type.
double a_element(std::int64_t r, std::int64_t c) {
  return static_cast<double>((r * 7 + c * 3) % 11 - 5) / 2;
}
double b_element(std::int64_t r, std::int64_t c) {
  return static_cast<double>((r * 5 + c * 2) % 9 - 4) / 2;
}

class Ladder : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_kernels()) GTEST_SKIP() << "built without nvcc";
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Json json(const std::string& name) const { return Json::parse(read_file(folder_ / name)); }

  // A small run that succeeds.
  Outcome small(const Words& more) const {
    Words arguments{"ladder", "--device", "virtual", "--m",     "33",           "--n",
                    "17",     "--k",      "9",       "--rungs", "naive,tile_2d"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(Ladder, TableOnStdoutAndNothingOnStderr) {
  const Outcome outcome = small({});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(outcome.out, "naive"));
  EXPECT_TRUE(contains(outcome.out, "tile_2d"));
  EXPECT_TRUE(contains(outcome.out, "m = 33, n = 17, k = 9"));
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(report::text_width(line), 100u) << line;
  }
}

TEST_F(Ladder, JsonHasTheSchema) {
  ASSERT_EQ(small({"--json", path("r.json"), "--alpha", "2", "--beta", "-0.5"}).code, 0);
  const Json result = json("r.json");
  EXPECT_EQ(result["context"]["alpha"], 2.0);
  EXPECT_EQ(result["context"]["beta"], -0.5);
  EXPECT_EQ(result["context"]["gpu"], "h200");
  EXPECT_EQ(result["context"]["virtual"], true);
  ASSERT_EQ(result["rungs"].size(), 2u);
  const Json& rung = result["rungs"][1];
  EXPECT_EQ(rung["name"], "tile_2d");
  for (const char* key : {"title", "dtype", "fidelity", "idea", "source", "entry", "checksum"}) {
    EXPECT_TRUE(rung[key].is_string()) << key;
  }
  for (const char* key : {"m", "n", "k", "error", "registers", "shared_bytes", "occupancy"}) {
    EXPECT_TRUE(rung[key].is_number()) << key;
  }
  EXPECT_EQ(rung["verified"], true);
  for (const CounterField& field : kCounterFields) {
    EXPECT_TRUE(rung["counters"][std::string(field.name)].is_number_unsigned()) << field.name;
  }
  EXPECT_FALSE(rung["lines"].empty());
  for (const char* key : {"time_ms", "gflops", "percent_of_cublas", "hardware_counters"}) {
    EXPECT_FALSE(rung.contains(key)) << key;
  }
}

// k FMAs an element, and each block's threads all run: exactly 33 × 17 × 9 useful ones for naive.
TEST_F(Ladder, CountersAreThoseOfTheProblem) {
  ASSERT_EQ(small({"--json", path("r.json")}).code, 0);
  const Json result = json("r.json");
  EXPECT_GE(result["rungs"][0]["counters"]["fma_threads"].get<int>(), 33 * 17 * 9);
  EXPECT_GT(result["rungs"][1]["counters"]["shared_load_wavefronts"].get<int>(), 0);
  EXPECT_EQ(result["rungs"][0]["counters"]["shared_load_wavefronts"], 0);
}

TEST_F(Ladder, SeedChoosesTheMatrices) {
  const auto checksum = [&](const std::string& seed) {
    EXPECT_EQ(small({"--seed", seed, "--json", path("s.json")}).code, 0);
    return json("s.json")["rungs"][0]["checksum"].get<std::string>();
  };
  const std::string first = checksum("1");
  EXPECT_EQ(checksum("1"), first);
  EXPECT_NE(checksum("2"), first);
}

TEST_F(Ladder, WritesCsvAndHtml) {
  ASSERT_EQ(small({"--csv", path("r.csv"), "--html", path("r.html")}).code, 0);
  const std::string csv = read_file(folder_ / "r.csv");
  EXPECT_TRUE(csv.starts_with("name,title,dtype,m,n,k,verified,error"));
  EXPECT_TRUE(contains(csv, "\r\nnaive,"));
  const std::string html = read_file(folder_ / "r.html");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(contains(html, "id=\"rung-tile_2d\""));
  EXPECT_EQ(folder_.entries(), 2u) << "temporary files are left";
}

TEST_F(Ladder, RangesOfRungs) {
  ASSERT_EQ(run({"ladder", "--device", "virtual", "--size", "16", "--rungs",
                 "shared..shared_padded", "--json", path("r.json")})
                .code,
            0);
  const Json result = json("r.json");
  EXPECT_EQ(result["rungs"].front()["name"], "shared");
  EXPECT_EQ(result["rungs"].back()["name"], "shared_padded");
}

TEST_F(Ladder, GpuIsTheOnePlayed) {
  ASSERT_EQ(small({"--gpu", "a100", "--json", path("r.json")}).code, 0);
  EXPECT_EQ(json("r.json")["context"]["gpu"], "a100");
}

TEST_F(Ladder, EmptyProblemsAreDone) {
  for (const Words& extents : {Words{"0", "5", "5"}, Words{"5", "0", "5"}, Words{"5", "5", "0"}}) {
    const Outcome outcome = run({"ladder", "--device", "virtual", "--rungs", "naive,tile_2d", "--m",
                                 extents[0], "--n", extents[1], "--k", extents[2]});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

class LadderFiles : public Ladder, public testing::WithParamInterface<std::pair<Dtype, Dtype>> {};

INSTANTIATE_TEST_SUITE_P(Types, LadderFiles,
                         testing::Values(std::pair(Dtype::kF32, Dtype::kF64),
                                         std::pair(Dtype::kF16, Dtype::kF32),
                                         std::pair(Dtype::kF64, Dtype::kF16)));

// The whole way: .npy in (A in C order, B in Fortran order), product, .npy out.
TEST_P(LadderFiles, AreMultiplied) {
  const auto [a_type, b_type] = GetParam();
  npy::write(path("a.npy"), matrix(a_type, 31, 13, Order::kRowMajor, a_element));
  npy::write(path("b.npy"), matrix(b_type, 13, 22, Order::kColumnMajor, b_element));
  for (const char* rung : {"naive", "f64_column_major", "cpu_loop"}) {
    const Outcome outcome =
        run({"ladder", "--device", "virtual", "--a", path("a.npy"), "--b", path("b.npy"), "--rungs",
             rung, "--save-c", path("c.npy"), "--alpha", "2", "--json", path("r.json")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const npy::Array c = npy::read(path("c.npy"));
    ASSERT_EQ(c.rows, 31);
    ASSERT_EQ(c.columns, 22);
    EXPECT_EQ(c.dtype, std::string(rung) == "f64_column_major" ? Dtype::kF64 : Dtype::kF32);
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        double sum = 0;
        for (std::int64_t p = 0; p < 13; ++p) sum += a_element(i, p) * b_element(p, j);
        ASSERT_EQ(c.at(i, j), 2 * sum) << rung << ' ' << i << ',' << j;
      }
    }
    EXPECT_EQ(json("r.json")["context"]["a"], path("a.npy"));
  }
}

TEST_F(Ladder, FilesThatDoNotFitAreNamed) {
  npy::write(path("a.npy"), matrix(Dtype::kF32, 4, 5, Order::kRowMajor, a_element));
  npy::write(path("b.npy"), matrix(Dtype::kF64, 6, 7, Order::kRowMajor, b_element));
  const std::string whole = read_file(path("a.npy"));
  folder_.with("short.npy", whole.substr(0, whole.size() - 3));
  folder_.with("text.npy", "1 2 3\n");
  std::string integers = whole;
  integers.replace(integers.find("<f4"), 3, "<i4");
  folder_.with("integers.npy", integers);

  const auto complaint = [&](const std::string& a, const std::string& b) {
    const Outcome outcome = run({"ladder", "--device", "virtual", "--a", path(a), "--b", path(b),
                                 "--json", path("never.json")});
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(std::filesystem::exists(path("never.json")));
    return outcome.err;
  };
  const std::string shapes = complaint("a.npy", "b.npy");
  EXPECT_TRUE(contains(shapes, "4×5") && contains(shapes, "6×7")) << shapes;
  EXPECT_TRUE(contains(complaint("missing.npy", "b.npy"), "missing.npy"));
  EXPECT_TRUE(contains(complaint("short.npy", "b.npy"), "short.npy"));
  EXPECT_TRUE(contains(complaint("a.npy", "text.npy"), "text.npy"));
  EXPECT_TRUE(contains(complaint("integers.npy", "b.npy"), "integers.npy"));
}

TEST_F(Ladder, OutputsAreCheckedBeforeTheRun) {
  npy::write(path("a.npy"), matrix(Dtype::kF32, 4, 4, Order::kRowMajor, a_element));
  std::filesystem::create_directory(path("folder"));
  const auto complaint = [&](const Words& outputs) {
    Words arguments{"ladder", "--device", "virtual", "--a", path("a.npy"), "--b", path("a.npy")};
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "") << "it ran before it noticed";
    return outcome.err;
  };
  const std::string before = read_file(path("a.npy"));
  EXPECT_TRUE(contains(complaint({"--json", path("no/such/r.json")}), "no/such"));
  EXPECT_TRUE(contains(complaint({"--html", path("folder")}), "--html"));
  EXPECT_TRUE(contains(complaint({"--csv", "/dev/null"}), "not a regular file"));
  EXPECT_TRUE(contains(complaint({"--save-c", path("a.npy")}), "an input"));
  EXPECT_TRUE(
      contains(complaint({"--csv", path("x"), "--json", path("folder/../x")}), "--json too"));
  EXPECT_EQ(read_file(path("a.npy")), before);
  EXPECT_EQ(folder_.entries(), 2u) << "something was left behind";
}

TEST_F(Ladder, AFailedRunLeavesOldOutputsAlone) {
  folder_.with("r.json", "old");
  EXPECT_EQ(
      run({"ladder", "--device", "virtual", "--size", "2000000", "--json", path("r.json")}).code,
      2);
  EXPECT_EQ(read_file(path("r.json")), "old");
}

TEST_F(Ladder, Colours) {
  EXPECT_FALSE(contains(small({}).out, "\033")) << "no terminal, no colour";
  EXPECT_TRUE(contains(small({"--color", "always"}).out, "\033["));
  EXPECT_FALSE(contains(small({"--color", "never"}).out, "\033"));
  const Words arguments{"ladder", "--device", "virtual", "--size", "8", "--rungs", "naive"};
  const std::string green = "\033[32m";
  EXPECT_TRUE(contains(run_on_terminal(arguments, 120).out, green));
  EXPECT_FALSE(contains(run_on_terminal(arguments, 120, {{"NO_COLOR", "1"}}).out, green));
  EXPECT_TRUE(contains(run_on_terminal(arguments, 120, {{"NO_COLOR", ""}}).out, green));
  EXPECT_FALSE(contains(run_on_terminal(arguments, 120, {{"TERM", "dumb"}}).out, "\033"));
}

TEST_F(Ladder, ProgressOnATerminalOnly) {
  const Words arguments{"ladder", "--device", "virtual",      "--size",
                        "16",     "--rungs",  "naive,tile_2d"};
  const Outcome shown = run_on_terminal(arguments, 120);
  EXPECT_EQ(shown.code, 0);
  EXPECT_TRUE(contains(shown.out, "[ 1/2] naive"));
  EXPECT_TRUE(contains(shown.out, "[ 2/2] tile_2d"));
  EXPECT_TRUE(contains(shown.out, "left"));
  EXPECT_EQ(run(arguments).err, "");
}

TEST_F(Ladder, TableFitsANarrowTerminal) {
  const Outcome outcome = run_on_terminal({"ladder", "--device", "virtual", "--size", "16",
                                           "--rungs", "naive,tile_2d", "--color", "never"},
                                          60);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(line.rfind('\033') == std::string::npos ? 0 : line.rfind('K') + 1);
    if (line.ends_with('\r')) line.pop_back();
    EXPECT_LE(report::text_width(line), 60u) << line;
  }
}

// What runs under a profiler: every rung once, and not a word.
TEST_F(Ladder, LaunchOnceIsSilent) {
  const Outcome outcome = small({"--launch-once"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(LadderWithoutKernels, RunsTheHostsRungAndSaysSo) {
  if (has_kernels()) GTEST_SKIP() << "built with nvcc";
  const Outcome outcome = run({"ladder", "--size", "16"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "cpu_loop"));
  EXPECT_TRUE(contains(outcome.err, "no GPU kernels")) << outcome.err;
  EXPECT_EQ(run({"ladder", "--size", "16", "--rungs", "naive"}).code, 2);
}

}  // namespace
}  // namespace tilewise::test
