// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Orders, transposes and sizes of tilewise/tilewise.h, and the views that they make of pointers.
#pragma once

#include "gemm/arguments.hpp"
#include "tilewise/tilewise.h"

namespace tilewise::api {

/// The words of tilewise/tilewise.h: "m", "lda", "stride_a", ...
extern const Names kCNames;

/// Throws Error{kInvalidArgument} for a value of an enumeration that it does not have.
[[noreturn, gnu::cold]] void refuse_value(const char* name, std::int32_t value,
                                          const char* expected);

/// What all products take that is neither matrix nor scalar.
struct Layout {
  tw_order order;
  tw_transpose trans_a, trans_b;
  std::int64_t m, n, k;
};

/// The views of op(A), op(B) and C, once order and transposes are known to be some.
class Views {
 public:
  explicit Views(const Layout& layout);

  template <class T> MatrixView<T> a(T* data, std::int64_t leading_dimension) const {
    return {data, layout_.m, layout_.k, leading_dimension, order(transposes_a_)};
  }
  template <class T> MatrixView<T> b(T* data, std::int64_t leading_dimension) const {
    return {data, layout_.k, layout_.n, leading_dimension, order(transposes_b_)};
  }
  template <class T> MatrixView<T> c(T* data, std::int64_t leading_dimension) const {
    return {data, layout_.m, layout_.n, leading_dimension, order(false)};
  }

 private:
  Order order(bool transposed) const {
    return (layout_.order == TW_ROW_MAJOR) != transposed ? Order::kRowMajor : Order::kColumnMajor;
  }

  const Layout& layout_;
  bool transposes_a_ = false, transposes_b_ = false;
};

}  // namespace tilewise::api
