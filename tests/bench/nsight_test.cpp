// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/nsight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"
#include "core/file.hpp"

namespace tilewise::bench {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

// As `ncu --query-metrics` prints it (2022.3), shortened.
constexpr std::string_view kQuery =
    "Device NVIDIA H200 (GH100)\n"
    "--------------------------- --------------- --------------- ----------------------\n"
    "Metric Name                 Metric Type     Metric Unit     Metric Description\n"
    "--------------------------- --------------- --------------- ----------------------\n"
    "dram__bytes                 Counter         byte            # of bytes accessed in DRAM\n"
    "smsp__inst_executed         Counter         inst            # of warp instructions with a "
    "long\n"
    "                                                            smsp__not_a_name description\n";

// As `ncu --csv --page raw --print-units base` writes it: ncu's words, a header, units, launches.
constexpr std::string_view kReport =
    "==PROF== Connected to process 4711 (/usr/bin/tilewise)\r\n"
    "==PROF== Profiling \"ladder_naive\" - 0: 0%....50%....100% - 3 passes\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"a__x.sum\",\"b__y.sum\",\"c__z.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"inst\",\"\"\n"
    "\"0\",\"4711\",\"ladder_naive\",\"(32, 32, 1)\",\"1,234,567\",\"8.00\",\"n/a\"\n"
    "\"1\",\"4711\",\"say \"\"hi\"\"\",\"(32, 1, 1)\",\"7\",\"0\",\"3\"\n";

const std::vector<std::string> kWanted{"a__x", "b__y", "c__z"};

LadderResult two_rungs() {
  LadderResult result;
  for (const char* name : {"naive", "tile_2d"}) {
    RungResult row;
    row.rung = &kernels::find_rung(name);
    row.m = row.n = row.k = 8;
    row.entry = row.rung->entry;
    result.rungs.push_back(row);
  }
  return result;
}

TEST(NsightText, NamesOfAQuery) {
  EXPECT_EQ(parse_metric_names(kQuery),
            (std::set<std::string>{"dram__bytes", "smsp__inst_executed"}));
  EXPECT_TRUE(parse_metric_names("").empty());
}

TEST(NsightText, LaunchesOfAReport) {
  const std::vector<ProfiledLaunch> launches = parse_launches(kReport, kWanted);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "ladder_naive");
  EXPECT_EQ(launches[0].values, (std::map<std::string, double>{{"a__x", 1234567}, {"b__y", 8}}));
  EXPECT_EQ(launches[1].kernel, "say \"hi\"");
  EXPECT_EQ(launches[1].values.at("c__z"), 3);
}

TEST(NsightText, AReportWithoutLaunchesGivesNcusReason) {
  expect_error(ErrorCode::kDriver, {"ERR_NVGPUCTRPERM - no permission"}, [] {
    parse_launches("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\n", kWanted);
  });
  expect_error(ErrorCode::kDriver, {"No kernels were profiled."},
               [] { parse_launches("==WARNING== No kernels were profiled.\n", kWanted); });
  expect_error(ErrorCode::kDriver, {"no output"}, [] { parse_launches("", kWanted); });
}

TEST(NsightMetrics, FirstSpellingThatExistsIsTaken) {
  const std::set<std::string> available{"old", "sum_a", "sum_b"};
  EXPECT_EQ(choose_metrics("x", {{"new"}, {"old"}, {"sum_a"}}, available).metrics,
            std::vector<std::string>{"old"});
  EXPECT_EQ(choose_metrics("x", {{"sum_a", "sum_b"}}, available).text(), "sum_a.sum + sum_b.sum");
  EXPECT_TRUE(choose_metrics("x", {{"sum_a", "gone"}}, available).metrics.empty());
}

