// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewise::report {
namespace {

bench::TuneResult faster() {
  bench::TuneResult result;
  result.problem = bench::make_problem({"given", false, true, 64, 128, 4096}, Dtype::kF32,
                                       Dtype::kF32, ComputeMode::kAccurate);
  result.planner = "simt_f32_32x32,split=8", result.winner = "simt_f32_64x64,split=4";
  result.planner_us = 12.5, result.winner_us = 10, result.noise = 1.75;
  result.plans = {{result.winner, 11, 10.25, true}, {result.planner, 9, 12.75, true}};
  for (int i = 0; i < 10; ++i)
    result.plans.push_back({"other,split=" + std::to_string(i), 20, 30, false});
  result.is_tuned = true;
  return result;
}

bench::TuneResult unchanged() {
  bench::TuneResult result = faster();
  result.winner = result.planner;
  result.winner_us = result.planner_us;
  return result;
}

bench::TuneReport report() {
  bench::TuneReport report;
  report.context = {"0.1.0",    "abc",      "2026-01-02T03:04:05Z", "a GPU", "h200",
                    "mine.csv", "x.sqlite", "0123456789abcdef",     1};
  report.results = {faster(), unchanged(), {}};
  report.results.back().problem = faster().problem;
  report.results.back().trouble = "no kernel";
  return report;
}

TEST(Tuning, ShowsTheWinnerAndThoseThatCameNear) {
  EXPECT_EQ(
      tuning_of(faster(), false),
      "f32 accurate 64x128x4096 NT: simt_f32_64x64,split=4, 1.25 times as fast as the "
      "planner's choice\n"
      "  plan                                         estimate us measured us\n"
      "  simt_f32_64x64,split=4                             11.00       10.25  tuned: -20.0 %, "
      "noise 1.8 %\n"
      "  simt_f32_32x32,split=8                              9.00       12.75  the planner's\n"
      "  other,split=0                                      20.00       30.00  shortest of a few "
      "runs\n"
      "  other,split=1                                      20.00       30.00  shortest of a few "
      "runs\n"
      "  other,split=2                                      20.00       30.00  shortest of a few "
      "runs\n"
      "  other,split=3                                      20.00       30.00  shortest of a few "
      "runs\n"
      "  and 6 more\n");
  EXPECT_EQ(tuning_of(unchanged(), false).substr(0, 71),
            "f32 accurate 64x128x4096 NT: the planner's choice, simt_f32_32x32,split");
}

TEST(Tuning, ShowsThePlannersChoiceHoweverFarBehind) {
  bench::TuneResult result = faster();
  std::rotate(result.plans.begin() + 1, result.plans.begin() + 2, result.plans.end());
  const std::string text = tuning_of(result, false);
  EXPECT_NE(text.find("12.75  the planner's\n  and 5 more\n"), std::string::npos) << text;
}

TEST(Tuning, SaysWhatWentWrong) {
  bench::TuneResult result = faster();
  result.is_tuned = false, result.trouble = "needs more", result.plans.clear();
  EXPECT_EQ(tuning_of(result, false), "f32 accurate 64x128x4096 NT: not tuned: needs more\n");
  result = unchanged();
  result.trouble = "x is faster but wrong: element 3";
  EXPECT_NE(tuning_of(result, false).find("NT: x is faster but wrong: element 3\n"),
            std::string::npos);
}

TEST(Tuning, SumsUp) {
  EXPECT_EQ(
      tuning_summary(report()),
      "2 products tuned: 1 keeps the planner's choice, 1 takes another plan, in the geometric "
      "mean 1.25 times as fast (most: 1.25, f32 accurate 64x128x4096 NT)\n"
      "The planner's regret: 11.8 % in the geometric mean over all of them\n");
  bench::TuneReport none;
  none.left_alone = 3, none.was_stopped = true;
  EXPECT_EQ(tuning_summary(none),
            "0 products tuned\n3 had a tuned plan already and were left alone\n"
            "Interrupted: what is listed above is kept\n");
}

TEST(Tuning, AsJson) {
  const auto json = nlohmann::json::parse(tuning_json(report()));
  EXPECT_EQ(json["context"]["file"], "x.sqlite");
  EXPECT_EQ(json["context"]["kernels"], "0123456789abcdef");
  EXPECT_EQ(json["results"].size(), 3u);
  const auto& first = json["results"][0];
  EXPECT_EQ(first["trans_b"], "T");
  EXPECT_EQ(first["mode"], "accurate");
  EXPECT_EQ(first["winner"], "simt_f32_64x64,split=4");
  EXPECT_EQ(first["gain"], 1.25);
  EXPECT_EQ(first["plans"].size(), 12u);
  EXPECT_EQ(first["plans"][0]["estimate_us"], 11);
  EXPECT_EQ(first["plans"][2]["in_rounds"], false);
  EXPECT_EQ(json["results"][2]["trouble"], "no kernel");
  EXPECT_FALSE(json["results"][2].contains("winner"));
  EXPECT_EQ(json["summary"]["tuned"], 2);
  EXPECT_EQ(json["summary"]["changed"], 1);
}

TEST(TunedTable, TellsPlansThatAreUsedFromOthers) {
  gpu::TunedRow row;
  row.on = {"NVIDIA H200", "9.0", 132, "0123456789abcdef"};
  row.key = {Dtype::kBF16, Dtype::kF32, ComputeMode::kIeee, true, true, 64, 128, 4096, 3, {}, {}};
  row.tuned = {"a,split=3",           10, "b,split=1", 12.5, "NVIDIA H200, driver 1", "0.1.0",
               "2026-01-02T03:04:05Z"};
  gpu::TunedRow other = row;
  other.on.kernels = "fedcba9876543210";
  other.tuned.planner = other.tuned.plan;
  const gpu::TunedFile::Rows rows{{row, other}, {"'f33': expected f32"}};
  const std::string text = tuned_table(rows, {row.on});
  EXPECT_NE(text.find("bf16->f32 64x128x4096 NT, 3 times "), std::string::npos) << text;
  EXPECT_NE(text.find("    1.25  2026-01-02 on NVIDIA H200\n"), std::string::npos) << text;
  EXPECT_NE(text.find("–  2026-01-02 on NVIDIA H200 *\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n2 plans\n* of another GPU"), std::string::npos) << text;
  EXPECT_NE(text.find("\nignored: 'f33': expected f32\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(tuned_json(rows, {row.on}));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["used_here"], true);
  EXPECT_EQ(json[1]["used_here"], false);
  EXPECT_EQ(json[0]["trans"], "nt");
  EXPECT_EQ(json[0]["planner_microseconds"], 12.5);
}

}  // namespace
}  // namespace tilewise::report
