// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise bench` and `tilewise bench compare`, from outside.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "../core/temporary_folder.hpp"
#include "core/file.hpp"
#include "kernels/images.hpp"
#include "program.hpp"

namespace tilewise::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Words quick(Words more) {
  Words words{"bench", "--peer", "none", "--repeat", "2", "--burst", "0.05"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Mistake {
  Words arguments, parts;
};

class BenchUsage : public testing::TestWithParam<Mistake> {};

TEST_P(BenchUsage, IsRefusedInOneLine) {
  const Outcome outcome = run(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& part : GetParam().parts) {
    EXPECT_TRUE(contains(outcome.err, part)) << "'" << part << "' in: " << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, BenchUsage,
    testing::Values(
        Mistake{{"bench", "--device", "tpu"}, {"--device", "cpu", "'tpu'"}},
        Mistake{{"bench", "--mode", "accurate"}, {"--mode", "cuda or virtual"}},
        Mistake{{"bench", "--operands", "wide"}, {"--operands", "cuda or virtual"}},
        Mistake{{"bench", "--gap", "1"}, {"--gap", "cuda or virtual"}},
        Mistake{{"bench", "--dtype", "s8", "--m", "4", "--n", "4", "--k", "4", "--batch", "2"},
                {"4x4x4 NN, 2 times", "s8", "single products"}},
        Mistake{{"bench", "--dtype", "s8", "--m", "4", "--n", "4", "--k", "4", "--beta", "1"},
                {"s8", "alpha 1, beta 1"}},
        Mistake{{"bench", "--alpha", "x"}, {"--alpha", "'x'"}},
        Mistake{{"bench", "--dtype", "f64,f32", "--alpha", "1e300"}, {"--dtype f32", "1e+300"}},
        Mistake{{"bench", "--device", "virtual", "--dtype", "bf16", "--beta", "1e300"},
                {"--dtype bf16", "1e+300"}},
        Mistake{{"bench", "--device", "virtual", "--batch", "0"}, {"--batch", "'0'"}},
        Mistake{{"bench", "--device", "virtual", "--batch", "2000000"}, {"--batch", "1048576"}},
        Mistake{{"bench", "--device", "virtual", "--operands", "row-scaled", "--m", "4", "--n", "4",
                 "--k", "4", "--batch", "2"},
                {"row-scaled", "single products"}},
        Mistake{{"bench", "--device", "virtual", "--gap", "-1"}, {"--gap", "'-1'"}},
        Mistake{{"bench", "--device", "virtual", "--operands", "odd"}, {"--operands", "'odd'"}},
        Mistake{{"bench", "--device", "virtual", "--mode", "acurate"}, {"did you mean 'accurate'"}},
        Mistake{{"bench", "--device", "virtual", "--mode", "ieee,ieee"}, {"--mode", "twice"}},
        Mistake{{"bench", "--device", "virtual", "--dtype", "s8"}, {"--dtype", "'s8'"}},
        Mistake{{"bench", "--device", "virtual", "--threads", "2"}, {"--threads", "--device cpu"}},
        Mistake{{"bench", "--device", "virtual", "--peer", "openblas"}, {"--peer", "'openblas'"}},
        Mistake{{"bench", "--device", "virtual", "--peer", "cublas"}, {"not a CUDA device"}},
        Mistake{{"bench", "--device", "virtual", "--gpu", "h20"}, {"did you mean 'h200'"}},
        Mistake{{"bench", "--device", "cuda", "--gpu", "h200"}, {"--gpu", "virtual"}},
        Mistake{{"bench", "--dtype", "f23"}, {"--dtype", "'f23'"}},
        Mistake{{"bench", "--dtype", "f32,f32"}, {"--dtype", "twice"}},
        Mistake{{"bench", "--m", "8"}, {"--n is missing"}},
        Mistake{{"bench", "--m", "0", "--n", "1", "--k", "1"}, {"--m", "'0'"}},
        Mistake{{"bench", "--m", "8", "--n", "8", "--k", "8", "--trans", "NX"},
                {"--trans", "'NX'"}},
        Mistake{{"bench", "--m", "8", "--n", "8", "--k", "8", "--suite", "cpu"}, {"--suite"}},
        Mistake{{"bench", "--trans", "NT"}, {"--trans goes with --m"}},
        Mistake{{"bench", "--suite", "/nowhere.csv"}, {"/nowhere.csv"}},
        Mistake{{"bench", "--group", "squares"}, {"--group", "did you mean 'square'"}},
        Mistake{{"bench", "--peer", "openbals"}, {"did you mean 'openblas'"}},
        Mistake{{"bench", "--peer", "/nowhere/libx.so"}, {"'/nowhere/libx.so' is not a file"}},
        Mistake{{"bench", "--threads", "0"}, {"--threads", "'0'"}},
        Mistake{{"bench", "--threads", "100000"}, {"--threads", "cores"}},
        Mistake{{"bench", "--core", "99999"}, {"--core", "99999"}},
        Mistake{{"bench", "--seconds", "0"}, {"--seconds", "'0'"}},
        Mistake{{"bench", "--seconds", "nan"}, {"--seconds"}},
        Mistake{{"bench", "--json", "/nowhere/x.json"}, {"--json", "/nowhere"}},
        Mistake{{"bench", "compar"}, {"'compar'", "did you mean 'compare'"}},
        Mistake{{"bench", "compare"}, {"OLD.json"}},
        Mistake{{"bench", "compare", "a.json"}, {"NEW.json"}},
        Mistake{{"bench", "compare", "/no/a.json", "/no/b.json"}, {"/no/a.json"}},
        Mistake{{"bench", "compare", "a", "b", "--noise", "-1"}, {"--noise", "'-1'"}}));

TEST(Bench, WritesJsonAndCsv) {
  const TemporaryFolder folder;
  const std::string json = folder / "b.json", csv = folder / "b.csv";
  const Outcome outcome = run(quick(
      {"--m", "20", "--n", "30", "--k", "10", "--trans", "NT,TT", "--json", json, "--csv", csv}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "f64 20x30x10 TT")) << outcome.out;
  const Json value = Json::parse(std::ifstream(json));
  ASSERT_EQ(value["results"].size(), 4u);
  for (const Json& result : value["results"]) {
    EXPECT_GT(result["gflops"], 0);
    EXPECT_LT(result["error"], 1e-6);
    EXPECT_EQ(result["samples"].size(), 2u);
    EXPECT_EQ(result["verified"], true);
  }
  EXPECT_FALSE(value["context"]["processor"].get<std::string>().empty());
  std::ifstream lines(csv);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 5);
}

TEST(Bench, AddsToWhatCWas) {
  const TemporaryFolder folder;
  const std::string json = folder / "b.json";
  const Outcome outcome = run(quick(
      {"--m", "20", "--n", "30", "--k", "10", "--alpha", "-1", "--beta", "1", "--json", json}));
  ASSERT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "alpha -1, beta 1")) << outcome.out;
  for (const Json& result : Json::parse(std::ifstream(json))["results"]) {
    EXPECT_EQ(result["beta"], 1);
    EXPECT_EQ(result["verified"], true);
  }
}

