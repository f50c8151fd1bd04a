// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bench/gpu_product.hpp"
#include "gemm/gpu/plan.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::bench {

/// `problem` with its matrices at these addresses, as the library plans it: C = A·B.
gpu::Problem planned_problem(const GpuProblem& problem, const GpuMatrices& matrices);

/// `problem` by one plan of this library's, whichever it would choose. `context` must outlive it.
std::unique_ptr<GpuProduct> product_by(const gpu::Plan& plan, GpuContext& context,
                                       const GpuProblem& problem);

/// This library, as tilewise/gpu.hpp offers it to everyone. `context` must outlive it.
std::unique_ptr<GpuLibrary> open_own_gpu_library(GpuContext& context);

}  // namespace tilewise::bench
