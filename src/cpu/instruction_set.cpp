// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/instruction_set.hpp"

#include <cstdlib>
#include <string>

#include "tilewise/error.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace tilewise::cpu {
namespace {

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID; volume 1, 13.3
// (XCR0).
constexpr std::uint32_t kFma = 1u << 12, kOsxsave = 1u << 27, kF16c = 1u << 29;  // leaf 1, ECX
constexpr std::uint32_t kAvx2Bit = 1u << 5, kAvx512f = 1u << 16,
                        kAvx512dq = 1u << 17,  // leaf 7, EBX
    kAvx512bw = 1u << 30, kAvx512vl = 1u << 31;
constexpr std::uint32_t kAvx512vnni = 1u << 11;        // leaf 7, ECX
constexpr std::uint64_t kYmmSaved = 0x06;              // SSE and AVX state
constexpr std::uint64_t kZmmSaved = kYmmSaved | 0xe0;  // opmasks, upper halves, zmm16 to zmm31

template <class Word> constexpr bool has_all(Word word, Word bits) { return (word & bits) == bits; }

bool vnni_in(const FeatureWords& words) { return has_all(words.leaf7_ecx, kAvx512vnni); }

constexpr InstructionSet kSets[] = {InstructionSet::kAvx512, InstructionSet::kAvx2,
                                    InstructionSet::kPortable};

}  // namespace

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512: return "avx512";
    case InstructionSet::kAvx2: return "avx2";
    case InstructionSet::kPortable: break;
  }
  return "portable";
}

FeatureWords feature_words() {
  FeatureWords words;
#if defined(__x86_64__) || defined(__i386__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) words.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    words.leaf7_ebx = ebx;
    words.leaf7_ecx = ecx;
  }
  if (has_all(words.leaf1_ecx, kOsxsave)) {  // or else xgetbv is an illegal instruction
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    words.xcr0 = static_cast<std::uint64_t>(high) << 32 | low;
  }
#endif
  return words;
}

InstructionSet best_of(const FeatureWords& words) {
  const bool avx2 = has_all(words.leaf1_ecx, kOsxsave | kFma | kF16c) &&
                    has_all(words.leaf7_ebx, kAvx2Bit) && has_all(words.xcr0, kYmmSaved);
  const bool avx512 = avx2 && has_all(words.xcr0, kZmmSaved) &&
                      has_all(words.leaf7_ebx, kAvx512f | kAvx512dq | kAvx512bw | kAvx512vl);
  if (avx512) return InstructionSet::kAvx512;
  return avx2 ? InstructionSet::kAvx2 : InstructionSet::kPortable;
}

InstructionSet choose(const char* wanted, InstructionSet best) {
  if (wanted == nullptr || *wanted == '\0') return best;
  const std::string said = std::string("TILEWISE_CPU=") + wanted;
  for (const InstructionSet set : kSets) {
    if (name_of(set) != wanted) continue;
    if (set <= best) return set;
    throw Error(ErrorCode::kUnsupported, said + ": this processor does not have it, its best is " +
                                             std::string(name_of(best)));
  }
  throw Error(ErrorCode::kInvalidArgument, said + ": expected avx512, avx2 or portable");
}

InstructionSet instruction_set() {
  static const InstructionSet chosen =
      choose(std::getenv("TILEWISE_CPU"), best_of(feature_words()));
  return chosen;
}

bool has_vnni() {
  static const bool has = instruction_set() == InstructionSet::kAvx512 && vnni_in(feature_words());
  return has;
}

}  // namespace tilewise::cpu
