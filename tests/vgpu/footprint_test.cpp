// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Footprints of accesses, and records of scattered accesses, which are taken all at once: held against
// records that take them one by one.
#include "vgpu/observe/footprint.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "vgpu/observe/global_shadow.hpp"
#include "vgpu/observe/shared_shadow.hpp"

namespace tilewise::vgpu {
namespace {

std::vector<std::uint64_t> deltas_of(std::uint64_t step) {
  std::vector<std::uint64_t> deltas(32);
  for (std::uint64_t lane = 0; lane < 32; ++lane) deltas[lane] = lane * step;
  return deltas;
}

TEST(Footprint, NeighboursAreOneRowAndOthersAreScattered) {
  const Footprint row = make_footprint(0xFFFFFFFF, deltas_of(4).data(), 4, 4);
  ASSERT_EQ(row.runs.size(), 1u);
  EXPECT_EQ(row.runs[0].bytes, 128u);
  EXPECT_TRUE(row.scattered.empty());
  EXPECT_EQ(row.lanes[31], 31);
  const Footprint column = make_footprint(0x80000003, deltas_of(512).data(), 8, 4);
  EXPECT_EQ(column.runs.size(), 3u);
  EXPECT_EQ(column.scattered, (std::vector<std::int32_t>{0, 1, 128, 129, 3968, 3969}));
  EXPECT_EQ(column.lanes, (std::vector<std::uint8_t>{0, 0, 1, 1, 31, 31}));
  EXPECT_EQ(column.highest, 31 * 512 + 8);
  EXPECT_FALSE(column.has_overlap);
}

TEST(Footprint, LanesAtTheSameBytesAreMany) {
  const std::vector<std::uint64_t> same(32, 0);
  const Footprint f = make_footprint(0xF0, same.data(), 4, 4);
  EXPECT_TRUE(f.has_overlap);
  EXPECT_EQ(f.lanes, (std::vector<std::uint8_t>{kManyLanes}));
  EXPECT_EQ(f.scattered, (std::vector<std::int32_t>{0}));
}

TEST(Footprint, LanesBelowTheFirstAreBeforeIt) {
  std::vector<std::uint64_t> deltas(32, 0);
  deltas[1] = static_cast<std::uint64_t>(-64);
  const Footprint f = make_footprint(0x3, deltas.data(), 4, 4);
  EXPECT_EQ(f.scattered, (std::vector<std::int32_t>{-16, 0}));
  EXPECT_EQ(f.lowest, -64);
}

TEST(CopyFootprints, AreOfOnePattern) {
  const std::vector<std::uint64_t> to = deltas_of(16), from = deltas_of(256);
  CopyFootprints f;
  f.set(0xFFFF, 0xFF, to.data(), from.data(), 16, 4);
  EXPECT_EQ(f.to.runs.size(), 1u);
  EXPECT_EQ(f.from.runs.size(), 8u);
  EXPECT_TRUE(f.matches(0xFFFF, 0xFF, to.data(), from.data()));
  EXPECT_FALSE(f.matches(0xFFFF, 0xFE, to.data(), from.data()));
  std::vector<std::uint64_t> moved = to;
  for (std::uint64_t& address : moved) address += 4096;
  EXPECT_TRUE(f.matches(0xFFFF, 0xFF, moved.data(), from.data()));
  moved[15] += 16;
  EXPECT_FALSE(f.matches(0xFFFF, 0xFF, moved.data(), from.data()));
  moved[15] -= 16;
  moved[16] += 16;  // of a lane that does not take part
  EXPECT_TRUE(f.matches(0xFFFF, 0xFF, moved.data(), from.data()));
}

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t roll() { return static_cast<std::uint32_t>(random_()); }

