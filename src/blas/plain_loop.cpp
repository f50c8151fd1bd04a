// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops are blocked so that a piece of B stays in the first- and second-level cache while all rows
// of A pass by; where B has its rows in memory order, the compiler turns the innermost loop into
// vector instructions.
#include "blas/plain_loop.hpp"

#include <algorithm>
#include <cstdint>

namespace tilewise::blas {
namespace {

// A piece of B: 64 KiB of f64.
constexpr std::int64_t kDepth = 64, kWidth = 128;

template <class T> void scale(T beta, T* row, std::int64_t n) noexcept {
  if (beta == 0) {
    std::fill_n(row, n, T{0});  // C is not read: it may hold anything
  } else if (beta != 1) {
    for (std::int64_t j = 0; j < n; ++j) row[j] *= beta;
  }
}

// row[j] += factor·b[j·stride]
template <class T>
void add_multiple(T factor, const T* b, std::int64_t stride, T* row, std::int64_t n) noexcept {
  if (stride == 1) {
    for (std::int64_t j = 0; j < n; ++j) row[j] += factor * b[j];
  } else {
    for (std::int64_t j = 0; j < n; ++j) row[j] += factor * b[j * stride];
  }
}

// C += alpha·A·B for `depth` columns of A from `l` and `width` columns of B from `j`.
template <class Problem>
void add_piece(const Problem& p, std::int64_t l, std::int64_t depth, std::int64_t j,
               std::int64_t width) noexcept {
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t step = l; step < l + depth; ++step) {
      const auto factor = p.alpha * p.a.data[i * p.a.row_stride + step * p.a.column_stride];
      add_multiple(factor, p.b.data + step * p.b.row_stride + j * p.b.column_stride,
                   p.b.column_stride, p.c + i * p.c_stride + j, width);
    }
  }
}

template <class Problem> void loop(const Problem& p) noexcept {
  for (std::int64_t i = 0; i < p.m; ++i) scale(p.beta, p.c + i * p.c_stride, p.n);
  if (p.alpha == 0) return;
  for (std::int64_t j = 0; j < p.n; j += kWidth) {
    for (std::int64_t l = 0; l < p.k; l += kDepth) {
      add_piece(p, l, std::min(kDepth, p.k - l), j, std::min(kWidth, p.n - j));
    }
  }
}

}  // namespace

void plain_loop(const cpu::ProblemF32& problem) noexcept { loop(problem); }
void plain_loop(const cpu::ProblemF64& problem) noexcept { loop(problem); }

}  // namespace tilewise::blas
