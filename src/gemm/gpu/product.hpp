// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From the arguments of a call to launches: what the C++ and the C interface have in common.
#pragma once

#include "gemm/arguments.hpp"
#include "gemm/gpu/context.hpp"
#include "gemm/gpu/problem.hpp"
#include "gemm/gpu/tuned.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::gpu {

/// What the arguments are called in messages, beside those of matrices.
struct Names {
  api::Names matrices;
  const char *alpha, *beta, *mode, *workspace, *workspace_bytes;
};
/// The words of tilewise/gpu.hpp.
extern const Names kViewNames, kBatchNames;

/// The arguments of one call without their types.
struct Call {
  Dtype operand, result;
  std::int64_t count;
  Scalar alpha;
  api::Batch a, b;
  Scalar beta;
  api::Batch c;
  GpuGemmOptions options;
};

/// Checks everything, plans, launches: gemm() and gemm_batch() of tilewise/gpu.hpp.
void multiply(const GpuContext& context, const Call& call, const Names& names);

/// Puts the launches of a plan into the stream, in memory of the context: multiply() once all is checked.
void run(GpuContext::State& state, const Plan& plan, const Problem& problem,
         device::Stream& stream);

/// What multiply() would run, without a workspace of the caller's.
Choice choice_for(const GpuContext::State& state, const Problem& problem);

/// Checks everything and plans, without a limit: gemm_workspace() and gemm_batch_workspace().
std::int64_t workspace_bytes(const GpuContext& context, const Call& call, const Names& names);

}  // namespace tilewise::gpu
