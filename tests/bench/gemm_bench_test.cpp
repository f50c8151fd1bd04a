// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark with the program's own workers, and libraries that behave in every way as peers.
#include "bench/gemm_bench.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "../core/expect_error.hpp"

namespace tilewise::bench {
namespace {

Peer fake(const std::string& kind, bool asked_for = true) {
  return {kind, {TILEWISE_FAKE_PEERS "/libfake_" + kind + ".so"}, asked_for};
}

GemmRequest request_of(std::vector<Peer> peers) {
  GemmRequest request;
  request.shapes = {{"small", false, false, 5, 7, 3}, {"other", true, true, 33, 8, 20}};
  request.suite = "test";
  request.dtypes = {Dtype::kF32};
  request.peers = std::move(peers);
  request.worker = {TILEWISE_BINARY, "bench-worker"};
  request.repeat = 3;
  request.burst_seconds = 1e-4;
  return request;
}

const GemmTiming* timing_of(const GemmResult& result, const std::string& peer) {
  for (const auto& [name, timing] : result.peers) {
    if (name == peer) return &timing;
  }
  return nullptr;
}

TEST(GemmBench, MeasuresOursAndPeersSideBySide) {
  GemmRequest request = request_of({fake("right"), fake("talking")});
  request.dtypes = {Dtype::kF32, Dtype::kF64};
  std::vector<std::string> told;
  GemmListener listener;
  listener.ready = [&](const GemmContext& c) { told.push_back(c.peers.at(1).name); };
  listener.next = [&](std::size_t i, std::size_t count, const std::string& what) {
    told.push_back(std::to_string(i) + "/" + std::to_string(count) + " " + what);
  };
  listener.done = [&](const GemmContext&, const GemmResult& r) { told.push_back(r.shape.group); };
  const GemmReport report = run_gemm_bench(request, listener);

  ASSERT_EQ(report.results.size(), 4u);
  for (const GemmResult& result : report.results) {
    EXPECT_TRUE(result.verified) << result.wrong;
    EXPECT_EQ(result.ours.samples.size(), 3u);
    EXPECT_GT(result.ours.gflops, 0);
    EXPECT_GT(result.peak, 0);
    EXPECT_LT(result.ours.error, 1e-6);
    for (const char* peer : {"right", "talking"}) {
      const GemmTiming* timing = timing_of(result, peer);
      ASSERT_TRUE(timing) << peer;
      EXPECT_EQ(timing->samples.size(), 3u);
      EXPECT_GT(timing->gflops, 0);
    }
  }
  EXPECT_EQ(report.results[1].shape.group, "other");
  EXPECT_EQ(report.results[2].dtype, Dtype::kF64);
  EXPECT_TRUE(report.context.troubles.empty());
  EXPECT_EQ(report.context.peers[0].file, std::string(TILEWISE_FAKE_PEERS "/libfake_right.so"));
  const std::vector<std::string> expected{
      "talking", "0/4 f32 5x7x3 NN",   "small", "1/4 f32 33x8x20 TT", "other", "2/4 f64 5x7x3 NN",
      "small",   "3/4 f64 33x8x20 TT", "other"};
  EXPECT_EQ(told, expected);
}

TEST(GemmBench, StopsBetweenShapes) {
  int asked = 0;
  GemmListener listener;
  listener.stopped = [&] { return ++asked > 1; };
  const GemmReport report = run_gemm_bench(request_of({fake("right")}), listener);
  EXPECT_EQ(report.results.size(), 1u);
  EXPECT_TRUE(report.was_stopped);
  EXPECT_FALSE(report.context.peak_after.empty());
}

TEST(GemmBench, WrongPeersAreLeftOutShapeByShape) {
  const GemmReport report =
      run_gemm_bench(request_of({fake("wrongelement"), fake("unwritten"), fake("right")}), {});
  ASSERT_EQ(report.results.size(), 2u);
  for (const GemmResult& result : report.results) {
    EXPECT_TRUE(result.verified);
    EXPECT_EQ(result.peers.size(), 1u);
    EXPECT_TRUE(timing_of(result, "right"));
  }
  ASSERT_EQ(report.context.troubles.size(), 4u);
  EXPECT_EQ(report.context.troubles[0].name, "wrongelement");
  EXPECT_EQ(report.context.troubles[0].shape, "f32 5x7x3 NN");
  EXPECT_NE(report.context.troubles[0].reason.find("C(4, 6) is "), std::string::npos)
      << report.context.troubles[0].reason;
  EXPECT_NE(report.context.troubles[1].reason.find("nan"), std::string::npos)
      << report.context.troubles[1].reason;
}

// "right" by one product after the other, "batching" by a function for batches, as its products alone are wrong.
TEST(GemmBench, MeasuresBatchesSideBySide) {
  GemmRequest request =
      request_of({fake("right"), fake("batching"), fake("unwritten"), fake("wrongelement")});
  for (GemmShape& shape : request.shapes) shape.batch = 20;
  const GemmReport report = run_gemm_bench(request, {});
  ASSERT_EQ(report.results.size(), 2u);
  for (const GemmResult& result : report.results) {
    EXPECT_TRUE(result.verified) << result.wrong;
    EXPECT_GT(result.ours.gflops, 0);
    EXPECT_TRUE(timing_of(result, "right"));
    EXPECT_TRUE(timing_of(result, "batching"));
    EXPECT_EQ(result.peers.size(), 2u);
  }
  ASSERT_EQ(report.context.troubles.size(), 4u);
  EXPECT_EQ(report.context.troubles[0].shape, "f32 5x7x3 NN, 20 times");
  EXPECT_NE(report.context.troubles[0].reason.find("is wrong: product "), std::string::npos);
}

TEST(GemmBench, CrashingAndHangingPeersDoNotStopIt) {
  GemmRequest request = request_of({fake("crashing"), fake("hanging"), fake("right")});
  request.patience_seconds = 5;
  const GemmReport report = run_gemm_bench(request, {});
  ASSERT_EQ(report.results.size(), 2u);
  for (const GemmResult& result : report.results) EXPECT_TRUE(timing_of(result, "right"));
  ASSERT_EQ(report.context.troubles.size(), 2u);  // once each: they are not started again
  EXPECT_NE(report.context.troubles[0].reason.find("signal 11"), std::string::npos);
  EXPECT_NE(report.context.troubles[0].reason.find("about to fall"), std::string::npos);
  EXPECT_NE(report.context.troubles[1].reason.find("did not answer within 5 s"), std::string::npos);
}

TEST(GemmBench, MissingPeersAreErrorsOnlyWhenAskedFor) {
  for (const Peer& peer : {fake("empty"), fake("nowhere")}) {
    test::expect_error(ErrorCode::kInvalidInput, {"--peer " + peer.name},
                       [&] { run_gemm_bench(request_of({peer}), {}); });
  }
  const GemmReport report =
      run_gemm_bench(request_of({fake("empty", false), fake("nowhere", false)}), {});
  EXPECT_EQ(report.results.size(), 2u);
  ASSERT_EQ(report.context.troubles.size(), 2u);
  EXPECT_NE(report.context.troubles[0].reason.find("sgemm_"), std::string::npos);
  EXPECT_NE(report.context.troubles[1].reason.find("libfake_nowhere.so"), std::string::npos);
}

TEST(GemmBench, PeersWithoutADtypeAreLeftOutSilently) {
  GemmRequest request = request_of({fake("right")});
  request.dtypes = {Dtype::kBF16, Dtype::kF16, Dtype::kS8};
  const GemmReport report = run_gemm_bench(request, {});
  ASSERT_EQ(report.results.size(), 6u);
  for (const GemmResult& result : report.results) {
    EXPECT_TRUE(result.verified) << result.wrong;
    EXPECT_TRUE(result.peers.empty());
    EXPECT_FALSE(result.best_peer());
  }
  EXPECT_TRUE(report.context.troubles.empty());
}

TEST(GemmBench, OurOwnWorkerHasToLive) {
  GemmRequest request = request_of({});
  request.worker = {"/bin/sh", "-c", "exit 9"};
  test::expect_error(ErrorCode::kExecution, {"own worker", "exit code 9"},
                     [&] { run_gemm_bench(request, {}); });
}

TEST(GemmBench, OperandsThatDoNotFitAreRefused) {
  GemmRequest request = request_of({});
  request.shapes = {{"huge", false, false, 1 << 30, 1 << 20, 1 << 20}};
  test::expect_error(ErrorCode::kOutOfMemory, {"f32 1073741824x1048576x1048576 NN", "MiB"},
                     [&] { run_gemm_bench(request, {}); });
}

// Workers that only write down what they are asked.
TEST(GemmBench, WorkersAreStartedAnewAnotherOneFirst) {
  const std::string log = ::testing::TempDir() + "bench_laps_" + std::to_string(::getpid());
  GemmRequest request = request_of({{"a", {"A"}, true}, {"b", {"B"}, true}});
  request.shapes.resize(1);
  request.repeat = 7;
  request.burst_seconds = 1e-3;
  request.worker = {"/bin/sh", "-c",
                    R"(while read -r verb rest <&3; do
  case $verb in
    hello) answer=file ;;
    load) answer=path ;;
    check) answer='0 1' ;;
    time) answer='0.001 1' ;;
    peak) answer='1e9 1' ;;
    *) exit 1 ;;
  esac
  case $verb in hello | load | time) echo "$verb ${3:-own}" >>)" +
                        log + R"( ;; esac
  echo "ok $answer" >&3
