// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewise {

/// Element types of matrices.
enum class Dtype { kF16, kF32, kF64 };

constexpr std::size_t size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return 2;
    case Dtype::kF32: return 4;
    case Dtype::kF64: return 8;
  }
  return 0;
}

/// "f16", "f32", "f64": the spelling used in tables, JSON and options.
constexpr std::string_view name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return "f16";
    case Dtype::kF32: return "f32";
    case Dtype::kF64: return "f64";
  }
  return "?";
}

/// Storage order of a matrix.
enum class Order { kRowMajor, kColumnMajor };

}  // namespace tilewise
