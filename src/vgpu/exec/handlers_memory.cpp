// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that is accessed lane by lane: kernel parameters, local memory, generic addresses, atomics.
#include <cstring>
#include <iterator>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/memory_modes.hpp"
#include "vgpu/observe/checker.hpp"
#include "vgpu/ptx/types.hpp"

namespace tilewise::vgpu {
namespace {

using ptx::Type;

std::uint64_t read_element(const std::byte* from, int bytes, bool is_signed) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(bytes));
  if (!is_signed || bytes == 8) return value;
  const int unused = 64 - 8 * bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

void write_register(Warp& w, const Op& op, int element, int lane, std::uint64_t value) {
  const std::uint32_t offset = op.r[1 + element];
  if (op.mode & kWideRegister) cells<std::uint64_t>(w, offset)[lane] = value;
  else cells<std::uint32_t>(w, offset)[lane] = static_cast<std::uint32_t>(value);
}

std::uint64_t read_register(const Warp& w, const Op& op, int element, int lane) {
  const std::uint32_t offset = op.r[1 + element];
  return op.mode & kWideRegister ? cells<std::uint64_t>(w, offset)[lane]
                                 : cells<std::uint32_t>(w, offset)[lane];
}

void load_lane(Warp& w, const Op& op, int lane, const std::byte* from) {
  for (int i = 0; i < op.count; ++i) {
    write_register(w, op, i, lane, read_element(from + i * op.bytes, op.bytes, op.mode & kSigned));
  }
}

void store_lane(const Warp& w, const Op& op, int lane, std::byte* to) {
  for (int i = 0; i < op.count; ++i) {
    const std::uint64_t value = read_register(w, op, i, lane);
    std::memcpy(to + i * op.bytes, &value, op.bytes);
  }
}

struct LoadParameter {
  static void masked(Warp& w, const Op& op) {
    const std::byte* from = w.block->parameters + op.imm;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(w.active, lane)) load_lane(w, op, lane, from);
    }
  }
};

std::uint64_t address_of(const Warp& w, const Op& op, int lane, bool wide) {
  const std::uint64_t base =
      wide ? cells<std::uint64_t>(w, op.r[0])[lane] : cells<std::uint32_t>(w, op.r[0])[lane];
  const std::uint64_t sum = base + static_cast<std::uint64_t>(op.imm);
  return wide ? sum : static_cast<std::uint32_t>(sum);
}

std::byte* local_memory(const Warp& w, const Op& op, int lane, std::uint64_t offset) {
  const int bytes = op.bytes * op.count;
  if (!lies_in(offset, static_cast<unsigned>(bytes), 0, w.local_bytes))
    fault(w, op, Fault::kOutOfBounds, lane, offset, bytes);
  if (offset % static_cast<unsigned>(bytes) != 0)
    fault(w, op, Fault::kMisaligned, lane, offset, bytes);
  return w.local + static_cast<std::size_t>(lane) * w.local_bytes + offset;
}

struct LoadLocal {
  static void masked(Warp& w, const Op& op) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      load_lane(w, op, lane,
                local_memory(w, op, lane, address_of(w, op, lane, op.mode & kWideAddress)));
    }
  }
};

struct StoreLocal {
  static void masked(Warp& w, const Op& op) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      store_lane(w, op, lane,
                 local_memory(w, op, lane, address_of(w, op, lane, op.mode & kWideAddress)));
    }
  }
};

