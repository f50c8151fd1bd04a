// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../core/temporary_folder.hpp"
#include "core/file.hpp"
#include "program.hpp"

namespace tilewise::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PlanCommand, ShowsTheChoiceAndItsRivals) {
  const Outcome outcome =
      run({"plan", "--m", "4096", "--n", "4096", "--k", "4096", "--gpu", "h200"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"ieee (f32 -> f32), 4096×4096×4096, nn on NVIDIA H200",
        "Plan: simt_f32_128x128_aligned (kernel gemm_simt_f32_128x128_aligned_kx",
        "0 bytes of workspace", "simt_f32_64x64", "simt_f32_32x32", "TFLOP/s"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in:\n" << outcome.out;
  }
}

TEST(PlanCommand, NamesTheKernelThatRuns) {
  const auto out = [](const char* m) {
    return run({"plan", "--m", m, "--n", "8192", "--k", "512", "--dtype", "bf16", "--gpu", "h200"},
               {{"TILEWISE_PLAN", "warpgroup_bf16_128x192_turns"}})
        .out;
  };
  const std::string whole = out("8192"), rest = out("8200");
  EXPECT_TRUE(contains(whole, "(kernel gemm_warpgroup_bf16_128x192_turns_boxes,")) << whole;
  EXPECT_TRUE(contains(rest, "(kernel gemm_warpgroup_bf16_128x192_turns,")) << rest;
}

TEST(PlanCommand, FollowsTheWish) {
  const Outcome outcome =
      run({"plan", "--m", "64", "--n", "64", "--k", "4096", "--trans", "tn", "--gpu", "a100"},
          {{"TILEWISE_PLAN", "simt_f32_64x64,split=4"}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Plan: simt_f32_64x64,split=4 (kernel gemm_simt_f32_64x64_xx"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "k in 4 parts of 1024"));
  EXPECT_TRUE(contains(outcome.out, "as TILEWISE_PLAN asks"));
  const Outcome unknown = run({"plan", "--m", "1", "--n", "1", "--k", "1", "--gpu", "a100"},
                              {{"TILEWISE_PLAN", "simt"}});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "TILEWISE_PLAN=simt: there is no GPU kernel")) << unknown.err;
}

TEST(PlanCommand, Json) {
  const TemporaryFolder folder;
  const std::string file = (folder / "plan.json").string();
  ASSERT_EQ(run({"plan", "--m", "100", "--n", "200", "--k", "300", "--dtype", "f64", "--gpu",
                 "a100", "--json", file})
                .code,
            0);
  const auto json = nlohmann::json::parse(read_file(file));
  double best = 1e30;
  std::string name;
  for (const auto& candidate : json["candidates"]) {
    if (candidate.contains("refusal")) continue;
    const double total = candidate["microseconds"]["total"];
    if (total < best) best = total, name = candidate["plan"];
  }
  EXPECT_EQ(json["plan"], name);
  EXPECT_FALSE(name.empty());
}

// What C takes to be read as well may make another plan the fastest, by a kernel that adds.
TEST(PlanCommand, AddsToC) {
  const auto planned = [](const std::string& beta) {
    const Outcome outcome = run({"plan", "--m", "8192", "--n", "8192", "--k", "32", "--dtype",
                                 "bf16", "--beta", beta, "--gpu", "h200"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_TRUE(contains(planned("1"), ", added to C, nn on NVIDIA H200\n"));
  EXPECT_TRUE(contains(planned("-0.5"), "gemm_outer_bf16_k_adding"));
  EXPECT_FALSE(contains(planned("0"), "add"));
}

TEST(PlanCommand, Refusals) {
  const auto refused = [](const std::vector<std::string>& arguments, const char* words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, words)) << outcome.err;
  };
  refused({"plan", "--m", "1", "--n", "1"}, "--k");
  refused({"plan", "--m", "-1", "--n", "1", "--k", "1"}, "--m");
  refused({"plan", "--m", "1", "--n", "0", "--k", "1"}, "--n: expected a whole number from 1");
  refused({"plan", "--m", "1", "--n", "1", "--k", "1", "--dtype", "f33"}, "f33");
  refused({"plan", "--m", "1", "--n", "1", "--k", "1", "--out-dtype", "f64"},
          "--out-dtype: 'f64': expected f32");
  refused({"plan", "--m", "9", "--n", "9", "--k", "9", "--lda", "8"},
          "a.leading_dimension = 8: expected at least 9");
  refused({"plan", "--m", "1", "--n", "1", "--k", "1", "--dtype", "f64", "--mode", "tf32"},
          "no GPU kernel");
  refused({"plan", "--m", "1", "--n", "1", "--k", "1", "--beta", "one"}, "--beta");
  refused({"plan", "--m", "1", "--n", "1", "--k", "1", "--gpu", "h201"}, "did you mean 'h200'?");
}

}  // namespace
}  // namespace tilewise::test
