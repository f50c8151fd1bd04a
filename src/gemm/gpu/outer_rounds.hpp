// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How tiles are dealt out to blocks that go down C by rounds (kernels/gemm/outer.cuh).
#pragma once

#include <cstdint>

#include "gemm/gpu/plan.hpp"

namespace tilewise::gpu {

/// Rounds of each block, in each how often its warps go along a row, and columns of C that a block stores; blocks one below the
/// other and side by side, of one matrix.
struct OuterRounds {
  std::int64_t rounds = 1, passes = 1, columns = 0, down = 1, across = 1;
};

/// Of `matrices` in one launch: so that multiprocessors have as much to do as each other, and columns of B and rows of A are
/// fetched by as few blocks as that allows.
/// `alignment`: of C's rows, as outer_columns_stored() takes it.
OuterRounds outer_rounds(const Plan& plan, const Problem& oriented, std::int64_t matrices,
                         int alignment, const model::Gpu& gpu);

}  // namespace tilewise::gpu
