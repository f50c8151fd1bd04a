// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How tiles are dealt out to blocks that go down C by rounds (kernels/gemm/outer.cuh).
#pragma once

#include <cstdint>

#include "gemm/gpu/plan.hpp"

namespace tilewise::gpu {

/// Rounds of each block, and blocks one below the other and side by side, of one matrix.
struct OuterRounds {
  std::int64_t rounds = 1, down = 1, across = 1;
};

/// Of `matrices` in one launch: so that multiprocessors have as much to do as each other, and columns of B are fetched
/// by as few blocks as that allows.
/// `is_aligned`: C's rows begin at multiples of 16 bytes.
OuterRounds outer_rounds(const Plan& plan, const Problem& oriented, std::int64_t matrices,
                         bool is_aligned, const model::Gpu& gpu);

}  // namespace tilewise::gpu
