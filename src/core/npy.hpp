// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files: two-dimensional arrays of f16, f32 or f64, in C or Fortran order.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html (1.0, 2.0, 3.0)
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/dtype.hpp"

namespace tilewise::npy {

/// A matrix as it stands in a file: `bytes` holds rows×columns elements packed in `order`.
struct Array {
  Dtype dtype = Dtype::kF32;
  Order order = Order::kRowMajor;
  std::int64_t rows = 0, columns = 0;
  std::vector<std::byte> bytes;

  /// Element (row, column) as f64.
  double at(std::int64_t row, std::int64_t column) const;
  /// All elements as row-major f64.
  std::vector<double> to_f64() const;
};

/// Throws Error{kInvalidInput} naming the file and what is wrong: missing, truncated, not .npy, a dtype
/// other than little-endian f16, f32 or f64, not two-dimensional, or larger than memory allows.
Array read(const std::filesystem::path& path);

/// Writes format 1.0 to a temporary name beside `path` and renames it. Throws Error{kInvalidInput}.
void write(const std::filesystem::path& path, const Array& array);

}  // namespace tilewise::npy
