// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/global_shadow.hpp"

#include <algorithm>

namespace tilewise::vgpu {
namespace {

// A record: valid 63, strong 62, async 61, place 47-60, clock 30-46, warp 25-29, block 0-24.
constexpr std::uint64_t kValid = std::uint64_t{1} << 63, kStrong = std::uint64_t{1} << 62,
                        kAsync = std::uint64_t{1} << 61;
constexpr std::uint64_t kBlockMask = GlobalShadow::kMostBlocks - 1, kWarpMask = 31,
                        kClockMask = 0x1FFFF, kPlaceMask = 0x3FFF;

std::uint64_t pack(const GlobalAccessor& who) {
  return kValid | (who.is_strong ? kStrong : 0) | (who.is_async ? kAsync : 0) |
         std::min<std::uint64_t>(who.place, kPlaceMask) << 47 | (who.clock & kClockMask) << 30 |
         (who.warp & kWarpMask) << 25 | (who.block & kBlockMask);
}

GlobalAccessor unpack(std::uint64_t word) {
  GlobalAccessor who;
  who.block = static_cast<std::uint32_t>(word & kBlockMask);
  who.warp = static_cast<std::uint32_t>(word >> 25 & kWarpMask);
  who.clock = static_cast<Clock>(word >> 30 & kClockMask);
  who.place = static_cast<std::uint32_t>(word >> 47 & kPlaceMask);
  who.is_strong = word & kStrong;
  who.is_async = word & kAsync;
  return who;
}

bool all_equal(const std::uint64_t* words, std::uint32_t count, std::uint64_t value) {
  std::uint64_t difference = 0;
  for (std::uint32_t i = 0; i < count; ++i) difference |= words[i] ^ value;
  return difference == 0;
}

void fill_lanes(std::uint8_t* to, const std::uint8_t* lanes, std::uint32_t count) {
  if (lanes) std::copy_n(lanes, count, to);
  else std::fill_n(to, count, std::uint8_t{32});
}

}  // namespace

std::uint64_t ClusterShape::cluster(std::uint32_t block) const {
  const Dim3& c = cluster_size;
  if (c.count() == 1) return block;
  const std::uint32_t x = block % grid.x, y = block / grid.x % grid.y, z = block / grid.x / grid.y;
  return (x - x % c.x) +
         std::uint64_t{grid.x} * ((y - y % c.y) + std::uint64_t{grid.y} * (z - z % c.z));
}

std::uint32_t ClusterShape::rank(std::uint32_t block) const {
  const Dim3& c = cluster_size;
  if (c.count() == 1) return 0;
  const std::uint32_t x = block % grid.x, y = block / grid.x % grid.y, z = block / grid.x / grid.y;
  return x % c.x + c.x * (y % c.y + c.y * (z % c.z));
}

GlobalShadow::Page& GlobalShadow::page_at(std::uint64_t number) {
  Recent& recent = recent_[number % recent_.size()];
  if (recent.number == number) return *recent.page;
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  recent = {number, page.get()};
  return *page;
}

template <class F>
void GlobalShadow::for_each_piece(std::uint64_t address, std::uint64_t bytes, F&& action) {
  std::uint64_t begin = (address + granule_bytes_ - 1) / granule_bytes_;
  const std::uint64_t end = (address + bytes) / granule_bytes_;
  while (begin < end) {
    const std::uint64_t page = begin / kPageGranules;
    const std::uint64_t stop = std::min(end, (page + 1) * kPageGranules);
    action(Piece{&page_at(page), static_cast<std::uint32_t>(begin % kPageGranules),
                 static_cast<std::uint32_t>(stop - begin)});
    begin = stop;
  }
}

bool GlobalShadow::is_ordered(std::uint64_t word, const GlobalAccessor& who,
                              const Knowledge& known) const {
  if (word == 0 || ((word & kStrong) && who.is_strong)) return true;
  const GlobalAccessor earlier = unpack(word);
  const std::uint32_t agent = shape_.agent(earlier.block, earlier.warp);
  const std::uint64_t cluster = shape_.cluster(earlier.block);
  if (cluster == shape_.cluster(who.block)) {
    return earlier.is_async || who.is_async || known.generic[agent] >= earlier.clock;
  }
  return known.elsewhere_of(cluster, agent) >= earlier.clock;
}

bool GlobalShadow::are_ordered(const std::uint64_t* words, std::uint32_t count,
                               const GlobalAccessor& who, const Knowledge& known) const {
  if (all_equal(words, count, words[0])) return is_ordered(words[0], who, known);
  std::uint64_t last = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (words[i] == last) continue;
    last = words[i];
    if (!is_ordered(last, who, known)) return false;
  }
  return true;
}

