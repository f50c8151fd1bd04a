// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/convert/convert.hpp"

#include <bit>

#include "core/float16.hpp"

namespace tilewise::cpu {
namespace {

float widen(BFloat16 value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value.bits) << 16;
  const bool is_nan = (bits & 0x7FFF'FFFFu) > 0x7F80'0000u;
  return std::bit_cast<float>(is_nan ? bits | 0x40'0000u : bits);
}

BFloat16 narrow(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFF'FFFFu) > 0x7F80'0000u) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16)};
}

}  // namespace

void to_f32(const Float16* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = f16_to_f32(from[i].bits);
}

void to_f32(const BFloat16* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = widen(from[i]);
}

void from_f32(const float* from, Float16* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = {f32_to_f16(from[i])};
}

void from_f32(const float* from, BFloat16* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = narrow(from[i]);
}

}  // namespace tilewise::cpu
