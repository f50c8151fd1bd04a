// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the clusters of a launch share: places of instructions, footprints of access patterns, the
// records of global memory.
#include <algorithm>

#include "vgpu/exec/async_modes.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

// The smallest element that the kernel accesses, at most a word.
std::uint32_t smallest_element(const Program& program) {
  std::uint32_t bytes = 4;
  for (const Site& site : program.sites) {
    if (site.space == ptx::Space::kConst || site.space == ptx::Space::kParam) continue;
    if (site.element_bytes > 0) bytes = std::min<std::uint32_t>(bytes, site.element_bytes);
  }
  return bytes;
}

}  // namespace

LaunchChecker::LaunchChecker(const Program& program, const Checks& what, const Memory& memory,
                             const Memory& module_memory, const ClusterShape& clusters)
    : checks(what),
      findings(program),
      global(shape, smallest_element(program)),
      shape(clusters),
      granule_bytes(smallest_element(program)),
      copies(program.sites.size()),
      places_(program.instructions.size(), 0),
      instructions_(1, -1),
      footprints_(program.sites.size()),
      memory_(memory) {
  module_memory.mark_all_written();  // variables without a value begin as zeros
  for (const HeldUse& use : program.held_uses) held_uses[use.op].push_back(use);
  const HandlerEntry* const mbarrier = find_handler("mbarrier", true);
  for (const Op& op : program.ops) {
    const bool is_mbarrier = op.full == mbarrier->full || op.body == mbarrier->masked;
    if (is_mbarrier && static_cast<MbarrierKind>(op.mode) == MbarrierKind::kInitialize)
      initializers.push_back(op.instruction);
  }
}

// Numbered as they come: records have few bits. Those beyond share the last number.
std::uint32_t LaunchChecker::new_place(int instruction) {
  const auto place = static_cast<std::uint32_t>(
      std::min<std::size_t>(instructions_.size(), SharedShadow::kMostPlaces));
  if (place < SharedShadow::kMostPlaces) instructions_.push_back(instruction);
  return places_[static_cast<std::size_t>(instruction)] = place;
}

int LaunchChecker::instruction_of(std::uint32_t place) const {
  return place < instructions_.size() ? instructions_[place] : -1;
}

// With a swizzle, where pieces lie depends on bits 7 to 9 of the address, so those are part of the key.
const std::vector<LaunchChecker::MatrixRun>& LaunchChecker::matrix_runs(std::uint64_t descriptor,
                                                                        MatrixMajor major,
                                                                        std::uint32_t first,
                                                                        std::uint32_t rows) {
  constexpr std::uint64_t kFarAddress = 0x3FC0;  // of the descriptor: bits 10 and up of the start
  const auto [known, is_new] =
      matrix_runs_.try_emplace({descriptor & ~kFarAddress, major, first, rows});
  std::vector<MatrixRun>& runs = known->second;
  if (!is_new) return runs;
  const MatrixDescriptor matrix(descriptor);
  std::vector<std::uint32_t> pieces;
  for (std::uint32_t row = first; row < first + rows; row += major == MatrixMajor::kK ? 1 : 8) {
    for (std::uint32_t depth = 0; depth < kDepthBytes; depth += major == MatrixMajor::kK ? 16 : 2)
      pieces.push_back(piece_address(matrix, major, row, depth));
  }
  std::sort(pieces.begin(), pieces.end());
  for (const std::uint32_t piece : pieces) {
    const auto offset = static_cast<std::int32_t>(piece - matrix.start);
    const bool touches = !runs.empty() && offset <= runs.back().offset + static_cast<std::int32_t>(
                                                                             runs.back().bytes);
    if (!touches) runs.push_back({offset, 0});
    runs.back().bytes = static_cast<std::uint32_t>(offset - runs.back().offset) + 16;
  }
  return runs;
}

WrittenBytes* LaunchChecker::find_written(std::uint64_t address) {
  WrittenBytes* found = memory_.written(address);
  if (found) recent_[oldest_++ % recent_.size()] = found;
  return found;
}

Dim3 LaunchChecker::block_index(std::uint32_t block) const {
  const Dim3& g = shape.grid;
  return {block % g.x, block / g.x % g.y, block / g.x / g.y};
}

}  // namespace tilewise::vgpu