TEST(Bench, AVirtualGpuHasErrorsAndNoTimes) {
  if (kernels::gemm_images().empty()) GTEST_SKIP() << "built without nvcc";
  const TemporaryFolder folder;
  const std::string json = folder / "b.json", csv = folder / "b.csv";
  const Outcome outcome =
      run({"bench", "--device", "virtual", "--m", "33", "--n", "17", "--k", "40", "--trans",
           "NN,NT,TN,TT", "--gap", "1", "--beta", "0.5", "--json", json, "--csv", csv});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json value = Json::parse(std::ifstream(json));
  EXPECT_EQ(value["context"]["device"], "virtual");
  EXPECT_EQ(value["context"]["beta"], 0.5);
  ASSERT_EQ(value["results"].size(), 20u) << "five arithmetics, four transpositions";
  for (const Json& result : value["results"]) {
    EXPECT_FALSE(result.contains("gflops"));
    const bool plain = result["dtype"] == "f32" && result["mode"] == "ieee";
    EXPECT_TRUE(!plain || !result.contains("no_kernel")) << result;
    if (result.contains("no_kernel")) continue;
    EXPECT_EQ(result["verified"], true) << result;
    EXPECT_LT(result["error"], 1e-6) << result;
    EXPECT_GT(result["largest_error"], 0) << result;
    EXPECT_FALSE(result["path"].get<std::string>().empty()) << result;
  }
  EXPECT_TRUE(contains(outcome.out, "no times")) << outcome.out;
  std::ifstream lines(csv);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 21);
}

TEST(Bench, WithoutAGpuSaysWhatIsMissing) {
  const Outcome outcome = run({"bench", "--device", "cuda", "--m", "4", "--n", "4", "--k", "4"});
  if (outcome.code == 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.err, "no CUDA device")) << outcome.err;
}

