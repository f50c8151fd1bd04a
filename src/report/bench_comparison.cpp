// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/bench.hpp"
#include "report/format.hpp"

namespace tilewise::report {
namespace {

using bench::Change;

std::string_view word_of(Change change) {
  switch (change) {
    case Change::kSlower: return "SLOWER";
    case Change::kFaster: return "faster";
    case Change::kNew: return "new";
    case Change::kMissing: return "missing";
    case Change::kSame: break;
  }
  return "";
}

std::string_view color_of(Change change) {
  switch (change) {
    case Change::kSlower: return "\033[31m";
    case Change::kFaster: return "\033[32m";
    case Change::kNew:
    case Change::kMissing: return "\033[33m";
    case Change::kSame: break;
  }
  return "";
}

std::string number(const std::optional<double>& value) {
  if (!value) return "–";
  return *value < 10 ? fmt::format("{:.2f}", *value) : fmt::format("{:.1f}", *value);
}

std::string row_text(const bench::ComparedRow& row, std::size_t key_width, bool color) {
  const bool both = row.old_gflops && row.new_gflops;
  std::string line =
      fmt::format("{:<{}} {:>10} {:>10} {:>7} {:>9} {:>7}  ", shorten(row.key, key_width),
                  key_width, number(row.old_gflops), number(row.new_gflops),
                  both ? fmt::format("{:.3f}", row.ratio) : std::string("–"),
                  row.peer_ratio ? fmt::format("{:.3f}", *row.peer_ratio) : std::string("–"),
                  both ? fmt::format("{:.1f}%", row.noise) : std::string("–"));
  const std::string_view word = word_of(row.change);
  if (color && !word.empty()) {
    return fmt::format("{}{}{}\033[0m\n", line, color_of(row.change), word);
  }
  line += word;
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string machines_text(const bench::Comparison& c) {
  if (c.old_machine == c.new_machine) return {};
  return fmt::format("The machines differ: {} and {}.\n", c.old_machine, c.new_machine);
}

std::string counts_text(const bench::Comparison& c) {
  std::string text = fmt::format("{} slower, {} faster, {} new, {} missing", c.slower, c.faster,
                                 c.added, c.missing);
  if (c.mean_ratio > 0) text += fmt::format("; geometric mean of new / old: {:.3f}", c.mean_ratio);
  return text + "\n";
}

}  // namespace

std::string comparison_table(const bench::Comparison& c, bool color) {
  std::size_t width = 5;
  for (const bench::ComparedRow& row : c.rows) width = std::max(width, text_width(row.key));
  width = std::min<std::size_t>(width, 46);
  std::string out = fmt::format("old: {}\nnew: {}\n{}\n", c.old_name, c.new_name, machines_text(c));
  out += fmt::format("{:<{}} {:>10} {:>10} {:>7} {:>9} {:>7}\n", "shape", width, "old", "new",
                     "ratio", "per peers", "noise");
  for (const bench::ComparedRow& row : c.rows) out += row_text(row, width, color);
  return out + "\n" + counts_text(c);
}

}  // namespace tilewise::report
