// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a plan would cost, from facts of the GPU: waves of blocks, bytes, launches.
#pragma once

#include "gemm/gpu/plan.hpp"

namespace tilewise::gpu {

/// `oriented`: the problem as the plan's kernel is given it.
Estimate estimate_of(const Plan& plan, const Problem& oriented, const model::Gpu& gpu);

/// Whether a batch has so many tiles of this kernel that what each takes is all that counts (estimate_batch.cpp).
bool is_of_many_tiles(const Problem& oriented, const kernels::GemmKernel& kernel,
                      const model::Gpu& gpu);
/// Whether it is known what a tile takes then.
bool is_known_of_many_tiles(const kernels::GemmKernel& kernel);
/// Of how many kernels.
int known_of_many_tiles();

/// The problem as `kernel` is given it: A and B exchanged where it transposes the result.
Problem oriented_for(const kernels::GemmKernel& kernel, const Problem& problem);

/// Tiles of one matrix C, whole clusters of them.
std::int64_t tiles_of(const Plan& plan, const Problem& oriented);

/// Multiprocessors that have blocks at one time: where blocks come in clusters, some may have none.
std::int64_t blocks_at_a_time(const Plan& plan, const model::Gpu& gpu);

/// Blocks (clusters of blocks) of a persistent kernel that are there at one time, among which streamed tiles are dealt out.
std::int64_t stream_blocks(const Plan& plan, const model::Gpu& gpu);

/// Bytes of a partial sum.
std::uint64_t sum_bytes_of(const Problem& problem);

/// Of A and B in all matrices of a batch, each once.
double factor_bytes(const Problem& problem);

}  // namespace tilewise::gpu