 private:
  std::mt19937 random_;
};

// Random accesses of four warps to scattered granules, taken at once by one shadow and row by row by
// another: the same verdicts, and the same conflicts afterwards.
TEST(SharedShadow, ScatteredAccessesAreThoseOfTheirGranules) {
  constexpr std::uint32_t kGranules = 64;
  SharedShadow at_once(4 * kGranules, 4), one_by_one(4 * kGranules, 4);
  Dice random(11);
  Knowledge known[4];
  int clean = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint32_t agent = random.roll() % 4, other = random.roll() % 4;
    if (i % 7 == 0) known[agent].join(known[other]);
    const auto clock = static_cast<Clock>(1 + i / 100);
    known[agent].generic.raise(agent, clock);
    const Accessor who{agent, clock, 1 + random.roll() % 9, random.roll() % 8 == 0,
                       random.roll() % 16 == 0};
    std::set<std::int32_t> chosen;
    const std::uint32_t first = 20 + random.roll() % 20;
    while (chosen.size() < 1 + random.roll() % 5)
      chosen.insert(static_cast<int>(random.roll() % 40) - 20);
    const std::vector<std::int32_t> offsets(chosen.begin(), chosen.end());
    std::vector<std::uint8_t> lanes;
    for (std::size_t lane = 0; lane < offsets.size(); ++lane)
      lanes.push_back(static_cast<std::uint8_t>(random.roll() % 32));
    const bool is_write = random.roll() % 3 == 0, unwritten = random.roll() % 4 == 0;
    bool expected = true;
    const auto granules = [&](std::size_t lane) {
      return Granules{first + static_cast<std::uint32_t>(offsets[lane]), 1, &lanes[lane]};
    };
    for (std::size_t lane = 0; lane < offsets.size(); ++lane) {
      expected &= is_write ? one_by_one.is_clean_write(granules(lane), who, known[agent])
                           : one_by_one.is_clean_read(granules(lane), who, known[agent], unwritten);
    }
    for (std::size_t lane = 0; lane < offsets.size() && expected; ++lane) {
      if (is_write) one_by_one.record_write(granules(lane), who);
      else one_by_one.record_read(granules(lane), who);
    }
    const ScatteredGranules g{first, offsets, lanes.data()};
    const bool taken = is_write ? at_once.take_write(g, who, known[agent])
                                : at_once.take_read(g, who, known[agent], unwritten);
    ASSERT_EQ(taken, expected) << i;
    clean += taken;
    const auto conflicts_of = [&](const SharedShadow& shadow) {
      std::vector<std::tuple<int, std::uint32_t, std::uint32_t, Clock, std::uint8_t>> found;
      for (const Conflict& c : shadow.conflicts_of_write({0, kGranules, nullptr}, who, {}))
        found.emplace_back(c.kind, c.granule, c.earlier.place, c.earlier.clock, c.lane);
      return found;
    };
    ASSERT_EQ(conflicts_of(at_once), conflicts_of(one_by_one)) << i;
  }
  EXPECT_GT(clean, 400);
  EXPECT_LT(clean, 3600);
}

TEST(GlobalShadow, ScatteredAccessesAreThoseOfTheirGranules) {
  constexpr std::uint64_t kAt = 0x10000 * 4096 - 128;  // across a page's end
  ClusterShape shape;
  shape.warps_per_block = 2;
  GlobalShadow at_once(shape, 4), one_by_one(shape, 4);
  Dice random(12);
  Knowledge known;
  int clean = 0;
  for (int i = 0; i < 4000; ++i) {
    GlobalAccessor who{random.roll() % 3, random.roll() % 2, static_cast<Clock>(1 + i / 100)};
    who.place = 1 + random.roll() % 9;
    who.is_strong = random.roll() % 2 == 0;
    if (i % 50 == 0) {
      auto elsewhere = std::make_shared<Elsewhere>();
      for (std::uint32_t block = 0; block < 3; ++block)
        (*elsewhere)[block].raise(shape.agent(block, random.roll() % 2), who.clock);
      known.elsewhere = elsewhere;
    }
    known.generic.raise(shape.agent(who.block, 0), who.clock);
    std::set<std::int32_t> chosen;
    while (chosen.size() < 1 + random.roll() % 5)
      chosen.insert(static_cast<int>(random.roll() % 60) - 30);
    const std::vector<std::int32_t> offsets(chosen.begin(), chosen.end());
    const std::vector<std::uint8_t> lanes(offsets.size(), static_cast<std::uint8_t>(i % 32));
    const bool is_write = random.roll() % 4 == 0;
    const auto address = [&](std::size_t at) {
      return kAt + 128 + static_cast<std::uint64_t>(std::int64_t{4 * offsets[at]});
    };
    bool expected = true;
    for (std::size_t at = 0; at < offsets.size(); ++at) {
      const bool is_clean = is_write ? one_by_one.is_clean_write(address(at), 4, who, known)
                                     : one_by_one.is_clean_read(address(at), 4, who, known);
      expected &= is_clean;
      // What is taken before something is found stays taken.
      if (!expected) break;
      if (is_write) one_by_one.record_write(address(at), 4, &lanes[at], who);
      else one_by_one.record_read(address(at), 4, &lanes[at], 0, who);
    }
    const ScatteredGranules g{(kAt + 128) / 4, offsets, lanes.data()};
    const bool taken =
        is_write ? at_once.take_write(g, who, known) : at_once.take_read(g, who, known);
    ASSERT_EQ(taken, expected) << i;
    clean += taken;
    const auto conflicts_of = [&](GlobalShadow& shadow) {
      std::vector<std::tuple<int, std::uint64_t, std::uint32_t, Clock, std::uint8_t>> found;
      for (const GlobalConflict& c : shadow.conflicts(kAt, 256, true, GlobalAccessor{9}, {}))
        found.emplace_back(c.kind, c.address, c.earlier.place, c.earlier.clock, c.lane);
      return found;
    };
    ASSERT_EQ(conflicts_of(at_once), conflicts_of(one_by_one)) << i;
  }
  EXPECT_GT(clean, 400);
  EXPECT_LT(clean, 3900);
}

}  // namespace
}  // namespace tilewise::vgpu
