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

/// The tiles of C, or clusters of tiles, and how they are numbered (kernels::GemmTiles).
struct TileOrder {
  std::uint32_t down = 1, across = 1;
  std::uint32_t group_rows_log2 = 0, band_columns = 1;
};
/// `oriented`: as the kernel reads it. `blocks`: that run at a time.
TileOrder tile_order(const Plan& plan, const Problem& oriented, std::int64_t blocks);

/// Whether blocks are to be placed in order, and so only when the kernel before has ended: else neighbours are wherever that
/// leaves room. Tiles of 16 bits gain more by it than they wait, as they ask most of the second-level cache, where a block has
/// several of them.
bool wants_order(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// Rounds of units that blocks begin together (kernels/gemm/rounds.cuh); 0 where the second-level cache has room for what they
/// read however far they drift apart, or there is but one round.
std::int64_t rounds_kept(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// How many of a unit's steps before its end a block says that it has asked for all of it (GemmTiles::round_slack).
short round_slack(const Plan& plan);

}  // namespace tilewise::gpu
