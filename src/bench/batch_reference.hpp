// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Is a batch right? Some of its products as sampled_check.hpp does with one, and of all others, where beta is 0, whether
// every element of C was written at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bench/gpu_product.hpp"
#include "bench/sampled_check.hpp"

namespace tilewise::bench {

/// The reference of `problem.shape.batch` products, made once for all libraries: of the first, the last, and
/// random ones between, up to sixteen. Of a single product it is that of this one.
class BatchReference {
 public:
  /// The arguments of SampledReference; `a`, `b` and `c` read all matrices, which follow one another without gaps.
  BatchReference(const GpuProblem& problem, const ReadElements& a, const ReadElements& b,
                 const ReadElements& c, std::uint64_t seed,
                 const std::function<int(std::int64_t)>& column_exponent = {});

  /// Holds C, batch·ldc·m elements of problem.result that were NaN before, or `c`, against it. Errors are those of all
  /// sampled products together: the root of the mean of their squares, and the largest.
  SampledVerdict check(std::span<const std::byte> c) const;

 private:
  GpuProblem problem_;
  std::vector<std::pair<std::int64_t, std::unique_ptr<SampledReference>>> samples_;
};

}  // namespace tilewise::bench
