// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What of A and B a kernel asks the second-level cache for while its stages are still empty (kernels/gemm/ahead.cuh).
#pragma once

#include "gemm/gpu/plan.hpp"
#include "gemm/gpu/problem.hpp"

namespace tilewise::gpu {

struct Ahead {
  kernels::GemmAhead a, b;
};

/// Of one matrix each, which every block reads from k = 0 on and no pass has brought into the cache before: for other
/// plans, and where even the first k are too much, no lines. `oriented`: as the kernel reads it.
Ahead ahead_of(const Plan& plan, const Problem& oriented);

}  // namespace tilewise::gpu
