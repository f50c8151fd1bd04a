// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of shared and global memory, warp-wide. Compiled once for each instruction-set level.
//
// Almost every execution of an access has the same relative addresses as the one before it. So each site
// keeps the last few patterns with their costs: counting is one vector comparison and a few additions,
// bounds are checked with the pattern's lowest and highest address, and broadcasts and contiguous
// accesses are recognised without looking at lanes.
#pragma once

#include <cstdint>
#include <cstring>

#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"

namespace tilewise::vgpu {
namespace {

template <class Address> struct Resolved {
  alignas(64) Address address[kLanes];
  const AccessPattern* pattern;
};

inline std::uint64_t* wide_addresses(const std::uint64_t* a, std::uint64_t*) {
  return const_cast<std::uint64_t*>(a);
}
inline std::uint64_t* wide_addresses(const std::uint32_t* a, std::uint64_t* buffer) {
  for (int lane = 0; lane < kLanes; ++lane) buffer[lane] = a[lane];
  return buffer;
}

template <class Address> inline const Address* deltas(const AccessPattern& p) {
  if constexpr (sizeof(Address) == 4) return p.deltas32;
  else return p.deltas;
}

template <class Address>
inline bool matches(const AccessPattern& p, const Address* address, Address first,
                    std::uint32_t mask) {
  if (p.mask != mask) return false;
  const Address* delta = deltas<Address>(p);
  Address difference = 0;
  if (mask == 0xFFFFFFFFu) {
    TILEWISE_EACH_LANE difference |= (address[lane] - first) ^ delta[lane];
  } else {
    TILEWISE_EACH_LANE {
      difference |= is_active(mask, lane) ? (address[lane] - first) ^ delta[lane] : Address{0};
    }
  }
  return difference == 0;
}

template <class Address>
[[gnu::noinline]] const AccessPattern& look_up(Warp& w, const Op& op, AccessSite& site,
                                               const Address* address) {
  const Address first = address[w.first_lane()];
  for (int i = 0; i < AccessSite::kPatterns; ++i) {
    AccessPattern& p = site.patterns[i];
    if (matches(p, address, first, w.active) && p.low_bits == (first & 3)) {
      site.recent = i;
      return p;
    }
  }
  site.recent = site.oldest;
  site.oldest = (site.oldest + 1) % AccessSite::kPatterns;
  std::uint64_t buffer[kLanes];
  build_pattern(w, op, wide_addresses(address, buffer), w.active, site.patterns[site.recent]);
  return site.patterns[site.recent];
}

/// Addresses of all lanes, checked, and counted when kCount.
template <class Address, bool kShared, bool kStore, bool kCount>
inline void resolve(Warp& w, const Op& op, Resolved<Address>& out) {
  const CellOf<Address>* base = cells<Address>(w, op.r[0]);
  const Address offset = static_cast<Address>(op.imm);
  TILEWISE_EACH_LANE out.address[lane] = base[lane] + offset;
  AccessSite& site = w.worker->site_data[op.site];
  const Address first = out.address[w.first_lane()];
  const AccessPattern* p = &site.patterns[site.recent];
  if (!matches(*p, out.address, first, w.active) || p->low_bits != (first & 3)) {
    p = &look_up(w, op, site, out.address);
  }
  out.pattern = p;
  const int bytes = op.bytes * op.count;
  if (!p->aligned || first % static_cast<unsigned>(bytes) != 0) fault_misaligned(w, op, first, *p);
  // Differences, because sums with an address of a kernel may wrap around.
  const auto leaves = [&](std::uint64_t begin, std::uint64_t end) {
    const auto before = static_cast<std::int64_t>(first - begin);
    const auto after = static_cast<std::int64_t>(end - first);
    return before < -p->lowest || after < p->highest + bytes;
  };
  if constexpr (kShared) {
    const auto begin = static_cast<std::uint64_t>(w.block->shared_begin);
    if (leaves(begin, begin + w.block->shared_bytes)) fault_bounds(w, op, out.address);
    if constexpr (kCount) {
      ++site.instructions;
      site.wavefronts += p->wavefronts;
      site.conflicts += p->conflicts;
    }
  } else {
    if (leaves(site.begin, site.end)) {
      std::uint64_t buffer[kLanes];
      find_range(w, op, site, wide_addresses(out.address, buffer));
    }
    if constexpr (kCount) {
      ++site.instructions;
      std::uint8_t sectors = p->sectors[first & 31];
      if (sectors == 0) {
        sectors = count_sectors(w.worker->program->sites[op.site], *p, first);
        const_cast<AccessPattern*>(p)->sectors[first & 31] = sectors;
      }
      site.sectors += sectors;
    }
  }
}

template <bool kShared> inline std::byte* host(const Warp& w, std::uint64_t address) {
  if constexpr (kShared) return w.block->shared + address;
  else return reinterpret_cast<std::byte*>(address);
}

using V4 = std::uint32_t __attribute__((vector_size(16), aligned(4), may_alias));

// Four lanes' vectors of four words become four registers' quarters.
inline void transpose(V4& a, V4& b, V4& c, V4& d) {
  const V4 t0 = __builtin_shufflevector(a, b, 0, 4, 1, 5),
           t1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const V4 t2 = __builtin_shufflevector(c, d, 0, 4, 1, 5),
           t3 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
  b = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  c = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
  d = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

template <class Cell> inline Cell read(const std::byte* from) {
  Cell value;
  std::memcpy(&value, from, sizeof(Cell));
  return value;
}

/// ld of kCount cells of 4 or 8 bytes: r = {address, d0, d1, d2, d3}.
template <class Cell, int kCells, class Address, bool kShared, bool kCounting> struct Load {
  static void full(Warp& w, const Op& op) {
    if (w.active != 0xFFFFFFFFu) return masked(w, op);
    Resolved<Address> at;
    resolve<Address, kShared, false, kCounting>(w, op, at);
    if (at.pattern->broadcast) return broadcast(w, op, host<kShared>(w, at.address[0]));
    if constexpr (kCells == 1) {
      Cell* d = cells<Cell>(w, op.r[1]);
      if (at.pattern->contiguous) {
        std::memcpy(d, host<kShared>(w, at.address[0]), sizeof(Cell) * kLanes);
      } else {
        for (int lane = 0; lane < kLanes; ++lane)
          d[lane] = read<Cell>(host<kShared>(w, at.address[lane]));
      }
    } else if constexpr (kCells == 4 && sizeof(Cell) == 4) {
      load_quads(w, op, at.address);
    } else {
      for (int i = 0; i < kCells; ++i) {
        Cell* d = cells<Cell>(w, op.r[1 + i]);
        for (int lane = 0; lane < kLanes; ++lane) {
          d[lane] = read<Cell>(host<kShared>(w, at.address[lane]) + i * sizeof(Cell));
        }
      }
    }
  }

  static void broadcast(Warp& w, const Op& op, const std::byte* from) {
    for (int i = 0; i < kCells; ++i) {
      Cell* d = cells<Cell>(w, op.r[1 + i]);
      const Cell value = read<Cell>(from + i * sizeof(Cell));
      TILEWISE_EACH_LANE d[lane] = value;
    }
  }

  static void load_quads(Warp& w, const Op& op, const Address* address) {
    V4* d[4];
    for (int i = 0; i < 4; ++i) d[i] = reinterpret_cast<V4*>(cells<Cell>(w, op.r[1 + i]));
    for (int group = 0; group < 8; ++group) {
      V4 v[4];
      for (int i = 0; i < 4; ++i) std::memcpy(&v[i], host<kShared>(w, address[4 * group + i]), 16);
      transpose(v[0], v[1], v[2], v[3]);
      for (int i = 0; i < 4; ++i) d[i][group] = v[i];
    }
  }

  static void masked(Warp& w, const Op& op) {
    Resolved<Address> at;
    resolve<Address, kShared, false, kCounting>(w, op, at);
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::byte* from = host<kShared>(w, at.address[lane]);
      for (int i = 0; i < kCells; ++i) {
        cells<Cell>(w, op.r[1 + i])[lane] = read<Cell>(from + i * sizeof(Cell));
      }
    }
  }
};

/// st of kCount cells of 4 or 8 bytes: r = {address, s0, s1, s2, s3}.
template <class Cell, int kCells, class Address, bool kShared, bool kCounting> struct Store {
  static void full(Warp& w, const Op& op) {
    if (w.active != 0xFFFFFFFFu) return masked(w, op);
    Resolved<Address> at;
    resolve<Address, kShared, true, kCounting>(w, op, at);
    if (kCells == 1 && at.pattern->contiguous) {
      std::memcpy(host<kShared>(w, at.address[0]), cells<Cell>(w, op.r[1]), sizeof(Cell) * kLanes);
    } else if constexpr (kCells == 4 && sizeof(Cell) == 4) {
      store_quads(w, op, at.address);
    } else {
      store_lanes(w, op, at.address);
    }
  }

  static void store_quads(Warp& w, const Op& op, const Address* address) {
    const V4* s[4];
    for (int i = 0; i < 4; ++i) s[i] = reinterpret_cast<const V4*>(cells<Cell>(w, op.r[1 + i]));
    for (int group = 0; group < 8; ++group) {
      V4 v[4];
      for (int i = 0; i < 4; ++i) v[i] = s[i][group];
      transpose(v[0], v[1], v[2], v[3]);
      for (int i = 0; i < 4; ++i) std::memcpy(host<kShared>(w, address[4 * group + i]), &v[i], 16);
    }
  }

  static void store_lanes(Warp& w, const Op& op, const Address* address) {
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::byte* to = host<kShared>(w, address[lane]);
      for (int i = 0; i < kCells; ++i) {
        std::memcpy(to + i * sizeof(Cell), &cells<Cell>(w, op.r[1 + i])[lane], sizeof(Cell));
      }
    }
  }

