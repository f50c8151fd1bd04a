// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The records behind the checkers: clocks, shared memory, global memory, written bytes. The last of
// these are held against plain sets of bytes.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "vgpu/memory/written_bytes.hpp"
#include "vgpu/observe/clocks.hpp"
#include "vgpu/observe/findings.hpp"
#include "vgpu/observe/global_shadow.hpp"
#include "vgpu/observe/shared_shadow.hpp"

namespace tilewise::vgpu {
namespace {

TEST(Clocks, JoiningTakesTheLaterOfBoth) {
  VectorClock a, b;
  a.raise(0, 5);
  a.raise(3, 1);
  b.raise(0, 2);
  b.raise(7, 9);
  a.join(b);
  EXPECT_EQ(a[0], 5u);
  EXPECT_EQ(a[3], 1u);
  EXPECT_EQ(a[7], 9u);
  EXPECT_EQ(a[100], 0u);
}

TEST(Clocks, WhatIsKnownOfOtherClustersIsJoinedByCluster) {
  Knowledge a, b;
  auto first = std::make_shared<Elsewhere>();
  (*first)[4].raise(0, 3);
  auto second = std::make_shared<Elsewhere>();
  (*second)[4].raise(0, 8);
  (*second)[5].raise(2, 1);
  a.elsewhere = first;
  b.elsewhere = second;
  a.join(b);
  EXPECT_EQ(a.elsewhere_of(4, 0), 8u);
  EXPECT_EQ(a.elsewhere_of(5, 2), 1u);
  EXPECT_EQ(a.elsewhere_of(6, 0), 0u);
  EXPECT_EQ((*first).at(4)[0], 3u) << "what others share must not change";
}

Accessor warp(std::uint32_t agent, Clock clock, bool strong = false, bool async = false) {
  return {agent, clock, 1 + agent, strong, async};
}

Knowledge knows(std::initializer_list<std::pair<std::uint32_t, Clock>> generic,
                std::initializer_list<std::pair<std::uint32_t, Clock>> async = {}) {
  Knowledge k;
  for (const auto& [agent, clock] : generic) k.generic.raise(agent, clock);
  for (const auto& [agent, clock] : async) k.async.raise(agent, clock);
  return k;
}

TEST(SharedShadow, AWriteIsSeenByThoseWhoKnowOfIt) {
  SharedShadow shadow(256, 4);
  const Granules g{4, 8, nullptr};
  shadow.record_write(g, warp(0, 3));
  EXPECT_FALSE(shadow.is_clean_read(g, warp(4, 1), knows({{4, 1}, {0, 2}}), false));
  EXPECT_TRUE(shadow.is_clean_read(g, warp(4, 1), knows({{4, 1}, {0, 3}}), false));
  EXPECT_TRUE(shadow.is_clean_read({12, 4, nullptr}, warp(4, 1), knows({{4, 1}}), false));
  const auto conflicts =
      shadow.conflicts_of_read({2, 4, nullptr}, warp(4, 1), knows({{4, 1}}), false);
  ASSERT_EQ(conflicts.size(), 2u);
  EXPECT_EQ(conflicts[0].granule, 4u);
  EXPECT_EQ(conflicts[0].earlier.clock, 3u);
  EXPECT_EQ(conflicts[0].earlier.place, 1u);
}

TEST(SharedShadow, OneGranuleOfManyIsEnough) {
  SharedShadow shadow(256, 4);
  for (std::uint32_t i = 0; i < 64; ++i) shadow.record_write({i, 1, nullptr}, warp(0, 1));
  const Knowledge k = knows({{0, 1}, {4, 1}});
  for (std::uint32_t i = 0; i < 64; ++i) {
    shadow.record_write({i, 1, nullptr}, warp(8, 1));
    EXPECT_FALSE(shadow.is_clean_read({0, 64, nullptr}, warp(4, 1), k, false)) << i;
    EXPECT_EQ(shadow.conflicts_of_read({0, 64, nullptr}, warp(4, 1), k, false).size(), 1u);
    shadow.record_write({i, 1, nullptr}, warp(0, 1));
  }
  EXPECT_TRUE(shadow.is_clean_read({0, 64, nullptr}, warp(4, 1), k, true));
}

TEST(SharedShadow, AWriteLooksAtEveryReader) {
  SharedShadow shadow(256, 4);
  const Granules g{0, 4, nullptr};
  shadow.record_read({1, 1, nullptr}, warp(4, 2));
  shadow.record_read({2, 1, nullptr}, warp(8, 5));
  EXPECT_FALSE(shadow.is_clean_write(g, warp(0, 1), knows({{0, 1}, {4, 2}, {8, 4}})));
  EXPECT_FALSE(shadow.is_clean_write(g, warp(0, 1), knows({{0, 1}, {4, 1}, {8, 5}})));
  EXPECT_TRUE(shadow.is_clean_write(g, warp(0, 1), knows({{0, 1}, {4, 2}, {8, 5}})));
  EXPECT_TRUE(shadow.is_clean_write({3, 1, nullptr}, warp(0, 1), knows({{0, 1}})));
  const auto conflicts = shadow.conflicts_of_write(g, warp(0, 1), knows({{0, 1}}));
  ASSERT_EQ(conflicts.size(), 2u);
  EXPECT_EQ(conflicts[0].kind, Conflict::kRead);
}

TEST(SharedShadow, OwnAccessesAndStrongOnesDoNotConflict) {
  SharedShadow shadow(64, 4);
  const Granules g{0, 2, nullptr};
  shadow.record_read(g, warp(0, 1));
  EXPECT_TRUE(shadow.is_clean_write(g, warp(0, 1), knows({{0, 1}})));
  shadow.record_write(g, warp(0, 1, true));
  EXPECT_TRUE(shadow.is_clean_read(g, warp(4, 1, true), knows({{4, 1}}), true));
  EXPECT_FALSE(shadow.is_clean_read(g, warp(4, 1, false), knows({{4, 1}}), true));
}

TEST(SharedShadow, TheAsyncProxyNeedsItsFence) {
  SharedShadow shadow(64, 4);
  const Granules g{0, 2, nullptr};
  shadow.record_write(g, warp(0, 2));
  const Accessor tma = warp(6, 1, false, true);
  EXPECT_FALSE(shadow.is_clean_read(g, tma, knows({{0, 2}}), false));
  const auto conflicts = shadow.conflicts_of_read(g, tma, knows({{0, 2}}), false);
  ASSERT_EQ(conflicts.size(), 2u);
  EXPECT_EQ(conflicts[0].kind, Conflict::kProxy);
  EXPECT_EQ(shadow.conflicts_of_read(g, tma, knows({{0, 1}}), false)[0].kind, Conflict::kWrite);
  EXPECT_TRUE(shadow.is_clean_read(g, tma, knows({{0, 2}}, {{0, 2}}), false));
  // What the async proxy wrote needs no such fence.
  shadow.record_write(g, tma);
  EXPECT_TRUE(shadow.is_clean_read(g, warp(7, 1, false, true), knows({{6, 1}}), false));
  EXPECT_TRUE(shadow.is_clean_read(g, warp(4, 1), knows({{6, 1}}), false));
}

TEST(SharedShadow, UnwrittenGranulesAndForgetting) {
  SharedShadow shadow(64, 2);
  EXPECT_FALSE(shadow.is_clean_read({30, 2, nullptr}, warp(0, 1), {}, true));
  EXPECT_TRUE(shadow.is_clean_read({30, 2, nullptr}, warp(0, 1), {}, false));
  shadow.record_write({30, 1, nullptr}, warp(0, 1));
  shadow.record_read({30, 1, nullptr}, warp(8, 1));
  EXPECT_FALSE(shadow.is_clean_read({30, 2, nullptr}, warp(0, 1), knows({{0, 1}}), true));
  EXPECT_FALSE(shadow.is_clean_write({30, 1, nullptr}, warp(4, 1), {}));
  shadow.forget();
  EXPECT_TRUE(shadow.is_clean_write({30, 1, nullptr}, warp(4, 1), {}));
  EXPECT_TRUE(shadow.is_clean_read({30, 1, nullptr}, warp(4, 1), {}, true));
  shadow.reset();
  EXPECT_FALSE(shadow.is_clean_read({30, 1, nullptr}, warp(4, 1), {}, true));
}

GlobalAccessor of_block(std::uint32_t block, std::uint32_t warp_index = 0, Clock clock = 1) {
  return {block, warp_index, clock, 7, false, false};
}

TEST(GlobalShadow, BlocksConflictUnlessTheyHeardOfEachOther) {
  ClusterShape shape;
  shape.warps_per_block = 2;
  GlobalShadow shadow(shape, 4);
  const std::uint64_t at = 0x10000 * 4096 - 8;  // across a page's end
  shadow.record_write(at, 16, nullptr, of_block(3, 1, 5));
  EXPECT_FALSE(shadow.is_clean_read(at, 16, of_block(4), {}));
  EXPECT_FALSE(shadow.is_clean_read(at + 12, 4, of_block(4), {}));
  EXPECT_TRUE(shadow.is_clean_read(at + 16, 4, of_block(4), {}));
  Knowledge told;
  auto elsewhere = std::make_shared<Elsewhere>();
  (*elsewhere)[3].raise(shape.agent(3, 1), 5);
  told.elsewhere = elsewhere;
  EXPECT_TRUE(shadow.is_clean_read(at, 16, of_block(4), told));
  const auto conflicts = shadow.conflicts(at, 16, false, of_block(4), {});
  ASSERT_EQ(conflicts.size(), 4u);
  EXPECT_EQ(conflicts[3].address, at + 12);
  EXPECT_EQ(conflicts[0].earlier.block, 3u);
  EXPECT_EQ(conflicts[0].earlier.place, 7u);
}

TEST(GlobalShadow, TwoReadersOfDifferentBlocksAreKept) {
  ClusterShape shape;
  GlobalShadow shadow(shape, 4);
  for (std::uint32_t block = 0; block < 3; ++block) {
    shadow.record_read(4096, 128, nullptr, 0, of_block(block));
  }
  EXPECT_FALSE(shadow.is_clean_write(4096, 4, of_block(2), {}));
  EXPECT_FALSE(shadow.is_clean_write(4096, 4, of_block(1), {}));
  EXPECT_TRUE(shadow.is_clean_read(4096, 128, of_block(9), {}));
}

// Reads that wait in a page's list give the same conflicts as those that are in its arrays at once. No
// lane_granules means arrays.
TEST(GlobalShadow, ListedReadsAreThoseOfTheArrays) {
  constexpr std::uint64_t kAt = 0x10000 * 4096 - 256;  // across a page's end
  ClusterShape shape;
  shape.warps_per_block = 2;
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    GlobalShadow listed(shape, 4), direct(shape, 4);
    const int reads = round == 0 ? 5000 : 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < reads; ++i) {
      const auto each = static_cast<std::uint32_t>(1 + random() % 4);
      const auto count = static_cast<std::uint32_t>(1 + random() % 8) * each;
      const std::uint64_t at = kAt + 4 * (random() % 100);
      std::vector<std::uint8_t> lanes(count);
      const auto first = static_cast<std::uint8_t>(random() % 24);
      for (std::uint32_t g = 0; g < count; ++g)
        lanes[g] = static_cast<std::uint8_t>(first + g / each);
      const GlobalAccessor who =
          of_block(static_cast<std::uint32_t>(random() % 4),
                   static_cast<std::uint32_t>(random() % 2), static_cast<Clock>(1 + random() % 3));
      const bool is_whole_warp = random() % 8 == 0;
      const std::uint8_t* const given = is_whole_warp ? nullptr : lanes.data();
      listed.record_read(at, 4 * count, given, each, who);
      direct.record_read(at, 4 * count, given, 0, who);
    }
    const std::uint64_t at = kAt + 4 * (random() % 64);
    const GlobalAccessor writer = of_block(static_cast<std::uint32_t>(random() % 4));
    Knowledge known;
    known.generic.raise(shape.agent(0, 0), static_cast<Clock>(1 + random() % 3));
    EXPECT_EQ(listed.is_clean_write(at, 200, writer, known),
              direct.is_clean_write(at, 200, writer, known));
    const auto a = listed.conflicts(at, 200, true, writer, known),
               b = direct.conflicts(at, 200, true, writer, known);
    ASSERT_EQ(a.size(), b.size()) << round;
    found += static_cast<int>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].address, b[i].address);
      EXPECT_EQ(a[i].lane, b[i].lane);
      EXPECT_EQ(a[i].earlier.block, b[i].earlier.block);
      EXPECT_EQ(a[i].earlier.clock, b[i].earlier.clock);
    }
  }
  EXPECT_GT(found, 500);
}

