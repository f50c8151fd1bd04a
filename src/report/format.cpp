// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilewise::report {
namespace {

// Three significant digits, no exponent, no trailing point.
std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Bytes of the first `characters` code points.
std::size_t prefix_bytes(std::string_view text, std::size_t characters) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_code_point(text[i]) && seen++ == characters) return i;
  }
  return text.size();
}

}  // namespace

std::string count_text(std::uint64_t count) {
  if (count < 10'000) return std::to_string(count);
  constexpr std::array<std::string_view, 6> kUnits{"k", "M", "G", "T", "P", "E"};
  double value = static_cast<double>(count) / 1e3;
  std::size_t unit = 0;
  // 999.5 is where three digits would round to "1000".
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1e3;
    ++unit;
  }
  return three_digits(value) + std::string(kUnits[unit]);
}

std::string time_text(double milliseconds) {
  if (milliseconds < 0.9995) return three_digits(milliseconds * 1e3) + " us";
  if (milliseconds < 999.5) return three_digits(milliseconds) + " ms";
  return three_digits(milliseconds / 1e3) + " s";
}

std::string gflops_text(double gflops) { return three_digits(gflops); }

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  // Sizes of memories are mostly whole numbers of their unit: no ".0" behind them.
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string shorten(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  return std::string(text.substr(0, prefix_bytes(text, width - 1))) + "…";
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    while (text_width(word) > width) {  // longer than any line
      if (!line.empty()) lines.push_back(std::exchange(line, {}));
      const std::size_t cut = prefix_bytes(word, std::max<std::size_t>(width, 1));
      lines.emplace_back(word.substr(0, cut));
      word.remove_prefix(cut);
    }
    if (word.empty()) continue;
    if (!line.empty() && text_width(line) + 1 + text_width(word) > width) {
      lines.push_back(std::exchange(line, {}));
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace tilewise::report
