// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_product.hpp"

#include <fmt/format.h>

#include <string_view>

#include "gemm/gpu/plan.hpp"

namespace tilewise::bench {

double GpuProblem::flops() const {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k) * static_cast<double>(shape.batch);
}

double GpuProblem::compulsory_bytes() const {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  return static_cast<double>(shape.batch) *
         ((m * k + k * n) * static_cast<double>(size_of(dtype)) +
          (scaling.beta == 0 ? 1 : 2) * m * n * static_cast<double>(size_of(result)));
}

std::string GpuProblem::name() const {
  const std::string_view how = mode == ComputeMode::kIeee ? "" : gpu::name_of(mode);
  return fmt::format("{}{}{} {}", name_of(dtype), how.empty() ? "" : " ", how, shape_name(shape));
}

GpuProblem make_problem(const GemmShape& shape, Dtype dtype, Dtype result, ComputeMode mode,
                        std::int64_t gap, const Scaling& scaling) {
  GpuProblem problem{shape, dtype, result, mode};
  problem.lda = (shape.trans_a ? shape.m : shape.k) + gap;
  problem.ldb = (shape.trans_b ? shape.k : shape.n) + gap;
  problem.ldc = shape.n + gap;
  problem.scaling = rounded_to(scaling, dtype);
  return problem;
}

}  // namespace tilewise::bench
