// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_bench.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "fake_device.hpp"
#include "fake_library.hpp"

namespace tilewise::bench {
namespace {

GpuRequest request_of(std::vector<GemmShape> shapes, std::vector<Dtype> dtypes = {Dtype::kF32}) {
  GpuRequest request;
  request.shapes = std::move(shapes);
  request.dtypes = std::move(dtypes);
  request.limits = {0.01, 5};
  return request;
}

GpuLibraries libraries_of(Calls& calls, FakeBehaviour own, std::vector<FakeBehaviour> peers = {}) {
  GpuLibraries libraries;
  libraries.own = std::make_unique<FakeLibrary>("tilewise", calls, std::move(own));
  for (std::size_t i = 0; i < peers.size(); ++i) {
    libraries.peers.push_back(
        std::make_unique<FakeLibrary>("peer" + std::to_string(i), calls, std::move(peers[i])));
  }
  return libraries;
}

const GemmShape kShape{"group", false, false, 9, 7, 11};

TEST(GpuBench, EveryRoundHasEachLibraryOnceOnOtherOperands) {
  FakeDevice device;
  Calls calls;
  const GemmReport report =
      run_gpu_bench(device, libraries_of(calls, {}, {{}, {}}), request_of({kShape}), {});
  ASSERT_EQ(report.results.size(), 1u);
  const GemmResult& result = report.results[0];
  EXPECT_EQ(result.ours.samples.size(), 5u);
  ASSERT_EQ(result.peers.size(), 2u);
  EXPECT_EQ(result.peers[0].first, "peer0");
  EXPECT_EQ(result.peers[1].second.samples.size(), 5u);
  EXPECT_TRUE(result.verified) << result.wrong;
  EXPECT_GT(result.ours.gflops, 0);
  ASSERT_TRUE(result.ratio());
  EXPECT_DOUBLE_EQ(*result.ratio(), result.ours.gflops / *result.best_peer());
  EXPECT_DOUBLE_EQ(result.compulsory_bytes, 4.0 * (9 * 11 + 11 * 7 + 9 * 7));

  std::set<device::Address> seen;
  std::set<std::vector<std::string>> orders;
  ASSERT_GE(calls.size(), 15u);
  for (std::size_t i = calls.size() - 15; i < calls.size(); i += 3) {
    const std::vector<std::string> order{calls[i].first, calls[i + 1].first, calls[i + 2].first};
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 3u);
    orders.insert(order);
    for (std::size_t j = i; j < i + 3; ++j) {
      EXPECT_TRUE(seen.insert(calls[j].second.a).second) << "operands that may be in the cache";
      EXPECT_NE(calls[j].second.b, calls[j].second.a);
    }
  }
  EXPECT_GT(orders.size(), 1u) << "the order is shuffled";
}

TEST(GpuBench, EveryDtypeTransposeAndGapIsRight) {
  FakeDevice device;
  std::vector<GemmShape> shapes;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) shapes.push_back({"g", a, b, 13, 6, 10});
  }
  for (const bool narrow : {false, true}) {
    for (const std::int64_t gap : {0, 3}) {
      for (const OperandKind kind : {OperandKind::kNormal, OperandKind::kPositive,
                                     OperandKind::kWide, OperandKind::kRowScaled}) {
        GpuRequest request =
            request_of(shapes, {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16});
        request.limits.repeat = 1;
        request.narrow_result = narrow, request.gap = gap, request.operands = kind;
        Calls calls;
        const GemmReport report = run_gpu_bench(device, libraries_of(calls, {}), request, {});
        ASSERT_EQ(report.results.size(), 16u);
        for (const GemmResult& result : report.results) {
          EXPECT_TRUE(result.verified) << result.wrong << " " << name_of(kind);
          const bool rounds16 = size_of(result.result_dtype) == 2;
          EXPECT_LT(result.ours.error, rounds16 ? 0x1p-8 : 0x1p-24);
          EXPECT_EQ(rounds16, narrow && size_of(result.dtype) == 2);
        }
      }
    }
  }
}

