// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/arguments.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "gemm/footprint.hpp"

namespace tilewise::api {

const Names kViewNames{
    {"a", "a.data", "a.rows", "a.columns", "a.leading_dimension", "a.order", "", ""},
    {"b", "b.data", "b.rows", "b.columns", "b.leading_dimension", "b.order", "", ""},
    {"c", "c.data", "c.rows", "c.columns", "c.leading_dimension", "c.order", "", ""},
    "options.threads"};

const Names kBatchNames{{"a", "a.shape.data", "a.shape.rows", "a.shape.columns",
                         "a.shape.leading_dimension", "a.shape.order", "a.stride", "a.pointers"},
                        {"b", "b.shape.data", "b.shape.rows", "b.shape.columns",
                         "b.shape.leading_dimension", "b.shape.order", "b.stride", "b.pointers"},
                        {"c", "c.shape.data", "c.shape.rows", "c.shape.columns",
                         "c.shape.leading_dimension", "c.shape.order", "c.stride", "c.pointers"},
                        "options.threads"};

namespace {

[[noreturn, gnu::cold]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

[[noreturn, gnu::cold]] void refuse(const char* name, std::int64_t value,
                                    const std::string& expected) {
  refuse(std::string(name) + " = " + std::to_string(value) + ": expected " + expected);
}

[[noreturn, gnu::cold]] void refuse_size(const char* name, std::int64_t value,
                                         std::int64_t expected, const char* because) {
  refuse(name, value, std::to_string(expected) + ", as many as " + because);
}

[[noreturn, gnu::cold]] void refuse_leading_dimension(const Matrix& x, const MatrixNames& names) {
  const char* minor = x.order == Order::kRowMajor ? names.columns : names.rows;
  refuse(names.leading_dimension, x.leading_dimension,
         x.width() > 0 ? "at least " + std::to_string(x.width()) + " (" + minor + ")"
                       : std::string("at least 1"));
}

std::string sizes_of(const Matrix& x) {
  return std::to_string(x.rows) + "×" + std::to_string(x.columns) + " elements";
}

// Elements from the first to behind the last of x, or -1 when their bytes do not fit in 63 bits.
std::int64_t extent_of(const Matrix& x) {
  if (x.empty()) return 0;
  std::int64_t elements = 0, bytes = 0;
  if (__builtin_mul_overflow(x.lines() - 1, x.leading_dimension, &elements) ||
      __builtin_add_overflow(elements, x.width(), &elements) ||
      __builtin_mul_overflow(elements, x.element_bytes, &bytes)) {
    return -1;
  }
  return elements;
}

void check_matrix(const Matrix& x, const MatrixNames& names) {
  if (x.rows < 0) refuse(names.rows, x.rows, "0 or more");
  if (x.columns < 0) refuse(names.columns, x.columns, "0 or more");
  if (x.order != Order::kRowMajor && x.order != Order::kColumnMajor) {
    refuse(names.order, static_cast<int>(x.order), "Order::kRowMajor or Order::kColumnMajor");
  }
  if (x.leading_dimension < std::max<std::int64_t>(1, x.width())) {
    refuse_leading_dimension(x, names);
  }
  if (extent_of(x) < 0) {
    refuse(std::string(names.matrix) + " of " + sizes_of(x) + ", " + names.leading_dimension +
           " = " + std::to_string(x.leading_dimension) + ": expected bytes that fit in 63 bits");
  }
}

void check_there(const Matrix& x, const char* name) {
  if (x.data == nullptr && !x.empty()) {
    refuse(std::string(name) + " = null: expected " + sizes_of(x));
  }
}

// The sizes alone: what single products and batches have in common.
void check_shapes(const Matrix& a, const Matrix& b, const Matrix& c, int threads,
                  const Names& names) {
  check_matrix(a, names.a);
  check_matrix(b, names.b);
  check_matrix(c, names.c);
  if (b.rows != a.columns) refuse_size(names.b.rows, b.rows, a.columns, names.a.columns);
  if (c.rows != a.rows) refuse_size(names.c.rows, c.rows, a.rows, names.a.rows);
  if (c.columns != b.columns) refuse_size(names.c.columns, c.columns, b.columns, names.b.columns);
  if (threads < 0) refuse(names.threads, threads, "0 (all that are useful) or more");
}

void check_stride(std::int64_t count, const Batch& x, const MatrixNames& names) {
  std::int64_t bytes = 0;
  if (x.shape.empty() || count == 0) return;
  if (x.stride == std::numeric_limits<std::int64_t>::min() ||
      __builtin_mul_overflow(std::abs(x.stride), count - 1, &bytes) ||
      __builtin_add_overflow(bytes, extent_of(x.shape), &bytes) ||
      __builtin_mul_overflow(bytes, x.shape.element_bytes, &bytes)) {
    refuse(
        names.stride, x.stride,
        "a distance at which the bytes of " + std::to_string(count) + " matrices fit in 63 bits");
  }
}

void check_all_there(std::int64_t count, const Batch& x, const MatrixNames& names) {
  if (x.shape.empty() || count == 0) return;
  if (x.pointers == nullptr) return check_there(x.shape, names.data);
  if (x.pointers_on_device) return;
  for (std::int64_t i = 0; i < count; ++i) {
    if (x.pointers[i] == nullptr) {
      refuse(std::string(names.pointers) + "[" + std::to_string(i) + "] = null: expected " +
             sizes_of(x.shape));
    }
  }
}

// Results at a constant distance may be interleaved, but no two may share an element. Cheap enough
// for every build: as soon as the distance exceeds a matrix there is nothing to do.
void check_results_apart(std::int64_t count, const Batch& c, const MatrixNames& names) {
  if (c.pointers != nullptr || c.shape.empty() || count < 2) return;
  const std::int64_t distance = std::abs(c.stride) * c.shape.element_bytes;
  const std::int64_t neighbour = first_overlap(footprint_of(c.shape), distance, count);
  if (neighbour == 0) return;
  refuse(names.stride, c.stride,
         "results that do not overlap; number 0 and number " + std::to_string(neighbour) + " do");
}

}  // namespace

void check_product(const Matrix& a, const Matrix& b, const Matrix& c, bool reads_factors,
                   int threads, const Names& names) {
  check_shapes(a, b, c, threads, names);
  if (c.empty()) return;
  if (reads_factors) {
    check_there(a, names.a.data);
    check_there(b, names.b.data);
  }
  check_there(c, names.c.data);
}

void check_batch(std::int64_t count, const Batch& a, const Batch& b, const Batch& c,
                 bool reads_factors, int threads, const Names& names) {
  if (count < 0) refuse("count", count, "0 or more");
  check_shapes(a.shape, b.shape, c.shape, threads, names);
  if (a.pointers == nullptr) check_stride(count, a, names.a);
  if (b.pointers == nullptr) check_stride(count, b, names.b);
  if (c.pointers == nullptr) check_stride(count, c, names.c);
  if (c.shape.empty()) return;
  if (reads_factors) {
    check_all_there(count, a, names.a);
    check_all_there(count, b, names.b);
  }
  check_all_there(count, c, names.c);
  check_results_apart(count, c, names.c);
}

}  // namespace tilewise::api
