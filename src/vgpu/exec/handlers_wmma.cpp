// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// wmma.load and wmma.store: a fragment between registers and memory (PTX ISA 9.0, section 9.7.14.4).
#include <cstring>
#include <iterator>

#include "model/access.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/matrix_modes.hpp"
#include "vgpu/exec/matrix_op.hpp"
#include "vgpu/exec/shared_access.hpp"
#include "vgpu/exec/whole_warp.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

/// Where the matrix of a move lies. All lanes give the same address and leading dimension.
struct Place {
  std::uint64_t address = 0;  ///< as the kernel sees it
  std::uint64_t leading = 0;  ///< elements from line to line
  std::byte* memory = nullptr;
  bool is_shared = false;
};

std::byte* global_matrix(Warp& w, const Op& op, std::uint64_t address, std::uint64_t bytes) {
  AccessSite& site = w.worker->site_data[op.site];
  if (!lies_in(address, bytes, site.begin, site.end))
    find_lane_range(w, op, site, w.first_lane(), address, static_cast<int>(bytes));
  return reinterpret_cast<std::byte*>(address);
}

// Lines are whole multiples of the widest access apart, or the hardware faults.
void expect_alignment(const Warp& w, const Op& op, const FragmentMove& move, const Place& at) {
  for (const TileAccess& access : move.accesses) {
    const auto width = static_cast<std::uint64_t>(access.tiles > 0 ? 16 : access.bytes);
    const std::uint64_t line_bytes = at.leading * static_cast<unsigned>(move.element_bytes);
    if (at.address % width != 0 || line_bytes % width != 0) {
      fault(w, op, Fault::kMisaligned, w.first_lane(),
            at.address % width != 0 ? at.address : at.address + line_bytes,
            static_cast<int>(width));
    }
  }
}

Place place_of(Warp& w, const Op& op, const FragmentMove& move) {
  Place at;
  const auto offset = static_cast<std::uint64_t>(op.imm);
  at.address = op.mode & kMatrixWideAddress
                   ? cells<std::uint64_t>(w, op.r[0])[0] + offset
                   : static_cast<std::uint32_t>(cells<std::uint32_t>(w, op.r[0])[0] + offset);
  at.leading = cells<std::uint32_t>(w, op.r[1])[0];
  const ptx::Space space = w.worker->program->sites[op.site].space;
  const bool in_window = (at.address & kWindowMask) == kSharedWindow;
  at.is_shared = space == ptx::Space::kShared || (space == ptx::Space::kGeneric && in_window);
  if (space == ptx::Space::kGeneric && in_window) at.address &= ~kWindowMask;
  expect_alignment(w, op, move, at);
  const std::uint64_t elements =
      at.leading * static_cast<unsigned>(move.lines - 1) + static_cast<unsigned>(move.positions);
  const std::uint64_t bytes = elements * static_cast<unsigned>(move.element_bytes);
  constexpr std::uint64_t kMostBytes = INT32_MAX;
  if (bytes > kMostBytes) fault(w, op, Fault::kOutOfBounds, w.first_lane(), at.address, INT32_MAX);
  at.memory = at.is_shared
                  ? shared_memory_at(w, op, w.first_lane(), at.address, static_cast<int>(bytes), 1)
                  : global_matrix(w, op, at.address, bytes);
  return at;
}

// A pattern of addresses that repeats is priced once, as for other accesses.
void count_access(Warp& w, const Op& op, const TileAccess& access, const Place& at,
                  std::uint64_t element_bytes) {
  Op part = op;
  part.site = access.site;
  part.bytes = static_cast<std::uint8_t>(access.tiles > 0 ? 16 : access.bytes);
  part.count = 1;
  AccessSite& site = w.worker->site_data[access.site];
  const std::uint32_t mask =
      access.tiles == 0 || access.tiles == 4 ? ~0u : (1u << (8 * access.tiles)) - 1;
  model::LaneAddresses addresses{};
  for (int lane = 0; lane < kLanes; ++lane) {
    addresses[lane] =
        at.address + (access.line[lane] * at.leading + access.position[lane]) * element_bytes;
  }
  const Site& fact = w.worker->program->sites[access.site];
  if (fact.space == ptx::Space::kGeneric) {
    return count_generic_access(w, part, addresses.data(), at.is_shared ? mask : 0,
                                at.is_shared ? 0 : mask);
  }
  AccessPattern& p = site.patterns[0];
  bool same = p.mask == mask;
  for (int lane = 0; lane < kLanes && same; ++lane)
    same = !is_active(mask, lane) || p.deltas[lane] == addresses[lane] - addresses[0];
  if (!same) {
    build_pattern(w, part, addresses.data(), mask, p);
    if (access.tiles > 0) {
      const model::SharedCost cost = model::shared_matrix(addresses, access.tiles);
      p.wavefronts = static_cast<std::uint32_t>(cost.wavefronts);
      p.conflicts = static_cast<std::uint32_t>(cost.conflicts);
    }
  }
  ++site.instructions;
  if (at.is_shared) {
    site.wavefronts += p.wavefronts;
    site.conflicts += p.conflicts;
    return;
  }
  std::uint8_t& sectors = p.sectors[addresses[0] & 31];
  if (sectors == 0) sectors = count_sectors(fact, p, addresses[0]);
  site.sectors += sectors;
}

