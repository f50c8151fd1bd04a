// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which instruction set's kernels run: the best the processor has, found by its feature bits, never
// by its model's name. The environment variable TILEWISE_CPU overrides.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewise::cpu {

/// kAvx512 needs F, DQ, BW and VL beside all of kAvx2; kAvx2 needs AVX2, FMA and F16C; both need
/// the operating system to save the registers. kPortable runs everywhere.
enum class InstructionSet { kPortable, kAvx2, kAvx512 };

/// "portable", "avx2", "avx512".
std::string_view name_of(InstructionSet set);

/// The one in use, decided once a process. Throws Error{kInvalidArgument} when TILEWISE_CPU holds
/// none of the names (listing them), Error{kUnsupported} when this processor lacks what it names.
/// An empty TILEWISE_CPU is none.
InstructionSet instruction_set();

/// Whether this processor, and the instruction set in use, have the 8-bit dot products of AVX-512
/// VNNI. Throws as instruction_set() does.
bool has_vnni();

/// The registers of x86 processors that tell what they can do. All 0 on others.
struct FeatureWords {
  std::uint32_t leaf1_ecx = 0, leaf7_ebx = 0, leaf7_ecx = 0;  ///< of CPUID
  std::uint64_t xcr0 = 0;  ///< what the operating system saves; 0 when it does not say
};

FeatureWords feature_words();

/// The best set of a processor with these words.
InstructionSet best_of(const FeatureWords& words);

/// `wanted` is what TILEWISE_CPU holds, or null. Throws as instruction_set() does.
InstructionSet choose(const char* wanted, InstructionSet best);

}  // namespace tilewise::cpu
