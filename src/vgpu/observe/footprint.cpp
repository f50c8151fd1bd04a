// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/footprint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

namespace tilewise::vgpu {
namespace {

// Where rows are short, going through them costs more than going through their granules.
void list_granules(Footprint& f, std::int64_t granule_bytes) {
  constexpr std::size_t kLongRow = 8;
  const auto is_far = [&](std::int64_t offset) {
    return offset / granule_bytes != static_cast<std::int32_t>(offset / granule_bytes);
  };
  if (f.lanes.size() >= kLongRow * f.runs.size() || is_far(f.lowest) || is_far(f.highest)) return;
  for (const Footprint::Run& run : f.runs) {
    for (std::int64_t at = run.offset; at < run.offset + run.bytes; at += granule_bytes)
      f.scattered.push_back(static_cast<std::int32_t>(at / granule_bytes));
  }
}

// Granules of each lane where lane i + 1 follows lane i, all with as many; else 0.
std::uint32_t granules_a_lane(std::span<const std::uint8_t> lanes) {
  std::size_t each = 1;
  while (each < lanes.size() && lanes[each] == lanes[0]) ++each;
  if (lanes[0] == kManyLanes || lanes.size() % each != 0) return 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] != lanes[0] + i / each) return 0;
  }
  return static_cast<std::uint32_t>(each);
}

bool are_equal(std::uint32_t mask, const std::uint64_t* addresses, const std::uint64_t* deltas) {
  const std::uint64_t first = addresses[std::countr_zero(mask) % kLanes];
  std::uint64_t difference = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t is_active = mask >> lane & 1;
    difference |= (addresses[lane] - first - deltas[lane]) & (0 - is_active);
  }
  return difference == 0;
}

void keep_deltas(std::uint32_t mask, const std::uint64_t* addresses, std::uint64_t* deltas) {
  const std::uint64_t first = addresses[std::countr_zero(mask) % kLanes];
  for (int lane = 0; lane < kLanes; ++lane) deltas[lane] = addresses[lane] - first;
}

}  // namespace

Footprint make_footprint(std::uint32_t mask, const std::uint64_t* deltas, std::uint32_t bytes,
                         std::uint32_t granule_bytes) {
  Footprint f;
  std::array<std::pair<std::int64_t, std::uint8_t>, kLanes> order;
  std::size_t count = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    order[count++] = {static_cast<std::int64_t>(deltas[lane]), static_cast<std::uint8_t>(lane)};
  }
  if (count == 0) return f;
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const auto [offset, lane] = order[i];
    if (f.runs.empty() || offset > f.runs.back().offset + f.runs.back().bytes) {
      f.runs.push_back({offset, 0, static_cast<std::uint32_t>(f.lanes.size())});
    }
    Footprint::Run& run = f.runs.back();
    const auto begin = static_cast<std::uint32_t>(offset - run.offset);
    for (std::uint32_t at = begin; at < begin + bytes; at += granule_bytes) {
      if (at >= run.bytes) {
        f.lanes.push_back(lane);
        continue;
      }
      f.lanes[run.lane + at / granule_bytes] = kManyLanes;
      f.has_overlap = true;
    }
    run.bytes = std::max(run.bytes, begin + bytes);
  }
  for (Footprint::Run& run : f.runs)
    run.lane_granules = granules_a_lane({&f.lanes[run.lane], run.bytes / granule_bytes});
  f.lowest = f.runs.front().offset;
  f.highest = f.runs.back().offset + f.runs.back().bytes;
  list_granules(f, granule_bytes);
  return f;
}

void CopyFootprints::set(std::uint32_t mask, std::uint32_t reading, const std::uint64_t* to_address,
                         const std::uint64_t* from_address, std::uint32_t bytes,
                         std::uint32_t granule_bytes) {
  mask_ = mask;
  reading_ = reading;
  keep_deltas(mask, to_address, to_deltas_);
  keep_deltas(reading, from_address, from_deltas_);
  to = make_footprint(mask, to_deltas_, bytes, granule_bytes);
  from = make_footprint(reading, from_deltas_, bytes, granule_bytes);
}

bool CopyFootprints::matches(std::uint32_t mask, std::uint32_t reading,
                             const std::uint64_t* to_address,
                             const std::uint64_t* from_address) const {
  return mask == mask_ && reading == reading_ && are_equal(mask, to_address, to_deltas_) &&
         are_equal(reading, from_address, from_deltas_);
}

}  // namespace tilewise::vgpu
