// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From the arguments of a call to the engine's problem. The engine writes C in row-major order
// only: a column-major C is the row-major Cᵀ = Bᵀ·Aᵀ, of the same memory.
#pragma once

#include <cstdint>
#include <functional>

#include "gemm/arguments.hpp"
#include "gemm/context.hpp"
#include "gemm/footprint.hpp"

namespace tilewise::api {

#ifdef NDEBUG
inline constexpr bool kChecksOverlap = false;
#else
inline constexpr bool kChecksOverlap = true;
#endif

template <class T> cpu::Factor<T> factor_of(const MatrixView<const T>& view) noexcept {
  const bool by_rows = view.order == Order::kRowMajor;
  return {view.data, by_rows ? view.leading_dimension : 1, by_rows ? 1 : view.leading_dimension};
}

/// The problem of matrices of which C is in row-major order. Without anything to add (alpha or k is
/// 0) it is one without a k, so that nothing behind this line can look at A or B.
template <class A, class B, class C, class S>
cpu::Problem<A, B, C, S> problem_of(S alpha, const MatrixView<const A>& a,
                                    const MatrixView<const B>& b, S beta,
                                    const MatrixView<C>& c) noexcept {
  cpu::Problem<A, B, C, S> problem{c.rows, c.columns,          0, 0, {}, {}, beta,
                                   c.data, c.leading_dimension};
  if (alpha == 0 || a.columns == 0) return problem;
  problem.k = a.columns;
  problem.alpha = alpha;
  problem.a = factor_of(a);
  problem.b = factor_of(b);
  return problem;
}

/// Whether C = alpha·A·B + beta·C is C = C, or C has no elements.
template <class S, class C>
bool changes_nothing(S alpha, std::int64_t k, S beta, const MatrixView<C>& c) noexcept {
  return c.rows == 0 || c.columns == 0 || ((alpha == 0 || k == 0) && beta == 1);
}

/// gemm() of tilewise/gemm.hpp, for arguments of these names.
template <class A, class B, class C, class S>
void multiply(const Context& context, S alpha, const MatrixView<const A>& a,
              const MatrixView<const B>& b, S beta, const MatrixView<C>& c,
              const GemmOptions& options, const Names& names) {
  with_errors([&] {
    if (!plainly_right(untyped(a), untyped(b), untyped(c), options.threads)) {
      check_product(untyped(a), untyped(b), untyped(c), alpha != 0, options.threads, names);
    }
    cpu::Engine& engine = context.state().engine;
    if (changes_nothing(alpha, a.columns, beta, c)) return;
    if constexpr (kChecksOverlap) {
      check_apart(untyped(a), untyped(b), untyped(c), alpha != 0, names);
    }
    if (c.order == Order::kRowMajor) {
      cpu::gemm(engine, problem_of(alpha, a, b, beta, c), options.threads);
    } else {
      cpu::gemm(engine, problem_of(alpha, transposed(b), transposed(a), beta, transposed(c)),
                options.threads);
    }
  });
}

/// Where the matrices of a batch begin.
template <class T> T* matrix_of(const MatrixBatch<T>& batch, std::int64_t index) noexcept {
  return batch.pointers != nullptr ? batch.pointers[index]
                                   : batch.shape.data + index * batch.stride;
}

/// The products of a batch of which C is in row-major order.
template <class A, class B, class C, class S>
void multiply_each(cpu::Engine& engine, std::int64_t count, S alpha, const MatrixBatch<const A>& a,
                   const MatrixBatch<const B>& b, S beta, const MatrixBatch<C>& c, int threads) {
  using Problem = cpu::Problem<A, B, C, S>;
  const Problem shape = problem_of(alpha, a.shape, b.shape, beta, c.shape);
  const auto place = [&](std::int64_t index, Problem& problem) {
    if (shape.k > 0) {
      problem.a.data = matrix_of(a, index);
      problem.b.data = matrix_of(b, index);
    }
    problem.c = matrix_of(c, index);
  };
  // Through a reference: it fits into a std::function, which then allocates nothing.
  cpu::gemm_batch<Problem>(engine, count, shape, std::ref(place), threads);
}

template <class T> MatrixBatch<T> transposed(const MatrixBatch<T>& batch) noexcept {
  return {tilewise::transposed(batch.shape), batch.stride, batch.pointers};
}

/// gemm_batch() of tilewise/gemm.hpp, for arguments of these names.
template <class A, class B, class C, class S>
void multiply_batch(const Context& context, std::int64_t count, S alpha,
                    const MatrixBatch<const A>& a, const MatrixBatch<const B>& b, S beta,
                    const MatrixBatch<C>& c, const GemmOptions& options, const Names& names) {
  with_errors([&] {
    check_batch(count, untyped(a), untyped(b), untyped(c), alpha != 0, options.threads, names);
    cpu::Engine& engine = context.state().engine;
    if (count == 0 || changes_nothing(alpha, a.shape.columns, beta, c.shape)) return;
    if constexpr (kChecksOverlap) {
      check_apart(count, untyped(a), untyped(b), untyped(c), alpha != 0, names);
    }
    if (c.shape.order == Order::kRowMajor) {
      multiply_each(engine, count, alpha, a, b, beta, c, options.threads);
    } else {
      multiply_each(engine, count, alpha, transposed(b), transposed(a), beta, transposed(c),
                    options.threads);
    }
  });
}

}  // namespace tilewise::api
