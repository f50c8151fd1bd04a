// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Is a measured product right? Some rows against sums in higher precision, and the whole of C by its
// product with a vector of signs, which is O(n²) work. Of a batch so the first product, the last, and some
// between, and every C by the signs.
#pragma once

#include <cstdint>
#include <string>

#include "bench/gemm_operands.hpp"

namespace tilewise::bench {

struct GemmVerdict {
  bool verified = true;
  double error = 0;   ///< relative Frobenius norm over all sampled rows; NaN where C is
  std::string wrong;  ///< what is wrong, in words
};

/// Holds C of `operands` against alpha·A·B + beta·C, of one product since begin(). Sums are taken in f64, for f64 in long
/// double. A sampled element passes within 2·(k + 4) roundoffs of |alpha|·sum |a||b| + |beta·c|, which no order of summing
/// exceeds; a row whose C·t is further from alpha·A·(B·t) + beta·C·t than 16 standard deviations of the sampled rows' errors
/// is wrong (where few are sampled, of those of plain sums at least). Integers must be exact.
GemmVerdict check_gemm(const GemmOperands& operands, std::uint64_t seed);

}  // namespace tilewise::bench
