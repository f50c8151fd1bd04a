// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy.hpp"

#include <fmt/format.h>

#include <new>
#include <string_view>

#include "core/elements.hpp"
#include "core/file.hpp"
#include "core/npy_source.hpp"
#include "tilewise/error.hpp"

namespace tilewise::npy {
namespace {

namespace fs = std::filesystem;

TypedMatrix matrix_of(const Array& array) {
  const bool row_major = array.order == Order::kRowMajor;
  return {array.bytes.data(), array.dtype,   array.order,
          array.rows,         array.columns, row_major ? array.columns : array.rows};
}

}  // namespace

double Array::at(std::int64_t row, std::int64_t column) const {
  if (row < 0 || row >= rows || column < 0 || column >= columns) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("element ({}, {}) of a {}x{} matrix", row, column, rows, columns));
  }
  double value = 0;
  tilewise::read_elements(dtype, matrix_of(*this).at(row, column), 1, 1, &value);
  return value;
}

std::vector<double> Array::to_f64() const {
  std::vector<double> result(static_cast<std::size_t>(rows * columns));
  if (result.empty()) return result;  // 2^62 x 0 is a legal shape: do not walk along it
  const TypedMatrix matrix = matrix_of(*this);
  for (std::int64_t i = 0; i < rows; ++i) {
    tilewise::read_elements(dtype, matrix.at(i, 0), matrix.column_stride(), columns,
                            &result[static_cast<std::size_t>(i * columns)]);
  }
  return result;
}

Array read(const fs::path& path, const Accepted& accepted) {
  Source source(path);
  const Layout layout = read_layout(source, accepted);
  const std::uint64_t bytes = payload_bytes(layout, path);
  require_memory(bytes, path);
  Array array{layout.dtype,
              layout.order,
              layout.shape.size() == 2 ? layout.shape[0] : 1,
              layout.shape.back(),
              {}};
  if (layout.shape.size() == 1) array.order = Order::kRowMajor;
  try {
    array.bytes.resize(bytes);
  } catch (const std::bad_alloc&) {
    fail(path, fmt::format("{} bytes of elements: more than this machine grants", bytes));
  }
  read_elements(source, layout, reinterpret_cast<char*>(array.bytes.data()));
  return array;
}

void write(const fs::path& path, const Array& array) {
  if (array.rows < 0 || array.columns < 0) {
    fail(path, fmt::format("shape ({}, {}): a size is negative", array.rows, array.columns));
  }
  const Layout layout{array.dtype, array.order, {array.rows, array.columns}};
  if (const std::uint64_t bytes = payload_bytes(layout, path); bytes != array.bytes.size()) {
    fail(path, fmt::format("shape ({}, {}) of {} needs {} bytes, the array holds {}", array.rows,
                           array.columns, name_of(array.dtype), bytes, array.bytes.size()));
  }
  const std::string_view elements(reinterpret_cast<const char*>(array.bytes.data()),
                                  array.bytes.size());
  write_file(path, {header_bytes(layout), elements});
}

}  // namespace tilewise::npy
