// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/caches.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../core/temporary_folder.hpp"

namespace tilewise::cpu {
namespace {

/// A folder as Linux lays it out, with the caches that a test puts there.
class CacheFolder {
 public:
  CacheFolder& add(const std::string& level, const std::string& type, const std::string& size,
                   const std::string& ways) {
    const std::filesystem::path index = folder_.path() / ("index" + std::to_string(count_++));
    std::filesystem::create_directory(index);
    std::ofstream(index / "level") << level << '\n';
    std::ofstream(index / "type") << type << '\n';
    std::ofstream(index / "size") << size << '\n';
    std::ofstream(index / "ways_of_associativity") << ways << '\n';
    return *this;
  }
  std::optional<Caches> read() const { return caches_of_folder(folder_.path().c_str()); }
  std::filesystem::path path() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
  int count_ = 0;
};

TEST(Caches, AreReadFromAFolder) {
  CacheFolder folder;
  folder.add("1", "Data", "48K", "12").add("1", "Instruction", "64K", "16");
  folder.add("2", "Unified", "2048K", "16").add("3", "Unified", "105M", "15");
  EXPECT_EQ(folder.read(), (Caches{48 << 10, 2 << 20, 105 << 20, 12}));
}

TEST(Caches, AnInstructionCacheIsNone) {
  CacheFolder folder;
  folder.add("1", "Instruction", "64K", "4").add("1", "Data", "32K", "8");
  EXPECT_EQ(folder.read()->l1, 32 << 10);
  EXPECT_EQ(folder.read()->l1_ways, 8);
  EXPECT_FALSE(CacheFolder().add("1", "Instruction", "64K", "4").read());
}

TEST(Caches, WhatIsMissingKeepsItsDefault) {
  EXPECT_FALSE(CacheFolder().read());
  EXPECT_FALSE(caches_of_folder("/nowhere at all"));
  EXPECT_FALSE(caches_of_folder(std::string(5000, 'x').c_str()));
  EXPECT_EQ(CacheFolder().add("2", "Unified", "1M", "8").read(), (Caches{32 << 10, 1 << 20}));
  CacheFolder folder;
  folder.add("1", "Data", "64K", "4");
  std::filesystem::remove(folder.path() / "index0/ways_of_associativity");
  EXPECT_EQ(folder.read(), (Caches{64 << 10}));
  std::filesystem::remove(folder.path() / "index0/size");
  EXPECT_EQ(folder.read(), Caches{});
}

TEST(Caches, WhatIsAbsurdKeepsItsDefault) {
  for (const char* size : {"0", "0K", "-32K", "7K", "2M", "32", "", "K", "32KB", "32k", "nonsense",
                           "99999999999999999999K", "9223372036854775807G", "0x8000"}) {
    EXPECT_EQ(CacheFolder().add("1", "Data", size, "8").read(), Caches{}) << size;
  }
  for (const char* ways : {"0", "-1", "65", "4294967296", "eight", "8x", ""}) {
    EXPECT_EQ(CacheFolder().add("1", "Data", "32K", ways).read(), Caches{}) << ways;
  }
  for (const char* level : {"0", "4", "-1", "x", ""}) {
    EXPECT_FALSE(CacheFolder().add(level, "Data", "32K", "8").read()) << level;
  }
  EXPECT_EQ(CacheFolder().add("2", "Unified", "1G", "8").read(), Caches{});
  EXPECT_EQ(CacheFolder().add("3", "Unified", "16K", "8").read(), Caches{});
  EXPECT_EQ(CacheFolder().add("3", "Unified", "8G", "8").read(), Caches{});
}

/// As CPUID tells a cache: every field but the level is one less than what it counts.
CacheLeaf leaf(std::uint32_t type, std::uint32_t level, std::uint32_t ways, std::uint32_t line,
               std::uint32_t sets) {
  return {level << 5 | type, (ways - 1) << 22 | (line - 1), sets - 1};
}

TEST(Caches, AreReadFromCpuid) {
  const CacheLeaf leaves[] = {leaf(1, 1, 8, 64, 64), leaf(2, 1, 8, 64, 64), leaf(3, 2, 8, 64, 2048),
                              leaf(3, 3, 16, 64, 32768), CacheLeaf{}};
  EXPECT_EQ(caches_of_leaves(leaves, 5), (Caches{32 << 10, 1 << 20, 32 << 20, 8}));
  EXPECT_EQ(caches_of_leaves(leaves, 2), (Caches{32 << 10}));
  EXPECT_FALSE(caches_of_leaves(leaves, 0));
  EXPECT_FALSE(caches_of_leaves(leaves + 4, 1));
}

TEST(Caches, AbsurdLeavesKeepTheDefaults) {
  const CacheLeaf huge[] = {{1u << 5 | 1, 0xffffffff, 0xffffffff}};
  EXPECT_EQ(caches_of_leaves(huge, 1), Caches{});
  const CacheLeaf tiny[] = {leaf(1, 1, 1, 1, 1)};
  EXPECT_EQ(caches_of_leaves(tiny, 1), (Caches{32 << 10, 512 << 10, 8 << 20, 1}));
}

TEST(Caches, OfThisMachineAreInOrder) {
  const Caches& all = caches();
  EXPECT_LT(all.l1, all.l2);
  EXPECT_GE(all.l1_ways, 1);
  EXPECT_EQ(&all, &caches());
}

TEST(Caches, BothSourcesAgreeWhereThereAreBoth) {
  const auto folder = caches_of_folder("/sys/devices/system/cpu/cpu0/cache");
  const auto cpuid = caches_of_cpuid();
  if (!folder || !cpuid) GTEST_SKIP() << "only one source on this machine";
  EXPECT_EQ(folder->l1, cpuid->l1);
  EXPECT_EQ(folder->l1_ways, cpuid->l1_ways);
}

}  // namespace
}  // namespace tilewise::cpu
