// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tilewise::cpu {

/// Bytes of data cache that one core sees. The last level is shared; its size is the whole.
struct Caches {
  std::int64_t l1 = 32 << 10, l2 = 512 << 10, l3 = 8 << 20;
  int l1_ways = 8;
  /// A core reads its third-level cache nearly as fast as its second-level one: it belongs to a few
  /// neighbours, not to a mesh of all cores.
  bool l3_is_near = false;

  bool operator==(const Caches&) const = default;
};

/// Read once a process: from /sys/devices/system/cpu, else from CPUID, else the defaults above. A
/// size that is missing or absurd keeps its default. Whether the third level is near is known of the
/// processor's maker.
const Caches& caches();

/// What the folders index0, index1, … below `folder` say, or nothing when none describes a data
/// cache.
std::optional<Caches> caches_of_folder(const char* folder);

/// One cache, as CPUID's leaves 4 (Intel) and 0x8000001d (AMD) tell them.
struct CacheLeaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0;
};

/// What `count` leaves say, or nothing when none describes a data cache.
std::optional<Caches> caches_of_leaves(const CacheLeaf* leaves, int count);

/// The leaves of this processor: nothing on processors that are not x86.
std::optional<Caches> caches_of_cpuid();

}  // namespace tilewise::cpu
