// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The slow side of memory accesses: costs of a pattern that is new to its site, the allocation an access
// belongs to, and the messages for accesses that no kernel may make.
#include <fmt/format.h>

#include <algorithm>

#include "model/access.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/observe/findings.hpp"

namespace tilewise::vgpu {
namespace {

const Site& site_of(const Warp& w, const Op& op) { return w.worker->program->sites[op.site]; }

std::string_view space_name(ptx::Space space) {
  switch (space) {
    case ptx::Space::kShared: return "shared";
    case ptx::Space::kLocal: return "local";
    case ptx::Space::kGeneric: return "generic";
    default: return "global";
  }
}

Memory::Range range_of(const Warp& w, std::uint64_t address) {
  const Memory::Range parameters = w.worker->parameters;
  if (address >= parameters.begin && address < parameters.end) return parameters;
  const Memory::Range range = w.worker->memory->find(address);
  return range.end != 0 ? range : w.worker->module_memory->find(address);
}

std::string describe(const Warp& w, const Op& op, Fault kind, std::uint64_t address, int bytes) {
  const Site* site = op.site >= 0 ? &site_of(w, op) : nullptr;
  const std::string_view space = site ? space_name(site->space) : "local";
  const char* verb = site && site->is_store ? "writes" : "reads";
  switch (kind) {
    case Fault::kTrap: return "executes trap";
    case Fault::kPartialWarp:
      return fmt::format("executes an instruction of a whole warp, but only the lanes {:#010x} do",
                         address);
    case Fault::kMisaligned:
      return fmt::format("{} {} bytes of {} memory at {:#x}, which is not a multiple of {}", verb,
                         bytes, space, address, bytes);
    case Fault::kOutOfBounds: break;
  }
  if (site && site->space == ptx::Space::kShared) {
    return fmt::format(
        "{} {} bytes of shared memory at offset {}, but the block has {} bytes", verb, bytes,
        static_cast<std::int64_t>(address - static_cast<std::uint64_t>(w.block->shared_begin)),
        w.block->shared_bytes);
  }
  if (!site)
    return fmt::format("accesses local memory at offset {}, but has {} bytes", address,
                       w.local_bytes);
  return fmt::format("{} {} bytes of {} memory at {:#x}, outside every allocation{}", verb, bytes,
                     space, address, nearest_allocation(w, address));
}

}  // namespace

void fault(const Warp& w, const Op& op, Fault kind, int lane, std::uint64_t address, int bytes) {
  const char* const name = kind == Fault::kOutOfBounds   ? "access out of bounds"
                           : kind == Fault::kMisaligned  ? "misaligned access"
                           : kind == Fault::kPartialWarp ? "whole-warp instruction in diverged code"
                                                         : "trap";
  misbehave(w, op.instruction, lane, kind == Fault::kPartialWarp ? "sync" : "bounds", name,
            describe(w, op, kind, address, bytes));
}

void misbehave(const Warp& w, int instruction, int lane, const char* check, const char* kind,
               const std::string& what) {
  const Program& program = *w.worker->program;
  Finding finding;
  finding.check = check;
  finding.kind = kind;
  finding.message =
      fmt::format("{}: {} {}", where(program, instruction), thread_name(w, lane), what);
  finding.places.push_back(
      place_of(program, instruction, who_name(w.block->index, w.index, std::uint32_t{1} << lane)));
  throw KernelError(finding.message, {finding});
}

void fault_misaligned(const Warp& w, const Op& op, std::uint64_t first,
                      const AccessPattern& pattern) {
  const int bytes = op.bytes * op.count;
  int lane = w.first_lane();
  for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
    lane = std::countr_zero(rest);
    if ((first + pattern.deltas[lane]) % static_cast<unsigned>(bytes) != 0) break;
  }
  fault(w, op, Fault::kMisaligned, lane, first + pattern.deltas[lane], bytes);
}

namespace {

template <class Address>
[[noreturn]] void fault_first_outside(const Warp& w, const Op& op, const Address* addresses) {
  const int bytes = op.bytes * op.count;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!((w.active >> lane) & 1)) continue;
    const auto begin = static_cast<std::uint64_t>(w.block->shared_begin);
    const std::uint64_t offset = static_cast<std::uint64_t>(addresses[lane]) - begin;
    if (offset > w.block->shared_bytes ||
        offset + static_cast<unsigned>(bytes) > w.block->shared_bytes) {
      fault(w, op, Fault::kOutOfBounds, lane, addresses[lane], bytes);
    }
  }
  fault(w, op, Fault::kOutOfBounds, w.first_lane(), addresses[w.first_lane()], bytes);
}

}  // namespace

void fault_bounds(const Warp& w, const Op& op, const std::uint32_t* a) {
  fault_first_outside(w, op, a);
}
void fault_bounds(const Warp& w, const Op& op, const std::uint64_t* a) {
  fault_first_outside(w, op, a);
}

