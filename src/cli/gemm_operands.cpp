// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/gemm_operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "core/memory.hpp"
#include "core/npy_header.hpp"
#include "core/thread_pool.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr npy::Accepted kAnyArray{.integers = true, .vectors = true};

bool is_eight_bit(Dtype dtype) { return dtype == Dtype::kS8 || dtype == Dtype::kU8; }
bool is_float(Dtype dtype) { return !is_eight_bit(dtype) && dtype != Dtype::kS32; }

// As NumPy multiplies: an array of one dimension is a row before the product sign, a column behind it,
// and its own transpose.
TypedMatrix matrix_of(const npy::MappedInput& file, bool is_row, bool transpose) {
  const npy::Layout& layout = file.layout();
  TypedMatrix matrix{file.elements(), layout.dtype, layout.order, 0, 0, 1};
  if (layout.shape.size() == 1) {
    matrix.order = is_row ? Order::kRowMajor : Order::kColumnMajor;
    matrix.rows = is_row ? 1 : layout.shape[0];
    matrix.columns = is_row ? layout.shape[0] : 1;
    matrix.leading_dimension = std::max<std::int64_t>(1, layout.shape[0]);
    return matrix;
  }
  matrix.rows = layout.shape[0];
  matrix.columns = layout.shape[1];
  matrix.leading_dimension =
      std::max<std::int64_t>(1, layout.order == Order::kRowMajor ? matrix.columns : matrix.rows);
  return transpose ? transposed(matrix) : matrix;
}

// Floats: the wider type; with 8-bit integers, which every float type holds exactly, the float's.
// 32-bit integers need f64. 8-bit integers alone stay what they are.
Dtype common_dtype(Dtype a, Dtype b) {
  if (a == Dtype::kS32 || b == Dtype::kS32) return Dtype::kF64;
  if (is_eight_bit(a) && is_eight_bit(b)) return Dtype::kS8;
  if (is_eight_bit(a)) return b;
  if (is_eight_bit(b)) return a;
  return size_of(a) >= size_of(b) ? a : b;
}

Dtype dtype_named(const std::string& name) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kF16, Dtype::kBF16, Dtype::kS8}) {
    if (name_of(dtype) == name) return dtype;
  }
  throw Error(ErrorCode::kInternal, "no dtype " + name);
}

Dtype choose_dtype(const GemmCommand& options, const npy::MappedInput& a,
                   const npy::MappedInput& b) {
  const Dtype dtype = options.dtype.empty() ? common_dtype(a.layout().dtype, b.layout().dtype)
                                            : dtype_named(options.dtype);
  if (dtype != Dtype::kS8) return dtype;
  for (const npy::MappedInput* file : {&a, &b}) {
    if (is_eight_bit(file->layout().dtype)) continue;
    throw Error(ErrorCode::kUnsupported,
                fmt::format("--dtype s8: '{}' holds {}: expected 8-bit integers (|i1 or |u1)",
                            file->path().string(), name_of(file->layout().dtype)));
  }
  if (a.layout().dtype == Dtype::kU8 && b.layout().dtype == Dtype::kU8) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("'{}' and '{}' both hold u8: one factor must be s8; or give --dtype f64",
                    a.path().string(), b.path().string()));
  }
  return dtype;
}

Dtype choose_out_dtype(const GemmCommand& options, Dtype dtype) {
  if (!options.out_dtype.empty() && dtype != Dtype::kF16) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("--out-dtype {}: A and B are multiplied as {}; only f16 has a choice",
                            options.out_dtype, name_of(dtype)));
  }
  if (options.out_dtype == "f16") return Dtype::kF16;
  if (dtype == Dtype::kF64) return Dtype::kF64;
  return dtype == Dtype::kS8 ? Dtype::kS32 : Dtype::kF32;
}

// A copy of all elements in another type of floats, in the same order.
void convert(GemmFactor& factor, Dtype dtype) {
  const npy::MappedInput& file = factor.file;
  const Dtype from = file.layout().dtype;
  if (from == dtype) return;
  const std::int64_t count = factor.matrix.rows * factor.matrix.columns;
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(dtype);
  if (const std::uint64_t available = available_memory(); bytes > available) {
    throw Error(ErrorCode::kOutOfMemory,
                fmt::format("'{}' holds {}: multiplying it as {} takes a copy of {} bytes, this "
                            "machine has {} bytes of memory left",
                            file.path().string(), name_of(from), name_of(dtype), bytes, available));
  }
  factor.converted.resize(bytes);
  constexpr std::int64_t kChunk = 4096;
  parallel_for(
      static_cast<std::uint64_t>((count + kChunk - 1) / kChunk), 0, [&](int, std::uint64_t chunk) {
        std::array<double, kChunk> values;
        const std::int64_t first = static_cast<std::int64_t>(chunk) * kChunk;
        const std::int64_t length = std::min(kChunk, count - first);
        read_elements(from, file.elements() + first * size_of(from), 1, length, values.data());
        write_elements(dtype, values.data(), length,
                       factor.converted.data() + first * size_of(dtype));
      });
  factor.matrix.elements = factor.converted.data();
  factor.matrix.dtype = dtype;
}