/// Where a generic address points, checked. Shared and local windows are told by their top byte.
std::byte* generic_memory(const Warp& w, const Op& op, int lane, std::uint64_t address, int bytes) {
  if (address % static_cast<unsigned>(bytes) != 0)
    fault(w, op, Fault::kMisaligned, lane, address, bytes);
  const std::uint64_t window = address & kWindowMask, offset = address & ~kWindowMask;
  if (window == kSharedWindow) {
    std::byte* const at = shared_memory(*w.block, offset, static_cast<unsigned>(bytes));
    if (at == nullptr) fault(w, op, Fault::kOutOfBounds, lane, offset, bytes);
    return at;
  }
  if (window == kLocalWindow) {
    if (!lies_in(offset, static_cast<unsigned>(bytes), 0, w.local_bytes))
      fault(w, op, Fault::kOutOfBounds, lane, offset, bytes);
    return w.local + static_cast<std::size_t>(lane) * w.local_bytes + offset;
  }
  AccessSite& site = w.worker->site_data[op.site];
  if (!lies_in(address, static_cast<unsigned>(bytes), site.begin, site.end)) {
    find_lane_range(w, op, site, lane, address, bytes);
  }
  return reinterpret_cast<std::byte*>(address);
}

/// Costs of a generic access: lanes in the shared window are one access, lanes in global memory another.
void count_generic(Warp& w, const Op& op, const std::uint64_t* address) {
  std::uint32_t shared = 0, global = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!is_active(w.active, lane)) continue;
    const std::uint64_t window = address[lane] & kWindowMask;
    if (window == kSharedWindow) shared |= 1u << lane;
    else if (window != kLocalWindow) global |= 1u << lane;
  }
  count_generic_access(w, op, address, shared, global);
}

void tell_checker(Warp& w, const Op& op, const std::uint64_t* address) {
  const Site& site = w.worker->program->sites[op.site];
  AccessFacts facts;
  facts.is_write = site.is_store;
  facts.is_atomic = site.is_atomic;
  facts.is_strong = site.is_strong;
  facts.acquires = site.acquires;
  facts.releases = site.releases;
  facts.bytes = static_cast<std::uint32_t>(site.bytes);
  w.block->checker->access_lanes(w, op, address, facts);
}
/// Also of shared::cluster addresses, which are those of the shared window, whatever their width.
template <bool kStore, bool kCount> struct Generic {
  static void masked(Warp& w, const Op& op) {
    const bool is_shared = op.mode & kSharedAddress;
    std::uint64_t address[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      address[lane] = address_of(w, op, lane, !(op.mode & kNarrowAddress));
      if (is_shared) address[lane] = kSharedWindow | (address[lane] & ~kWindowMask);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      std::byte* at = generic_memory(w, op, lane, address[lane], op.bytes * op.count);
      if (kStore) store_lane(w, op, lane, at);
      else load_lane(w, op, lane, at);
    }
    if (w.block->checker) tell_checker(w, op, address);
    if (kCount) count_generic(w, op, address);
  }
};

/// Atomics. Blocks run on several host threads, so these are the host's atomics.
template <class T, class F> T update(void* at, F&& change) {
  T* cell = static_cast<T*>(at);
  T old = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(cell, &old, change(old), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  return old;
}

template <class T> T integer_result(AtomicKind kind, T old, T b, T c) {
  switch (kind) {
    case AtomicKind::kAdd:
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                            static_cast<std::make_unsigned_t<T>>(b));
    case AtomicKind::kMin: return old < b ? old : b;
    case AtomicKind::kMax: return old > b ? old : b;
    case AtomicKind::kInc: return old >= b ? T{0} : static_cast<T>(old + 1);
    case AtomicKind::kDec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case AtomicKind::kCas: return old == b ? c : old;
    case AtomicKind::kExchange: return b;
    case AtomicKind::kAnd: return old & b;
    case AtomicKind::kOr: return old | b;
    case AtomicKind::kXor: return old ^ b;
  }
  return old;
}

template <class T>
std::uint64_t atomic_integer(AtomicKind kind, void* at, std::uint64_t b, std::uint64_t c) {
  using U = std::make_unsigned_t<T>;
  const T old = update<T>(at, [&](T value) {
    return integer_result<T>(kind, value, static_cast<T>(static_cast<U>(b)),
                             static_cast<T>(static_cast<U>(c)));
  });
  return static_cast<U>(old);
}

template <class T, class Bits> std::uint64_t atomic_float_add(void* at, std::uint64_t b) {
  const T addend = __builtin_bit_cast(T, static_cast<Bits>(b));
  return update<Bits>(at,
                      [&](Bits value) { return put<T>(__builtin_bit_cast(T, value) + addend); });
}