void build_pattern(const Warp& w, const Op& op, const std::uint64_t* addresses, std::uint32_t mask,
                   AccessPattern& p) {
  const Site& site = site_of(w, op);
  const int first_lane = std::countr_zero(mask) & (kLanes - 1);
  const std::uint64_t first = addresses[first_lane];
  const auto bytes = static_cast<std::uint64_t>(op.bytes * op.count);
  p.serial = ++w.worker->patterns_built;
  p.mask = mask;
  p.low_bits = first & 3;
  p.lowest = p.highest = 0;
  p.aligned = p.broadcast = p.contiguous = true;
  model::LaneAddresses relative{};
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool active = (mask >> lane) & 1;
    const std::uint64_t delta = active ? addresses[lane] - first : 0;
    p.deltas[lane] = delta;
    p.deltas32[lane] = static_cast<std::uint32_t>(delta);
    if (!active) {
      p.contiguous = p.broadcast = false;
      continue;
    }
    const auto signed_delta = static_cast<std::int64_t>(delta);
    p.lowest = std::min(p.lowest, signed_delta);
    p.highest = std::max(p.highest, signed_delta);
    p.lowest = std::max(p.lowest, -AccessPattern::kFarthest);
    p.highest = std::min(p.highest, AccessPattern::kFarthest);
    p.aligned &= delta % bytes == 0;
    p.broadcast &= delta == 0;
    p.contiguous &= delta == bytes * static_cast<std::uint64_t>(lane);
  }
  std::fill(std::begin(p.sectors), std::end(p.sectors), std::uint8_t{0});
  p.wavefronts = p.conflicts = 0;
  if (site.space != ptx::Space::kShared || site.counted_bytes == 0 || !p.aligned) return;
  // A base that keeps relative addresses positive, and their banks and places in a word.
  const std::uint64_t base = (static_cast<std::uint64_t>(-p.lowest) + 127) / 128 * 128 + p.low_bits;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane) & 1) relative[lane] = p.deltas[lane] + base;
  }
  const model::SharedCost cost = site.is_store
                                     ? model::shared_store(relative, mask, site.counted_bytes)
                                     : model::shared_load(relative, mask, site.counted_bytes);
  p.wavefronts = static_cast<std::uint32_t>(cost.wavefronts);
  p.conflicts = static_cast<std::uint32_t>(cost.conflicts);
}

std::uint8_t count_sectors(const Site& site, const AccessPattern& p, std::uint64_t address) {
  model::LaneAddresses addresses{};
  for (int lane = 0; lane < kLanes; ++lane) addresses[lane] = address + p.deltas[lane];
  return static_cast<std::uint8_t>(model::global_sectors(addresses, p.mask, site.counted_bytes));
}

void find_range(const Warp& w, const Op& op, AccessSite& site, const std::uint64_t* addresses) {
  const auto bytes = static_cast<unsigned>(op.bytes * op.count);
  const Memory::Range range = range_of(w, addresses[w.first_lane()]);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!((w.active >> lane) & 1)) continue;
    const std::uint64_t a = addresses[lane];
    if (lies_in(a, bytes, range.begin, range.end)) continue;
    // Lanes of one access may point into different allocations: then each is looked up every time.
    const Memory::Range own = range_of(w, a);
    if (!lies_in(a, bytes, own.begin, own.end))
      fault(w, op, Fault::kOutOfBounds, lane, a, static_cast<int>(bytes));
  }
  site.begin = range.begin;
  site.end = range.end;
}

void find_lane_range(const Warp& w, const Op& op, AccessSite& site, int lane, std::uint64_t address,
                     int bytes) {
  const Memory::Range range = range_of(w, address);
  if (!lies_in(address, static_cast<unsigned>(bytes), range.begin, range.end)) {
    fault(w, op, Fault::kOutOfBounds, lane, address, bytes);
  }
  site.begin = range.begin;
  site.end = range.end;
}

void count_generic_access(Warp& w, const Op& op, const std::uint64_t* addresses,
                          std::uint32_t shared, std::uint32_t global) {
  const Site& site = site_of(w, op);
  AccessSite& counts = w.worker->site_data[op.site];
  model::LaneAddresses lanes{};
  for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = addresses[lane] & ~kWindowMask;
  if (shared) {
    const model::SharedCost cost = site.is_store
                                       ? model::shared_store(lanes, shared, site.counted_bytes)
                                       : model::shared_load(lanes, shared, site.counted_bytes);
    ++counts.shared_instructions;
    counts.wavefronts += static_cast<unsigned>(cost.wavefronts);
    counts.conflicts += static_cast<unsigned>(cost.conflicts);
  }
  if (global) {
    ++counts.instructions;
    counts.sectors +=
        static_cast<unsigned>(model::global_sectors(lanes, global, site.counted_bytes));
  }
}

}  // namespace tilewise::vgpu