TEST(NsightMetrics, CountersThatNothingStandsForAreLeftOut) {
  const std::set<std::string> available{
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld",
      "smsp__sass_inst_executed_op_shared_ld",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
      "smsp__sass_thread_inst_executed_op_ffma_pred_on",
  };
  std::map<std::string, std::string> names;
  for (const MetricChoice& choice : ladder_metrics(available)) names[choice.name] = choice.text();
  EXPECT_EQ(
      names,
      (std::map<std::string, std::string>{
          {"shared_load_instructions", "smsp__sass_inst_executed_op_shared_ld.sum"},
          {"shared_load_wavefronts",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
          {"shared_load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"}}));
}

// Every name is one of ours, so that virtual and real counters stand under the same keys.
TEST(NsightMetrics, NamesAreThoseOfTheCounters) {
  std::set<std::string> everything;
  for (const char* op : {"ld", "st"}) {
    for (const char* stem : {"smsp__inst_executed_op_shared_", "smsp__inst_executed_op_global_"}) {
      everything.insert(std::string(stem) + op + "_pred_on_any");
    }
    for (const char* stem : {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_",
                             "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_",
                             "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_"}) {
      everything.insert(std::string(stem) + op);
    }
  }
  const std::vector<MetricChoice> choices = ladder_metrics(everything);
  EXPECT_EQ(choices.size(), 10u);
  for (const MetricChoice& choice : choices) {
    const bool known = std::any_of(kCounterFields.begin(), kCounterFields.end(),
                                   [&](const CounterField& f) { return f.name == choice.name; });
    EXPECT_TRUE(known) << choice.name;
  }
}

TEST(NsightMetrics, SumsAndAbsentValues) {
  const std::vector<MetricChoice> choices{{"one", {"a", "b"}}, {"two", {"a", "missing"}}};
  const ProfiledLaunch launch{"k", {{"a", 3}, {"b", 39}}};
  const std::vector<HardwareCounter> counters = read_counters(choices, launch);
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(counters[0].name, "one");
  EXPECT_EQ(counters[0].metric, "a.sum + b.sum");
  EXPECT_EQ(counters[0].value, 42u);
}

TEST(NsightMetrics, EachRungTakesTheLaunchOfItsKernel) {
  LadderResult result = two_rungs();
  const std::string naive(result.rungs[0].entry), tile(result.rungs[1].entry);
  const std::vector<ProfiledLaunch> launches{
      {tile, {{"a", 2}}}, {"memset", {{"a", 9}}}, {naive, {{"a", 1}}}};
  add_hardware_counters(result, {{"barriers", {"a"}}}, launches);
  EXPECT_EQ(result.rungs[0].hardware_counters.at(0).value, 1u);
  EXPECT_EQ(result.rungs[1].hardware_counters.at(0).value, 2u);
}

TEST(NsightMetrics, AMissingLaunchNamesTheRung) {
  LadderResult result = two_rungs();
  const std::vector<ProfiledLaunch> launches{{std::string(result.rungs[0].entry), {}}};
  expect_error(ErrorCode::kDriver, {"tile_2d"},
               [&] { add_hardware_counters(result, {}, launches); });
}

// A program that stands in for ncu: a shell script named by TILEWISE_NCU.
class NsightProgram : public testing::Test {
 protected:
  void play(const std::string& script) {
    const fs::path path = folder_.with("ncu", "#!/bin/sh\n" + script);
    fs::permissions(path, fs::perms::owner_all);
    ::setenv("TILEWISE_NCU", path.c_str(), 1);
  }
  void TearDown() override { ::unsetenv("TILEWISE_NCU"); }

  // A script that finds the file after --log-file, as ncu does.
  static std::string into_log(const std::string& text) {
    return "while [ $# -gt 0 ]; do [ \"$1\" = --log-file ] && log=$2; shift; done\n"
           "cat > \"$log\" <<'END'\n" +
           text + "END\n";
  }

  test::TemporaryFolder folder_;
};

TEST_F(NsightProgram, Query) {
  play("[ \"$*\" = --query-metrics ] || exit 9\ncat <<'END'\n" + std::string(kQuery) + "END\n");
  EXPECT_EQ(Nsight().query_metrics().size(), 2u);
}

TEST_F(NsightProgram, FailedQuerySaysWhy) {
  play("echo '==ERROR== driver too old'; exit 3\n");
  expect_error(ErrorCode::kDriver, {"driver too old", "3"}, [] { Nsight().query_metrics(); });
}

TEST_F(NsightProgram, ProfileReadsTheLogAndPassesTheCommand) {
  play("echo \"$@\" > " + (folder_ / "arguments").string() + "\n" + into_log(std::string(kReport)));
  const auto launches = Nsight().profile({"/bin/program", "--its", "option"}, kWanted);
  EXPECT_EQ(launches.size(), 2u);
  const std::string arguments = read_file(folder_ / "arguments");
  EXPECT_NE(arguments.find("--metrics a__x.sum,b__y.sum,c__z.sum /bin/program --its option"),
            std::string::npos)
      << arguments;
  EXPECT_NE(arguments.find("--csv --page raw"), std::string::npos) << arguments;
  EXPECT_NE(arguments.find("--clock-control none"), std::string::npos) << arguments;
}

TEST_F(NsightProgram, FailedProfileGivesNcusReason) {
  play(into_log("==ERROR== ERR_NVGPUCTRPERM - ask your administrator\n") + "exit 1\n");
  expect_error(ErrorCode::kDriver, {"ERR_NVGPUCTRPERM - ask your administrator"},
               [] { Nsight().profile({"/bin/true"}, kWanted); });
}

TEST_F(NsightProgram, FailedProgramGivesItsLastWords) {
  play(into_log("==ERROR== The application returned an error code (3).\n"
                "==WARNING== No kernels were profiled.\n") +
       "echo 'tilewise: no CUDA device' >&2; exit 3\n");
  expect_error(ErrorCode::kDriver, {"tilewise: no CUDA device", "exit code 3"},
               [] { Nsight().profile({"/bin/true"}, kWanted); });
}

TEST_F(NsightProgram, AbsentProgramSaysWhatToInstall) {
  ::setenv("TILEWISE_NCU", (folder_ / "nothing").c_str(), 1);
  expect_error(ErrorCode::kUnsupported, {"TILEWISE_NCU", "nothing"}, [] { Nsight(); });
}

}  // namespace
}  // namespace tilewise::bench
