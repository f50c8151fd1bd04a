// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine takes C in row-major order. A column-major C is the row-major one of its transpose, of the
// same memory: C' = B'·A'.
#include "blas/product.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

#include "blas/plain_loop.hpp"
#include "blas/threads.hpp"
#include "blas/verbose.hpp"
#include "core/thread_pool.hpp"
#include "cpu/engine.hpp"
#include "gemm/context.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::blas {
namespace {

template <class T> using Problem = cpu::Problem<T, T, T, T>;

// In the order of C, a factor that is not transposed has its lines of memory as rows (of the turned-round
// problem, if C is in column-major order).
template <class T>
cpu::Factor<T> factor(const T* first, std::int64_t leading_dimension, Trans trans) noexcept {
  return !transposes(trans) ? cpu::Factor<T>{first, leading_dimension, 1}
                            : cpu::Factor<T>{first, 1, leading_dimension};
}

// The problem of the first (or only) product. Without anything to add (alpha or k is 0) it is one without
// a k, so that nothing behind this line looks at A or B, which may be null.
template <class T> Problem<T> problem_of(const Call<T>& call) noexcept {
  const bool by_rows = call.layout == Layout::kRowMajor;
  Problem<T> problem{by_rows ? call.m : call.n,
                     by_rows ? call.n : call.m,
                     0,
                     0,
                     {},
                     {},
                     call.beta,
                     call.c,
                     call.ldc};
  if (call.alpha == 0 || call.k == 0) return problem;
  problem.k = call.k;
  problem.alpha = call.alpha;
  // Each where it belongs at once: to choose between two of them later takes longer than a small product.
  if (by_rows) {
    problem.a = factor(call.a, call.lda, call.trans_a);
    problem.b = factor(call.b, call.ldb, call.trans_b);
  } else {
    problem.a = factor(call.b, call.ldb, call.trans_b);
    problem.b = factor(call.a, call.lda, call.trans_a);
  }
  return problem;
}

// The pointers of the index-th product of a batch.
template <class T>
void place(const Call<T>& call, std::int64_t index, Problem<T>& problem) noexcept {
  problem.c = call.c + index * call.stride_c;
  if (problem.k == 0) return;
  const bool by_rows = call.layout == Layout::kRowMajor;
  const T* a = call.a + index * call.stride_a;
  const T* b = call.b + index * call.stride_b;
  problem.a.data = by_rows ? a : b;
  problem.b.data = by_rows ? b : a;
}

template <class T> bool changes_nothing(const Call<T>& call) noexcept {
  return call.count == 0 || call.m == 0 || call.n == 0 ||
         ((call.alpha == 0 || call.k == 0) && call.beta == 1);
}

// Made at its first use; lives as long as the process.
cpu::Engine& door_engine() {
  static Context* const context =
      new Context({.threads = threads_in(std::getenv("TILEWISE_NUM_THREADS"),
                                         std::getenv("OMP_NUM_THREADS"), available_cores())});
  return context->state().engine;
}

template <class T> void multiply(const Call<T>& call) {
  cpu::Engine& engine = door_engine();
  const Problem<T> problem = problem_of(call);
  if (!call.is_batch) {
    cpu::gemm(engine, problem);
  } else {
    const auto placed = [&](std::int64_t index, Problem<T>& each) { place(call, index, each); };
    // Through a reference: it fits into a std::function, which then allocates nothing.
    cpu::gemm_batch<Problem<T>>(engine, call.count, problem, std::ref(placed));
  }
}

template <class T> void multiply_plainly(const Call<T>& call) noexcept {
  Problem<T> problem = problem_of(call);
  for (std::int64_t index = 0; index < call.count; ++index) {
    if (call.is_batch) place(call, index, problem);
    plain_loop(problem);
  }
}

// Computes, and returns whether the engine did. The engine throws before it writes to C.
template <class T> bool multiply_somehow(const Call<T>& call) noexcept {
  try {
    multiply(call);
    return true;
  } catch (const std::exception& error) {
    say_once(call.name, error.what());
  }
  multiply_plainly(call);
  return false;
}

template <class T> void compute_and_tell(const Call<T>& call) noexcept {
  const auto start = std::chrono::steady_clock::now();
  const bool idle = changes_nothing(call);
  const bool by_engine = idle || multiply_somehow(call);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  try {
    const std::string how = idle        ? "nothing to do"
                            : by_engine ? cpu::describe(door_engine(), problem_of(call))
                                        : "plain loop, 1 thread";
    tell(call, how.c_str(), taken.count());
  } catch (const std::exception&) {
    tell(call, "no memory for words", taken.count());
  }
}

template <class T> void compute_any(const Call<T>& call) noexcept {
  if (verbose()) compute_and_tell(call);
  else if (!changes_nothing(call)) multiply_somehow(call);
}

}  // namespace

void compute(const Call<float>& call) noexcept { compute_any(call); }
void compute(const Call<double>& call) noexcept { compute_any(call); }

}  // namespace tilewise::blas
