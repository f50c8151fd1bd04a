// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices with their memory, and the product's definition to hold results against.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/float16.hpp"
#include "core/random.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::test {

inline double value_of(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
inline double value_of(Float16 x) { return f16_to_f32(x.bits); }
template <class T>
requires std::is_arithmetic_v<T>
double value_of(T x) { return static_cast<double>(x); }

/// The element nearest to `value`; bf16 rounded towards zero, which inputs may be.
template <class T> T element_of(double value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return {f64_to_f16(value)};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return {
        static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16)};
  } else {
    return static_cast<T>(value);
  }
}

/// What must not be read, or must be overwritten: NaN where there is one.
template <class T> T poison() {
  if constexpr (std::is_same_v<T, Float16>) return {0x7E01};
  else if constexpr (std::is_same_v<T, BFloat16>) return {0x7FC1};
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(0x5A5A5A5A);
  else return std::numeric_limits<T>::quiet_NaN();
}

/// Random: in [-1, 1) for floats, any value for integers.
template <class T> T random_element(std::uint64_t stream, std::uint64_t index) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(mix64(mix64(stream) + index));
  } else {
    return element_of<T>(random_unit(1, stream, index));
  }
}

template <class T> bool same_bits(const std::vector<T>& left, const std::vector<T>& right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0);
}

/// How a matrix stands in memory: its order, whether it is seen through transposed(), and elements
/// between its lines.
struct Stand {
  Order order = Order::kRowMajor;
  bool transposed = false;
  std::int64_t gap = 0;
};

/// A rows×columns matrix. What lies between its lines and around it is poisoned, and has to stay
/// so.
template <class T> class Matrix {
 public:
  static constexpr std::int64_t kMargin = 7;  ///< elements around it

  Matrix(std::int64_t rows, std::int64_t columns, Stand stand = {}, std::uint64_t stream = 1)
      : rows_(rows), columns_(columns), stand_(stand) {
    const bool by_rows = (stand.order == Order::kRowMajor) != stand.transposed;
    const std::int64_t lines = by_rows ? rows : columns, width = by_rows ? columns : rows;
    end_ = kMargin;
    leading_ = std::max<std::int64_t>(1, width) + stand.gap;
    if (lines > 0 && width > 0) end_ += (lines - 1) * leading_ + width;
    memory_.assign(static_cast<std::size_t>(lines * leading_ + 2 * kMargin), poison<T>());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        at(i, j) = random_element<T>(stream, static_cast<std::uint64_t>(i * columns + j));
      }
    }
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  const std::vector<T>& memory() const { return memory_; }
  std::vector<T>& memory() { return memory_; }
  /// Elements of memory() up to the matrix's last.
  std::size_t end() const { return static_cast<std::size_t>(end_); }

  /// What the product is given: always rows×columns.
  MatrixView<T> view() {
    T* const first = memory_.data() + kMargin;
    if (!stand_.transposed) return {first, rows_, columns_, leading_, stand_.order};
    return transposed(MatrixView<T>{first, columns_, rows_, leading_, stand_.order});
  }
  MatrixView<const T> view() const { return const_cast<Matrix*>(this)->view(); }

  T& at(std::int64_t i, std::int64_t j) {
    const bool by_rows = (stand_.order == Order::kRowMajor) != stand_.transposed;
    return memory_[static_cast<std::size_t>(kMargin +
                                            (by_rows ? i * leading_ + j : i + j * leading_))];
  }
  const T& at(std::int64_t i, std::int64_t j) const { return const_cast<Matrix*>(this)->at(i, j); }

  void fill(T value) {
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) at(i, j) = value;
    }
  }

  /// Expects everything that is no element of the matrix to be as it was made.
  void expect_surroundings_untouched() const {
    Matrix fresh(rows_, columns_, stand_), copy = *this;
    fresh.fill(poison<T>());
    copy.fill(poison<T>());
    EXPECT_TRUE(same_bits(copy.memory_, fresh.memory_)) << "written outside the matrix";
  }

 private:
  std::int64_t rows_, columns_, leading_, end_;
  Stand stand_;
  std::vector<T> memory_;
};