// A reader of another block than the last one is kept beside it.
void GlobalShadow::record_reads(const Piece& p, const std::uint8_t* lanes, std::uint64_t word) {
  std::uint64_t* reads = p.page->reads.data() + p.begin;
  if (all_equal(reads, p.count, word)) return;
  const bool one_block = (reads[0] & kBlockMask) == (word & kBlockMask);
  if (!(all_equal(reads, p.count, reads[0]) && (reads[0] == 0 || one_block))) {
    for (std::uint32_t i = 0; i < p.count; ++i) {
      if (reads[i] == 0 || (reads[i] & kBlockMask) == (word & kBlockMask)) continue;
      p.page->other_reads[p.begin + i] = reads[i];
      p.page->other_lanes[p.begin + i] = p.page->read_lanes[p.begin + i];
    }
  }
  std::fill_n(reads, p.count, word);
  fill_lanes(p.page->read_lanes.data() + p.begin, lanes, p.count);
}

bool GlobalShadow::is_clean_read(std::uint64_t address, std::uint64_t bytes,
                                 const GlobalAccessor& who, const Knowledge& known) {
  bool clean = true;
  for_each_piece(address, bytes, [&](const Piece& p) {
    clean &= are_ordered(p.page->writes.data() + p.begin, p.count, who, known);
  });
  return clean;
}

bool GlobalShadow::is_clean_write(std::uint64_t address, std::uint64_t bytes,
                                  const GlobalAccessor& who, const Knowledge& known) {
  bool clean = true;
  for_each_piece(address, bytes, [&](const Piece& p) {
    for (const auto* records : {&p.page->writes, &p.page->reads, &p.page->other_reads}) {
      clean &= are_ordered(records->data() + p.begin, p.count, who, known);
    }
  });
  return clean;
}

void GlobalShadow::record_read(std::uint64_t address, std::uint64_t bytes,
                               const std::uint8_t* lanes, const GlobalAccessor& who) {
  const std::uint64_t word = pack(who);
  for_each_piece(address, bytes, [&](const Piece& p) {
    record_reads(p, lanes, word);
    if (lanes) lanes += p.count;
  });
}

void GlobalShadow::record_write(std::uint64_t address, std::uint64_t bytes,
                                const std::uint8_t* lanes, const GlobalAccessor& who) {
  const std::uint64_t word = pack(who);
  for_each_piece(address, bytes, [&](const Piece& p) {
    std::fill_n(p.page->writes.data() + p.begin, p.count, word);
    fill_lanes(p.page->write_lanes.data() + p.begin, lanes, p.count);
    if (lanes) lanes += p.count;
  });
}

std::vector<GlobalConflict> GlobalShadow::conflicts(std::uint64_t address, std::uint64_t bytes,
                                                    bool is_write, const GlobalAccessor& who,
                                                    const Knowledge& known) {
  std::vector<GlobalConflict> found;
  std::uint64_t at = (address + granule_bytes_ - 1) / granule_bytes_ * granule_bytes_;
  const auto look = [&](std::uint64_t word, GlobalConflict::Kind kind, std::uint8_t lane) {
    if (!is_ordered(word, who, known)) found.push_back({kind, at, unpack(word), lane});
  };
  for_each_piece(address, bytes, [&](const Piece& p) {
    for (std::uint32_t i = p.begin; i < p.begin + p.count; ++i, at += granule_bytes_) {
      look(p.page->writes[i], GlobalConflict::kWrite, p.page->write_lanes[i]);
      if (!is_write) continue;
      look(p.page->reads[i], GlobalConflict::kRead, p.page->read_lanes[i]);
      look(p.page->other_reads[i], GlobalConflict::kRead, p.page->other_lanes[i]);
    }
  });
  return found;
}

}  // namespace tilewise::vgpu
