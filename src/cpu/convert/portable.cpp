// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "core/float16.hpp"
#include "cpu/convert/converters.hpp"

namespace tilewise::cpu {
namespace {

constexpr std::uint32_t kInfinity = 0x7F80'0000u, kQuiet = 0x40'0000u;

bool is_nan(std::uint32_t bits) { return (bits & 0x7FFF'FFFFu) > kInfinity; }

void widen_f16(const std::uint16_t* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = f16_to_f32(from[i]);
}

void widen_bf16(const std::uint16_t* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(from[i]) << 16;
    to[i] = std::bit_cast<float>(is_nan(bits) ? bits | kQuiet : bits);
  }
}

void round_to_f16(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = f32_to_f16(from[i]);
}

/// Adding half a step, less one when the kept part is even, carries into the kept part exactly when it has
/// to be raised; beyond the largest number it becomes infinity.
void round_to_bf16(const float* from, std::uint16_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t rounded = bits + 0x7FFFu + (bits >> 16 & 1u);
    to[i] = static_cast<std::uint16_t>((is_nan(bits) ? bits | kQuiet : rounded) >> 16);
  }
}

}  // namespace

constexpr Converters kPortableConverters = {widen_f16, widen_bf16, round_to_f16, round_to_bf16};

}  // namespace tilewise::cpu