TEST(WrittenBytes, AgreesWithASetOfBytes) {
  constexpr std::uint64_t kBegin = 0x7000, kBytes = 300;
  WrittenBytes written(kBegin, kBytes);
  std::set<std::uint64_t> reference;
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t a = random() % kBytes,
                        n = random() % std::min<std::uint64_t>(140, kBytes - a);
    if (i % 50 == 0) {
      written.mark(kBegin + a, n);
      for (std::uint64_t b = a; b < a + n; ++b) reference.insert(b);
    }
    std::uint64_t first = a + n;
    for (std::uint64_t b = a; b < a + n && first == a + n; ++b) {
      if (!reference.contains(b)) first = b;
    }
    ASSERT_EQ(written.first_unwritten(kBegin + a, n), kBegin + first) << i;
    ASSERT_EQ(written.covers(kBegin + a, n), first == a + n) << i;
  }
  written.mark(kBegin, kBytes);
  EXPECT_TRUE(written.covers(kBegin, kBytes));
}

TEST(Findings, LanesAreNamedInRanges) {
  EXPECT_EQ(lanes_name(0xFFFFFFFF), "lanes 0-31");
  EXPECT_EQ(lanes_name(0x80000001), "lanes 0,31");
  EXPECT_EQ(lanes_name(0x10), "lane 4");
  EXPECT_EQ(lanes_name(0xF6), "lanes 1-2,4-7");
}

}  // namespace
}  // namespace tilewise::vgpu
