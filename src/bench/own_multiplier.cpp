// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <type_traits>

#include "bench/multiplier.hpp"
#include "bench/origin.hpp"
#include "gemm/context.hpp"
#include "gemm/product.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::bench {
namespace {

/// The matrices as a caller of the public interface would hand them over.
template <class T, class C> struct Views {
  MatrixView<const T> a, b;
  MatrixView<C> c;
  C alpha, beta;
  std::int64_t batch, size_a, size_b, size_c;

  explicit Views(const GemmOperands& o)
      : c(row_major(o.c<C>(), o.shape().m, o.shape().n)),
        alpha(static_cast<C>(o.scaling().alpha)),
        beta(static_cast<C>(o.scaling().beta)),
        batch(o.shape().batch),
        size_a(o.size_a()),
        size_b(o.size_b()),
        size_c(o.size_c()) {
    const GemmShape& s = o.shape();
    a = s.trans_a ? transposed(row_major(o.a<T>(), s.k, s.m)) : row_major(o.a<T>(), s.m, s.k);
    b = s.trans_b ? transposed(row_major(o.b<T>(), s.n, s.k)) : row_major(o.b<T>(), s.k, s.n);
  }
};

class OwnMultiplier : public Multiplier {
 public:
  explicit OwnMultiplier(int threads) : context_(ContextOptions{threads}) {}

  std::string file() const override { return {}; }
  std::string version() const override {
    return fmt::format("tilewise {} {}, {}", own_version(), own_commit(), cpu_instruction_set());
  }

  Calls bind(const GemmOperands& o) override {
    switch (o.dtype()) {
      case Dtype::kF32: return repeat(Views<float, float>(o));
      case Dtype::kF64: return repeat(Views<double, double>(o));
      case Dtype::kBF16: return repeat(Views<BFloat16, float>(o));
      case Dtype::kF16: return repeat(Views<Float16, float>(o));
      case Dtype::kS8:
        if (o.shape().batch != 1) return {};
        return repeat(Views<std::int8_t, std::int32_t>(o));
      default: return {};
    }
  }

  std::string path(const GemmOperands& o) override {
    if (o.dtype() == Dtype::kF32) return described(Views<float, float>(o));
    if (o.dtype() == Dtype::kF64) return described(Views<double, double>(o));
    return {};
  }

 private:
  template <class T, class C> Calls repeat(const Views<T, C>& v) {
    if constexpr (!std::is_integral_v<C>) {
      if (v.batch != 1) return repeat_batch(v);
    }
    return [this, v](std::int64_t calls) {
      for (std::int64_t i = 0; i < calls; ++i) gemm(context_, v.alpha, v.a, v.b, v.beta, v.c);
    };
  }

  template <class T, class C> Calls repeat_batch(const Views<T, C>& v) {
    return [this, v](std::int64_t calls) {
      for (std::int64_t i = 0; i < calls; ++i)
        gemm_batch(context_, v.batch, v.alpha, strided(v.a, v.size_a), strided(v.b, v.size_b),
                   v.beta, strided(v.c, v.size_c));
    };
  }

  template <class T> std::string described(const Views<T, T>& v) const {
    return cpu::describe(context_.state().engine, api::problem_of(v.alpha, v.a, v.b, v.beta, v.c));
  }

  Context context_;
};

}  // namespace

std::unique_ptr<Multiplier> make_own_multiplier(int threads) {
  return std::make_unique<OwnMultiplier>(threads);
}

}  // namespace tilewise::bench
