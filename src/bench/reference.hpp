// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The f64 reference that results are held against.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/operands.hpp"

namespace tilewise::bench {

/// Some rows of C in f64, or all of them, with what the rounding errors of any order of summing are
/// proportional to.
struct Reference {
  std::int64_t columns = 0;
  std::vector<std::int64_t> rows;  ///< indices in C, ascending
  bool complete = false;           ///< every row of C
  std::vector<double> values;      ///< rows × columns: alpha·A·B + beta·C0
  std::vector<double> magnitudes;  ///< rows × columns: |alpha|·sum|a||b| + |beta||c0|
};

/// The rows that a result is held against: all up to kFullCheckProducts, else 256 (the first, the
/// last, and random ones between).
std::vector<std::int64_t> rows_to_check(const Sizes& sizes, std::uint64_t seed);

/// Computes those rows with every product and sum rounded to f64, k ascending.
template <class T>
Reference make_reference(const Operands<T>& operands, std::vector<std::int64_t> rows);

}  // namespace tilewise::bench
