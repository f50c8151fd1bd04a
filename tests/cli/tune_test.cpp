// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise tune` as far as it goes without a GPU, the rest where there is one; and what other subcommands make of
// tuned plans.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "../core/temporary_folder.hpp"
#include "core/file.hpp"
#include "gemm/gpu/tuned_file.hpp"
#include "model/gpu.hpp"
#include "program.hpp"

namespace tilewise::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// f32, 64×64×4096, as `tilewise plan` asks about it.
gpu::TunedRow sample(const std::string& plan) {
  gpu::TunedRow row;
  row.on = gpu::tuned_on(model::find_gpu("h200"));
  row.key.m = 64, row.key.n = 64, row.key.k = 4096;
  row.tuned = {plan,          8.25,    "simt_f32_32x32,split=16", 9.5,
               "NVIDIA H200", "0.1.0", "2026-01-02T03:04:05Z"};
  return row;
}

const std::vector<std::string> kPlan{"plan", "--m",  "64",    "--n", "64",
                                     "--k",  "4096", "--gpu", "h200"};

TEST(TunedPlans, AreWhatPlanShows) {
  const TemporaryFolder folder;
  const std::string file = folder / "tuned.sqlite", json = folder / "plan.json";
  gpu::TunedFile::to_write(file).store(sample("simt_f32_64x64,split=3"));
  std::vector<std::string> words = kPlan;
  words.insert(words.end(), {"--json", json});
  const Outcome outcome = run(words, {{"TILEWISE_TUNED", file}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(outcome.out, "Plan: simt_f32_64x64,split=3 ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out,
                       "  as tuned on 2026-01-02: 8.2 us measured, 9.5 by the "
                       "planner's choice, simt_f32_32x32,split=16\n"))
      << outcome.out;
  EXPECT_EQ(nlohmann::json::parse(read_file(json))["chosen_by"], "tuning");
  // A wish is stronger, and without the file the planner decides.
  EXPECT_TRUE(
      contains(run(kPlan, {{"TILEWISE_TUNED", file}, {"TILEWISE_PLAN", "simt_f32_32x32"}}).out,
               "Plan: simt_f32_32x32"));
  EXPECT_FALSE(contains(run(kPlan).out, "as tuned"));
}

TEST(TunedPlans, StandInTheCacheFolder) {
  const TemporaryFolder folder;
  gpu::TunedFile::to_write(folder / "tilewise/tuned.sqlite")
      .store(sample("simt_f32_64x64,split=3"));
  const Environment environment{{"TILEWISE_TUNED", ""}, {"XDG_CACHE_HOME", folder.path()}};
  EXPECT_TRUE(contains(run(kPlan, environment).out, "as tuned on 2026-01-02"));
}

TEST(TunedPlans, ThatCannotBeReadAreNamedAndIgnored) {
  const TemporaryFolder folder;
  const std::string file = folder.with("tuned.sqlite", std::string(999, 'x'));
  const Outcome outcome = run(kPlan, {{"TILEWISE_TUNED", file}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "tilewise: tuned plans '" + file + "': file is not a database; ignored\n");
  EXPECT_EQ(outcome.out, run(kPlan).out);
  const Outcome missing = run(kPlan, {{"TILEWISE_TUNED", folder / "none"}});
  EXPECT_TRUE(contains(missing.err, "none': no such file; ignored\n")) << missing.err;
}

TEST(TuneCommand, ListsAndForgets) {
  const TemporaryFolder folder;
  const std::string file = folder / "tuned.sqlite", json = folder / "list.json";
  gpu::TunedFile::to_write(file).store(sample("simt_f32_64x64,split=3"));
  const Outcome list = run({"tune", "--list", "--file", file, "--json", json});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_TRUE(contains(list.out, file + "\n")) << list.out;
  EXPECT_TRUE(contains(list.out, "f32 64x64x4096 NN")) << list.out;
  EXPECT_TRUE(contains(list.out, "simt_f32_64x64,split=3")) << list.out;
  EXPECT_TRUE(contains(list.out, "\n1 plan\n")) << list.out;
  EXPECT_EQ(nlohmann::json::parse(read_file(json)).size(), 1u);
  EXPECT_EQ(run({"tune", "--list"}, {{"TILEWISE_TUNED", file}}).out, list.out);

  const Outcome forget = run({"tune", "--forget", "all", "--file", file});
  EXPECT_EQ(forget.code, 0) << forget.err;
  EXPECT_EQ(forget.out, file + ": 1 plan forgotten\n");
  EXPECT_TRUE(contains(run({"tune", "--list", "--file", file}).out, "\n0 plans\n"));
}

TEST(TuneCommand, Refusals) {
  const TemporaryFolder folder;
  const std::string file = folder / "tuned.sqlite";
  const auto refused = [&](std::vector<std::string> words, const std::string& expected) {
    words.insert(words.begin(), "tune");
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << expected;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, expected)) << outcome.err << "expected: " << expected;
  };
  const std::vector<std::string> sizes{"--m", "64", "--n", "64", "--k", "64"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), sizes.begin(), sizes.end());
    return more;
  };
  refused({}, "which products? Expected --m, --n and --k, or --suite");
  refused({"--m", "64"}, "--m, --n and --k go together: --n is missing");
  refused({"--m", "0", "--n", "64", "--k", "64"}, "--m: expected a whole number from 1");
  refused(with({"--suite", "gpu"}), "--suite and --m, --n, --k: give one or the other");
  refused({"--suite", "nowhere.csv"}, "nowhere.csv");
  refused({"--suite", "gpu", "--group", "sknny"}, "did you mean 'skinny'?");
  refused(with({"--dtype", "s8"}), "--dtype: expected f32, f64, bf16, f16, got 's8'");
  refused(with({"--mode", "exact"}), "--mode: expected ieee, accurate, tf32, got 'exact'");
  refused(with({"--trans", "XX"}), "--trans: expected NN, NT, TN, TT, got 'XX'");
  refused(with({"--result", "f64"}), "--result: expected f32, same, got 'f64'");
  refused(with({"--batch", "0"}), "--batch: expected a whole number from 1");
  refused(with({"--gap", "-1"}), "--gap: expected a whole number from 0");
  refused(with({"--seconds", "0"}), "--seconds: expected a number above 0");
  refused(with({"--repeat", "none"}), "--repeat: expected a whole number from 1");
  refused(with({"--device", "virtual"}), "--device: the virtual GPU takes no times; expected cuda");
  refused(with({"--device", "cpu"}), "--device: expected cuda, got 'cpu'");
  refused(with({"--list"}), "--list: is about the whole file");
  refused({"--forget", "all", "--missing"}, "--forget: is about the whole file");
  refused({"--forget", "some"}, "--forget: expected all, stale, got 'some'");
  refused({"--list", "--forget", "all"}, "--list and --forget: give one or the other");
  refused({"--list"}, "--file: expected where plans are kept, as TILEWISE_TUNED is 'none'");
  refused({"--list", "--file", file}, "tuned plans '" + file + "': no such file");
  refused({"--forget", "all", "--file", file}, "no such file");
  EXPECT_FALSE(std::filesystem::exists(file));
  const std::string text = folder.with("text", "text, and no database at all");
  refused({"--list", "--file", text}, "tuned plans '" + text + "': file is not a database");
  refused({"--forget", "all", "--file", text}, "file is not a database");
  EXPECT_EQ(read_file(text), "text, and no database at all");
  refused({"--lists"}, "did you mean '--list'?");
}

