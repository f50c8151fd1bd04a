// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The arguments of a product, checked before anything is read or written. Nothing here knows
// element types: one piece of code serves every dtype, and the C++ and the C interface, which only
// call their arguments by different names.
#pragma once

#include <cstdint>

#include "tilewise/gemm.hpp"

namespace tilewise::api {

/// What the parts of one matrix are called in messages.
struct MatrixNames {
  const char *matrix, *data, *rows, *columns, *leading_dimension, *order, *stride, *pointers;
};

struct Names {
  MatrixNames a, b, c;
  const char* threads;
};

/// The words of tilewise/gemm.hpp: "a.rows", ..., and for batches "a.shape.rows", ...
extern const Names kViewNames, kBatchNames;

/// A MatrixView without its element type.
struct Matrix {
  const void* data = nullptr;
  std::int64_t rows = 0, columns = 0, leading_dimension = 1;
  Order order = Order::kRowMajor;
  std::int64_t element_bytes = 1;

  /// Lines follow one another every `leading_dimension` elements; they are `width` elements long.
  std::int64_t lines() const noexcept { return order == Order::kRowMajor ? rows : columns; }
  std::int64_t width() const noexcept { return order == Order::kRowMajor ? columns : rows; }
  bool empty() const noexcept { return rows == 0 || columns == 0; }
};

template <class T> Matrix untyped(const MatrixView<T>& view) noexcept {
  return {view.data, view.rows, view.columns, view.leading_dimension, view.order, sizeof(T)};
}

/// A MatrixBatch without its element type.
struct Batch {
  Matrix shape;
  std::int64_t stride = 0;
  const void* const* pointers = nullptr;
  bool pointers_on_device = false;  ///< not to be looked at
};

template <class T> Batch untyped(const MatrixBatch<T>& batch) noexcept {
  // All pointers to objects have one representation on the systems Tilewise builds for.
  return {untyped(batch.shape), batch.stride, reinterpret_cast<const void* const*>(batch.pointers)};
}

/// Whether these arguments are plainly right: nothing negative, null or gigantic, all sizes fitting. A
/// quick yes, so that small products do not pay for the thorough check; a no says nothing yet.
inline bool plainly_right(const Matrix& a, const Matrix& b, const Matrix& c, int threads) noexcept {
  constexpr std::int64_t kGigantic = 1 << 28;  // squared, times an element: fits in 63 bits
  const auto one = [](const Matrix& x) {
    const bool known_order = x.order == Order::kRowMajor || x.order == Order::kColumnMajor;
    return ((x.rows | x.columns | x.leading_dimension) & -kGigantic) == 0 && known_order &&
           x.leading_dimension >= x.width() && x.leading_dimension > 0 && x.data != nullptr;
  };
  return one(a) && one(b) && one(c) && b.rows == a.columns && c.rows == a.rows &&
         c.columns == b.columns && threads >= 0;
}

/// Throws Error{kInvalidArgument} unless C = alpha·A·B + beta·C is a product that can be computed.
/// A and B may be null when `reads_factors` is false (alpha = 0) or they have no elements, all
/// three when C has none.
void check_product(const Matrix& a, const Matrix& b, const Matrix& c, bool reads_factors,
                   int threads, const Names& names);

/// The same for `count` products; matrices C at a constant distance must not overlap one another.
void check_batch(std::int64_t count, const Batch& a, const Batch& b, const Batch& c,
                 bool reads_factors, int threads, const Names& names);

}  // namespace tilewise::api
