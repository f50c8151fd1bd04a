// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cpu/caches.hpp"
#include "cpu/integer/blocks.hpp"
#include "cpu/integer/kernel.hpp"

namespace tilewise::cpu::integer {
namespace {

TEST(IntegerBlocks, SharesAreAllAndAlmostEqual) {
  for (const std::int64_t count : {0, 1, 5, 64, 1001}) {
    for (const int parts : {1, 2, 3, 7, 64}) {
      std::int64_t next = 0;
      for (int part = 0; part < parts; ++part) {
        const Range range = share(count, parts, part);
        EXPECT_EQ(range.begin, next);
        EXPECT_GE(range.end - range.begin, count / parts);
        EXPECT_LE(range.end - range.begin, count / parts + 1);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(IntegerBlocks, GridsFitTheShape) {
  EXPECT_EQ(grid_for(100, 1, 4).rows, 4);
  EXPECT_EQ(grid_for(1, 100, 4).columns, 4);
  EXPECT_EQ(grid_for(2, 50, 4).rows * grid_for(2, 50, 4).columns, 4);
  const Grid three = grid_for(3, 2, 6);
  EXPECT_EQ(three.rows, 3);
  EXPECT_EQ(three.columns, 2);
}

TEST(IntegerBlocks, AnyBlockHoldsWholeTiles) {
  for (const KernelSet set : {KernelSet::kPortable, kernel_set()}) {
    const Kernel& kernel = kernel_of(set, Signs::kS8S8);
    for (const std::int64_t size : {1, 7, 100, 5000, 1 << 30}) {
      const Blocks blocks = blocks_for(size, size, size, kernel, Caches{}, 2);
      EXPECT_GT(blocks.rows * blocks.columns * blocks.k, 0);
      EXPECT_EQ(blocks.rows % kernel.rows, 0);
      EXPECT_EQ(blocks.columns % kernel.columns, 0);
      EXPECT_EQ(blocks.k % kernel.depth, 0);
    }
  }
}

TEST(IntegerBlocks, SmallProductsWakeNobody) {
  const Kernel& kernel = kernel_of(KernelSet::kPortable, Signs::kU8S8);
  EXPECT_EQ(threads_for(64, 64, 64, kernel, 8), 1);
  EXPECT_EQ(threads_for(1, 1, 1 << 30, kernel, 8), 1);  // one tile
  EXPECT_EQ(threads_for(1000, 1000, 1000, kernel, 8), 8);
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  EXPECT_EQ(threads_for(kHuge, kHuge, kHuge, kernel, 3), 3);
}

}  // namespace
}  // namespace tilewise::cpu::integer