TEST(GpuBench, BatchesOfEveryDtypeTransposeAndGapAreRight) {
  FakeDevice device;
  std::vector<GemmShape> shapes;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) shapes.push_back({"g", a, b, 13, 6, 10, 21});
  }
  for (const std::int64_t gap : {0, 3}) {
    GpuRequest request = request_of(shapes, {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16});
    request.limits.repeat = 1;
    request.gap = gap;
    Calls calls;
    const GemmReport report = run_gpu_bench(device, libraries_of(calls, {}, {{}}), request, {});
    ASSERT_EQ(report.results.size(), 16u);
    for (const GemmResult& result : report.results) {
      EXPECT_TRUE(result.verified) << result.wrong;
      EXPECT_LT(result.ours.error, 0x1p-24);
      EXPECT_EQ(result.peers.size(), 1u);
      EXPECT_NE(shape_name(result.shape).find(", 21 times"), std::string::npos);
    }
    EXPECT_DOUBLE_EQ(report.results[0].compulsory_bytes, 21 * 4.0 * (13 * 10 + 10 * 6 + 13 * 6));
  }
}

TEST(GpuBench, BetaAddsWhatCWas) {
  FakeDevice device;
  for (const std::int64_t batch : {1, 3}) {
    GpuRequest request = request_of({{"g", false, true, 13, 6, 10, batch}},
                                    {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16});
    request.scaling = {-0.3, 1};
    request.narrow_result = true, request.gap = 1;
    Calls calls;
    const GemmReport report = run_gpu_bench(device, libraries_of(calls, {}, {{}}), request, {});
    EXPECT_EQ(report.context.scaling, request.scaling);
    ASSERT_EQ(report.results.size(), 4u);
    for (const GemmResult& result : report.results) {
      EXPECT_TRUE(result.verified) << result.wrong;
      EXPECT_EQ(result.peers.size(), 1u) << "begins with the same C as ours";
      EXPECT_EQ(result.ours.samples.size(), 5u);
    }
    EXPECT_DOUBLE_EQ(report.results[0].compulsory_bytes,
                     static_cast<double>(batch) * 4.0 * (13 * 10 + 10 * 6 + 2 * 13 * 6));
    FakeBehaviour wrong;
    wrong.spoil = [](void* c, const GpuProblem& p) { set_element(c, p, p.shape.m - 1, 5, 0.25); };
    EXPECT_FALSE(
        run_gpu_bench(device, libraries_of(calls, wrong), request, {}).results[0].verified);
  }
}

// Of forty products sixteen are sampled; in the others only what is not a number can be seen.
TEST(GpuBench, WrongProductsOfABatchAreNamed) {
  FakeDevice device;
  const GemmShape shape{"g", false, false, 9, 7, 11, 40};
  const auto wrong_of = [&](double value, std::int64_t product) {
    const FakeBehaviour spoilt{.spoil = [=](void* c, const GpuProblem& p) {
      set_element(c, p, product * p.shape.m + 8, 3, value);
    }};
    Calls calls;
    return run_gpu_bench(device, libraries_of(calls, spoilt), request_of({shape}), {})
        .results[0]
        .wrong;
  };
  EXPECT_EQ(wrong_of(5, 39).find("product 39: C(8, 3) is 5"), 0u) << wrong_of(5, 39);
  EXPECT_EQ(wrong_of(5, 0).find("product 0: C(8, 3) is 5"), 0u) << wrong_of(5, 0);
  int sampled = 0;
  for (std::int64_t product = 0; product < 40; ++product) {
    const std::string unwritten = wrong_of(std::numeric_limits<double>::quiet_NaN(), product);
    EXPECT_EQ(unwritten.find("product " + std::to_string(product) + ": "), 0u) << unwritten;
    if (!wrong_of(5, product).empty()) ++sampled;
  }
  EXPECT_EQ(sampled, 16);
}

TEST(GpuBench, TheFastestCandidateIsKept) {
  FakeDevice device;
  Calls calls;
  const GemmReport report = run_gpu_bench(
      device, libraries_of(calls, {}, {{.candidates = {60, 0, 60}}}), request_of({kShape}), {});
  ASSERT_EQ(report.results[0].peers.size(), 1u);
  EXPECT_EQ(report.results[0].peers[0].second.plan, "candidate 1");
}

