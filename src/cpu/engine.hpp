// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU engine's face: products of matrices whose arguments have been checked. Everything here takes
// C in row-major order; the other order is the same product of the transposes, (A·B)ᵀ = Bᵀ·Aᵀ, and
// the caller turns it round (src/gemm/).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tilewise/gemm.hpp"

namespace tilewise::cpu {

/// A factor as the product sees it: element (i, j) is data[i·row_stride + j·column_stride]. At least one
/// of the strides is 1: a transposition has swapped them, or has not.
template <class T> struct Factor {
  const T* data = nullptr;
  std::int64_t row_stride = 1, column_stride = 1;
};

/// C = alpha·A·B + beta·C with A m×k, B k×n, and C m×n in row-major order. m, n, k >= 0.
/// alpha = 0 does not read A and B, beta = 0 does not read C.
template <class A, class B, class C, class Scalar> struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  Scalar alpha = 1;
  Factor<A> a;
  Factor<B> b;
  Scalar beta = 0;
  C* c = nullptr;
  std::int64_t c_stride = 1;  ///< elements from one row of C to the next
};

/// BA, whose result is C's transpose, which stands where C does.
template <class A, class B, class C, class Scalar>
Problem<B, A, C, Scalar> exchanged(const Problem<A, B, C, Scalar>& p) {
  return {p.n,
          p.m,
          p.k,
          p.alpha,
          {p.b.data, p.b.column_stride, p.b.row_stride},
          {p.a.data, p.a.column_stride, p.a.row_stride},
          p.beta,
          p.c,
          p.c_stride};
}

/// Whether C is a column without gaps: then it is as well a row, along which vectors lie, of the exchanged product.
template <class P> bool is_row_as_well(const P& problem) {
  return problem.n == 1 && problem.c_stride == 1 && problem.m > 1;
}

using ProblemF32 = Problem<float, float, float, float>;
using ProblemF64 = Problem<double, double, double, double>;
using ProblemBF16 = Problem<BFloat16, BFloat16, float, float>;
using ProblemF16 = Problem<Float16, Float16, float, float>;
using ProblemBF16ToBF16 = Problem<BFloat16, BFloat16, BFloat16, float>;
using ProblemF16ToF16 = Problem<Float16, Float16, Float16, float>;
/// 8-bit integers: products exact, sums, alpha and beta modulo 2^32.
using ProblemU8S8 = Problem<std::uint8_t, std::int8_t, std::int32_t, std::int32_t>;
using ProblemS8U8 = Problem<std::int8_t, std::uint8_t, std::int32_t, std::int32_t>;
using ProblemS8S8 = Problem<std::int8_t, std::int8_t, std::int32_t, std::int32_t>;

class Workers;
class WorkspacePool;

/// What products share: threads and packing buffers. Thread-safe.
class Engine {
 public:
  /// `threads` >= 1, the calling one included. Throws Error{kOutOfMemory}.
  explicit Engine(int threads);
  ~Engine();
  int threads() const noexcept { return threads_; }
  Workers& workers() noexcept { return *workers_; }
  WorkspacePool& workspaces() noexcept { return *workspaces_; }

 private:
  int threads_;
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<WorkspacePool> workspaces_;
};

/// The product, on at most `threads` threads (0: the engine's). The same bits for any number of threads.
/// Throws Error{kOutOfMemory} before anything is written, and Error of cpu::instruction_set().
void gemm(Engine& engine, const ProblemF32& problem, int threads = 0);
void gemm(Engine& engine, const ProblemF64& problem, int threads = 0);
void gemm(Engine& engine, const ProblemBF16& problem, int threads = 0);
void gemm(Engine& engine, const ProblemF16& problem, int threads = 0);
void gemm(Engine& engine, const ProblemBF16ToBF16& problem, int threads = 0);
void gemm(Engine& engine, const ProblemF16ToF16& problem, int threads = 0);
void gemm(Engine& engine, const ProblemU8S8& problem, int threads = 0);
void gemm(Engine& engine, const ProblemS8U8& problem, int threads = 0);
void gemm(Engine& engine, const ProblemS8S8& problem, int threads = 0);

/// `count` products of the sizes, strides and scalars of `shape`; `place(i, problem)` sets the pointers of
/// the i-th. Small products run side by side, one a thread; large ones one after the other. Throws as
/// gemm() does, before anything is written.
template <class P>
void gemm_batch(Engine& engine, std::int64_t count, const P& shape,
                const std::function<void(std::int64_t, P&)>& place, int threads = 0);

/// How the engine would compute this product, in words: "packed 8x48, kc 384, 2 threads".
std::string describe(const Engine& engine, const ProblemF32& problem, int threads = 0);
std::string describe(const Engine& engine, const ProblemF64& problem, int threads = 0);

}  // namespace tilewise::cpu
