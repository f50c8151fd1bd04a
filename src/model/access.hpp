// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The access rules: what one warp-wide memory instruction costs, from its addresses alone. Pure
// functions; tests hold them against what an H200 counted (tests/golden/h200/memory_access.csv and
// async_copy.csv).
#pragma once

#include <array>
#include <cstdint>

namespace tilewise::model {

/// One address a lane, in bytes. Lanes outside the active mask are ignored.
using LaneAddresses = std::array<std::uint64_t, 32>;

struct SharedCost {
  int wavefronts = 0;  ///< passes through the shared-memory pipe
  int conflicts = 0;   ///< wavefronts beyond one for each phase
  friend bool operator==(const SharedCost&, const SharedCost&) = default;
};

/// Cost of `ld.shared` with `bytes` (1, 2, 4, 8 or 16) a lane.
SharedCost shared_load(const LaneAddresses& addresses, std::uint32_t active_mask, int bytes);

/// Cost of `st.shared` with `bytes` (1, 2, 4, 8 or 16) a lane. Phases of stores never merge.
SharedCost shared_store(const LaneAddresses& addresses, std::uint32_t active_mask, int bytes);

/// Cost of ldmatrix/stmatrix with `matrices` (1, 2 or 4): `addresses` holds a 16-byte row a lane.
SharedCost shared_matrix(const LaneAddresses& addresses, int matrices);

/// cp.async from `from` in global to `to` in shared memory, `bytes` (4, 8 or 16) a lane.
struct AsyncCopyCost {
  int wavefronts = 0;  ///< passes through the shared-memory pipe
  int conflicts = 0;   ///< wavefronts beyond one for each phase; none are counted with .cg
  int sectors = 0;     ///< of global memory, as they are asked for
  friend bool operator==(const AsyncCopyCost&, const AsyncCopyCost&) = default;
};

/// With .ca lanes that share a bank take turns, of the first-level cache on the one side or of shared
/// memory on the other, with the same address too: tests/golden/README.md has the rule. Lanes outside of
/// `reading` copy no bytes, they only fill with zeros.
AsyncCopyCost async_copy_cached(const LaneAddresses& to, const LaneAddresses& from,
                                std::uint32_t active_mask, std::uint32_t reading, int bytes);

/// With .cg (16 bytes a lane) sectors go from the second-level cache to shared memory, up to four in one
/// wavefront: tests/golden/README.md has the rule.
AsyncCopyCost async_copy_bypassing(const LaneAddresses& to, const LaneAddresses& from,
                                   std::uint32_t active_mask);

/// Distinct 32-byte sectors that the active lanes touch with `bytes` each.
int global_sectors(const LaneAddresses& addresses, std::uint32_t active_mask, int bytes);

}  // namespace tilewise::model
