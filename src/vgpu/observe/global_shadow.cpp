// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/global_shadow.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

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
  else std::fill_n(to, count, kManyLanes);
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

// A page begins as zeros, and most of it is never touched. So many at once come from the system as memory
// that is zero already and does not exist until it is touched.
GlobalShadow::Page* GlobalShadow::new_page() {
  constexpr std::size_t kSlabPages = 400;
  static_assert(kSlabPages * sizeof(Page) > 32u << 20, "the C library could use old memory again");
  if (slabs_.empty() || used_pages_ == kSlabPages) {
    slabs_.emplace_back(static_cast<Page*>(std::calloc(kSlabPages, sizeof(Page))));
    if (!slabs_.back()) throw std::bad_alloc();
    used_pages_ = 0;
  }
  return slabs_.back().get() + used_pages_++;
}

GlobalShadow::Page& GlobalShadow::page_at(std::uint64_t number) {
  Recent& recent = recent_[number % recent_.size()];
  if (recent.number == number) return *recent.page;
  Page*& page = pages_[number];
  if (!page) page = new_page();
  recent = {number, page};
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

bool GlobalShadow::is_ordered(std::uint64_t word, GlobalConflict::Kind kind,
                              const GlobalAccessor& who, const Knowledge& known) const {
  if (word == 0 || ((word & kStrong) && who.is_strong)) return true;
  const GlobalAccessor earlier = unpack(word);
  const bool is_bulk_write = earlier.is_async && kind == GlobalConflict::kWrite;
  const std::uint32_t agent =
      shape_.agent(earlier.block, earlier.warp) + (is_bulk_write ? ClusterShape::kBulkWriter : 0);
  const std::uint64_t cluster = shape_.cluster(earlier.block);
  if (cluster == shape_.cluster(who.block)) {
    if (!is_bulk_write && earlier.is_async) return true;  // its mbarrier is not looked at here
    return known.generic[agent] >= earlier.clock;
  }
  return known.elsewhere_of(cluster, agent) >= earlier.clock;
}

bool GlobalShadow::are_ordered(const std::uint64_t* words, std::uint32_t count,
                               GlobalConflict::Kind kind, const GlobalAccessor& who,
                               const Knowledge& known) const {
  if (all_equal(words, count, words[0])) return is_ordered(words[0], kind, who, known);
  std::uint64_t last = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (words[i] == last) continue;
    last = words[i];
    if (!is_ordered(last, kind, who, known)) return false;
  }
  return true;
}

// Calls action(page, index, lane) for each granule until it returns false.
template <class F> bool GlobalShadow::for_each(const ScatteredGranules& g, F&& action) {
  std::uint64_t number = ~std::uint64_t{0};
  Page* page = nullptr;
  for (std::size_t i = 0; i < g.offsets.size(); ++i) {
    const std::uint64_t granule = g.first + static_cast<std::uint64_t>(std::int64_t{g.offsets[i]});
    if (granule / kPageGranules != number) {
      number = granule / kPageGranules;
      page = &page_at(number);
      settle(*page);
    }
    if (!action(*page, static_cast<std::uint32_t>(granule % kPageGranules), g.lanes[i]))
      return false;
  }
  return true;
}

// A reader of another block than the last one is kept beside it.
void GlobalShadow::record_read(Page& page, std::uint32_t at, std::uint64_t word,
                               std::uint8_t lane) {
  const std::uint64_t before = page.reads[at];
  if (before == word) return;
  page.has_reads = true;
  if (before != 0 && ((before ^ word) & kBlockMask) != 0) {
    page.other_reads[at] = before;
    page.other_lanes[at] = page.read_lanes[at];
  }
  page.reads[at] = word;
  page.read_lanes[at] = lane;
}

bool GlobalShadow::take_read(const ScatteredGranules& g, const GlobalAccessor& who,
                             const Knowledge& known) {
  const std::uint64_t record = pack(who);
  std::uint64_t ordered = 0;
  return for_each(g, [&](Page& page, std::uint32_t at, std::uint8_t lane) {
    if (page.has_writes && page.writes[at] != ordered) {
      if (!is_ordered(page.writes[at], GlobalConflict::kWrite, who, known)) return false;
      ordered = page.writes[at];
    }
    record_read(page, at, record, lane);
    return true;
  });
}

bool GlobalShadow::take_write(const ScatteredGranules& g, const GlobalAccessor& who,
                              const Knowledge& known) {
  const std::uint64_t record = pack(who);
  return for_each(g, [&](Page& page, std::uint32_t at, std::uint8_t lane) {
    if (!is_ordered(page.writes[at], GlobalConflict::kWrite, who, known)) return false;
    if (page.has_reads && !(is_ordered(page.reads[at], GlobalConflict::kRead, who, known) &&
                            is_ordered(page.other_reads[at], GlobalConflict::kRead, who, known))) {
      return false;
    }
    page.has_writes = true;
    page.writes[at] = record;
    page.write_lanes[at] = lane;
    return true;
  });
}

