// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses, held against what is recorded of the bytes they touch.
#include <cstring>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

AccessFacts facts_of(const Site& site) {
  return {site.is_store, site.is_atomic, site.is_strong,
          site.acquires, site.releases,  static_cast<std::uint32_t>(site.bytes)};
}

}  // namespace

Accessor Checker::accessor(const Warp& warp, int instruction, bool is_strong) {
  const std::uint32_t index = index_of(warp);
  return {index * ClusterShape::kAgentsPerWarp, clocks_[index], launch_.place(instruction),
          is_strong, false};
}

GlobalAccessor Checker::global_accessor(const Warp& warp, int instruction, bool is_strong) const {
  const Dim3& g = warp.block->grid;
  const Dim3& b = warp.block->index;
  const std::uint64_t block = b.x + std::uint64_t{g.x} * (b.y + std::uint64_t{g.y} * b.z);
  return {static_cast<std::uint32_t>(block),
          static_cast<std::uint32_t>(warp.index),
          clocks_[index_of(warp)],
          launch_.place(instruction),
          is_strong,
          false};
}

void Checker::access(Warp& warp, const Op& op, std::uint64_t first) {
  const Site& site = warp.worker->program->sites[op.site];
  const AccessSite& memo = warp.worker->site_data[op.site];
  const AccessPattern& pattern = memo.patterns[memo.recent];
  const Footprint& f = launch_.footprint(op.site, memo.recent, pattern,
                                         static_cast<std::uint32_t>(site.element_bytes * op.count));
  if (site.is_strong && may_synchronise(warp, site.space, facts_of(site))) {
    for (std::uint32_t rest = pattern.mask; rest; rest &= rest - 1) {
      const std::uint64_t address = first + pattern.deltas[std::countr_zero(rest)];
      if (site.space == ptx::Space::kShared) synchronise_shared(warp, address, facts_of(site));
      else synchronise_global(warp, address, facts_of(site));
    }
  }
  if (site.space == ptx::Space::kShared) {
    access_shared_rows(warp, op.instruction, first, f,
                       accessor(warp, op.instruction, site.is_strong), site.is_store);
  } else {
    access_global_rows(warp, op.instruction, first, f,
                       global_accessor(warp, op.instruction, site.is_strong), site.is_store);
  }
  if (site.is_store && f.has_overlap && launch_.checks.races) {
    check_one_store(warp, op, pattern, first);
  }
}

void Checker::access_shared_rows(Warp& warp, int instruction, std::uint64_t first,
                                 const Footprint& f, const Accessor& who, bool is_write) {
  if (!f.scattered.empty() && take_shared(warp, first, f, who, is_write)) return;
  for (const Footprint::Run& run : f.runs) {
    access_shared(warp, instruction, first + static_cast<std::uint64_t>(run.offset), run.bytes,
                  f.lanes.data() + run.lane, who, is_write);
  }
}

void Checker::access_global_rows(Warp& warp, int instruction, std::uint64_t first,
                                 const Footprint& f, const GlobalAccessor& who, bool is_write) {
  if (!f.scattered.empty() && take_global(warp, first, f, who, is_write)) return;
  for (const Footprint::Run& run : f.runs) {
    access_global(warp, instruction, first + static_cast<std::uint64_t>(run.offset), run.bytes,
                  f.lanes.data() + run.lane, who, is_write, !is_write, run.lane_granules);
  }
}

// All rows at once, if that is possible and nothing is wrong with any.
bool Checker::take_shared(Warp& warp, std::uint64_t first, const Footprint& f, const Accessor& who,
                          bool is_write) {
  if (!launch_.checks.races) return false;
  SharedShadow& shadow = shadows_[first >> kRankShift];
  const std::uint64_t offset = offset_of(warp, first);
  const ScatteredGranules g{offset / launch_.granule_bytes, f.scattered, f.lanes.data()};
  const Knowledge& known = warps_[index_of(warp)].now;
  return is_write ? shadow.take_write(g, who, known)
                  : shadow.take_read(g, who, known, launch_.checks.uninitialized);
}

bool Checker::take_global(Warp& warp, std::uint64_t first, const Footprint& f,
                          const GlobalAccessor& who, bool is_write) {
  if (!launch_.checks.races) return false;
  if (launch_.checks.uninitialized) {
    const WrittenBytes* const written = launch_.written(first);
    const bool is_known = written && written->is_all_written() &&
                          first + static_cast<std::uint64_t>(f.lowest) >= written->begin() &&
                          first + static_cast<std::uint64_t>(f.highest) <= written->end();
    if (!is_known) return false;
  }
  const ScatteredGranules g{first / launch_.granule_bytes, f.scattered, f.lanes.data()};
  const Knowledge& known = warps_[index_of(warp)].now;
  return is_write ? launch_.global.take_write(g, who, known)
                  : launch_.global.take_read(g, who, known);
}

void Checker::access_shared_range(Warp& warp, int instruction, std::uint64_t address,
                                  std::uint32_t bytes, bool is_write) {
  access_shared(warp, instruction, address, bytes, nullptr, accessor(warp, instruction, false),
                is_write);
}

void Checker::access_global_range(Warp& warp, int instruction, std::uint64_t address,
                                  std::uint32_t bytes, bool is_write) {
  access_global(warp, instruction, address, bytes, nullptr,
                global_accessor(warp, instruction, false), is_write, !is_write);
}