std::string described(const GemmFactor& factor, bool is_transposed) {
  return fmt::format("'{}'{} is {}×{}", factor.file.path().string(),
                     is_transposed ? " transposed" : "", factor.matrix.rows, factor.matrix.columns);
}

// Scalars as the product's arithmetic has them.
double scalar(const std::string& option, double value, Dtype dtype) {
  if (dtype == Dtype::kS8) {
    if (std::trunc(value) == value && std::abs(value) <= std::numeric_limits<std::int32_t>::max()) {
      return value;
    }
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: the matrices hold integers: expected a whole number from -2^31 + 1 "
                    "to 2^31 - 1, got {}",
                    option, value));
  }
  if (dtype == Dtype::kF64) return value;
  if (std::abs(value) > double{std::numeric_limits<float>::max()}) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{}: {} does not fit in f32, which scales products of {}", option,
                            value, name_of(dtype)));
  }
  return static_cast<float>(value);
}

// C's shape is NumPy's of A @ B; C's order is C0's, or else C order.
npy::Layout layout_of_c(const GemmOperands& operands, Dtype dtype) {
  npy::Layout layout{dtype, Order::kRowMajor, {}};
  if (operands.a.file.layout().shape.size() == 2) layout.shape.push_back(operands.m);
  if (operands.b.file.layout().shape.size() == 2) layout.shape.push_back(operands.n);
  if (operands.c0_file && layout.shape.size() == 2) layout.order = operands.c0_file->layout().order;
  return layout;
}

void check_c0(const GemmOperands& operands) {
  const npy::MappedInput& c0 = *operands.c0_file;
  const std::string name = c0.path().string();
  if (c0.layout().shape != operands.out.shape) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("--c: '{}' has shape {}: expected the product's, {}", name,
                            npy::to_text(c0.layout().shape), npy::to_text(operands.out.shape)));
  }
  if (operands.out.dtype == Dtype::kS32 && is_float(c0.layout().dtype)) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("--c: '{}' holds {}: expected integers, as A and B hold", name,
                            name_of(c0.layout().dtype)));
  }
}

}  // namespace

GemmOperands open_operands(const GemmCommand& options) {
  npy::MappedInput a(options.a, kAnyArray), b(options.b, kAnyArray);
  const TypedMatrix a_matrix = matrix_of(a, true, options.trans_a);
  const TypedMatrix b_matrix = matrix_of(b, false, options.trans_b);
  GemmOperands operands{
      {std::move(a), {}, a_matrix}, {std::move(b), {}, b_matrix}, {}, {}, Dtype::kF32, {}};
  operands.dtype = choose_dtype(options, operands.a.file, operands.b.file);
  operands.m = a_matrix.rows;
  operands.n = b_matrix.columns;
  operands.k = a_matrix.columns;
  if (operands.k != b_matrix.rows) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} and {}: A must have as many columns as B has rows",
                            described(operands.a, options.trans_a),
                            described(operands.b, options.trans_b)));
  }
  operands.alpha = scalar("--alpha", options.alpha, operands.dtype);
  operands.beta = scalar("--beta", options.beta_value(), operands.dtype);
  if (!options.c0.empty()) operands.c0_file.emplace(options.c0, kAnyArray);
  operands.out = layout_of_c(operands, choose_out_dtype(options, operands.dtype));
  if (operands.c0_file) {
    check_c0(operands);
    operands.c0 = result_matrix(operands, nullptr);
    operands.c0.elements = operands.c0_file->elements();
    operands.c0.dtype = operands.c0_file->layout().dtype;
  }
  return operands;
}

void convert_factors(GemmOperands& operands) {
  if (operands.dtype == Dtype::kS8) return;  // s8 and u8 are taken as they are
  convert(operands.a, operands.dtype);
  convert(operands.b, operands.dtype);
}

TypedMatrix result_matrix(const GemmOperands& operands, void* elements) {
  const bool row_major = operands.out.order == Order::kRowMajor;
  return {elements,           operands.out.dtype,
          operands.out.order, operands.m,
          operands.n,         std::max<std::int64_t>(1, row_major ? operands.n : operands.m)};
}

}  // namespace tilewise::cli
