// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Order between what the agents of a cluster do. An agent is whatever works by itself: a warp, the
// asynchronous copies of a warp, its wgmma operations, an mbarrier (for the copies that report to it).
// Each counts its steps with a clock of its own. Work of agent A at clock c comes before work of B when
// B knows A's clock to have been at least c: knowledge is handed over by barriers, mbarriers, waits,
// and atomics with fences. (Vector clocks: Fidge 1988, Mattern 1989; FastTrack's records: Flanagan and
// Freund 2009.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace tilewise::vgpu {

using Clock = std::uint32_t;

/// By agent, the clock up to which its work is known to be done. Agents that were never heard of: 0.
class VectorClock {
 public:
  Clock operator[](std::size_t agent) const {
    return agent < clocks_.size() ? clocks_[agent] : Clock{0};
  }
  void raise(std::size_t agent, Clock clock);
  void join(const VectorClock& other);
  void clear() { clocks_.clear(); }
  bool empty() const { return clocks_.empty(); }

 private:
  std::vector<Clock> clocks_;
};

/// What is known of other clusters, by the cluster's number. Shared, because all warps of a block
/// usually know the same, and mostly nothing.
using Elsewhere = std::map<std::uint64_t, VectorClock>;

/// All that an agent knows, or that a barrier or a flag passes on.
struct Knowledge {
  VectorClock generic;  ///< of everything
  VectorClock
      async;  ///< of generic writes, as far as fence.proxy.async showed them to the async proxy
  std::shared_ptr<const Elsewhere> elsewhere;

  void join(const Knowledge& other);
  void clear();
  /// The clock of `agent` in another cluster.
  Clock elsewhere_of(std::uint64_t cluster, std::size_t agent) const;
};

/// Joins `more` into `known` (either may be null).
void join_elsewhere(std::shared_ptr<const Elsewhere>& known,
                    const std::shared_ptr<const Elsewhere>& more);

/// What a warp knows. Relaxed accesses hand over what was known at the last fence, and what they learn
/// counts from the next fence on.
struct WarpKnowledge {
  Knowledge now, at_fence, observed;

  void clear();
};

}  // namespace tilewise::vgpu