TEST(TuneCommand, NeedsAGpu) {
  if (has_cuda_device()) GTEST_SKIP() << "here is one";
  const TemporaryFolder folder;
  const std::string file = folder / "tuned.sqlite";
  const Outcome outcome = run({"tune", "--m", "64", "--n", "64", "--k", "64", "--file", file});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "no CUDA device")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(TuneCommand, TunesAndTheNextProductTakesIt) {
  if (!has_cuda_device() || !has_kernels()) GTEST_SKIP() << "no GPU here, or built without nvcc";
  const TemporaryFolder folder;
  const std::string file = folder / "tuned.sqlite", json = folder / "tune.json";
  const Outcome outcome = run({"tune", "--m", "64", "--n", "96", "--k", "8192", "--repeat", "20",
                               "--file", file, "--json", json});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "f32 64x96x8192 NN: ")) << outcome.out;
  const auto value = nlohmann::json::parse(read_file(json));
  EXPECT_EQ(value["summary"]["tuned"], 1);
  const Outcome plan =
      run({"plan", "--m", "64", "--n", "96", "--k", "8192"}, {{"TILEWISE_TUNED", file}});
  EXPECT_TRUE(contains(plan.out, "  as tuned on ")) << plan.out;
}

}  // namespace
}  // namespace tilewise::test
