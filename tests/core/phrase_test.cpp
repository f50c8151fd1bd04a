// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/phrase.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tilewise {
namespace {

TEST(Phrase, PutsValuesWhereTheyBelong) {
  EXPECT_EQ(phrase("nothing"), "nothing");
  EXPECT_EQ(phrase("{}", "all"), "all");
  EXPECT_EQ(phrase("{} = {}: expected {}", std::string("k"), -5, std::string_view("0 or more")),
            "k = -5: expected 0 or more");
  EXPECT_EQ(phrase("{}{}", std::numeric_limits<std::uint64_t>::max(),
                   std::numeric_limits<std::int64_t>::min()),
            "18446744073709551615-9223372036854775808");
}

TEST(Phrase, WritesAddressesInHexadecimal) {
  EXPECT_EQ(phrase("at {:#x}, {} bytes", std::uint64_t{0xfedcba9876543210}, 16),
            "at 0xfedcba9876543210, 16 bytes");
  EXPECT_EQ(phrase("{:#x}", 0), "0x0");
}

TEST(Phrase, LeavesWhatDoesNotFit) {
  EXPECT_EQ(phrase("{} and {}", 1), "1 and {}");
  EXPECT_EQ(phrase("{}", 1, 2), "1");
  EXPECT_EQ(phrase("{}", "{}"), "{}");  // values are not looked at
}

}  // namespace
}  // namespace tilewise
