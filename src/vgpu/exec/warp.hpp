// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an operation sees while it runs: one warp of one block, and the access sites of its host thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/dim3.hpp"
#include "vgpu/exec/async_queue.hpp"
#include "vgpu/exec/program.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

class Checker;

inline constexpr int kLanes = 32;
/// Where the shared and local windows lie in generic addresses. No host address looks like these.
inline constexpr std::uint64_t kSharedWindow = 0x5300'0000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x4C00'0000'0000'0000;
inline constexpr std::uint64_t kWindowMask = 0xFF00'0000'0000'0000;

/// Whether `bytes` bytes at an address lie in [begin, end). The address is the kernel's: a sum may wrap around.
inline bool lies_in(std::uint64_t address, std::uint64_t bytes, std::uint64_t begin,
                    std::uint64_t end) {
  return address >= begin && address <= end && bytes <= end - address;
}

/// Remembers what an access with these relative addresses costs. Costs of shared memory do not change
/// when all addresses move by a multiple of four bytes; those of global memory only with the place in
/// a sector.
struct AccessPattern {
  std::uint64_t serial = 0;                    ///< a number of its own, from 1
  alignas(64) std::uint64_t deltas[kLanes];    ///< from the first active lane
  alignas(64) std::uint32_t deltas32[kLanes];  ///< the same, for 32-bit addresses
  std::uint32_t mask = 0;                      ///< 0: empty
  std::uint8_t low_bits = 0;                   ///< address & 3 of the first lane, for 1 and 2 bytes
  bool aligned = false;
  bool broadcast = false, contiguous = false;
  std::int64_t lowest = 0,
               highest = 0;  ///< of deltas; at most kFarthest from 0, which leaves any memory
  static constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
  std::uint32_t wavefronts = 0, conflicts = 0;
  std::uint8_t sectors[32];  ///< by address & 31; 0: not computed yet
};

/// Counters and memo of one Site on one host thread.
struct AccessSite {
  static constexpr int kPatterns = 4;
  AccessPattern patterns[kPatterns];
  int recent = 0, oldest = 0;
  std::uint64_t instructions = 0, wavefronts = 0, conflicts = 0, sectors = 0;
  std::uint64_t shared_instructions = 0;  ///< of generic accesses, which count both ways
  std::uint64_t begin = 0, end = 0;       ///< allocation that was last accessed
};

/// What belongs to a host thread for the length of a launch.
struct Worker {
  const Program* program = nullptr;
  const Op *checked_ops = nullptr, *unchecked_ops = nullptr;  ///< when checks are on
  std::uint64_t patterns_built = 0;
  const Memory* memory = nullptr;
  const Memory* module_memory = nullptr;
  Memory::Range parameters;                 ///< of the launch: kernels may take their address
  AccessSite* site_data = nullptr;          ///< by site
  std::vector<AccessSite> sites;            ///< what site_data points into
  std::vector<std::uint64_t> block_runs;    ///< by block: how often a warp ran it
  std::vector<std::uint64_t> block_lanes;   ///< by block: lanes that ran it
  std::uint64_t guarded_lanes = 0;          ///< lanes that ran guarded instructions
  std::vector<std::uint64_t> guarded_fmas;  ///< by instruction: lanes
  std::vector<std::uint64_t> bulk_bytes;    ///< by bulk copy: bytes it moved
  std::vector<std::uint64_t> matrix_runs;   ///< by MatrixOp: how often a warp ran it
  /// What takes effect when the whole grid is done: writes that nobody waited for (AsyncOrder::kLatest).
  std::vector<std::function<void()>> last_effects;
  /// Where printf goes; safe to share.
  const std::function<void(std::string_view)>* print = nullptr;
  Numerics numerics = Numerics::kSm90;
};

struct ClusterState;

/// Shared addresses hold the rank of their block in its cluster above this bit, as on hardware: one
/// address means the same byte in every block of the cluster.
inline constexpr int kRankShift = 24;

/// Shared memory of a block begins behind what Hopper keeps for itself.
inline constexpr std::int64_t kHopperReservedShared = 1024;

/// The block a warp belongs to, as operations see it.
struct BlockState {
  Dim3 grid, block, index;
  std::byte* shared =
      nullptr;  ///< where the shared address 0 would be: add an address of the block
  std::int64_t shared_begin = 0;     ///< the block's first shared address: its rank, shifted, and
  std::int64_t reserved_shared = 0;  ///< what lies in front of it
  std::uint32_t shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint32_t rank = 0;  ///< in the cluster
  ClusterState* cluster = nullptr;
  Checker* checker = nullptr;  ///< of the cluster; null without checks
  const std::byte* parameters = nullptr;
  std::uint64_t grid_id = 0;
  int sm = 0, sm_count = 1;
};

struct Warp {
  std::byte* registers = nullptr;
  std::uint32_t* predicates = nullptr;
  std::uint32_t active = 0;  ///< lanes that execute the current operation
  std::uint32_t live = 0;    ///< lanes that exist and have not exited
  int index = 0;             ///< in its block
  std::byte* local = nullptr;
  std::uint32_t local_bytes = 0;  ///< a lane
  BlockState* block = nullptr;
  Worker* worker = nullptr;
  std::uint32_t carry = 0;                 ///< condition code of add.cc and its like
  bool yields = false;                     ///< nanosleep: let others run
  AsyncGroups copy_groups, matrix_groups;  ///< of cp.async, wgmma
  AsyncGroups bulk_reads, bulk_writes;     ///< both halves of bulk copies to global memory
  alignas(64) std::uint32_t tid[3][kLanes];

  int first_lane() const { return std::countr_zero(active) & (kLanes - 1); }
};

/// Where a shared address lies in the shared memory of its block, be it the warp's or another's.
inline std::uint32_t offset_of(const Warp& warp, std::uint64_t address) {
  const auto in_window = static_cast<std::uint32_t>(address) & ((1u << kRankShift) - 1);
  return in_window - static_cast<std::uint32_t>(warp.block->reserved_shared);
}

enum class Fault { kOutOfBounds, kMisaligned, kTrap, kPartialWarp };

/// Throws Error{kExecution} that says what a lane did, where. `address` and `bytes` as the kernel sees
/// them; for kPartialWarp `address` holds the active lanes.
[[noreturn]] void fault(const Warp& warp, const Op& op, Fault kind, int lane, std::uint64_t address,
                        int bytes);

/// Fills `pattern` for these addresses (one a lane) of `op`'s site.
void build_pattern(const Warp& warp, const Op& op, const std::uint64_t* addresses,
                   std::uint32_t mask, AccessPattern& pattern);

/// Sectors that the access touches when its first lane is at `address`.
std::uint8_t count_sectors(const Site& site, const AccessPattern& pattern, std::uint64_t address);

/// Points the site at the allocation that holds the whole access, or faults.
void find_range(const Warp& warp, const Op& op, AccessSite& site, const std::uint64_t* addresses);

/// The same for one lane.
void find_lane_range(const Warp& warp, const Op& op, AccessSite& site, int lane,
                     std::uint64_t address, int bytes);

/// Counts a generic access whose lanes `shared` and `global` point into those spaces.
void count_generic_access(Warp& warp, const Op& op, const std::uint64_t* addresses,
                          std::uint32_t shared, std::uint32_t global);

/// The handlers of one spelling.
struct HandlerEntry {
  const char* key;
  Handler full, masked;
};

/// The table of the instruction-set level in use (exec/handlers_*.cpp), by key; nullptr if unknown.
const HandlerEntry* find_handler(std::string_view key, bool counting);

}  // namespace tilewise::vgpu
