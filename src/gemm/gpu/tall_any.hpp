// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels for tall products of any alignment (kernels/gemm/tall_any.cuh, tall_long.cuh) are told beside GemmArguments: what would take each
// of their warps hundreds of instructions to work out.
#pragma once

#include "gemm/gpu/plan.hpp"
#include "gemm/gpu/problem.hpp"
#include "kernels/gemm/tall.hpp"

namespace tilewise::gpu {

/// Whether it is for tall products whose factors and results begin anywhere.
bool is_tall_of_any_alignment(const kernels::GemmKernel& kernel);

/// Whether it is one of those that read A in chunks of k.
bool is_of_long_k(const kernels::GemmKernel& kernel);

/// The largest k of which `kernel` holds so many columns of B, or as many of them as it holds at a time.
std::int64_t most_held_k(const kernels::GemmKernel& kernel, std::int64_t columns);

/// Of `arguments`, for such a kernel of so many blocks.
kernels::TallAny tall_any_of(const kernels::GemmArguments& arguments,
                             const kernels::GemmKernel& kernel, std::int64_t blocks);

}  // namespace tilewise::gpu
