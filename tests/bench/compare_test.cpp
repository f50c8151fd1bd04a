// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/gemm_means.hpp"

namespace tilewise::bench {
namespace {

ComparedResult result(std::int64_t size, double gflops, double spread = 1) {
  ComparedResult r;
  r.group = "g";
  r.dtype = "f32";
  r.mode = "ieee";
  r.m = r.n = r.k = size;
  r.gflops = gflops;
  r.spread = spread;
  r.samples = 10;
  return r;
}

ComparedResult with_peers(ComparedResult r, std::map<std::string, double> peers) {
  for (const auto& [name, gflops] : peers) r.peer_spreads[name] = 1;
  r.peers = std::move(peers);
  return r;
}

Comparison compare_one(const ComparedResult& before, const ComparedResult& after) {
  return compare({"old", "", "", "", {before}}, {"new", "", "", "", {after}}, 5);
}

TEST(Compare, RegressionsBeyondTheFloorAreFlagged) {
  EXPECT_EQ(compare_one(result(8, 100), result(8, 94)).rows[0].change, Change::kSlower);
  EXPECT_EQ(compare_one(result(8, 100), result(8, 96)).rows[0].change, Change::kSame);
  EXPECT_EQ(compare_one(result(8, 100), result(8, 104)).rows[0].change, Change::kSame);
  EXPECT_EQ(compare_one(result(8, 100), result(8, 106)).rows[0].change, Change::kFaster);
}

TEST(Compare, WideSpreadsWidenTheNoise) {
  const Comparison quiet = compare_one(result(8, 100, 1), result(8, 90, 1));
  EXPECT_EQ(quiet.slower, 1u);
  EXPECT_DOUBLE_EQ(quiet.rows[0].noise, 5);
  const Comparison loud = compare_one(result(8, 100, 30), result(8, 90, 1));
  EXPECT_EQ(loud.slower, 0u);
  // Three standard errors of the medians: 1.2533 · spread / 1.349 / sqrt(10).
  EXPECT_NEAR(loud.rows[0].noise, 3 * 1.2533 / 1.349 / std::sqrt(10) * std::hypot(30, 1), 1e-9);
  ComparedResult many = result(8, 100, 30);
  many.samples = 1000;
  EXPECT_EQ(compare_one(many, result(8, 90, 1)).slower, 1u);
}

TEST(Compare, ASlowerMachineIsNoRegression) {
  const ComparedResult before = with_peers(result(8, 100), {{"p", 80}, {"q", 50}, {"old", 1}});
  const Comparison same = compare_one(before, with_peers(result(8, 50), {{"p", 40}, {"q", 25}}));
  EXPECT_DOUBLE_EQ(same.rows[0].ratio, 0.5);
  EXPECT_NEAR(same.rows[0].peer_ratio.value(), 1, 1e-12);
  EXPECT_EQ(same.slower, 0u);
  // The same speed where the peers became twice as fast is one.
  const Comparison slower =
      compare_one(before, with_peers(result(8, 100), {{"p", 160}, {"q", 100}}));
  EXPECT_NEAR(slower.rows[0].judged(), 0.5, 1e-12);
  EXPECT_EQ(slower.slower, 1u);
  // One peer of three that changed alone does not decide.
  const ComparedResult three = with_peers(result(8, 100), {{"p", 80}, {"q", 50}, {"r", 60}});
  const Comparison odd =
      compare_one(three, with_peers(result(8, 100), {{"p", 80}, {"q", 100}, {"r", 60}}));
  EXPECT_NEAR(odd.rows[0].judged(), 1, 1e-12);
}

TEST(Compare, RowsInOneFileOnlyAreNamed) {
  ComparedResult transposed = result(8, 10), threads = result(8, 10), mode = result(8, 10),
                 dtype = result(8, 10);
  transposed.trans_a = true;
  threads.threads = 2;
  mode.mode = "accurate";
  dtype.dtype = "f64";
  const Comparison c =
      compare({"old", "", "", "", {result(8, 10), result(9, 10)}},
              {"new", "", "", "", {transposed, threads, mode, dtype, result(8, 10)}}, 5);
  EXPECT_EQ(c.added, 4u);
  EXPECT_EQ(c.missing, 1u);
  EXPECT_EQ(c.slower + c.faster, 0u);
  ASSERT_EQ(c.rows.size(), 6u);
  EXPECT_EQ(c.rows[0].key, "f32 8x8x8 TN");
  EXPECT_EQ(c.rows[1].key, "f32 8x8x8 NN, 2 threads");
  EXPECT_EQ(c.rows[2].key, "f32 8x8x8 NN accurate");
  EXPECT_EQ(c.rows[5].change, Change::kMissing);
  EXPECT_DOUBLE_EQ(c.mean_ratio, 1);
  EXPECT_DOUBLE_EQ(compare({}, {"new", "", "", "", {result(1, 1)}}, 5).mean_ratio, 0);
}

GemmResult measured(const std::string& group, std::int64_t size, double gflops,
                    std::vector<std::pair<std::string, double>> peers) {
  GemmResult r;
  r.shape = {group, false, false, size, size, size};
  r.ours.gflops = gflops;
  for (const auto& [name, speed] : peers) r.peers.emplace_back(name, GemmTiming{{}, speed, 0, 0});
  return r;
}

TEST(GeometricMeans, GroupByGroupAndPeerByPeer) {
  const std::vector<GeometricMean> means =
      geometric_means({measured("a", 1, 8, {{"p", 2}, {"q", 4}}), measured("a", 2, 9, {{"p", 9}}),
                       measured("b", 3, 1, {{"p", 4}, {"q", 2}}), measured("c", 4, 1, {})});
  const auto find = [&](const std::string& group, const std::string& peer) {
    for (const GeometricMean& mean : means) {
      if (mean.group == group && mean.peer == peer) return mean;
    }
    return GeometricMean{};
  };
  EXPECT_DOUBLE_EQ(find("a", "p").ratio, 2);                  // sqrt(4 · 1)
  EXPECT_DOUBLE_EQ(find("a", "q").ratio, 2);                  // of one shape
  EXPECT_DOUBLE_EQ(find("a", "best").ratio, std::sqrt(2.0));  // sqrt(2 · 1)
  EXPECT_DOUBLE_EQ(find("all", "p").ratio, 1);                // cbrt(4 · 1 / 4)
  EXPECT_EQ(find("all", "p").shapes, 3u);
  EXPECT_DOUBLE_EQ(find("all", "best").lowest, 0.25);
  EXPECT_EQ(find("all", "best").lowest_shape, "3x3x3 NN");
  EXPECT_EQ(find("c", "best").shapes, 0u);
  EXPECT_EQ(means.size(), 3u * 3);
}

}  // namespace
}  // namespace tilewise::bench
