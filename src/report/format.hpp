// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How reports spell numbers and lay out text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::report {

/// A count in at most six characters: "0", "9999", "18.9M", "1.07G".
std::string count_text(std::uint64_t count);

/// "12.3 us", "1.46 ms", "2.50 s" from milliseconds.
std::string time_text(double milliseconds);

/// GFLOP/s: three digits, and all of those before the point: "0.58", "88.6", "48750".
std::string gflops_text(double gflops);

/// Seconds for people: "40 s", "3 min 20 s", "1 h 5 min".
std::string duration_text(double seconds);

/// Bytes with a binary unit: "48 KiB", "141 GiB", "1.5 MiB".
std::string bytes_text(std::uint64_t bytes);

/// Characters that stand on a terminal: the code points of UTF-8 text (every one of ours is as wide
/// as one column).
std::size_t text_width(std::string_view text);

/// At most `width` characters: longer text ends in "…".
std::string shorten(std::string_view text, std::size_t width);

/// Lines of at most `width` characters, broken at spaces; a word longer than that is cut.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace tilewise::report
