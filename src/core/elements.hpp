// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements of any type, to f64 (which holds each of them exactly) and back.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace tilewise {

/// A matrix in memory whose element type is known at run time. Element (i, j) stands at index
/// i·leading_dimension + j (row-major) or i + j·leading_dimension (column-major) of `elements`, aligned
/// to its size.
struct TypedMatrix {
  const void* elements = nullptr;
  Dtype dtype = Dtype::kF32;
  Order order = Order::kRowMajor;
  std::int64_t rows = 0, columns = 0;
  std::int64_t leading_dimension = 1;  ///< elements

  /// Index of element (i, j).
  constexpr std::int64_t index(std::int64_t i, std::int64_t j) const {
    return order == Order::kRowMajor ? i * leading_dimension + j : i + j * leading_dimension;
  }
  /// Address of element (i, j).
  const void* at(std::int64_t i, std::int64_t j) const {
    return static_cast<const char*>(elements) +
           index(i, j) * static_cast<std::int64_t>(size_of(dtype));
  }
  /// Elements from (i, j) to (i, j + 1).
  constexpr std::int64_t column_stride() const {
    return order == Order::kRowMajor ? 1 : leading_dimension;
  }
};

/// The transpose, of the same memory.
constexpr TypedMatrix transposed(TypedMatrix matrix) {
  return {matrix.elements,
          matrix.dtype,
          matrix.order == Order::kRowMajor ? Order::kColumnMajor : Order::kRowMajor,
          matrix.columns,
          matrix.rows,
          matrix.leading_dimension};
}

/// The `count` elements that stand every `stride` elements from `first` on, exactly.
void read_elements(Dtype dtype, const void* first, std::int64_t stride, std::int64_t count,
                   double* to);

/// Writes `count` neighbours. Floats are rounded once, to nearest even. An integer type takes only the
/// numbers it has: returns the index of the first one that it has not, and stops there; else `count`.
std::int64_t write_elements(Dtype dtype, const double* from, std::int64_t count, void* to);

}  // namespace tilewise