done)"};
  const GemmReport report = run_gemm_bench(request, {});
  ASSERT_EQ(report.results.size(), 1u);
  ASSERT_EQ(report.results[0].peers.size(), 2u);
  EXPECT_EQ(report.results[0].ours.samples.size(), 7u);

  std::ifstream file(log);
  std::string making;  // who starts and makes operands, in order; '|' where turns were timed
  for (std::string verb, who; file >> verb >> who;) {
    if (verb != "time") {
      making += (verb == "hello" ? ' ' : '+') + who;
    } else if (!making.ends_with('|')) {
      making += '|';
    }
  }
  EXPECT_EQ(making, " own A B+own|+A|+B| A+A B+B own+own| B+B own+own A+A|");
  std::filesystem::remove(log);
}

TEST(GemmBench, SpreadIsTheMiddleHalf) {
  EXPECT_DOUBLE_EQ(spread_percent({100}), 0);
  EXPECT_DOUBLE_EQ(spread_percent({90, 100, 110, 80, 120}), 20);
  EXPECT_DOUBLE_EQ(spread_percent({1, 2}), 100 * 0.5 / 1.5);
  test::expect_error(ErrorCode::kInvalidArgument, {"samples"}, [] { spread_percent({}); });
}

}  // namespace
}  // namespace tilewise::bench
