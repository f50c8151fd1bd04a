// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands of a call with gaps between their lines, and the reference for what must be in C afterwards.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "any_call.hpp"

namespace tilewise::test {

template <class T> class Operands {
 public:
  /// `ask` has sizes, transposes, scalars, and the count; gaps, strides and pointers are chosen here.
  /// C holds NaN where beta = 0, and in the gaps.
  Operands(const Ask<T>& ask, unsigned seed) : ask_(ask) {
    const bool a_lines_are_rows = ask.row_major != is_transposed(ask.trans_a);
    const bool b_lines_are_rows = ask.row_major != is_transposed(ask.trans_b);
    ask_.stride_a = shape(a_lines_are_rows, ask.m, ask.k, 1, ask_.lda, a_);
    ask_.stride_b = shape(b_lines_are_rows, ask.k, ask.n, 3, ask_.ldb, b_);
    ask_.stride_c = shape(ask.row_major, ask.m, ask.n, 2, ask_.ldc, c_);
    std::mt19937 random(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (T& each : a_) each = uniform(random);
    for (T& each : b_) each = uniform(random);
    for (T& each : c_) each = std::numeric_limits<T>::quiet_NaN();
    if (ask.beta != 0)
      for_each_of_c([&](std::int64_t, std::int64_t, std::int64_t, T& c) { c = uniform(random); });
    before_ = c_;
    ask_.a = a_.data();
    ask_.b = b_.data();
    ask_.c = c_.data();
  }

  const Ask<T>& ask() const { return ask_; }

  /// Every element of C is what it should be, within the bound for sums of k terms in any order, and the
  /// gaps between its lines are as they were.
  void check(const std::string& what) {
    std::vector<bool> belongs(c_.size());
    for_each_of_c([&](std::int64_t index, std::int64_t i, std::int64_t j, T& c) {
      belongs[static_cast<std::size_t>(&c - c_.data())] = true;
      long double sum = 0, size = 0;
      for (std::int64_t l = 0; l < ask_.k && ask_.alpha != 0; ++l) {
        const long double term = static_cast<long double>(a_at(index, i, l)) * b_at(index, l, j);
        sum += term;
        size += std::abs(term);
      }
      const T old = ask_.beta == 0 ? T{0} : before_[static_cast<std::size_t>(&c - c_.data())];
      const long double expected = ask_.alpha * sum + static_cast<long double>(ask_.beta) * old;
      const long double bound = (static_cast<long double>(ask_.k) + 4) *
                                std::numeric_limits<T>::epsilon() *
                                (std::abs(static_cast<long double>(ask_.alpha)) * size +
                                 std::abs(static_cast<long double>(ask_.beta) * old));
      ASSERT_LE(std::abs(c - expected), bound) << what << ": C[" << index << "](" << i << ", " << j
                                               << ") is " << c << ", not " << expected;
    });
    for (std::size_t i = 0; i < c_.size(); ++i) {
      ASSERT_TRUE(belongs[i] || std::isnan(c_[i])) << what << ": wrote between the lines of C";
    }
  }

 private:
  static bool is_transposed(char trans) { return trans != 'N' && trans != 'n'; }

  // Room for all matrices of one operand. Returns the stride.
  std::int64_t shape(bool lines_are_rows, std::int64_t rows, std::int64_t columns, std::int64_t gap,
                     std::int64_t& leading_dimension, std::vector<T>& elements) {
    const std::int64_t lines = lines_are_rows ? rows : columns;
    leading_dimension = (lines_are_rows ? columns : rows) + gap;
    const std::int64_t stride = leading_dimension * lines + 5;
    elements.resize(static_cast<std::size_t>(stride * ask_.count));
    return stride;
  }

  template <class Body> void for_each_of_c(Body body) {
    for (std::int64_t index = 0; index < ask_.count; ++index) {
      for (std::int64_t i = 0; i < ask_.m; ++i) {
        for (std::int64_t j = 0; j < ask_.n; ++j) {
          body(index, i, j,
               c_[static_cast<std::size_t>(index * ask_.stride_c +
                                           offset(ask_.row_major, i, j, ask_.ldc))]);
        }
      }
    }
  }

  static std::int64_t offset(bool by_rows, std::int64_t i, std::int64_t j, std::int64_t distance) {
    return by_rows ? i * distance + j : i + j * distance;
  }
  T a_at(std::int64_t index, std::int64_t i, std::int64_t l) const {
    const bool by_rows = ask_.row_major != is_transposed(ask_.trans_a);
    return a_[static_cast<std::size_t>(index * ask_.stride_a + offset(by_rows, i, l, ask_.lda))];
  }
  T b_at(std::int64_t index, std::int64_t l, std::int64_t j) const {
    const bool by_rows = ask_.row_major != is_transposed(ask_.trans_b);
    return b_[static_cast<std::size_t>(index * ask_.stride_b + offset(by_rows, l, j, ask_.ldb))];
  }

  Ask<T> ask_;
  std::vector<T> a_, b_, c_, before_;
};

}  // namespace tilewise::test
