// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/shared_shadow.hpp"

#include <algorithm>

namespace tilewise::vgpu {
namespace {

// A write's record: valid 63, async 62, strong 61, agent 38-60, clock 14-37, place 0-13.
constexpr std::uint64_t kValid = std::uint64_t{1} << 63, kAsync = std::uint64_t{1} << 62,
                        kStrong = std::uint64_t{1} << 61;
constexpr std::uint32_t kPlaceMask = SharedShadow::kMostPlaces;
constexpr std::uint32_t kClockShift = SharedShadow::kPlaceBits, kAgentShift = 38;
constexpr std::uint32_t kClockMask = 0xFFFFFF, kAgentMask = 0x7FFFFF;

std::uint64_t pack(const Accessor& who) {
  return kValid | (who.is_async ? kAsync : 0) | (who.is_strong ? kStrong : 0) |
         std::uint64_t{who.agent} << kAgentShift | std::uint64_t{who.clock} << kClockShift |
         std::min(who.place, kPlaceMask);
}

Accessor unpack(std::uint64_t word) {
  Accessor who;
  who.agent = static_cast<std::uint32_t>(word >> kAgentShift) & kAgentMask;
  who.clock = static_cast<std::uint32_t>(word >> kClockShift) & kClockMask;
  who.place = static_cast<std::uint32_t>(word) & kPlaceMask;
  who.is_strong = word & kStrong;
  who.is_async = word & kAsync;
  return who;
}

bool needs_proxy_fence(std::uint64_t word, const Accessor& who) {
  return who.is_async && (word & kAsync) == 0;
}

// Whether `who` may access what the write `word` left.
inline bool is_ordered(std::uint64_t word, const Accessor& who, const Knowledge& known) {
  if ((word & kStrong) && who.is_strong) return true;
  const auto agent = static_cast<std::uint32_t>(word >> kAgentShift) & kAgentMask;
  const auto clock = static_cast<Clock>(word >> kClockShift) & kClockMask;
  return (needs_proxy_fence(word, who) ? known.async : known.generic)[agent] >= clock;
}

std::int32_t read_word(const Accessor& who) {
  return static_cast<std::int32_t>(who.clock << kClockShift | std::min(who.place, kPlaceMask));
}

void fill_lanes(std::uint8_t* to, Granules g) {
  if (g.lanes) std::copy_n(g.lanes, g.count, to);
  else std::fill_n(to, g.count, kManyLanes);
}

}  // namespace

SharedShadow::SharedShadow(std::uint32_t bytes, std::uint32_t granule_bytes)
    : granule_bytes_(granule_bytes),
      granules_((bytes + granule_bytes - 1) / granule_bytes),
      writes_(granules_, 0),
      write_lanes_(granules_, kManyLanes) {}

void SharedShadow::reset() {
  std::fill(writes_.begin(), writes_.end(), 0);
  for (Row* row : used_) {
    std::fill(row->words.begin(), row->words.end(), 0);
    std::fill(row->segments.begin(), row->segments.end(), 0);
    row->latest = row->latest_scattered = 0;
  }
}

// Clock 0 of any agent is known to all.
void SharedShadow::forget() {
  for (std::uint64_t& word : writes_) word = word == 0 ? 0 : kValid | (word & kAsync);
  for (Row* row : used_) {
    std::fill(row->words.begin(), row->words.end(), 0);
    std::fill(row->segments.begin(), row->segments.end(), 0);
    row->latest = row->latest_scattered = 0;
  }
}

bool SharedShadow::words_are_ordered(Granules g, const Accessor& who,
                                     const Knowledge& known) const {
  const std::uint64_t* words = writes_.data() + g.begin;
  const std::uint64_t first = words[0];
  std::uint64_t difference = 0;
  for (std::uint32_t i = 0; i < g.count; ++i) difference |= words[i] ^ first;
  if (first != 0 && !is_ordered(first, who, known)) return false;
  if (difference == 0) return true;
  std::uint64_t last = first;
  for (std::uint32_t i = 0; i < g.count; ++i) {
    if (words[i] == last) continue;
    last = words[i];
    if (last != 0 && !is_ordered(last, who, known)) return false;
  }
  return true;
}

bool SharedShadow::words_are_ordered(const ScatteredGranules& g, const Accessor& who,
                                     const Knowledge& known, bool unwritten) const {
  const std::uint64_t* const words = writes_.data() + g.first;
  std::uint64_t ordered = 1;  // the last word that the access is ordered after; no record is 1
  for (const std::int32_t offset : g.offsets) {
    const std::uint64_t word = words[offset];
    if (word == ordered) continue;
    if (word == 0 ? unwritten : !is_ordered(word, who, known)) return false;
    ordered = word;
  }
  return true;
}

bool SharedShadow::take_read(const ScatteredGranules& g, const Accessor& who,
                             const Knowledge& known, bool unwritten) {
  if (!words_are_ordered(g, who, known, unwritten)) return false;
  Row& row = row_of(who);
  row.latest = std::max(row.latest, who.clock);
  row.latest_scattered = std::max(row.latest_scattered, who.clock);
  std::int32_t* const words = row.words.data() + g.first;
  std::uint8_t* const lanes = row.lanes.data() + g.first;
  const std::int32_t word = read_word(who);
  for (std::size_t i = 0; i < g.offsets.size(); ++i) {
    words[g.offsets[i]] = word;
    lanes[g.offsets[i]] = g.lanes[i];
  }
  return true;
}

bool SharedShadow::take_write(const ScatteredGranules& g, const Accessor& who,
                              const Knowledge& known) {
  if (!words_are_ordered(g, who, known, false)) return false;
  for (const Row* row : used_) {
    if (can_skip(*row, who, known)) continue;
    const std::int32_t limit = last_known(*row, known);
    const std::int32_t* const reads = row->words.data() + g.first;
    std::int32_t latest = 0;
    for (const std::int32_t offset : g.offsets) latest = std::max(latest, reads[offset]);
    if (latest > limit) return false;
  }
  std::uint64_t* const words = writes_.data() + g.first;
  std::uint8_t* const lanes = write_lanes_.data() + g.first;
  const std::uint64_t word = pack(who);
  for (std::size_t i = 0; i < g.offsets.size(); ++i) {
    words[g.offsets[i]] = word;
    lanes[g.offsets[i]] = g.lanes[i];
  }
  return true;
}

bool SharedShadow::is_clean_read(Granules g, const Accessor& who, const Knowledge& known,
                                 bool unwritten) const {
  if (unwritten) {
    const std::uint64_t* words = writes_.data() + g.begin;
    std::uint64_t common = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < g.count; ++i) common &= words[i];
    if ((common & kValid) == 0) return false;
  }
  return words_are_ordered(g, who, known);
}