/// Unit roundoff of the sums for results of type C, and of the last rounding to C itself.
template <class C> constexpr double kSumRoundoff = std::is_same_v<C, double> ? 0x1p-53 : 0x1p-24;
template <class C> constexpr double kStoreRoundoff = 0;
template <> inline constexpr double kStoreRoundoff<Float16> = 0x1p-11;
template <> inline constexpr double kStoreRoundoff<BFloat16> = 0x1p-8;

/// Expects c = alpha·a·b + beta·before. Floats: to within the error bound of a sum of k products,
/// each rounded, in any order (Higham, Accuracy and Stability, 3.1). Integers: exactly, modulo
/// 2^32. `factor_roundoff`: how much of itself an element of a and of b may lose before it is multiplied.
template <class A, class B, class C, class S>
void expect_product(S alpha, const Matrix<A>& a, const Matrix<B>& b, S beta,
                    const Matrix<C>& before, const Matrix<C>& c, double factor_roundoff = 0) {
  c.expect_surroundings_untouched();
  for (std::int64_t i = 0; i < c.rows(); ++i) {
    for (std::int64_t j = 0; j < c.columns(); ++j) {
      if constexpr (std::is_integral_v<S>) {
        std::uint32_t sum = 0;
        for (std::int64_t l = 0; l < a.columns() && alpha != 0; ++l) {
          sum += static_cast<std::uint32_t>(int{a.at(i, l)} * int{b.at(l, j)});
        }
        sum *= static_cast<std::uint32_t>(alpha);
        if (beta != 0) {
          sum += static_cast<std::uint32_t>(beta) * static_cast<std::uint32_t>(before.at(i, j));
        }
        ASSERT_EQ(c.at(i, j), static_cast<std::int32_t>(sum)) << "at " << i << ", " << j;
      } else {
        long double sum = 0, size = 0;
        for (std::int64_t l = 0; l < a.columns() && alpha != 0; ++l) {
          const long double term = static_cast<long double>(value_of(a.at(i, l))) *
                                   static_cast<long double>(value_of(b.at(l, j)));
          sum += term;
          size += std::abs(term);
        }
        sum *= alpha;
        size *= std::abs(alpha);
        const auto of_factors = static_cast<double>(size) * factor_roundoff * (2 + factor_roundoff);
        if (beta != 0) {
          const long double term = static_cast<long double>(beta) * value_of(before.at(i, j));
          sum += term;
          size += std::abs(term);
        }
        const double steps = static_cast<double>(a.columns()) + 3;
        const double bound = of_factors + static_cast<double>(size) * steps * kSumRoundoff<C> +
                             static_cast<double>(std::abs(sum)) * kStoreRoundoff<C> * 1.001 +
                             (std::is_same_v<C, Float16> ? 0x1p-25 : 0);
        const double error = std::abs(static_cast<double>(value_of(c.at(i, j)) - sum));
        ASSERT_LE(error, bound) << value_of(c.at(i, j)) << " at " << i << ", " << j << ", expected "
                                << static_cast<double>(sum);
      }
    }
  }
}

/// The types of one gemm().
template <class A_, class B_, class C_, class S_> struct Kind {
  using A = A_;
  using B = B_;
  using C = C_;
  using S = S_;
};
using F32 = Kind<float, float, float, float>;
using F64 = Kind<double, double, double, double>;
using BF16ToF32 = Kind<BFloat16, BFloat16, float, float>;
using BF16 = Kind<BFloat16, BFloat16, BFloat16, float>;
using F16ToF32 = Kind<Float16, Float16, float, float>;
using F16 = Kind<Float16, Float16, Float16, float>;
using U8S8 = Kind<std::uint8_t, std::int8_t, std::int32_t, std::int32_t>;
using S8U8 = Kind<std::int8_t, std::uint8_t, std::int32_t, std::int32_t>;
using S8S8 = Kind<std::int8_t, std::int8_t, std::int32_t, std::int32_t>;

using EveryKind = ::testing::Types<F32, F64, BF16ToF32, BF16, F16ToF32, F16, U8S8, S8U8, S8S8>;
using FloatKinds = ::testing::Types<F32, F64, BF16ToF32, BF16, F16ToF32, F16>;
using BatchKinds = ::testing::Types<F32, F64, BF16ToF32, F16ToF32>;

}  // namespace tilewise::test