// Global memory's f32 adder (in the L2) flushes subnormal operands and results; shared memory's does not.
float flush(float x) { return x > -0x1p-126f && x < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x; }
std::uint64_t atomic_flushing_add(void* at, std::uint64_t b) {
  const float addend = flush(__builtin_bit_cast(float, static_cast<std::uint32_t>(b)));
  return update<std::uint32_t>(at, [&](std::uint32_t value) {
    return put<float>(flush(flush(__builtin_bit_cast(float, value)) + addend));
  });
}

struct Atomic {
  static void masked(Warp& w, const Op& op) {
    const Type type = static_cast<Type>(op.bytes);
    const int bytes = ptx::size_of(type);
    const bool wide = bytes == 8;
    std::uint64_t addresses[kLanes] = {};
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      std::uint64_t address = address_of(w, op, lane, op.count & kAtomicWideAddress);
      if (op.count & kAtomicShared) address = kSharedWindow | (address & ~kWindowMask);
      addresses[lane] = address;
      std::byte* at = generic_memory(w, op, lane, address, bytes);
      const std::uint64_t b = read(w, op.r[2], lane, wide), c = read(w, op.r[3], lane, wide);
      const std::uint64_t old = run(type, static_cast<AtomicKind>(op.mode), at, b, c,
                                    (address & kWindowMask) == kSharedWindow);
      if ((op.count & kAtomicResult) == 0) continue;
      if (wide) cells<std::uint64_t>(w, op.r[1])[lane] = old;
      else cells<std::uint32_t>(w, op.r[1])[lane] = static_cast<std::uint32_t>(old);
    }
    if (w.block->checker) tell_checker(w, op, addresses);
  }

  static std::uint64_t read(const Warp& w, std::uint32_t offset, int lane, bool wide) {
    return wide ? cells<std::uint64_t>(w, offset)[lane] : cells<std::uint32_t>(w, offset)[lane];
  }

  // Decoding lets only these types pass, floats with additions alone.
  static std::uint64_t run(Type type, AtomicKind kind, void* at, std::uint64_t b, std::uint64_t c,
                           bool is_shared) {
    switch (type) {
      case Type::kB16:
      case Type::kU16: return atomic_integer<std::uint16_t>(kind, at, b, c);
      case Type::kB32:
      case Type::kU32: return atomic_integer<std::uint32_t>(kind, at, b, c);
      case Type::kB64:
      case Type::kU64: return atomic_integer<std::uint64_t>(kind, at, b, c);
      case Type::kS32: return atomic_integer<std::int32_t>(kind, at, b, c);
      case Type::kS64: return atomic_integer<std::int64_t>(kind, at, b, c);
      case Type::kF32:
        return is_shared ? atomic_float_add<float, std::uint32_t>(at, b)
                         : atomic_flushing_add(at, b);
      default: return atomic_float_add<double, std::uint64_t>(at, b);
    }
  }
};

constexpr HandlerEntry kTable[] = {
    {"ld.param", LoadParameter::masked, LoadParameter::masked},
    {"ld.local", LoadLocal::masked, LoadLocal::masked},
    {"st.local", StoreLocal::masked, StoreLocal::masked},
    {"atom", Atomic::masked, Atomic::masked},
};
constexpr HandlerEntry kCounted[] = {
    {"ld.generic", Generic<false, true>::masked, Generic<false, true>::masked},
    {"st.generic", Generic<true, true>::masked, Generic<true, true>::masked},
};
constexpr HandlerEntry kPlain[] = {
    {"ld.generic", Generic<false, false>::masked, Generic<false, false>::masked},
    {"st.generic", Generic<true, false>::masked, Generic<true, false>::masked},
};

}  // namespace

HandlerTables handlers_memory() {
  return {
      {kTable, std::size(kTable)}, {kCounted, std::size(kCounted)}, {kPlain, std::size(kPlain)}};
}

}  // namespace tilewise::vgpu
