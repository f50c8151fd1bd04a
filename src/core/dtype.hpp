// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "tilewise/gemm.hpp"

namespace tilewise {

/// Element types of matrices: floats of 16 bits (IEEE binary16, bfloat16), 32 and 64 bits; integers.
enum class Dtype { kF16, kBF16, kF32, kF64, kS8, kU8, kS32 };

constexpr std::size_t size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return 2;
    case Dtype::kBF16: return 2;
    case Dtype::kF32: return 4;
    case Dtype::kF64: return 8;
    case Dtype::kS8: return 1;
    case Dtype::kU8: return 1;
    case Dtype::kS32: return 4;
  }
  return 0;
}

/// "f16", "bf16", "f32", "f64", "s8", "u8", "s32": the spelling used in tables, JSON and options.
constexpr std::string_view name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return "f16";
    case Dtype::kBF16: return "bf16";
    case Dtype::kF32: return "f32";
    case Dtype::kF64: return "f64";
    case Dtype::kS8: return "s8";
    case Dtype::kU8: return "u8";
    case Dtype::kS32: return "s32";
  }
  return "?";
}

}  // namespace tilewise
