// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Is a large product right, and how exact is it? Some rows and columns against sums in higher precision, and
// every row of C through its product with a vector of signs: O(n²) work where the product itself was O(n³).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bench/gpu_product.hpp"

namespace tilewise::bench {

/// Elements of a matrix on the host: `count` from the one at `first` on, every `stride`.
using ReadElements =
    std::function<void(std::int64_t first, std::int64_t stride, std::int64_t count, double* to)>;

/// What was found of one library's C.
struct SampledVerdict {
  bool verified = true;
  double error = 0;  ///< relative Frobenius norm over the sample; NaN where C is
  /// |C - reference| / (|alpha|·sum |a||b| + |beta·c|), the largest of the sample
  double largest_error = 0;
  std::string wrong;  ///< what is wrong, in words
};

/// The reference of one problem, made once for all libraries. Sums are taken in f64, for f64 in long double.
/// The sample holds the first and the last row and column, and random ones between: up to `most` of each,
/// fewer where the work would be long, at least four.
class SampledReference {
 public:
  /// `a`, `b` and, where beta is not 0, `c` read the matrices before the product as they are stored, from their first
  /// element. `column_exponent`, where there is one, says which power of two every column of op(B) is scaled by.
  SampledReference(const GpuProblem& problem, const ReadElements& a, const ReadElements& b,
                   const ReadElements& c, std::uint64_t seed, int most = 24,
                   const std::function<int(std::int64_t)>& column_exponent = {});
  ~SampledReference();
  SampledReference(const SampledReference&) = delete;
  SampledReference& operator=(const SampledReference&) = delete;

  /// Holds C, ldc·m elements of problem.result, against it. An element of the sample passes within the bound
  /// of the arithmetic (error_bound()); a row passes when its product with the signs is no further from
  /// alpha·A·(B·t) + beta·C·t than 32 times what the errors of the sample lead one to expect.
  SampledVerdict check(std::span<const std::byte> c) const;

 private:
  struct Sample;
  std::unique_ptr<Sample> sample_;
};

/// How far an element may be off, relative to |alpha|·sum |a||b| + |beta·c|: 2·(k + 4) roundoffs of the sums, which no order
/// of summing exceeds, tf32's rounding of its factors, and the rounding to a 16-bit result; with beta two of these, as there
/// are kernels of cuBLAS's that round the product before they add.
double error_bound(const GpuProblem& problem);

}  // namespace tilewise::bench
