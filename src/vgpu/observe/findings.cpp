// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vgpu/exec/location.hpp"

namespace tilewise::vgpu {

Finding::Place place_of(const Program& program, int instruction, std::string who) {
  Finding::Place place;
  place.who = std::move(who);
  place.file = program.module->source_name;
  if (instruction < 0) return place;
  const InstructionFacts& facts = program.instructions[instruction];
  const auto& files = program.module->files;
  place.line = place.ptx_line = facts.ptx_line;
  if (facts.source.line > 0 && facts.source.file > 0 &&
      facts.source.file < static_cast<int>(files.size())) {
    place.file = files[facts.source.file];
    place.line = facts.source.line;
    place.calls = calls_of(*program.module, facts.source);
  }
  return place;
}

std::string line_of(const Finding::Place& place) {
  std::string text = fmt::format("{}:{}", place.file, place.line);
  for (const auto& call : place.calls) {
    text += fmt::format(", called at {}:{}", call.file, call.line);
  }
  return text;
}

std::string lanes_name(std::uint32_t mask) {
  std::string ranges;
  for (int lane = 0; lane < 32;) {
    if ((mask >> lane & 1) == 0) {
      ++lane;
      continue;
    }
    const int count = std::countr_one(mask >> lane);
    if (!ranges.empty()) ranges += ",";
    ranges += count == 1 ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, lane + count - 1);
    lane += count;
  }
  return (std::popcount(mask) == 1 ? "lane " : "lanes ") + ranges;
}

std::string who_name(const Dim3& block, int warp, std::uint32_t mask) {
  return fmt::format("block ({}, {}, {}) warp {}{}{}", block.x, block.y, block.z, warp,
                     mask ? " " : "", mask ? lanes_name(mask) : "");
}

void Findings::add(const Key& key, const std::function<Finding()>& describe) {
  const auto known = found_.find(key);
  if (known != found_.end()) {
    ++known->second.count;
    return;
  }
  order_.emplace(key, order_.size());
  found_.emplace(key, describe());
}

std::vector<Finding> Findings::take() const {
  std::vector<const Key*> keys;
  for (const auto& [key, finding] : found_) keys.push_back(&key);
  std::sort(keys.begin(), keys.end(),
            [&](const Key* a, const Key* b) { return order_.at(*a) < order_.at(*b); });
  using Lines = std::tuple<std::string_view, std::string, std::string>;
  std::map<Lines, std::size_t> known;
  std::vector<Finding> result;
  for (const Key* key : keys) {
    const Finding& f = found_.at(*key);
    const auto line = [&](std::size_t side) {
      return side < f.places.size() ? line_of(f.places[side]) : std::string();
    };
    // Which of two accesses without an order comes first is chance: both ways are one finding.
    const bool is_race = f.kind.find("-after-") != std::string::npos;
    const std::string a = line(0), b = line(1);
    const auto [at, is_new] = known.try_emplace(
        is_race ? Lines{"race", std::min(a, b), std::max(a, b)} : Lines{f.kind, a, b},
        result.size());
    if (is_new) result.push_back(f);
    else result[at->second].count += f.count;
  }
  std::stable_sort(result.begin(), result.end(), [](const Finding& a, const Finding& b) {
    if (a.places.empty() || b.places.empty()) return a.places.size() < b.places.size();
    return std::tie(a.places[0].file, a.places[0].line) <
           std::tie(b.places[0].file, b.places[0].line);
  });
  return result;
}

}  // namespace tilewise::vgpu
