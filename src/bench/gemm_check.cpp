// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "bench/sample.hpp"
#include "core/float16.hpp"
#include "core/random.hpp"
#include "tilewise/error.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::bench {
namespace {

double value_of(float x) { return x; }
double value_of(double x) { return x; }
double value_of(std::int8_t x) { return x; }
double value_of(std::int32_t x) { return x; }
double value_of(Float16 x) { return f16_to_f32(x.bits); }
double value_of(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

// Half a unit in the last place of 1: the relative error of one rounding. Integers do not round.
template <class T> double roundoff() {
  return std::numeric_limits<T>::is_integer
             ? 0.0
             : static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

/// The check of products T×T -> C, with sums in Sum.
template <class T, class C, class Sum> class Check {
 public:
  Check(const GemmOperands& operands, std::uint64_t seed)
      : o_(operands),
        s_(operands.shape()),
        seed_(seed),
        alpha_(operands.scaling().alpha),
        beta_(operands.scaling().beta) {}

  GemmVerdict run() {
    for (const std::int64_t product : sample_of(s_.batch, kProducts, ~seed_)) {
      product_ = product;
      choose_rows();
      pack_rows();
      for (std::int64_t j = 0; j < s_.n; j += kColumns) hold_columns(j);
    }
    verdict_.error = reference_square_ > 0 ? std::sqrt(error_square_ / reference_square_)
                                           : std::sqrt(error_square_);
    const std::vector<Sum> signs = random_signs();
    for (product_ = 0; product_ < s_.batch && verdict_.verified; ++product_)
      hold_product_with_signs(signs);
    return verdict_;
  }

 private:
  static constexpr std::int64_t kRows = sizeof(Sum) > 8 ? 4 : 8;
  static constexpr std::int64_t kColumns = 8;
  static constexpr std::int64_t kProducts = 16;
  using Block = std::array<std::array<Sum, kRows>, kColumns>;

  Sum a(std::int64_t i, std::int64_t l) const {
    return value_of(o_.a<T>(product_)[s_.trans_a ? l * s_.m + i : i * s_.k + l]);
  }
  Sum b(std::int64_t l, std::int64_t j) const {
    return value_of(o_.b<T>(product_)[s_.trans_b ? j * s_.k + l : l * s_.n + j]);
  }
  double c(std::int64_t i, std::int64_t j) const {
    return value_of(o_.c<C>(product_)[i * s_.n + j]);
  }
  // What beta·C adds to an element.
  Sum added(std::int64_t i, std::int64_t j) const {
    if (beta_ == 0) return 0;
    return beta_ * static_cast<Sum>(o_.first_c((product_ * s_.m + i) * s_.n + j));
  }

  void fail(const std::string& words) {
    if (verdict_.verified)
      verdict_.wrong = s_.batch == 1 ? words : fmt::format("product {}: {}", product_, words);
    verdict_.verified = false;
  }

  // Others of each product.
  void choose_rows() {
    const std::set<std::int64_t> rows =
        sample_of(s_.m, kRows, seed_ + static_cast<std::uint64_t>(product_ * kRows));
    rows_.assign(rows.begin(), rows.end());
  }

  void pack_rows() {
    packed_.assign(static_cast<std::size_t>(s_.k * kRows), Sum{0});
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::int64_t l = 0; l < s_.k; ++l) {
        packed_[static_cast<std::size_t>(l * kRows) + r] = a(rows_[r], l);
      }
    }
  }

  // The sampled rows of kColumns columns: several sums at once keep the arithmetic busy.
  void hold_columns(std::int64_t first) {
    Block sums{}, magnitudes{};
    const std::int64_t count = std::min(kColumns, s_.n - first);
    for (std::int64_t l = 0; l < s_.k; ++l) {
      const Sum* row = &packed_[static_cast<std::size_t>(l * kRows)];
      for (std::int64_t j = 0; j < count; ++j) {
        const Sum factor = b(l, first + j);
        for (std::size_t r = 0; r < kRows; ++r) {
          const Sum product = row[r] * factor;
          sums[static_cast<std::size_t>(j)][r] += product;
          magnitudes[static_cast<std::size_t>(j)][r] += std::abs(product);
        }
      }
    }
    for (std::int64_t j = 0; j < count; ++j) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const Sum more = added(rows_[r], first + j);
        hold(rows_[r], first + j, alpha_ * sums[static_cast<std::size_t>(j)][r] + more,
             std::abs(alpha_) * magnitudes[static_cast<std::size_t>(j)][r] + std::abs(more));
      }
    }
  }

  void hold(std::int64_t i, std::int64_t j, Sum expected, Sum magnitude) {
    const double got = c(i, j);
    const double error = static_cast<double>(got - expected);
    const double bound =
        2 * static_cast<double>(s_.k + 4) * roundoff<C>() * static_cast<double>(magnitude);
    if (!(std::abs(error) <= bound)) {
      fail(fmt::format("C({}, {}) is {}, expected {}", i, j, got, static_cast<double>(expected)));
    }
    error_square_ += error * error;
    reference_square_ += static_cast<double>(expected * expected);
    magnitude_square_ += static_cast<double>(magnitude * magnitude);
    ++held_;
  }

  // C·t against alpha·A·(B·t) + beta·(C·t before) with random signs t: errors add up like a random walk of n steps.
  void hold_product_with_signs(const std::vector<Sum>& signs) {
    const std::vector<Sum> bt = b_times(signs);
    const double typical =
        std::sqrt(std::max(error_square_, roundoff_square()) / static_cast<double>(held_));
    const double bound = 16 * std::sqrt(static_cast<double>(s_.n)) * typical;
    const std::vector<Sum> expected = a_times(bt);
    for (std::int64_t i = 0; i < s_.m; ++i) {
      Sum got = 0, wanted = alpha_ * expected[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < s_.n; ++j) {
        got += c(i, j) * signs[static_cast<std::size_t>(j)];
        if (beta_ != 0) wanted += added(i, j) * signs[static_cast<std::size_t>(j)];
      }
      if (!(std::abs(static_cast<double>(got - wanted)) <= bound)) {
        fail(fmt::format("row {} of C, times a vector of signs, is {}, expected {}", i,
                         static_cast<double>(got), static_cast<double>(wanted)));
        return;
      }
    }
  }

  // What the sample's errors are held to be at least: those of correct rounding, as it may be exact. Where n is small it has
  // few elements and may be better than the rest by luck: then those of plain sums, of which every product is rounded
  // with what is summed before it.
  double roundoff_square() const {
    constexpr std::int64_t kEnough = 64;
    const double size_square = held_ < kEnough ? magnitude_square_ : reference_square_;
    return size_square * roundoff<C>() * roundoff<C>();
  }

  std::vector<Sum> random_signs() const {
    std::vector<Sum> signs(static_cast<std::size_t>(s_.n));
    for (std::size_t j = 0; j < signs.size(); ++j) {
      signs[j] = (mix64(~seed_ + j) & 1) != 0 ? Sum{1} : Sum{-1};
    }
    return signs;
  }

  // Loops run along the rows as they are stored.
  std::vector<Sum> b_times(const std::vector<Sum>& t) const {
    std::vector<Sum> result(static_cast<std::size_t>(s_.k), Sum{0});
    const std::int64_t outer = s_.trans_b ? s_.n : s_.k, inner = s_.trans_b ? s_.k : s_.n;
    for (std::int64_t x = 0; x < outer; ++x) {
      for (std::int64_t y = 0; y < inner; ++y) {
        const std::int64_t l = s_.trans_b ? y : x, j = s_.trans_b ? x : y;
        result[static_cast<std::size_t>(l)] += b(l, j) * t[static_cast<std::size_t>(j)];
      }
    }
    return result;
  }

  std::vector<Sum> a_times(const std::vector<Sum>& t) const {
    std::vector<Sum> result(static_cast<std::size_t>(s_.m), Sum{0});
    const std::int64_t outer = s_.trans_a ? s_.k : s_.m, inner = s_.trans_a ? s_.m : s_.k;
    for (std::int64_t x = 0; x < outer; ++x) {
      for (std::int64_t y = 0; y < inner; ++y) {
        const std::int64_t i = s_.trans_a ? y : x, l = s_.trans_a ? x : y;
        result[static_cast<std::size_t>(i)] += a(i, l) * t[static_cast<std::size_t>(l)];
      }
    }
    return result;
  }

  const GemmOperands& o_;
  const GemmShape& s_;
  std::uint64_t seed_;
  Sum alpha_, beta_;
  std::int64_t product_ = 0;  // that is looked at
  GemmVerdict verdict_;
  std::vector<std::int64_t> rows_;
  std::vector<Sum> packed_;  // the sampled rows of A, element after element
  double error_square_ = 0, reference_square_ = 0, magnitude_square_ = 0;
  std::int64_t held_ = 0;
};

}  // namespace

GemmVerdict check_gemm(const GemmOperands& operands, std::uint64_t seed) {
  switch (operands.dtype()) {
    case Dtype::kF32: return Check<float, float, double>(operands, seed).run();
    case Dtype::kF64: return Check<double, double, long double>(operands, seed).run();
    case Dtype::kF16: return Check<Float16, float, double>(operands, seed).run();
    case Dtype::kBF16: return Check<BFloat16, float, double>(operands, seed).run();
    case Dtype::kS8: return Check<std::int8_t, std::int32_t, double>(operands, seed).run();
    default: break;
  }
  throw Error(ErrorCode::kInternal, "check_gemm: a dtype that GemmOperands refuses");
}

}  // namespace tilewise::bench
