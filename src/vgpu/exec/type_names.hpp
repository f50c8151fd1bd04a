// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Types as decoding asks about them, and as keys of operations spell them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "vgpu/ptx/types.hpp"

namespace tilewise::vgpu {

inline bool is_float(ptx::Type t) {
  switch (t) {
    case ptx::Type::kF16:
    case ptx::Type::kF16x2:
    case ptx::Type::kBf16:
    case ptx::Type::kBf16x2:
    case ptx::Type::kF32:
    case ptx::Type::kF64: return true;
    default: return false;
  }
}
inline bool is_half(ptx::Type t) {
  return is_float(t) && t != ptx::Type::kF32 && t != ptx::Type::kF64;
}
inline bool is_signed(ptx::Type t) {
  return t == ptx::Type::kS8 || t == ptx::Type::kS16 || t == ptx::Type::kS32 ||
         t == ptx::Type::kS64;
}
inline int bits_of(ptx::Type t) { return 8 * ptx::size_of(t); }
inline std::string bits_name(ptx::Type t) { return fmt::format("b{}", bits_of(t)); }
inline std::string integer_name(ptx::Type t) {
  return fmt::format("{}{}", is_signed(t) ? 's' : 'u', bits_of(t));
}

}  // namespace tilewise::vgpu
