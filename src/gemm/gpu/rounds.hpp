// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The order in which the blocks of persistent kernels take tiles, and whether they stay together meanwhile.
#pragma once

#include <cstdint>

#include "gemm/gpu/plan.hpp"
#include "gemm/gpu/problem.hpp"
#include "model/gpu.hpp"

namespace tilewise::gpu {

/// Rows of tiles (of clusters of tiles) that are at work at one time: tiles are numbered down so many, then across.
/// `oriented`: as the kernel reads it.
std::int64_t rows_at_work(const Plan& plan, const Problem& oriented);

/// Rounds of units that blocks begin together (kernels/gemm/rounds.cuh); 0 where the second-level cache has room for what they
/// read however far they drift apart, or there is but one round.
std::int64_t rounds_kept(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// How many of a unit's steps before its end a block says that it has asked for all of it (GemmTiles::round_slack).
short round_slack(const Plan& plan);

}  // namespace tilewise::gpu
