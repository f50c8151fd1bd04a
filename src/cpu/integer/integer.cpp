// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/integer/integer.hpp"

#include <algorithm>

#include "cpu/integer/kernel.hpp"
#include "cpu/integer/product.hpp"

namespace tilewise::cpu {
namespace {

using integer::Signs;

template <class T> Factor<std::uint8_t> bytes_of(const Factor<T>& factor) {
  return {reinterpret_cast<const std::uint8_t*>(factor.data), factor.row_stride,
          factor.column_stride};
}

template <class P> void run(Engine& engine, const P& p, int threads, Signs signs) {
  const integer::Kernel& kernel = integer::kernel_of(integer::kernel_set(), signs);
  const int most = threads > 0 ? std::min(threads, engine.threads()) : engine.threads();
  integer::multiply(engine, kernel,
                    {p.m, p.n, p.k, p.alpha, bytes_of(p.a), bytes_of(p.b), p.beta, p.c, p.c_stride},
                    {caches(), most, false});
}

}  // namespace

void gemm_integer(Engine& engine, const ProblemU8S8& problem, int threads) {
  run(engine, problem, threads, Signs::kU8S8);
}

void gemm_integer(Engine& engine, const ProblemS8U8& problem, int threads) {
  run(engine, problem, threads, Signs::kS8U8);
}

void gemm_integer(Engine& engine, const ProblemS8S8& problem, int threads) {
  run(engine, problem, threads, Signs::kS8S8);
}

}  // namespace tilewise::cpu