bool SharedShadow::can_skip(const Row& row, const Accessor& who, const Knowledge& known) {
  return (row.agent == who.agent) || (row.is_strong && who.is_strong) ||
         known.generic[row.agent] >= row.latest;
}

// Nothing in these segments is later than what is known.
bool SharedShadow::can_skip(const Row& row, Granules g, const Knowledge& known) {
  Clock latest = row.latest_scattered;
  for (std::uint32_t s = g.begin / kSegment; s * kSegment < g.begin + g.count; ++s)
    latest = std::max(latest, row.segments[s]);
  return known.generic[row.agent] >= latest;
}

// The greatest record of the row that is known.
std::int32_t SharedShadow::last_known(const Row& row, const Knowledge& known) {
  return static_cast<std::int32_t>(known.generic[row.agent] << kClockShift | kPlaceMask);
}

bool SharedShadow::is_clean_write(Granules g, const Accessor& who, const Knowledge& known) const {
  if (!words_are_ordered(g, who, known)) return false;
  for (const Row* row : used_) {
    if (can_skip(*row, who, known) || can_skip(*row, g, known)) continue;
    const std::int32_t limit = last_known(*row, known);
    const std::int32_t* words = row->words.data() + g.begin;
    std::int32_t latest = 0;
    for (std::uint32_t i = 0; i < g.count; ++i) latest = std::max(latest, words[i]);
    if (latest > limit) return false;
  }
  return true;
}

