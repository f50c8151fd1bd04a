// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/problem.hpp"

#include <algorithm>
#include <utility>

#include "core/divide.hpp"

namespace tilewise::gpu {
namespace {

kernels::GemmScalar scalar_of(const Scalar& scalar) {
  return {scalar.value, scalar.is_on_device ? scalar.address : nullptr};
}

kernels::GemmFactor factor_of(const api::Batch& batch) {
  return {batch.shape.data, batch.shape.leading_dimension, batch.stride, batch.pointers};
}

kernels::GemmResult result_of(const api::Batch& batch) {
  // Where results begin is the caller's, who may write there.
  return {const_cast<void*>(batch.shape.data), batch.shape.leading_dimension, batch.stride,
          const_cast<void* const*>(batch.pointers), 0};
}

// A factor of one line, whose k are neighbours, is along k however it was called, and how far another line would be away does
// not matter: it may be as far as alignment asks.
void settle_vector(kernels::GemmFactor& factor, bool& along_k, std::int64_t lines, std::int64_t k) {
  constexpr std::int64_t kAligned = 128;  // elements
  if (lines != 1 || (!along_k && factor.leading_dimension != 1)) return;
  along_k = true;
  factor.leading_dimension = round_up(k, kAligned);
}

api::Batch transposed(api::Batch batch) {
  std::swap(batch.shape.rows, batch.shape.columns);
  batch.shape.order =
      batch.shape.order == Order::kRowMajor ? Order::kColumnMajor : Order::kRowMajor;
  return batch;
}

}  // namespace

bool Problem::changes_nothing() const {
  const bool adds_nothing = k() == 0;
  const bool keeps = arguments.beta.address == nullptr && arguments.beta.value == 1;
  return m() == 0 || n() == 0 || count == 0 || (adds_nothing && keeps);
}

Problem problem_of(Dtype operand, Dtype result, ComputeMode mode, std::int64_t count,
                   const Scalar& alpha, const api::Batch& a, const api::Batch& b,
                   const Scalar& beta, const api::Batch& c) {
  if (c.shape.order == Order::kColumnMajor) {
    return problem_of(operand, result, mode, count, alpha, transposed(b), transposed(a), beta,
                      transposed(c));
  }
  Problem problem;
  problem.operand = operand, problem.result = result, problem.mode = mode, problem.count = count;
  problem.a_along_k = a.shape.order == Order::kRowMajor;
  problem.b_along_k = b.shape.order == Order::kColumnMajor;
  kernels::GemmArguments& arguments = problem.arguments;
  arguments.m = c.shape.rows, arguments.n = c.shape.columns;
  arguments.k = alpha.is_value(0) ? 0 : a.shape.columns;
  arguments.alpha = scalar_of(alpha), arguments.beta = scalar_of(beta);
  if (arguments.k > 0) {
    arguments.a = factor_of(a), arguments.b = factor_of(b);
    settle_vector(arguments.a, problem.a_along_k, arguments.m, arguments.k);
    settle_vector(arguments.b, problem.b_along_k, arguments.n, arguments.k);
  }
  arguments.c = result_of(c);
  arguments.split.parts = 1;
  return problem;
}

std::int64_t alignment_of(const kernels::GemmFactor& factor, std::int64_t count,
                          std::size_t element_bytes) {
  if (factor.pointers != nullptr) return static_cast<std::int64_t>(element_bytes);
  const auto bytes = static_cast<std::uint64_t>(element_bytes);
  std::uint64_t all = reinterpret_cast<std::uintptr_t>(factor.address) |
                      static_cast<std::uint64_t>(factor.leading_dimension) * bytes | 256;
  if (count > 1) all |= static_cast<std::uint64_t>(factor.stride) * bytes;
  return static_cast<std::int64_t>(all & (~all + 1));
}

}  // namespace tilewise::gpu
