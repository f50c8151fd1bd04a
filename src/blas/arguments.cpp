// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "blas/arguments.hpp"

#include <algorithm>

namespace tilewise::blas {
namespace {

constexpr int kCblasRowMajor = 101, kCblasColMajor = 102;
constexpr int kCblasNoTrans = 111, kCblasTrans = 112, kCblasConjTrans = 113;

bool too_small(std::int64_t leading_dimension, std::int64_t rows) noexcept {
  return leading_dimension < std::max<std::int64_t>(1, rows);
}

}  // namespace

std::optional<Trans> trans_of(char letter) noexcept {
  switch (letter) {
    case 'N':
    case 'n': return Trans::kNone;
    case 'T':
    case 't': return Trans::kTranspose;
    case 'C':
    case 'c': return Trans::kConjugate;
    default: return std::nullopt;
  }
}

std::optional<Trans> trans_of(int cblas_value) noexcept {
  switch (cblas_value) {
    case kCblasNoTrans: return Trans::kNone;
    case kCblasTrans: return Trans::kTranspose;
    case kCblasConjTrans: return Trans::kConjugate;
    default: return std::nullopt;
  }
}

std::optional<Layout> layout_of(int cblas_value) noexcept {
  switch (cblas_value) {
    case kCblasRowMajor: return Layout::kRowMajor;
    case kCblasColMajor: return Layout::kColumnMajor;
    default: return std::nullopt;
  }
}

int wrong_size(const Sizes& sizes) noexcept {
  if (sizes.m < 0) return 3;
  if (sizes.n < 0) return 4;
  if (sizes.k < 0) return 5;
  if (too_small(sizes.lda, transposes(sizes.trans_a) ? sizes.k : sizes.m)) return 8;
  if (too_small(sizes.ldb, transposes(sizes.trans_b) ? sizes.n : sizes.k)) return 10;
  if (too_small(sizes.ldc, sizes.m)) return 13;
  return 0;
}

int wrong_batch_size(const Sizes& sizes, std::int64_t count) noexcept {
  switch (const int number = wrong_size(sizes)) {
    case 10: return 11;  // behind the stride of A
    case 13: return 15;  // behind the strides of A and B
    case 0: return count < 0 ? 17 : 0;
    default: return number;
  }
}

int cblas_number(int number, Layout layout, bool is_batch) noexcept {
  const int ldb = is_batch ? 11 : 10;
  if (layout == Layout::kRowMajor) {
    if (number == 3 || number == 4) number = 7 - number;
    else if (number == 8 || number == ldb) number = 8 + ldb - number;
  }
  return number + 1;  // the layout is the first argument
}

}  // namespace tilewise::blas
