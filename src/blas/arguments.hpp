// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The argument checks of the BLAS standard: which argument is wrong, and in which order they are looked at.
#pragma once

#include <cstdint>
#include <optional>

#include "blas/call.hpp"

namespace tilewise::blas {

/// 'N', 'T' or 'C' in either case; nothing for any other character.
std::optional<Trans> trans_of(char letter) noexcept;

/// CblasNoTrans, CblasTrans or CblasConjTrans; nothing for any other number.
std::optional<Trans> trans_of(int cblas_value) noexcept;

/// CblasRowMajor or CblasColMajor; nothing for any other number.
std::optional<Layout> layout_of(int cblas_value) noexcept;

/// The sizes of a call in the standard's own terms, columns first.
struct Sizes {
  Trans trans_a, trans_b;
  std::int64_t m, n, k, lda, ldb, ldc;
};

/// A row-major call is the column-major one of the transposes: C' = B'·A'.
template <class T> Sizes sizes_of(const Call<T>& call) noexcept {
  if (call.layout == Layout::kColumnMajor) {
    return {call.trans_a, call.trans_b, call.m, call.n, call.k, call.lda, call.ldb, call.ldc};
  }
  return {call.trans_b, call.trans_a, call.n, call.m, call.k, call.ldb, call.lda, call.ldc};
}

/// What is wrong with the sizes, as the standard's number of the argument of SGEMM (m 3, n 4, k 5, lda 8,
/// ldb 10, ldc 13); 0 when nothing is.
int wrong_size(const Sizes& sizes) noexcept;

/// The same for the Fortran form of the strided batch: lda 8, ldb 11, ldc 15, the number of matrices 17.
int wrong_batch_size(const Sizes& sizes, std::int64_t count) noexcept;

/// The argument of cblas_sgemm (of its strided batch) that the caller of a row-major or column-major
/// call knows the Fortran form's argument `number` by.
int cblas_number(int number, Layout layout, bool is_batch) noexcept;

}  // namespace tilewise::blas