TEST(Bench, MakesAPageOfARunAndOfAFile) {
  const TemporaryFolder folder;
  const std::string json = folder / "b.json", html = folder / "b.html", again = folder / "c.html";
  const Outcome outcome = run(quick(
      {"--m", "8", "--n", "8", "--k", "8", "--dtype", "f32", "--json", json, "--html", html}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(run({"bench", "page", json, again}).code, 0);
  const auto text = [](const std::string& file) {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  EXPECT_TRUE(contains(text(html), "8×8×8 NN"));
  EXPECT_EQ(text(html), text(again));
  EXPECT_EQ(run({"bench", "page", json, json}).code, 2);
  EXPECT_EQ(run({"bench", "page", html, again}).code, 2) << "a page is no file of figures";
}

TEST(Bench, MeasuresGroupsOfASuite) {
  const TemporaryFolder folder;
  const auto suite =
      folder.with("s.csv", "group,trans_a,trans_b,m,n,k\na,N,N,4,4,4\nb,N,N,5,5,5\na,T,N,6,6,6\n");
  const Outcome outcome = run(quick({"--suite", suite.string(), "--group", "a", "--dtype", "f32"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "f32 4x4x4 NN"));
  EXPECT_TRUE(contains(outcome.out, "f32 6x6x6 TN"));
  EXPECT_FALSE(contains(outcome.out, "5x5x5"));
}

TEST(Bench, PeersThatCannotBeOpenedAreNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.with("libbroken.so", "not a library").string();
  const Outcome outcome = run({"bench", "--m", "4", "--n", "4", "--k", "4", "--peer", file});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "--peer broken")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "libbroken.so")) << outcome.err;
}

// The program says which instruction set answered, and a wrong one is an error before anything runs.
TEST(Bench, TheInstructionSetIsTheOneInUse) {
  const TemporaryFolder folder;
  const std::string json = folder / "b.json";
  const Words words = quick({"--m", "4", "--n", "4", "--k", "4", "--dtype", "f32", "--json", json});
  ASSERT_EQ(run(words, {{"TILEWISE_CPU", "portable"}}).code, 0);
  const Json context = Json::parse(std::ifstream(json))["context"];
  EXPECT_EQ(context["instruction_set"], "portable");
  EXPECT_EQ(context["environment"]["TILEWISE_CPU"], "portable");
  EXPECT_EQ(run(words, {{"TILEWISE_CPU", "avx1024"}}).code, 2);
}

std::string file_with(double gflops) {
  const Json result{{"group", "g"},   {"dtype", "f32"}, {"mode", "ieee"},
                    {"trans_a", "N"}, {"trans_b", "N"}, {"m", 8},
                    {"n", 8},         {"k", 8},         {"gflops", gflops},
                    {"spread", 1},    {"error", 0},     {"peers", Json::object()}};
  return Json{{"context", Json::object()}, {"results", Json::array({result})}}.dump();
}

TEST(BenchCompare, ExitCodesSayWhatHappened) {
  const TemporaryFolder folder;
  const std::string before = folder.with("old.json", file_with(100)).string();
  const auto compare = [&](const std::string& contents, Words more = {}) {
    Words words{"bench", "compare", before, folder.with("new.json", contents).string()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  EXPECT_EQ(compare(file_with(99)).code, 0);
  EXPECT_EQ(compare(file_with(150)).code, 0);
  const Outcome slower = compare(file_with(80));
  EXPECT_EQ(slower.code, 1);
  EXPECT_TRUE(contains(slower.out, "SLOWER")) << slower.out;
  EXPECT_EQ(compare(file_with(80), {"--noise", "30"}).code, 0);
  const Outcome malformed = compare("{}");
  EXPECT_EQ(malformed.code, 2);
  EXPECT_TRUE(contains(malformed.err, "new.json")) << malformed.err;
  const Outcome nothing = compare(R"({"context": {}, "results": []})");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(contains(nothing.err, "no shape in common")) << nothing.err;
}

// To the whole group, as a terminal sends it: the programs that compute must live on until theirs is done.
TEST(BenchCommand, WritesWhatItHasMeasuredWhenInterrupted) {
  const TemporaryFolder folder;
  const std::string out = folder / "out.txt", json = folder / "run.json";
  std::string suite = "group,trans_a,trans_b,m,n,k\n";
  for (int n = 1; n <= 400; ++n) suite += "g,N,N,64,64," + std::to_string(n) + "\n";
  folder.with("suite.csv", suite);
  folder.with("out.txt", "");
  const std::string csv = folder / "suite.csv";
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    const int file = ::open(out.c_str(), O_WRONLY);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execl(TILEWISE_BINARY, "tilewise", "bench", "--peer", "none", "--dtype", "f32", "--seconds",
            "0.1", "--suite", csv.c_str(), "--json", json.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  while (!contains(read_file(out), "64x64x1 ") && ::waitpid(child, &status, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(status, 0) << read_file(out);
  ::kill(-child, SIGINT);
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(contains(read_file(out), "Interrupted: ")) << read_file(out);
  const Json written = Json::parse(read_file(json));
  EXPECT_EQ(written["context"]["interrupted"], true);
  EXPECT_GE(written["results"].size(), 1u);
  EXPECT_LT(written["results"].size(), 400u);
}

}  // namespace
}  // namespace tilewise::test
