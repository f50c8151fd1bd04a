// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/bench_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"

namespace tilewise::report {

std::string painted(bool color, std::string_view code, const std::string& text) {
  return color && !code.empty() ? fmt::format("{}{}\033[0m", code, text) : text;
}

std::string ended(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string lines_of(const std::string& text) {
  std::string out;
  for (const std::string& line : wrap(text, kWidth)) out += line + "\n";
  return out;
}

std::string speed(double value) {
  return value < 10 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
}

namespace {
constexpr double kFarBehind = 0.85;  // of the best peer
}

std::string_view color_of(double ratio) {
  return ratio < kFarBehind ? kRed : ratio < 1 ? kYellow : kGreen;
}

std::string_view mark_of(double ratio) {
  return ratio < kFarBehind ? " <<" : ratio < 1 ? " <" : "";
}

std::string field(std::string_view name, const std::string& value) {
  constexpr std::size_t kNameWidth = 14;
  std::string out;
  for (const std::string& line : wrap(value, kWidth - kNameWidth)) {
    out += fmt::format("{:<{}}{}\n", name, kNameWidth, line);
    name = "";
  }
  return out;
}

std::string peer_cell(const bench::GemmResult& r, const std::string& peer, double unit,
                      bool color) {
  const auto found = std::ranges::find_if(r.peers, [&](const auto& p) { return p.first == peer; });
  if (found == r.peers.end() || found->second.samples.empty()) {
    return fmt::format("{:>{}} ", kNothing, kPeerWidth);
  }
  const double gflops = found->second.gflops;
  return painted(color, gflops == r.best_peer() ? kBold : "",
                 fmt::format("{:>{}}", speed(gflops / unit), kPeerWidth)) +
         " ";
}

}  // namespace tilewise::report
