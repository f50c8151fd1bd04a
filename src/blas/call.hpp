// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One call through the door, as the caller wrote it.
#pragma once

#include <cstdint>

namespace tilewise::blas {

/// Storage order of all three matrices. The Fortran names know columns only.
enum class Layout { kColumnMajor, kRowMajor };

/// How a factor enters the product. For real matrices the conjugate transpose is the transpose; what
/// the caller said is kept for the words of TILEWISE_VERBOSE.
enum class Trans : char { kNone = 'N', kTranspose = 'T', kConjugate = 'C' };

constexpr bool transposes(Trans trans) noexcept { return trans != Trans::kNone; }

/// C[i] = alpha·op(A[i])·op(B[i]) + beta·C[i] for i < count: op(A[i]) is m×k and begins i·stride_a
/// elements after a, op(B[i]) is k×n, C[i] is m×n. Leading dimensions and strides are in elements.
template <class T> struct Call {
  const char* name = nullptr;  ///< the exported name that was called
  Layout layout = Layout::kColumnMajor;
  Trans trans_a = Trans::kNone, trans_b = Trans::kNone;
  std::int64_t m = 0, n = 0, k = 0;
  T alpha = 1;
  const T* a = nullptr;
  std::int64_t lda = 1, stride_a = 0;
  const T* b = nullptr;
  std::int64_t ldb = 1, stride_b = 0;
  T beta = 0;
  T* c = nullptr;
  std::int64_t ldc = 1, stride_c = 0;
  std::int64_t count = 1;
  bool is_batch = false;  ///< whether the name has strides and a count
};

}  // namespace tilewise::blas
