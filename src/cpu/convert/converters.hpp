// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The conversions of each instruction set, on bits. All give the same bits.
#pragma once

#include <cstdint>

#include "cpu/instruction_set.hpp"

namespace tilewise::cpu {

struct Converters {
  void (*f16_to_f32)(const std::uint16_t* from, float* to, std::int64_t count);
  void (*bf16_to_f32)(const std::uint16_t* from, float* to, std::int64_t count);
  void (*f32_to_f16)(const float* from, std::uint16_t* to, std::int64_t count);
  void (*f32_to_bf16)(const float* from, std::uint16_t* to, std::int64_t count);
};

extern const Converters kPortableConverters;
#if defined(__x86_64__)
extern const Converters kAvx2Converters;
extern const Converters kAvx512Converters;
#endif

/// The processor must have the set to call what this returns.
const Converters& converters_of(InstructionSet set);

}  // namespace tilewise::cpu
