// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/format.hpp"

#include <gtest/gtest.h>

namespace tilewise::report {
namespace {

TEST(Format, Counts) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(9'999), "9999");
  EXPECT_EQ(count_text(10'000), "10.0k");
  EXPECT_EQ(count_text(999'499), "999k");
  EXPECT_EQ(count_text(999'500), "1.00M");  // never "1000k"
  EXPECT_EQ(count_text(18'874'368), "18.9M");
  EXPECT_EQ(count_text(1'073'741'824), "1.07G");
  EXPECT_EQ(count_text(UINT64_MAX), "18.4E");
  for (std::uint64_t count = 1; count < UINT64_MAX / 7; count *= 7) {
    EXPECT_LE(count_text(count).size(), 6u) << count;
  }
}

TEST(Format, Times) {
  EXPECT_EQ(time_text(0.0123), "12.3 us");
  EXPECT_EQ(time_text(0.9999), "1.00 ms");
  EXPECT_EQ(time_text(1.456), "1.46 ms");
  EXPECT_EQ(time_text(2500), "2.50 s");
}

TEST(Format, Speeds) {
  EXPECT_EQ(gflops_text(0.5849), "0.58");
  EXPECT_EQ(gflops_text(88.64), "88.6");
  EXPECT_EQ(gflops_text(99.96), "100");
  EXPECT_EQ(gflops_text(48'750.5), "48750");
}

TEST(Format, Durations) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(3900), "1 h 5 min");
  EXPECT_EQ(duration_text(-3), "0 s");
}

TEST(Format, Bytes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(49'152), "48 KiB");
  EXPECT_EQ(bytes_text(1'572'864), "1.5 MiB");
  EXPECT_EQ(bytes_text(25'414'860'800), "23.67 GiB");
}

TEST(Format, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(text_width("a×b"), 3u);
  EXPECT_EQ(text_width("…"), 1u);
}

TEST(Format, ShortenKeepsWholeCharacters) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "ab…");
  EXPECT_EQ(shorten("××××", 3), "××…");
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Format, Wrap) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("  one   two ", 20), (std::vector<std::string>{"one two"}));
  EXPECT_EQ(wrap("abcdefgh ij", 3), (std::vector<std::string>{"abc", "def", "gh", "ij"}));
  EXPECT_TRUE(wrap("", 10).empty());
}

}  // namespace
}  // namespace tilewise::report
