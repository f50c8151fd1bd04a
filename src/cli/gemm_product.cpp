// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/gemm_product.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/memory.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

// The product with C in row-major order: C itself, or Cᵀ = Bᵀ·Aᵀ.
struct Task {
  TypedMatrix a, b, c0, c;
  double alpha, beta;
};

Task task_of(const GemmOperands& operands, void* elements) {
  Task task{operands.a.matrix, operands.b.matrix, operands.c0, result_matrix(operands, elements),
            operands.alpha,    operands.beta};
  if (task.c.order == Order::kRowMajor) return task;
  return {transposed(task.b), transposed(task.a), transposed(task.c0),
          transposed(task.c), task.alpha,         task.beta};
}

TypedMatrix part(const TypedMatrix& matrix, std::int64_t row, std::int64_t rows,
                 std::int64_t column, std::int64_t columns) {
  const bool empty = rows == 0 || columns == 0;  // its address may be null
  return {empty ? matrix.elements : matrix.at(row, column),
          matrix.dtype,
          matrix.order,
          rows,
          columns,
          matrix.leading_dimension};
}

template <class T> MatrixView<T> view(const TypedMatrix& matrix) {
  return {static_cast<T*>(const_cast<void*>(matrix.elements)), matrix.rows, matrix.columns,
          matrix.leading_dimension, matrix.order};
}

template <class A, class B, class C, class Scalar>
void multiply_as(Context& context, const Task& task) {
  gemm(context, static_cast<Scalar>(task.alpha), view<const A>(task.a), view<const B>(task.b),
       static_cast<Scalar>(task.beta), view<C>(task.c));
}

void multiply_integers(Context& context, const Task& task) {
  using S8 = std::int8_t;
  using U8 = std::uint8_t;
  using S32 = std::int32_t;
  if (task.a.dtype == Dtype::kU8) return multiply_as<U8, S8, S32, S32>(context, task);
  if (task.b.dtype == Dtype::kU8) return multiply_as<S8, U8, S32, S32>(context, task);
  multiply_as<S8, S8, S32, S32>(context, task);
}

void multiply_block(Context& context, const Task& task) {
  switch (task.a.dtype) {
    case Dtype::kF32: return multiply_as<float, float, float, float>(context, task);
    case Dtype::kF64: return multiply_as<double, double, double, double>(context, task);
    case Dtype::kBF16: return multiply_as<BFloat16, BFloat16, float, float>(context, task);
    case Dtype::kF16:
      if (task.c.dtype == Dtype::kF16) {
        return multiply_as<Float16, Float16, Float16, float>(context, task);
      }
      return multiply_as<Float16, Float16, float, float>(context, task);
    case Dtype::kS8:
    case Dtype::kU8: return multiply_integers(context, task);
    case Dtype::kS32: break;
  }
  throw Error(ErrorCode::kInternal, "no product of this dtype");
}

// C0 into C's place, in C's type; both are row-major.
void copy_c0(const TypedMatrix& c0, const TypedMatrix& c) {
  constexpr std::int64_t kChunk = 1024;
  std::array<double, kChunk> values;
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; j += kChunk) {
      const std::int64_t count = std::min(kChunk, c.columns - j);
      read_elements(c0.dtype, c0.at(i, j), 1, count, values.data());
      write_elements(c.dtype, values.data(), count, const_cast<void*>(c.at(i, j)));
    }
  }
}

}  // namespace

Blocks default_blocks(const GemmOperands& operands) {
  std::int64_t m = operands.m, n = operands.n;
  if (operands.out.order == Order::kColumnMajor) std::swap(m, n);
  return choose_blocks(m, n, operands.k, static_cast<std::int64_t>(size_of(operands.dtype)),
                       static_cast<double>(available_memory()));
}

void multiply(Context& context, const GemmOperands& operands, const Blocks& blocks, void* elements,
              const OnBlock& on_block) {
  const Task whole = task_of(operands, elements);
  const std::int64_t m = whole.c.rows, n = whole.c.columns, k = whole.a.columns;
  const auto count = static_cast<std::size_t>(blocks.down(m) * blocks.across(n));
  std::size_t index = 0;
  for (std::int64_t j = 0; j < n; j += blocks.columns) {
    const std::int64_t columns = std::min(blocks.columns, n - j);
    for (std::int64_t i = 0; i < m; i += blocks.rows) {
      const std::int64_t rows = std::min(blocks.rows, m - i);
      on_block(index++, count);
      Task block = whole;
      block.a = part(whole.a, i, rows, 0, k);
      block.b = part(whole.b, 0, k, j, columns);
      block.c = part(whole.c, i, rows, j, columns);
      if (block.beta != 0) copy_c0(part(whole.c0, i, rows, j, columns), block.c);
      multiply_block(context, block);
    }
  }
}

}  // namespace tilewise::cli