std::vector<Conflict> SharedShadow::conflicts_of_read(Granules g, const Accessor& who,
                                                      const Knowledge& known,
                                                      bool unwritten) const {
  std::vector<Conflict> found;
  for (std::uint32_t i = g.begin; i < g.begin + g.count; ++i) {
    const std::uint64_t word = writes_[i];
    if (word == 0) {
      if (unwritten) found.push_back({Conflict::kUnwritten, i, {}, kManyLanes});
      continue;
    }
    if (is_ordered(word, who, known)) continue;
    const Accessor earlier = unpack(word);
    const bool only_proxy =
        needs_proxy_fence(word, who) && known.generic[earlier.agent] >= earlier.clock;
    found.push_back(
        {only_proxy ? Conflict::kProxy : Conflict::kWrite, i, earlier, write_lanes_[i]});
  }
  return found;
}

std::vector<Conflict> SharedShadow::conflicts_of_write(Granules g, const Accessor& who,
                                                       const Knowledge& known) const {
  std::vector<Conflict> found = conflicts_of_read(g, who, known, false);
  for (const Row* row : used_) {
    if (can_skip(*row, who, known)) continue;
    for (std::uint32_t i = g.begin; i < g.begin + g.count; ++i) {
      const auto word = static_cast<std::uint32_t>(row->words[i]);
      const Clock clock = word >> kClockShift;
      if (known.generic[row->agent] >= clock) continue;
      const Accessor earlier{row->agent, clock, word & kPlaceMask, row->is_strong, false};
      found.push_back({Conflict::kRead, i, earlier, row->lanes[i]});
    }
  }
  return found;
}

std::vector<Conflict> SharedShadow::not_known(const Knowledge& known, std::uint32_t begin,
                                              std::uint32_t end) const {
  std::vector<Conflict> found;
  const auto is_other = [&](std::uint32_t agent) { return agent < begin || agent >= end; };
  std::uint64_t last = 0;
  for (std::uint32_t i = 0; i < granules_; ++i) {
    if (writes_[i] == last || writes_[i] == 0) continue;
    last = writes_[i];
    const Accessor who = unpack(last);
    if (is_other(who.agent) && known.generic[who.agent] < who.clock)
      found.push_back({Conflict::kWrite, i, who, write_lanes_[i]});
  }
  for (const Row* row : used_) {
    if (!is_other(row->agent) || known.generic[row->agent] >= row->latest) continue;
    for (std::uint32_t i = 0; i < granules_; ++i) {
      const auto word = static_cast<std::uint32_t>(row->words[i]);
      if (known.generic[row->agent] >= word >> kClockShift) continue;
      const Accessor who{row->agent, word >> kClockShift, word & kPlaceMask, row->is_strong, false};
      found.push_back({Conflict::kRead, i, who, row->lanes[i]});
      break;
    }
  }
  return found;
}

SharedShadow::Row& SharedShadow::row_of(const Accessor& who) {
  const std::size_t index = 2 * std::size_t{who.agent} + (who.is_strong ? 1 : 0);
  if (index >= rows_.size()) rows_.resize(index + 1);
  std::unique_ptr<Row>& row = rows_[index];
  if (!row) {
    row = std::make_unique<Row>();
    row->agent = who.agent;
    row->is_strong = who.is_strong;
    row->segments.assign(granules_ / kSegment + 1, 0);
    row->words.assign(granules_, 0);
    row->lanes.assign(granules_, kManyLanes);
    used_.push_back(row.get());
  }
  return *row;
}

void SharedShadow::record_read(Granules g, const Accessor& who) {
  Row& row = row_of(who);
  row.latest = std::max(row.latest, who.clock);
  for (std::uint32_t s = g.begin / kSegment; s * kSegment < g.begin + g.count; ++s)
    row.segments[s] = std::max(row.segments[s], who.clock);
  std::fill_n(row.words.data() + g.begin, g.count, read_word(who));
  fill_lanes(row.lanes.data() + g.begin, g);
}

void SharedShadow::record_write(Granules g, const Accessor& who) {
  std::fill_n(writes_.data() + g.begin, g.count, pack(who));
  fill_lanes(write_lanes_.data() + g.begin, g);
}

}  // namespace tilewise::vgpu
