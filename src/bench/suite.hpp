// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which products a benchmark measures: CSV files with a line a product.
//
//   group,trans_a,trans_b,m,n,k,batch
//   square,N,N,1024,1024,1024,1
//
// Without the columns trans_a and trans_b nothing is transposed, without batch each product stands alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"

namespace tilewise::bench {

/// C = op(A)·op(B) with op(A) m×k, op(B) k×n, all row-major without gaps; a transposed matrix is stored
/// k×m or n×k.
struct GemmShape {
  std::string group;
  bool trans_a = false, trans_b = false;
  std::int64_t m = 0, n = 0, k = 0;  ///< elements, at least 1
  std::int64_t batch = 1;            ///< so many products, whose matrices follow one another
};

/// C = alpha·op(A)·op(B) + beta·C.
struct Scaling {
  double alpha = 1, beta = 0;
  bool operator==(const Scaling&) const = default;
};

/// "alpha 1, beta 0".
std::string scaling_name(const Scaling& scaling);

/// As a product of this dtype takes it: in f64 as it is, else rounded to f32.
Scaling rounded_to(const Scaling& scaling, Dtype operands);

/// "NN", "NT", "TN", "TT".
std::string transposition_name(const GemmShape& shape);

/// "1024x1024x64 NT", "64x64x64 NN, 16 times".
std::string shape_name(const GemmShape& shape);

/// The products of the CSV text `text`; `name` is what errors call it. Throws Error{kInvalidInput} naming
/// the line and the field.
std::vector<GemmShape> parse_suite(std::string_view text, const std::string& name);

/// The suite `name`: "cpu", "gpu", "batch" and "short" are part of the program, everything else is a file. Throws
/// Error{kInvalidInput}.
std::vector<GemmShape> load_suite(const std::string& name);

/// A suite that is part of the program: the files of bench/suites/.
struct EmbeddedSuite {
  std::string_view name, text;
};
std::vector<EmbeddedSuite> embedded_suites();

}  // namespace tilewise::bench
