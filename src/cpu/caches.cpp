// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/caches.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace tilewise::cpu {
namespace {

constexpr int kMostCaches = 16;
constexpr int kMostWays = 64;

/// What a level may hold, in bytes. Outside is a hypervisor's invention; 0 is the commonest.
struct Bounds {
  std::int64_t least, most;
  bool hold(std::int64_t bytes) const { return least <= bytes && bytes <= most; }
};
constexpr Bounds kL1Bounds{8 << 10, 1 << 20};
constexpr Bounds kL2Bounds{64 << 10, 64 << 20};
constexpr Bounds kL3Bounds{512 << 10, std::int64_t{4} << 30};

/// Takes one data cache into `all` unless it is absurd. Returns whether it was one of the three
/// levels.
bool take(Caches& all, int level, std::int64_t bytes, int ways) {
  if (level == 1) {
    if (kL1Bounds.hold(bytes)) all.l1 = bytes;
    if (ways >= 1 && ways <= kMostWays) all.l1_ways = ways;
  } else if (level == 2) {
    if (kL2Bounds.hold(bytes)) all.l2 = bytes;
  } else if (level == 3) {
    if (kL3Bounds.hold(bytes)) all.l3 = bytes;
  }
  return level >= 1 && level <= 3;
}

using Line = std::array<char, 64>;

/// The first line of folder/index<i>/<name>, without its end; empty when it cannot be read.
Line read_line(const char* folder, int i, const char* name) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  Line line{};
  std::array<char, 4096> path;
  const int length = std::snprintf(path.data(), path.size(), "%s/index%d/%s", folder, i, name);
  if (length < 0 || static_cast<std::size_t>(length) >= path.size()) return line;
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.data(), "re"));
  if (!file || !std::fgets(line.data(), static_cast<int>(line.size()), file.get())) return Line{};
  line[std::strcspn(line.data(), "\n")] = '\0';
  return line;
}

/// A whole number that is the entire text, or -1.
int number_of(const Line& text) {
  char* end = nullptr;
  const long value = std::strtol(text.data(), &end, 10);
  return end != text.data() && *end == '\0' && value >= 0 && value <= 1 << 20
             ? static_cast<int>(value)
             : -1;
}

/// "32K", "1M": in bytes, or -1.
std::int64_t bytes_of(const Line& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.data(), &end, 10);
  if (end == text.data() || value < 0 || value > std::int64_t{1} << 40) return -1;
  const char* const unit = std::strchr("KMG", *end);
  if (*end == '\0') return value;
  if (unit == nullptr || end[1] != '\0') return -1;
  return value << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 30);
}

bool is(const Line& text, const char* word) { return std::strcmp(text.data(), word) == 0; }

}  // namespace

std::optional<Caches> caches_of_folder(const char* folder) {
  Caches all;
  bool any = false;
  for (int i = 0; i < kMostCaches; ++i) {
    const Line type = read_line(folder, i, "type");
    if (!is(type, "Data") && !is(type, "Unified")) continue;
    any |=
        take(all, number_of(read_line(folder, i, "level")), bytes_of(read_line(folder, i, "size")),
             number_of(read_line(folder, i, "ways_of_associativity")));
  }
  return any ? std::optional(all) : std::nullopt;
}

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID leaf 04H; AMD64
// Architecture Programmer's Manual, volume 3, Fn8000_001D: the same fields.
std::optional<Caches> caches_of_leaves(const CacheLeaf* leaves, int count) {
  enum Type : std::uint32_t { kNone = 0, kData = 1, kUnified = 3 };
  Caches all;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const auto [eax, ebx, ecx] = leaves[i];
    const std::uint32_t type = eax & 31;
    if (type == kNone) break;
    if (type != kData && type != kUnified) continue;
    const std::int64_t ways = (ebx >> 22) + 1, partitions = (ebx >> 12 & 1023) + 1;
    const std::int64_t line = (ebx & 4095) + 1, sets = std::int64_t{ecx} + 1;
    const bool sane = sets <= 1 << 24;  // so that the product fits in 63 bits
    any |= take(all, static_cast<int>(eax >> 5 & 7), sane ? ways * partitions * line * sets : -1,
                static_cast<int>(ways));
  }
  return any ? std::optional(all) : std::nullopt;
}

std::optional<Caches> caches_of_cpuid() {
#if defined(__x86_64__) || defined(__i386__)
  for (const unsigned leaf : {4u, 0x8000001du}) {
    CacheLeaf leaves[kMostCaches];
    for (unsigned i = 0; i < kMostCaches; ++i) {
      unsigned edx = 0;
      CacheLeaf& one = leaves[i];
      if (!__get_cpuid_count(leaf, i, &one.eax, &one.ebx, &one.ecx, &edx)) one = {};
    }
    if (const auto found = caches_of_leaves(leaves, kMostCaches)) return found;
  }
#endif
  return std::nullopt;
}

// AMD's processors, and Hygon's, which are built alike, have a third-level cache for each group of 4 to 16
// cores. A Zen 4 core computes as fast with B streaming from it as from the second-level one; for an Emerald
// Rapids core its own, a mesh of all cores, is too far for that.
namespace {
bool near_l3() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned highest = 0, name[3] = {};
  if (!__get_cpuid(0, &highest, &name[0], &name[2], &name[1])) return false;
  char maker[12];
  std::memcpy(maker, name, sizeof maker);
  return std::memcmp(maker, "AuthenticAMD", 12) == 0 || std::memcmp(maker, "HygonGenuine", 12) == 0;
#else
  return false;
#endif
}
}  // namespace

const Caches& caches() {
  static const Caches found = [] {
    std::optional<Caches> told = caches_of_folder("/sys/devices/system/cpu/cpu0/cache");
    if (!told) told = caches_of_cpuid();
    Caches all = told.value_or(Caches{});
    all.l3_is_near = near_l3();
    return all;
  }();
  return found;
}

}  // namespace tilewise::cpu
