// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// PTX's fundamental types (PTX ISA 9.0, section 5.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewise::vgpu::ptx {

// clang-format off
enum class Type : std::uint8_t {
  kB8, kB16, kB32, kB64, kB128,
  kU8, kU16, kU32, kU64,
  kS8, kS16, kS32, kS64,
  kF16, kF16x2, kBf16, kBf16x2, kTf32, kE4m3, kE5m2, kE4m3x2, kE5m2x2,
  kF32, kF64,
  kPred,
};
// clang-format on
/// Size in bytes; 0 for predicates.
int size_of(Type type);
/// "f32" for kF32.
std::string_view name_of(Type type);
/// The type of that name, without the dot ("f32"), if there is one.
std::optional<Type> find_type(std::string_view name);

/// The state spaces a variable or an access can name.
enum class Space : std::uint8_t { kReg, kGlobal, kShared, kConst, kLocal, kParam, kGeneric };

}  // namespace tilewise::vgpu::ptx
