// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace tilewise {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t available_in_machine() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kib = 0; meminfo >> name >> kib; std::getline(meminfo, unit)) {
    if (name == "MemAvailable:") return kib * 1024;
  }
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return kUnknown;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::uint64_t number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : kUnknown;  // "max": no limit
}

// What the control group leaves (version 2, then 1), as containers see it.
std::uint64_t available_in_group() {
  std::uint64_t limit = number_in("/sys/fs/cgroup/memory.max");
  std::uint64_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == kUnknown) {
    limit = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    used = number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes");
  }
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  return limit > used ? limit - used : 0;
}

}  // namespace

std::uint64_t available_memory() { return std::min(available_in_machine(), available_in_group()); }

}  // namespace tilewise
