// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices in .npy files for the tests of `tilewise gemm`.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "../core/temporary_folder.hpp"
#include "core/elements.hpp"
#include "core/npy.hpp"
#include "core/random.hpp"
#include "program.hpp"

namespace tilewise::test {

constexpr npy::Accepted kAnyArray{.integers = true, .vectors = true};

/// An array of .npy in memory; element (i, j) as f64.
inline npy::Array make_array(Dtype dtype, Order order, std::int64_t rows, std::int64_t columns) {
  npy::Array array{dtype, order, rows, columns, {}};
  array.bytes.resize(static_cast<std::size_t>(rows * columns) * size_of(dtype));
  return array;
}

inline void set(npy::Array& array, std::int64_t i, std::int64_t j, double value) {
  const std::int64_t index =
      array.order == Order::kRowMajor ? i * array.columns + j : j * array.rows + i;
  ASSERT_EQ(
      write_elements(array.dtype, &value, 1, array.bytes.data() + index * size_of(array.dtype)), 1);
}

/// Small integers and halves, the same for the same `stream`: sums of a few hundred of their products are
/// exact in f32.
inline npy::Array random_array(Dtype dtype, Order order, std::int64_t rows, std::int64_t columns,
                               std::uint64_t stream) {
  npy::Array array = make_array(dtype, order, rows, columns);
  const bool whole = dtype == Dtype::kS8 || dtype == Dtype::kU8 || dtype == Dtype::kS32;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto bits = static_cast<std::int64_t>(
          mix64(stream * 1'000'003 + static_cast<std::uint64_t>(i * columns + j)) % 15);
      const std::int64_t least = dtype == Dtype::kU8 ? 0 : -7;
      set(array, i, j, static_cast<double>(bits + least) / (whole ? 1 : 2));
    }
  }
  return array;
}

/// A folder with files, and the program in it.
class GemmFiles : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const npy::Array& array) const {
    npy::write(folder_ / name, array);
    return path(name);
  }
  Outcome gemm(std::vector<std::string> arguments, const Environment& environment = {}) const {
    arguments.insert(arguments.begin(), "gemm");
    return run(arguments, environment);
  }
  /// a.npy (20×30) and b.npy (30×10), both f32.
  void write_small() const {
    write("a.npy", random_array(Dtype::kF32, Order::kRowMajor, 20, 30, 1));
    write("b.npy", random_array(Dtype::kF32, Order::kRowMajor, 30, 10, 2));
  }

  TemporaryFolder folder_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tilewise::test
