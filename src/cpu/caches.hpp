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

  bool operator==(const Caches&) const = default;
};

/// Read once a process: from /sys/devices/system/cpu, else from CPUID, else the defaults above. A
/// size that is missing or absurd keeps its default.
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
