// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/convert/convert.hpp"

#include "cpu/convert/converters.hpp"

namespace tilewise::cpu {
namespace {

static_assert(sizeof(Float16) == sizeof(std::uint16_t) &&
              sizeof(BFloat16) == sizeof(std::uint16_t));

const Converters& converters() { return converters_of(instruction_set()); }

}  // namespace

const Converters& converters_of(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx512: return kAvx512Converters;
    case InstructionSet::kAvx2: return kAvx2Converters;
#endif
    default: return kPortableConverters;
  }
}

// An empty row may have no address.

void to_f32(const Float16* from, float* to, std::int64_t count) {
  if (count > 0) converters().f16_to_f32(&from->bits, to, count);
}

void to_f32(const BFloat16* from, float* to, std::int64_t count) {
  if (count > 0) converters().bf16_to_f32(&from->bits, to, count);
}

void from_f32(const float* from, Float16* to, std::int64_t count) {
  if (count > 0) converters().f32_to_f16(from, &to->bits, count);
}

void from_f32(const float* from, BFloat16* to, std::int64_t count) {
  if (count > 0) converters().f32_to_bf16(from, &to->bits, count);
}

}  // namespace tilewise::cpu
