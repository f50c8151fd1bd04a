// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files: matrices in C or Fortran order, read into memory and written. Those that stay in
// their files: npy_map.hpp.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html (1.0, 2.0, 3.0)
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/dtype.hpp"

namespace tilewise::npy {

/// What a header says: '<f2', '<f4', '<f8', '|i1', '|u1' or '<i4' elements, packed in `order`.
struct Layout {
  Dtype dtype = Dtype::kF32;
  Order order = Order::kRowMajor;
  std::vector<std::int64_t> shape;
};

/// Which arrays a reader can use besides matrices of floats.
struct Accepted {
  bool integers = false;  ///< s8, u8 and s32
  bool vectors = false;   ///< arrays of one dimension
  bool any_rank = false;  ///< arrays of any number of dimensions but none
};

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

/// Reads a matrix from a file or a pipe; a vector becomes a matrix of one row. Throws
/// Error{kInvalidInput} naming the file and what is wrong: missing, truncated, not .npy, an element type
/// or shape that is not accepted, or larger than memory allows.
Array read(const std::filesystem::path& path, const Accepted& accepted = {});

/// Writes format 1.0 to a temporary name beside `path` and renames it. Throws Error{kInvalidInput},
/// Error{kUnsupported} for bf16, which .npy does not have.
void write(const std::filesystem::path& path, const Array& array);

}  // namespace tilewise::npy
