// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "model/access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "core/file.hpp"
#include "core/random.hpp"

namespace tilewise::model {
namespace {

constexpr std::uint32_t kAll = 0xFFFFFFFF;

template <typename Offset> LaneAddresses lanes(Offset offset) {
  LaneAddresses result{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) result[lane] = offset(lane);
  return result;
}

LaneAddresses strided(std::uint64_t bytes) {
  return lanes([&](std::uint64_t lane) { return lane * bytes; });
}

SharedCost cost(int wavefronts, int conflicts) { return {wavefronts, conflicts}; }

TEST(SharedLoad, NeighboursAndBroadcastsCostOnePass) {
  EXPECT_EQ(shared_load(strided(4), kAll, 4), cost(1, 0));
  EXPECT_EQ(shared_load(strided(0), kAll, 4), cost(1, 0));
  EXPECT_EQ(shared_load(lanes([](auto lane) { return (31 - lane) * 4; }), kAll, 4), cost(1, 0));
}

TEST(SharedLoad, StridesConflictByTheirCommonDivisorWith32) {
  EXPECT_EQ(shared_load(strided(8), kAll, 4), cost(2, 1));
  EXPECT_EQ(shared_load(strided(16), kAll, 4), cost(4, 3));
  EXPECT_EQ(shared_load(strided(3 * 4), kAll, 4), cost(1, 0));
  EXPECT_EQ(shared_load(strided(32 * 4), kAll, 4), cost(32, 31));
  EXPECT_EQ(shared_load(strided(33 * 4), kAll, 4), cost(1, 0));  // padding by one cures it
}

TEST(SharedLoad, WideAccessesTakeTheFewestPhasesWithoutConflicts) {
  EXPECT_EQ(shared_load(strided(8), kAll, 8), cost(2, 0));
  EXPECT_EQ(shared_load(strided(16), kAll, 16), cost(4, 0));
  EXPECT_EQ(shared_load(strided(32), kAll, 16), cost(8, 4));
}

TEST(SharedLoad, PhasesMergeWhenNeighboursShareAddresses) {
  const LaneAddresses by_one = lanes([](auto lane) { return lane / 2 * 8; });
  const LaneAddresses by_two = lanes([](auto lane) { return (lane / 4 * 2 + lane % 2) * 8; });
  const LaneAddresses by_four = lanes([](auto lane) { return (lane / 8 * 4 + lane % 4) * 8; });
  EXPECT_EQ(shared_load(by_one, kAll, 8), cost(1, 0));
  EXPECT_EQ(shared_load(by_two, kAll, 8), cost(1, 0));
  EXPECT_EQ(shared_load(by_four, kAll, 8), cost(2, 0));  // i^4 does not count
  EXPECT_EQ(shared_load(strided(0), kAll, 16), cost(2, 0));
}

TEST(SharedLoad, OneConditionMustHoldForTheWholeWarp) {
  const LaneAddresses mixed = lanes(
      [](auto lane) { return lane < 16 ? lane / 2 * 8 : 64 + (lane / 4 * 2 + lane % 2) * 8; });
  EXPECT_EQ(shared_load(mixed, kAll, 8).wavefronts, 2);
}

TEST(SharedLoad, InactivePartnersDoNotPreventMerging) {
  EXPECT_EQ(shared_load(strided(8), 0x55555555, 8),
            cost(2, 1));  // merged: 16 lanes, 2 words a bank
  EXPECT_EQ(shared_store(strided(8), 0x55555555, 8), cost(2, 0));
  EXPECT_EQ(shared_load(strided(4), 0x33333333, 4), cost(1, 0));
}

TEST(SharedLoad, PhasesWithoutActiveLanesAreNotRun) {
  EXPECT_EQ(shared_load(strided(8), 0x0000FFFF, 8), cost(1, 0));
  EXPECT_EQ(shared_load(strided(16), 0xFF000000, 16), cost(1, 0));
  EXPECT_EQ(shared_load(strided(4), 0, 4), cost(0, 0));
  EXPECT_EQ(shared_load(strided(16), 0, 16), cost(0, 0));
}

TEST(SharedLoad, InactiveLanesDoNotCount) {
  LaneAddresses addresses = strided(4);
  addresses[5] = 128;  // the bank of lane 0
  EXPECT_EQ(shared_load(addresses, kAll, 4), cost(2, 1));
  EXPECT_EQ(shared_load(addresses, ~(1u << 5), 4), cost(1, 0));
  EXPECT_EQ(shared_load(addresses, ~1u, 4), cost(1, 0));
}

TEST(SharedLoad, NarrowAccessesShareWords) {
  EXPECT_EQ(shared_load(strided(1), kAll, 1), cost(1, 0));  // 8 words
  EXPECT_EQ(shared_load(strided(2), kAll, 2), cost(1, 0));  // 16 words
  EXPECT_EQ(shared_load(strided(4), kAll, 1), cost(1, 0));  // a byte of each of 32 words
  EXPECT_EQ(shared_load(strided(8), kAll, 2), cost(2, 1));
  EXPECT_EQ(shared_store(strided(128), kAll, 1), cost(32, 31));
}

TEST(SharedStore, NeverMerges) {
  EXPECT_EQ(shared_store(strided(0), kAll, 8), cost(2, 0));
  EXPECT_EQ(shared_store(strided(0), kAll, 16), cost(4, 0));
  EXPECT_EQ(shared_store(lanes([](auto lane) { return lane / 2 * 8; }), kAll, 8), cost(2, 0));
}

// Transposing a BK = 8 tile of A, one float a store: threads 0..7 walk along k, so their words lie
// BM apart. BM = 128: all in one bank. BM + 4: a quarter of the banks further each time.
TEST(SharedStore, PaddingCuresTheTransposedStore) {
  const auto transposed = [](std::uint64_t bm) {
    return lanes([=](auto lane) { return (lane % 8 * bm + lane / 8) * 4; });
  };
  EXPECT_EQ(shared_store(transposed(128), kAll, 4), cost(8, 7));
  EXPECT_EQ(shared_store(transposed(132), kAll, 4), cost(1, 0));
}

TEST(SharedMatrix, EightRowsAPhase) {
  EXPECT_EQ(shared_matrix(strided(16), 1), cost(1, 0));
  EXPECT_EQ(shared_matrix(strided(16), 4), cost(4, 0));
  EXPECT_EQ(shared_matrix(strided(128), 1), cost(8, 7));
  EXPECT_EQ(shared_matrix(strided(128), 2), cost(16, 14));
  EXPECT_EQ(shared_matrix(strided(144), 4), cost(4, 0));
  LaneAddresses addresses = strided(16);
  for (std::size_t lane = 8; lane < 32; ++lane) addresses[lane] = 0;  // not read by .x1
  EXPECT_EQ(shared_matrix(addresses, 1), cost(1, 0));
}

TEST(GlobalSectors, CountsWhatIsTouched) {
  EXPECT_EQ(global_sectors(strided(4), kAll, 4), 4);
  EXPECT_EQ(global_sectors(strided(8), kAll, 8), 8);
  EXPECT_EQ(global_sectors(strided(16), kAll, 16), 16);
  EXPECT_EQ(global_sectors(strided(0), kAll, 4), 1);
  EXPECT_EQ(global_sectors(strided(4096), kAll, 4), 32);
  EXPECT_EQ(global_sectors(strided(1), kAll, 1), 1);
  EXPECT_EQ(global_sectors(strided(4), 0, 4), 0);
  EXPECT_EQ(global_sectors(strided(4), 0x000000FF, 4), 1);
  EXPECT_EQ(global_sectors(strided(4), 0x80000001, 4), 2);
}

TEST(GlobalSectors, ShiftedRowsTouchOneMore) {
  EXPECT_EQ(global_sectors(lanes([](auto lane) { return 4 + lane * 4; }), kAll, 4), 5);
  EXPECT_EQ(global_sectors(lanes([](auto lane) { return 30 + lane * 4; }), kAll, 4), 5);
}

TEST(GlobalSectors, OrderAndRepetitionDoNotMatter) {
  EXPECT_EQ(global_sectors(lanes([](auto lane) { return (31 - lane) * 4; }), kAll, 4), 4);
  EXPECT_EQ(global_sectors(lanes([](auto lane) { return lane % 2 * 4096; }), kAll, 4), 2);
}

TEST(GlobalSectors, HighAddresses) {
  const std::uint64_t base = 0x7FFF'FFFF'FFFF'F000;
  EXPECT_EQ(global_sectors(lanes([&](auto lane) { return base + lane * 4; }), kAll, 4), 4);
  EXPECT_EQ(shared_load(lanes([&](auto lane) { return base + lane * 8; }), kAll, 4), cost(2, 1));
}

// The rules once more, written for clarity: sets instead of chains, one lane at a time.
SharedCost reference(const LaneAddresses& addresses, std::uint32_t mask, int bytes, bool load) {
  const auto active = [&](std::size_t lane) { return (mask >> lane & 1) != 0; };
  const auto paired = [&](std::size_t distance) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::size_t partner = lane ^ distance;
      if (active(lane) && active(partner) && addresses[lane] != addresses[partner]) return false;
    }
    return true;
  };
  std::size_t width = bytes <= 4 ? 32 : 128 / static_cast<std::size_t>(bytes);
  if (load && bytes > 4 && (paired(1) || paired(2))) width *= 2;
  SharedCost result;
  for (std::size_t first = 0; first < 32; first += width) {
    std::vector<std::set<std::uint64_t>> words(32);
    for (std::size_t lane = first; lane < first + width; ++lane) {
      if (!active(lane)) continue;
      for (int byte = 0; byte < bytes; ++byte) {
        const std::uint64_t word = (addresses[lane] + static_cast<std::uint64_t>(byte)) / 4;
        words[word % 32].insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.size());
    result.wavefronts += static_cast<int>(most);
    if (most > 0) result.conflicts += static_cast<int>(most) - 1;
  }
  return result;
}

// Conflicts on the two sides of a copy add up where they are between different lanes, and only there.
TEST(Access, CopiesAreInEachOthersWayOnEitherSide) {
  const auto cost = [](auto to, auto from, int bytes) {
    LaneAddresses written{}, read{};
    for (std::uint64_t lane = 0; lane < 32; ++lane)
      written[lane] = to(lane), read[lane] = from(lane);
    return async_copy_cached(written, read, kAll, kAll, bytes).wavefronts;
  };
  const auto rows_of_4 = [](std::uint64_t lane) { return lane / 4 * 2048 + lane % 4 * 4; };
  // Turned: lane r * 4 + c shares a bank with 7 lanes where it is read, with 3 others where it is written.
  EXPECT_EQ(cost([](std::uint64_t lane) { return lane % 4 * 512 + lane / 4 * 4; }, rows_of_4, 4),
            11);
  // Rows 64 bytes apart: the lanes that meet where they are written have met where they were read.
  EXPECT_EQ(cost([](std::uint64_t lane) { return lane / 4 * 64 + lane % 4 * 4; }, rows_of_4, 4), 8);
  EXPECT_EQ(cost([](std::uint64_t lane) { return lane * 4; }, rows_of_4, 4), 8);
  // 16 bytes a lane, rows of 4 that overlap by half in shared memory: 3 in each of 4 phases.
  EXPECT_EQ(cost([](std::uint64_t lane) { return lane / 4 * 160 + lane % 4 * 16; },
                 [](std::uint64_t lane) { return lane / 4 * 2048 + lane % 4 * 16; }, 16),
            12);
}

TEST(Access, RandomAccessesAgreeWithAPlainReading) {
  std::uint64_t drawn = 0;
  const auto random = [&](std::uint64_t limit) { return mix64(++drawn) % limit; };
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const int bytes = 1 << random(5);
    const std::uint64_t range = 64u << random(9);
    const std::uint64_t unit = random(8) == 0 ? 1 : static_cast<std::uint64_t>(bytes);  // unaligned
    const std::uint64_t sharing = random(4);  // 0: none, else lanes i and i^sharing agree
    LaneAddresses addresses{};
    for (std::uint64_t& address : addresses) address = random(range / unit + 1) * unit;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      addresses[lane] = addresses[std::min<std::size_t>(lane, lane ^ sharing)];
    }
    const std::uint32_t mask =
        random(3) == 0 ? kAll : static_cast<std::uint32_t>(random(std::uint64_t{1} << 32));
    ASSERT_EQ(shared_load(addresses, mask, bytes), reference(addresses, mask, bytes, true));
    ASSERT_EQ(shared_store(addresses, mask, bytes), reference(addresses, mask, bytes, false));
    std::set<std::uint64_t> sectors;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (int byte = 0; byte < bytes && (mask >> lane & 1) != 0; ++byte) {
        sectors.insert((addresses[lane] + static_cast<std::uint64_t>(byte)) / 32);
      }
    }
    ASSERT_EQ(global_sectors(addresses, mask, bytes), static_cast<int>(sectors.size()));
  }
}