void GlobalShadow::record_reads(const Piece& p, const std::uint8_t* lanes, std::uint64_t word) {
  std::uint64_t* reads = p.page->reads.data() + p.begin;
  p.page->has_reads = true;
  const auto is_kept = [&](std::uint64_t before) {
    return before != 0 && ((before ^ word) & kBlockMask) != 0;
  };
  if (all_equal(reads, p.count, reads[0])) {
    if (reads[0] == word) return;
    if (is_kept(reads[0])) {
      std::fill_n(p.page->other_reads.data() + p.begin, p.count, reads[0]);
      std::copy_n(p.page->read_lanes.data() + p.begin, p.count,
                  p.page->other_lanes.data() + p.begin);
    }
  } else {
    for (std::uint32_t i = 0; i < p.count; ++i) {
      if (!is_kept(reads[i])) continue;
      p.page->other_reads[p.begin + i] = reads[i];
      p.page->other_lanes[p.begin + i] = p.page->read_lanes[p.begin + i];
    }
  }
  std::fill_n(reads, p.count, word);
  fill_lanes(p.page->read_lanes.data() + p.begin, lanes, p.count);
}

// Puts the read at the end of its page's list, if that has room and the lanes can be told in two numbers.
bool GlobalShadow::list_read(const Piece& p, const std::uint8_t* lanes, std::uint32_t lane_granules,
                             std::uint64_t word) {
  Page& page = *p.page;
  if (page.is_settled) return false;
  if (!page.list) page.list = &lists_.emplace_back();
  const bool is_regular = lanes == nullptr || (lane_granules > 0 && lane_granules < 256);
  if (!is_regular || page.list->size() == kMostListed) {
    settle(page);
    return false;
  }
  page.has_reads = true;
  page.list->push_back({word, static_cast<std::uint16_t>(p.begin),
                        static_cast<std::uint16_t>(p.count), lanes ? lanes[0] : kManyLanes,
                        static_cast<std::uint8_t>(lanes ? lane_granules : 0)});
  return true;
}

// From now on reads go to the page's arrays; those in its list come first.
void GlobalShadow::settle(Page& page) {
  if (page.is_settled) return;
  page.is_settled = true;
  if (!page.list) return;
  std::array<std::uint8_t, kPageGranules> lanes;
  for (const ListedRead& read : *page.list) {
    for (std::uint32_t i = 0; read.lane_granules != 0 && i < read.count; ++i)
      lanes[i] = static_cast<std::uint8_t>(read.lane + i / read.lane_granules);
    record_reads({&page, read.begin, read.count}, read.lane_granules != 0 ? lanes.data() : nullptr,
                 read.word);
  }
  *page.list = {};
}

bool GlobalShadow::is_clean_read(std::uint64_t address, std::uint64_t bytes,
                                 const GlobalAccessor& who, const Knowledge& known) {
  bool clean = true;
  for_each_piece(address, bytes, [&](const Piece& p) {
    if (!p.page->has_writes) return;
    clean &=
        are_ordered(p.page->writes.data() + p.begin, p.count, GlobalConflict::kWrite, who, known);
  });
  return clean;
}

bool GlobalShadow::is_clean_write(std::uint64_t address, std::uint64_t bytes,
                                  const GlobalAccessor& who, const Knowledge& known) {
  bool clean = true;
  for_each_piece(address, bytes, [&](const Piece& p) {
    const auto check = [&](const auto& records, GlobalConflict::Kind kind) {
      clean &= are_ordered(records.data() + p.begin, p.count, kind, who, known);
    };
    if (p.page->has_writes) check(p.page->writes, GlobalConflict::kWrite);
    if (!p.page->has_reads) return;
    settle(*p.page);
    check(p.page->reads, GlobalConflict::kRead);
    check(p.page->other_reads, GlobalConflict::kRead);
  });
  return clean;
}

void GlobalShadow::record_read(std::uint64_t address, std::uint64_t bytes,
                               const std::uint8_t* lanes, std::uint32_t lane_granules,
                               const GlobalAccessor& who) {
  const std::uint64_t word = pack(who);
  const std::uint64_t all = bytes / granule_bytes_;
  for_each_piece(address, bytes, [&](const Piece& p) {
    const std::uint32_t regular = p.count == all ? lane_granules : 0;  // not in two pages
    if (!list_read(p, lanes, regular, word)) record_reads(p, lanes, word);
    if (lanes) lanes += p.count;
  });
}

void GlobalShadow::record_write(std::uint64_t address, std::uint64_t bytes,
                                const std::uint8_t* lanes, const GlobalAccessor& who) {
  const std::uint64_t word = pack(who);
  for_each_piece(address, bytes, [&](const Piece& p) {
    p.page->has_writes = true;
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
    if (!is_ordered(word, kind, who, known)) found.push_back({kind, at, unpack(word), lane});
  };
  for_each_piece(address, bytes, [&](const Piece& p) {
    if (is_write) settle(*p.page);
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