TEST(GpuBench, WrongElementsAreFoundOursReportedPeersLeftOut) {
  const FakeBehaviour wrong{
      .spoil = [](void* c, const GpuProblem& p) { set_element(c, p, 8, 3, 5); }};
  FakeDevice device;
  Calls calls;
  const GemmReport report =
      run_gpu_bench(device, libraries_of(calls, wrong, {wrong, {}}), request_of({kShape}), {});
  const GemmResult& result = report.results[0];
  EXPECT_FALSE(result.verified);
  EXPECT_NE(result.wrong.find("C(8, 3) is 5"), std::string::npos) << result.wrong;
  ASSERT_EQ(result.peers.size(), 1u);
  EXPECT_EQ(result.peers[0].first, "peer1");
  ASSERT_EQ(report.context.troubles.size(), 1u);
  EXPECT_EQ(report.context.troubles[0].name, "peer0");
  EXPECT_EQ(report.context.troubles[0].shape, "f32 9x7x11 NN");
}

TEST(GpuBench, UnwrittenElementsAreFound) {
  FakeDevice device;
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16}) {
    GpuRequest request = request_of({{"g", false, false, 40, 50, 3}}, {dtype});
    request.narrow_result = true;
    const FakeBehaviour unwritten{.spoil = [](void* c, const GpuProblem& p) {
      set_element(c, p, 21, 33, std::numeric_limits<double>::quiet_NaN());
    }};
    Calls calls;
    const GemmReport report = run_gpu_bench(device, libraries_of(calls, unwritten), request, {});
    EXPECT_FALSE(report.results[0].verified) << name_of(dtype);
  }
}

TEST(GpuBench, ShapesWithoutAKernelSaySoAndPeersAreStillMeasured) {
  FakeDevice device;
  Calls calls;
  const GemmReport report = run_gpu_bench(
      device, libraries_of(calls, {.refusal = "too odd"}, {{}, {.refusal = "no idea"}}),
      request_of({kShape}), {});
  const GemmResult& result = report.results[0];
  EXPECT_EQ(result.no_kernel, "too odd");
  EXPECT_TRUE(result.ours.samples.empty());
  EXPECT_FALSE(result.ratio());
  ASSERT_EQ(result.peers.size(), 1u);
  EXPECT_EQ(result.peers[0].second.samples.size(), 5u);
  ASSERT_EQ(report.context.troubles.size(), 1u);
  EXPECT_EQ(report.context.troubles[0].reason, "no idea");
}

TEST(GpuBench, PeersThatFailAreLeftOutOursEndsIt) {
  FakeDevice device;
  Calls calls;
  const GemmReport report = run_gpu_bench(
      device, libraries_of(calls, {}, {{.failure = "status 13"}}), request_of({kShape}), {});
  EXPECT_TRUE(report.results[0].peers.empty());
  EXPECT_EQ(report.context.troubles[0].reason, "status 13");
  EXPECT_THROW(
      run_gpu_bench(device, libraries_of(calls, {.failure = "lost"}), request_of({kShape}), {}),
      Error);
}

TEST(GpuBench, AVirtualGpuHasErrorsButNoTimes) {
  FakeDevice device(Fault::kNone, true);
  Calls calls;
  GpuRequest request = request_of({kShape});
  request.modes = {ComputeMode::kIeee, ComputeMode::kAccurate, ComputeMode::kTf32};
  const GemmReport report = run_gpu_bench(device, libraries_of(calls, {}, {{}}), request, {});
  ASSERT_EQ(report.results.size(), 3u);
  EXPECT_EQ(report.results[1].mode, "accurate");
  EXPECT_EQ(report.context.device, "virtual");
  for (const GemmResult& result : report.results) {
    EXPECT_TRUE(result.ours.samples.empty());
    EXPECT_LT(result.ours.error, 1e-6);
    EXPECT_TRUE(result.ours.largest_error);
    EXPECT_TRUE(result.peers[0].second.samples.empty());
    EXPECT_FALSE(result.best_peer());
  }
  EXPECT_EQ(calls.size(), 6u) << "each library once a result";
}

TEST(GpuBench, WhatDoesNotFitIsSaidAndTheRestGoesOn) {
  FakeDevice device;
  device.set_memory(100'000);
  Calls calls;
  const GemmReport report =
      run_gpu_bench(device, libraries_of(calls, {}),
                    request_of({{"g", false, false, 4096, 4096, 4096}, kShape}), {});
  ASSERT_EQ(report.results.size(), 2u);
  EXPECT_NE(report.results[0].no_kernel.find("device memory"), std::string::npos);
  EXPECT_TRUE(report.results[1].no_kernel.empty());
  EXPECT_TRUE(report.results[1].verified);
}

}  // namespace
}  // namespace tilewise::bench
