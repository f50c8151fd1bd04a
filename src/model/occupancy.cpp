// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of NVIDIA's occupancy calculator (CUDA C++ Best Practices Guide, "Calculating
// Occupancy"; the granularities are those the toolkit's cuda_occupancy.h documents).
#include "model/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/divide.hpp"
#include "tilewise/error.hpp"

namespace tilewise::model {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void does_not_fit(const Gpu& gpu, std::string_view what, std::int64_t value,
                               std::string_view expected, std::int64_t most) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} = {}: {} {} on {}", what, value, expected, most, gpu.name));
}

std::int64_t warps_of(const Gpu& gpu, const BlockResources& block) {
  if (block.threads < 1 || block.threads > gpu.max_threads_per_block) {
    does_not_fit(gpu, "threads per block", block.threads, "a block has 1 to",
                 gpu.max_threads_per_block);
  }
  return divide_up(block.threads, gpu.warp_size);
}

// Blocks whose registers fit. A warp's registers come from one of the SM's partitions (one a
// scheduler), so what a partition cannot give to a whole warp is lost.
std::int64_t blocks_by_registers(const Gpu& gpu, const BlockResources& block, std::int64_t warps) {
  if (block.registers_per_thread < 0 || block.registers_per_thread > gpu.max_registers_per_thread) {
    does_not_fit(gpu, "registers per thread", block.registers_per_thread, "a thread has 0 to",
                 gpu.max_registers_per_thread);
  }
  if (block.registers_per_thread == 0) return kUnlimited;
  const std::int64_t per_warp = round_up(std::int64_t{block.registers_per_thread} * gpu.warp_size,
                                         gpu.register_allocation_unit);
  const std::int64_t partitions = std::max(1, gpu.warp_allocation_granularity);
  // The launch check rounds the block's warps up to all partitions; the placement does not.
  const std::int64_t asked = per_warp * round_up(warps, partitions);
  if (asked > gpu.registers_per_block) {
    does_not_fit(gpu, "registers per block", asked, "a block has at most", gpu.registers_per_block);
  }
  const std::int64_t warps_per_partition = gpu.registers_per_sm / partitions / per_warp;
  return warps_per_partition * partitions / warps;
}

std::int64_t blocks_by_shared_memory(const Gpu& gpu, const BlockResources& block) {
  if (block.shared_bytes > gpu.shared_per_block_optin) {
    does_not_fit(gpu, "shared memory per block in bytes", block.shared_bytes, "a block has at most",
                 gpu.shared_per_block_optin);
  }
  const std::int64_t per_block = round_up(
      std::int64_t{block.shared_bytes} + gpu.shared_reserved_per_block, gpu.shared_allocation_unit);
  return per_block == 0 ? kUnlimited : gpu.shared_per_sm / per_block;
}

}  // namespace

std::string_view name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kWarps: return "warps";
    case OccupancyLimit::kBlocks: return "blocks";
    case OccupancyLimit::kRegisters: return "registers";
    case OccupancyLimit::kSharedMemory: return "shared memory";
  }
  return "?";
}

Occupancy occupancy(const Gpu& gpu, const BlockResources& block) {
  const std::int64_t warps = warps_of(gpu, block);
  struct Bound {
    OccupancyLimit limit;
    std::int64_t blocks;
  };
  // In the order in which a tie is told: warps first, for then nothing is lost.
  const std::array<Bound, 4> bounds{{
      {OccupancyLimit::kWarps, gpu.max_warps_per_sm / warps},
      {OccupancyLimit::kRegisters, blocks_by_registers(gpu, block, warps)},
      {OccupancyLimit::kSharedMemory, blocks_by_shared_memory(gpu, block)},
      {OccupancyLimit::kBlocks, gpu.max_blocks_per_sm},
  }};
  const Bound least = *std::min_element(
      bounds.begin(), bounds.end(),
      [](const Bound& left, const Bound& right) { return left.blocks < right.blocks; });

  Occupancy result;
  result.limit = least.limit;
  result.blocks_per_sm = static_cast<int>(least.blocks);
  result.warps_per_sm = static_cast<int>(least.blocks * warps);
  result.fraction = static_cast<double>(result.warps_per_sm) / gpu.max_warps_per_sm;
  return result;
}

}  // namespace tilewise::model