void Checker::access_lanes(Warp& warp, const Op& op, const std::uint64_t* addresses,
                           const AccessFacts& facts) {
  const Accessor who = accessor(warp, op.instruction, facts.is_strong);
  const GlobalAccessor global_who = global_accessor(warp, op.instruction, facts.is_strong);
  std::uint8_t lanes[64];
  for (std::uint32_t rest = warp.active; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t window = addresses[lane] & kWindowMask;
    const std::uint64_t offset = addresses[lane] & ~kWindowMask;
    if (window == kLocalWindow) continue;
    const Memory::Range& parameters = warp.worker->parameters;
    if (addresses[lane] >= parameters.begin && addresses[lane] < parameters.end) continue;
    std::memset(lanes, lane, sizeof lanes);
    if (window == kSharedWindow) {
      if (facts.is_strong) synchronise_shared(warp, offset, facts);
      if (facts.is_atomic) {
        access_shared(warp, op.instruction, offset, facts.bytes, lanes, who, false);
      }
      access_shared(warp, op.instruction, offset, facts.bytes, lanes, who, facts.is_write);
    } else {
      if (facts.is_strong) synchronise_global(warp, addresses[lane], facts);
      access_global(warp, op.instruction, addresses[lane], facts.bytes, lanes, global_who,
                    facts.is_write, !facts.is_write || facts.is_atomic);
    }
  }
}

void Checker::access_shared(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                            const std::uint8_t* lanes, const Accessor& who, bool is_write) {
  const auto rank = static_cast<std::uint32_t>(address >> kRankShift);
  const std::uint32_t offset = offset_of(warp, address);
  SharedShadow& shadow = shadows_[rank];
  const std::uint32_t granule = launch_.granule_bytes;
  const Granules g{offset / granule, bytes / granule, lanes};
  const Knowledge& known = warps_[index_of(warp)].now;
  const Checks& checks = launch_.checks;
  if (is_write) {
    if (checks.races && !shadow.is_clean_write(g, who, known)) {
      report_shared(warp, instruction, rank, g, shadow.conflicts_of_write(g, who, known), true);
    }
    shadow.record_write(g, checks.races ? who : Accessor{0, 0, who.place, false, false});
    return;
  }
  if (!checks.races && !checks.uninitialized) return;
  if (!shadow.is_clean_read(g, who, known, checks.uninitialized)) {
    const auto conflicts = shadow.conflicts_of_read(g, who, known, checks.uninitialized);
    report_shared(warp, instruction, rank, g, conflicts, false);
  }
  if (checks.races) shadow.record_read(g, who);
}

void Checker::access_global(Warp& warp, int instruction, std::uint64_t address, std::uint32_t bytes,
                            const std::uint8_t* lanes, const GlobalAccessor& who, bool is_write,
                            bool is_read, std::uint32_t lane_granules) {
  if (launch_.checks.uninitialized) {
    WrittenBytes* written = launch_.written(address);
    if (written && written->is_all_written()) written = nullptr;
    if (written && is_read && !written->covers(address, bytes)) {
      const std::uint64_t at = written->first_unwritten(address, bytes);
      const std::uint8_t lane = lanes ? lanes[(at - address) / launch_.granule_bytes] : kManyLanes;
      report(warp, instruction, lane < 32 ? 1u << lane : warp.active, "uninitialized",
             "read of global memory nothing wrote",
             "reads global memory that neither the host nor a kernel has written; copy or fill it "
             "before the launch, or check the index");
    }
    if (written && is_write) written->mark(address, bytes);
  }
  if (!launch_.checks.races) return;
  const Knowledge& known = warps_[index_of(warp)].now;
  GlobalShadow& shadow = launch_.global;
  // Recording and checking are one step, so conflicts are looked for again before it when there are any.
  const bool clean = is_write ? shadow.is_clean_write(address, bytes, who, known)
                              : shadow.is_clean_read(address, bytes, who, known);
  if (!clean) {
    report_global(warp, instruction, address, lanes,
                  shadow.conflicts(address, bytes, is_write, who, known), is_write);
  }
  if (is_write) shadow.record_write(address, bytes, lanes, who);
  else shadow.record_read(address, bytes, lanes, lane_granules, who);
}

// Lanes of one store that meet at an address must bring the same value: the last one won, so every other
// lane finds its own value there.
void Checker::check_one_store(Warp& warp, const Op& op, const AccessPattern& pattern,
                              std::uint64_t first) {
  const Site& site = warp.worker->program->sites[op.site];
  const std::size_t cell = site.wide_registers ? 8 : 4;
  std::uint32_t lost = 0;
  for (std::uint32_t rest = pattern.mask; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = first + pattern.deltas[lane];
    const std::byte* at = site.space == ptx::Space::kShared
                              ? warp.block->shared + address
                              : reinterpret_cast<const std::byte*>(address);
    for (int i = 0; i < op.count; ++i) {
      const std::byte* value = warp.registers + op.r[1 + i] + static_cast<std::size_t>(lane) * cell;
      if (std::memcmp(at + i * op.bytes, value, op.bytes) != 0) lost |= 1u << lane;
    }
  }
  if (lost == 0) return;
  report(warp, op.instruction, lost, "races", "lanes of one store write different values",
         "write other values than another lane of the same store writes to the same bytes: which "
         "one stays is not defined; let one lane write, or use an atomic");
}

}  // namespace tilewise::vgpu
