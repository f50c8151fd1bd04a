// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A product by the engine, held against sums in higher precision: C poisoned, its margins watched.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/float16.hpp"
#include "cpu/engine.hpp"
#include "cpu/plan.hpp"
#include "cpu/prepared.hpp"

namespace tilewise::cpu {

inline float value_of(float x) { return x; }
inline double value_of(double x) { return x; }
inline float value_of(Float16 x) { return f16_to_f32(x.bits); }
inline float value_of(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

inline void set(float& x, double value) { x = static_cast<float>(value); }
inline void set(double& x, double value) { x = value; }
inline void set(Float16& x, double value) { x.bits = f64_to_f16(value); }
inline void set(BFloat16& x, double value) {  // truncated: any bfloat16 will do
  x.bits =
      static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

// Half the least number above 0: what rounding may cost beyond its share of the value.
template <class T> double least() { return 0; }
template <> inline double least<Float16>() { return 0x1p-25; }

// Half a unit in the last place of 1.
template <class T> double roundoff() { return std::numeric_limits<T>::epsilon() / 2; }
template <> inline double roundoff<Float16>() { return 0x1p-11; }
template <> inline double roundoff<BFloat16>() { return 0x1p-8; }

struct Case {
  std::int64_t m, n, k;
  bool a_turned = false, b_turned = false;
  double alpha = 1, beta = 0;
  int threads = 1;

  std::string words() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " " +
           (a_turned ? "T" : "N") + (b_turned ? "T" : "N") + " alpha " + std::to_string(alpha) +
           " beta " + std::to_string(beta) + " threads " + std::to_string(threads);
  }
};

inline Engine& engine() {
  static Engine shared(3);
  return shared;
}

// A product with its operands: random in [-1, 1), leading dimensions with margins, C's margins filled
// with a pattern, and C itself with NaN where it must not be read.
template <class In, class Out, class Scalar> class Trial {
 public:
  using P = Problem<In, In, Out, Scalar>;
  using Wide = std::conditional_t<std::is_same_v<Scalar, double>, long double, double>;

  explicit Trial(const Case& shape, std::uint64_t seed = 1) : shape_(shape), random_(seed) {
    const auto [m, n, k] = std::tuple(shape.m, shape.n, shape.k);
    a_ld_ = (shape.a_turned ? m : k) + static_cast<std::int64_t>(random_() % 4);
    b_ld_ = (shape.b_turned ? k : n) + static_cast<std::int64_t>(random_() % 4);
    c_ld_ = n + static_cast<std::int64_t>(random_() % 4);
    fill(a_, (shape.a_turned ? k : m) * a_ld_);
    fill(b_, (shape.b_turned ? n : k) * b_ld_);
    fill(c_, m * c_ld_);
    if (shape.beta == 0) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) set(c_[at(i, j)], std::nan(""));
      }
    }
    before_ = c_;
  }

  P problem() {
    P p;
    p.m = shape_.m;
    p.n = shape_.n;
    p.k = shape_.k;
    p.alpha = static_cast<Scalar>(shape_.alpha);
    p.beta = static_cast<Scalar>(shape_.beta);
    p.a = {a_.data(), shape_.a_turned ? 1 : a_ld_, shape_.a_turned ? a_ld_ : 1};
    p.b = {b_.data(), shape_.b_turned ? 1 : b_ld_, shape_.b_turned ? b_ld_ : 1};
    p.c = c_.data();
    p.c_stride = c_ld_;
    return p;
  }

  void run() { gemm(engine(), problem(), shape_.threads); }

  // Every element within the bound that no correct order of summing exceeds (Higham, section 3.1), and
  // the margins as they were.
  void check() {
    const P p = problem();
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < c_ld_; ++j) {
        if (j >= p.n) {
          ASSERT_EQ(std::memcmp(&c_[at(i, j)], &before_[at(i, j)], sizeof(Out)), 0)
              << shape_.words() << ": the margin of row " << i << " was written";
          continue;
        }
        Wide sum = 0, magnitude = 0;
        for (std::int64_t q = 0; q < p.k && shape_.alpha != 0; ++q) {
          const Wide product =
              static_cast<Wide>(value_of(p.a.data[i * p.a.row_stride + q * p.a.column_stride])) *
              value_of(p.b.data[q * p.b.row_stride + j * p.b.column_stride]);
          sum += product;
          magnitude += std::fabs(product);
        }
        sum *= shape_.alpha;
        magnitude *= std::fabs(shape_.alpha);
        if (shape_.beta != 0) {
          const Wide c = shape_.beta * static_cast<Wide>(value_of(before_[at(i, j)]));
          sum += c;
          magnitude += std::fabs(c);
        }
        const double bound = (static_cast<double>(p.k) + 4) * roundoff<Scalar>() * 1.01 *
                                 static_cast<double>(magnitude) +
                             roundoff<Out>() * 1.01 * static_cast<double>(std::fabs(sum)) +
                             least<Out>();
        const double difference = static_cast<double>(value_of(c_[at(i, j)]) - sum);
        ASSERT_LE(std::fabs(difference), bound)
            << shape_.words() << ": C(" << i << ", " << j << ") is " << value_of(c_[at(i, j)])
            << ", expected " << static_cast<double>(sum);
      }
    }
  }

  const std::vector<Out>& c() const { return c_; }

 private:
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * c_ld_ + j);
  }

  template <class T> void fill(std::vector<T>& matrix, std::int64_t count) {
    matrix.resize(static_cast<std::size_t>(count));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (T& element : matrix) set(element, uniform(random_));
  }

  Case shape_;
  std::mt19937_64 random_;
  std::int64_t a_ld_ = 0, b_ld_ = 0, c_ld_ = 0;
  std::vector<In> a_, b_;
  std::vector<Out> c_, before_;
};

// All parts of the product by that plan, one after the other.
template <class P> void multiply_by(const P& problem, const Plan& plan) {
  Run<P> run(problem, plan);
  std::vector<std::byte> buffer(run.parts() * run.part_bytes() + 64);
  run.set_buffer(buffer.data() + 64 - reinterpret_cast<std::uintptr_t>(buffer.data()) % 64);
  for (int part = 0; part < run.parts(); ++part) run.multiply(part);
}

template <class In, class Out, class Scalar> void try_case(const Case& shape) {
  Trial<In, Out, Scalar> trial(shape);
  trial.run();
  trial.check();
}

}  // namespace tilewise::cpu
