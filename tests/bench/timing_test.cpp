// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "fake_device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 100}), 3.5);
  EXPECT_EQ(median({2}), 2);
  EXPECT_THROW(median({}), Error);
}

TEST(SetsPastCache, ExceedThreeTimesTheCacheWithinMemory) {
  EXPECT_EQ(sets_past_cache(10, 100, 10'000), 30);
  EXPECT_EQ(sets_past_cache(7, 100, 10'000), 43);
  EXPECT_EQ(sets_past_cache(1000, 100, 10'000), 1);
  EXPECT_EQ(sets_past_cache(10, 100, 55), 5);
  EXPECT_EQ(sets_past_cache(10, 100, 5), 1);
  EXPECT_EQ(sets_past_cache(1, 1 << 20, 1 << 30), 64);
  EXPECT_EQ(sets_past_cache(0, 100, 1000), 64);
}

TEST(ChooseCounts, TakesAtLeastTenRunsUnlessTold) {
  EXPECT_EQ(choose_counts(2000, 0).timed, 10);
  EXPECT_EQ(choose_counts(2000, 0).warm_up, 1);
  EXPECT_EQ(choose_counts(20, 0).timed, 50);
  EXPECT_EQ(choose_counts(20, 0).warm_up, 5);
  EXPECT_EQ(choose_counts(0.01, 0).timed, 200);
  EXPECT_EQ(choose_counts(0, 0).warm_up, 2000);
  EXPECT_EQ(choose_counts(2000, 3).timed, 3);
  EXPECT_EQ(choose_counts(0.01, 500).timed, 500);
}

TEST(TimeInterleaved, TakesTurnsAndRotatesTheSets) {
  FakeDevice device;
  const auto stream = device.create_stream();
  std::vector<std::pair<char, int>> runs;
  const auto ours = [&](int set) { runs.emplace_back('o', set); };
  const auto peer = [&](int set) { runs.emplace_back('p', set); };
  const Samples samples = time_interleaved(device, *stream, ours, peer, 3, 7);
  EXPECT_EQ(samples.ours_ms.size(), 7u);
  EXPECT_EQ(samples.peer_ms.size(), 7u);
  ASSERT_GE(runs.size(), 14u);
  for (std::size_t i = runs.size() - 14; i < runs.size(); ++i) {
    EXPECT_NE(runs[i].first, runs[i - 1].first);
    EXPECT_EQ(runs[i].second, (runs[i - 1].second + 1) % 3);
  }
}

// Before each timed run one of its kind that is not timed, right behind the rest.
TEST(TimeInterleaved, RestsBeforeEachRun) {
  FakeDevice device;
  const auto stream = device.create_stream();
  std::string runs;
  const auto begin = std::chrono::steady_clock::now();
  const Samples samples = time_interleaved(
      device, *stream, [&](int) { runs += 'o'; }, [&](int) { runs += 'p'; }, 2, 3, 20);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(6 * 20));
  EXPECT_EQ(samples.ours_ms.size(), 3u);
  EXPECT_EQ(samples.peer_ms.size(), 3u);
  ASSERT_GE(runs.size(), 12u);
  EXPECT_EQ(runs.substr(runs.size() - 12), "ooppooppoopp");
}

TEST(TimeInterleaved, WorksWithoutAPeer) {
  FakeDevice device;
  const auto stream = device.create_stream();
  int runs = 0;
  const Samples samples = time_interleaved(
      device, *stream, [&](int) { ++runs; }, {}, 1, 0);
  EXPECT_GE(samples.ours_ms.size(), 10u);
  EXPECT_TRUE(samples.peer_ms.empty());
  EXPECT_GT(runs, 10);
}

TEST(TimeInTurns, EveryRoundHasEachContenderOnceBehindItsLeadIn) {
  FakeDevice device;
  const auto stream = device.create_stream();
  std::string runs;
  std::vector<int> sets;
  const auto contender = [&](char name) {
    return [&, name](int set) { runs += name, sets.push_back(set); };
  };
  std::mt19937_64 random(1);
  const auto lead_in = [&](double microseconds) {
    EXPECT_GE(microseconds, 10);
    runs += '|';
  };
  const auto samples =
      time_in_turns(device, *stream, {contender('a'), contender('b'), contender('c')}, 5, {0.1, 12},
                    lead_in, random);
  ASSERT_EQ(samples.size(), 3u);
  for (const std::vector<double>& each : samples) EXPECT_EQ(each.size(), 12u);
  ASSERT_GE(runs.size(), 48u);
  for (std::size_t i = runs.size() - 48; i < runs.size(); i += 4) {
    std::string round = runs.substr(i, 4);
    std::ranges::sort(round);
    EXPECT_EQ(round, "abc|");
  }
  for (std::size_t i = 1; i < sets.size(); ++i) EXPECT_EQ(sets[i], (sets[i - 1] + 1) % 5);
}

TEST(TimeInTurns, TakesTenRoundsOfSlowRunsAndNoLeadIn) {
  FakeDevice device;
  const auto stream = device.create_stream();
  std::mt19937_64 random(1);
  int leads = 0;
  const EnqueueRun slow = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); };
  const auto samples = time_in_turns(
      device, *stream, {slow}, 1, {0.005, 0}, [&](double) { ++leads; }, random);
  EXPECT_EQ(samples[0].size(), 10u);
  EXPECT_EQ(leads, 1) << "only before it was known how long a run takes";
}

}  // namespace
}  // namespace tilewise::bench