  static void masked(Warp& w, const Op& op) {
    Resolved<Address> at;
    resolve<Address, kShared, true, kCounting>(w, op, at);
    store_lanes(w, op, at.address);
  }
};

/// Sub-word elements, one a lane: `Memory` is what lies in memory, `Register` what it widens to.
template <class Memory, class Register, class Address, bool kShared, bool kCounting>
struct LoadNarrow {
  static void masked(Warp& w, const Op& op) {
    Resolved<Address> at;
    resolve<Address, kShared, false, kCounting>(w, op, at);
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (int i = 0; i < op.count; ++i) {
        const Memory value = read<Memory>(host<kShared>(w, at.address[lane]) + i * sizeof(Memory));
        cells<Register>(w, op.r[1 + i])[lane] = put<Register>(static_cast<Register>(value));
      }
    }
  }
  static void full(Warp& w, const Op& op) { masked(w, op); }
};

template <class Memory, class Cell, class Address, bool kShared, bool kCounting>
struct StoreNarrow {
  static void masked(Warp& w, const Op& op) {
    Resolved<Address> at;
    resolve<Address, kShared, true, kCounting>(w, op, at);
    for (std::uint32_t rest = w.active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (int i = 0; i < op.count; ++i) {
        const Memory value = static_cast<Memory>(cells<Cell>(w, op.r[1 + i])[lane]);
        std::memcpy(host<kShared>(w, at.address[lane]) + i * sizeof(Memory), &value,
                    sizeof(Memory));
      }
    }
  }
  static void full(Warp& w, const Op& op) { masked(w, op); }
};

}  // namespace
}  // namespace tilewise::vgpu
