// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tilewise {
namespace {

constexpr std::array<std::string_view, 6> kNames{"naive",  "tile_1d",       "tile_2d",
                                                 "float4", "double_buffer", "h200"};

TEST(Nearest, FindsSlips) {
  EXPECT_EQ(nearest("tile_2", kNames), "tile_2d");
  EXPECT_EQ(nearest("tile2d", kNames), "tile_2d");
  EXPECT_EQ(nearest("naiev", kNames), "naive");
  EXPECT_EQ(nearest("flaot4", kNames), "float4");
  EXPECT_EQ(nearest("doublebufer", kNames), "double_buffer");
  EXPECT_EQ(nearest("h20", kNames), "h200");
  EXPECT_EQ(nearest("naive", kNames), "naive");
}

TEST(Nearest, IgnoresCase) {
  EXPECT_EQ(nearest("H200", kNames), "h200");
  EXPECT_EQ(nearest("Tile_2D", kNames), "tile_2d");
}

TEST(Nearest, PrefersTheSmallerDistanceAndThenTheFirst) {
  EXPECT_EQ(nearest("tile_1", kNames), "tile_1d");
  EXPECT_EQ(nearest("tile_3d", kNames), "tile_1d");
}

TEST(Nearest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("cutlass", kNames), "");
  EXPECT_EQ(nearest("x", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest("naive", {}), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), kNames), "");
  constexpr std::array<std::string_view, 2> kShort{"a", ""};
  EXPECT_EQ(nearest("b", kShort), "");  // one letter for another is another name
}

TEST(DidYouMean, IsAPhraseOrNothing) {
  EXPECT_EQ(did_you_mean("tile_2", kNames), "; did you mean 'tile_2d'?");
  EXPECT_EQ(did_you_mean("cutlass", kNames), "");
}

}  // namespace
}  // namespace tilewise
