// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/instruction_set.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../core/expect_error.hpp"

namespace tilewise::cpu {
namespace {

using test::expect_error;

/// The bits that matter, as a processor with AVX-512 and an operating system that saves everything
/// say.
constexpr FeatureWords kAll{1u << 12 | 1u << 27 | 1u << 29,
                            1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, 1u << 11, 0xe7};

/// kAll without bits.
FeatureWords without(FeatureWords bits) {
  return {kAll.leaf1_ecx & ~bits.leaf1_ecx, kAll.leaf7_ebx & ~bits.leaf7_ebx,
          kAll.leaf7_ecx & ~bits.leaf7_ecx, kAll.xcr0 & ~bits.xcr0};
}

// Before any test: in a run for an instruction set that this processor lacks there is nothing to test, and tests that
// expect no exception would end the program. CTest takes the message for a skip.
[[maybe_unused]] const bool is_there = [] {
  const char* const wanted = std::getenv("TILEWISE_CPU");
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (wanted == nullptr || name_of(set) != wanted || set <= best_of(feature_words())) continue;
    std::puts("this processor does not have it");
    std::exit(0);
  }
  return true;
}();

TEST(InstructionSet, EveryBitOfAvx512IsNeeded) {
  EXPECT_EQ(best_of(kAll), InstructionSet::kAvx512);
  for (const int bit : {16, 17, 30, 31}) {
    EXPECT_EQ(best_of(without({0, 1u << bit, 0, 0})), InstructionSet::kAvx2) << bit;
  }
  for (const int bit : {5, 6, 7}) {  // opmasks, upper halves, zmm16 and up are not saved
    EXPECT_EQ(best_of(without({0, 0, 0, 1ull << bit})), InstructionSet::kAvx2) << bit;
  }
}

TEST(InstructionSet, EveryBitOfAvx2IsNeededForAvx512Too) {
  for (const int bit : {12, 27, 29}) {
    EXPECT_EQ(best_of(without({1u << bit, 0, 0, 0})), InstructionSet::kPortable) << bit;
  }
  EXPECT_EQ(best_of(without({0, 1u << 5, 0, 0})), InstructionSet::kPortable);
  for (const int bit : {1, 2}) {  // xmm, ymm
    EXPECT_EQ(best_of(without({0, 0, 0, 1ull << bit})), InstructionSet::kPortable) << bit;
  }
  EXPECT_EQ(best_of({}), InstructionSet::kPortable);
}

TEST(InstructionSet, TheOneAskedForIsChosen) {
  const InstructionSet sets[] = {InstructionSet::kPortable, InstructionSet::kAvx2,
                                 InstructionSet::kAvx512};
  for (const InstructionSet best : sets) {
    EXPECT_EQ(choose(nullptr, best), best);
    EXPECT_EQ(choose("", best), best);
    for (const InstructionSet set : sets) {
      const std::string name(name_of(set));
      if (set <= best) {
        EXPECT_EQ(choose(name.c_str(), best), set) << name;
      } else {
        expect_error(ErrorCode::kUnsupported,
                     {"TILEWISE_CPU=" + name, "does not have it", std::string(name_of(best))},
                     [&] { choose(name.c_str(), best); });
      }
    }
  }
}

TEST(InstructionSet, OtherNamesAreErrors) {
  for (const char* name : {"sse9", "AVX2", "avx2 ", "avx", "avx5122", "native"}) {
    expect_error(ErrorCode::kInvalidArgument,
                 {std::string("TILEWISE_CPU=") + name, "expected avx512, avx2 or portable"},
                 [&] { choose(name, InstructionSet::kAvx512); });
  }
}

// What the compiler's own detection says, where there is one.
TEST(InstructionSet, AgreesWithTheCompiler) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const InstructionSet best = best_of(feature_words());
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  EXPECT_EQ(best >= InstructionSet::kAvx2, avx2);
  EXPECT_EQ(best == InstructionSet::kAvx512, avx2 && avx512);
#else
  EXPECT_EQ(best_of(feature_words()), InstructionSet::kPortable);
#endif
}

// Run under each value of TILEWISE_CPU: see CMakeLists.txt.
TEST(InstructionSet, TheOneInUseIsTheOneAskedFor) {
  const char* const wanted = std::getenv("TILEWISE_CPU");
  const InstructionSet best = best_of(feature_words());
  const std::string expected(wanted != nullptr && *wanted != '\0' ? wanted : name_of(best));
  EXPECT_EQ(name_of(instruction_set()), expected);
  EXPECT_EQ(instruction_set(), instruction_set());
  if (expected != "avx512") {
    EXPECT_FALSE(has_vnni());
  }
}

}  // namespace
}  // namespace tilewise::cpu