void count_move(Warp& w, const Op& op, const FragmentMove& move, const Place& at) {
  for (const TileAccess& access : move.accesses)
    count_access(w, op, access, at, static_cast<unsigned>(move.element_bytes));
}

void tell_checker(Warp& w, const Op& op, const FragmentMove& move, const Place& at, bool is_store) {
  const auto bytes = static_cast<unsigned>(move.element_bytes);
  for (unsigned line = 0; line < static_cast<unsigned>(move.lines); ++line) {
    const std::uint64_t address = at.address + line * at.leading * bytes;
    const std::uint32_t length = static_cast<unsigned>(move.positions) * bytes;
    if (at.is_shared) {
      w.block->checker->access_shared_range(w, op.instruction, address, length, is_store);
    } else {
      w.block->checker->access_global_range(w, op.instruction, address, length, is_store);
    }
  }
}

/// Calls `visit(element in memory, register, lane, element of the register)` for all of a fragment.
template <class Visit> void each_element(const FragmentMove& move, const Place& at, Visit visit) {
  const std::uint16_t* cell = move.fragment.cells.data();
  for (int r = 0; r < move.fragment.registers; ++r) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < move.fragment.elements; ++e, ++cell) {
        const std::uint64_t index = *cell / kLineCells * at.leading + *cell % kLineCells;
        visit(at.memory + index * static_cast<unsigned>(move.element_bytes), r, lane, e);
      }
    }
  }
}

const FragmentMove& move_of(const Warp& w, const Op& op) {
  return w.worker->program->fragment_moves[op.r[5]];
}

template <bool kCounting> struct LoadFragment {
  static void masked(Warp& w, const Op& op) {
    expect_all_lanes(w, op);
    const FragmentMove& move = move_of(w, op);
    const Place at = place_of(w, op, move);
    if constexpr (kCounting) count_move(w, op, move, at);
    if (w.block->checker) tell_checker(w, op, move, at, false);
    const auto bytes = static_cast<std::size_t>(move.element_bytes);
    const std::uint32_t* offsets = w.worker->program->operands.data() + move.fragment.first;
    each_element(move, at, [&](const std::byte* from, int r, int lane, int e) {
      std::uint64_t value = 0;
      std::memcpy(&value, from, bytes);
      if (bytes == 8) {
        cells<std::uint64_t>(w, offsets[r])[lane] = value;
        return;
      }
      std::uint32_t& cell = cells<std::uint32_t>(w, offsets[r])[lane];
      const auto part = static_cast<std::uint32_t>(value) << (8 * bytes * static_cast<unsigned>(e));
      cell = e == 0 ? part : cell | part;
    });
  }
};

template <bool kCounting> struct StoreFragment {
  static void masked(Warp& w, const Op& op) {
    expect_all_lanes(w, op);
    const FragmentMove& move = move_of(w, op);
    const Place at = place_of(w, op, move);
    if constexpr (kCounting) count_move(w, op, move, at);
    if (w.block->checker) tell_checker(w, op, move, at, true);
    const auto bytes = static_cast<std::size_t>(move.element_bytes);
    const std::uint32_t* offsets = w.worker->program->operands.data() + move.fragment.first;
    each_element(move, at, [&](std::byte* to, int r, int lane, int e) {
      const std::uint64_t value = bytes == 8 ? cells<std::uint64_t>(w, offsets[r])[lane]
                                             : cells<std::uint32_t>(w, offsets[r])[lane] >>
                                                   (8 * bytes * static_cast<unsigned>(e));
      std::memcpy(to, &value, bytes);
    });
  }
};

constexpr HandlerEntry kCounted[] = {
    {"wmma.load", LoadFragment<true>::masked, LoadFragment<true>::masked},
    {"wmma.store", StoreFragment<true>::masked, StoreFragment<true>::masked},
};
constexpr HandlerEntry kPlain[] = {
    {"wmma.load", LoadFragment<false>::masked, LoadFragment<false>::masked},
    {"wmma.store", StoreFragment<false>::masked, StoreFragment<false>::masked},
};

}  // namespace

HandlerTables handlers_wmma() {
  return {{nullptr, 0}, {kCounted, std::size(kCounted)}, {kPlain, std::size(kPlain)}};
}

}  // namespace tilewise::vgpu