LaneAddresses lane_addresses(const std::string& text) {
  LaneAddresses addresses{};
  std::istringstream in(text);
  for (std::uint64_t& address : addresses) in >> address;
  return addresses;
}

// cp.async.ca on an H200 (Nsight Compute, driver 580.159.04) whose lanes outside of a mask had 0 source
// bytes, one warp a row: nine patterns, eight masks, 4, 8 and 16 bytes a lane.
TEST(AsyncCopies, LanesThatOnlyFillWithZerosAreInNobodysWayInTheCache) {
  std::istringstream file(read_file(std::string(TILEWISE_TESTS_DIR) + "/model/h200_zero_fill.csv"));
  std::string line, field;
  std::getline(file, line);  // the names of the columns
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::vector<std::string> fields;
    for (std::istringstream in(line); std::getline(in, field, ',');) fields.push_back(field);
    ASSERT_EQ(fields.size(), 9u) << line;
    const AsyncCopyCost expected{std::stoi(fields[6]), std::stoi(fields[7]), std::stoi(fields[8])};
    const auto reading = static_cast<std::uint32_t>(std::stoul(fields[3], nullptr, 16));
    EXPECT_EQ(async_copy_cached(lane_addresses(fields[4]), lane_addresses(fields[5]), 0xFFFFFFFF,
                                reading, std::stoi(fields[1])),
              expected)
        << line;
  }
  EXPECT_EQ(rows, 216);
}

}  // namespace
}  // namespace tilewise::model
