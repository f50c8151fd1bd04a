// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/observe/clocks.hpp"

namespace tilewise::vgpu {

void VectorClock::raise(std::size_t agent, Clock clock) {
  if (agent >= clocks_.size()) clocks_.resize(agent + 1, 0);
  clocks_[agent] = std::max(clocks_[agent], clock);
}

void VectorClock::join(const VectorClock& other) {
  if (other.clocks_.size() > clocks_.size()) clocks_.resize(other.clocks_.size(), 0);
  for (std::size_t i = 0; i < other.clocks_.size(); ++i)
    clocks_[i] = std::max(clocks_[i], other.clocks_[i]);
}

void join_elsewhere(std::shared_ptr<const Elsewhere>& known,
                    const std::shared_ptr<const Elsewhere>& more) {
  if (!more || more == known) return;
  if (!known) {
    known = more;
    return;
  }
  auto both = std::make_shared<Elsewhere>(*known);
  for (const auto& [cluster, clocks] : *more) (*both)[cluster].join(clocks);
  known = std::move(both);
}

void Knowledge::join(const Knowledge& other) {
  generic.join(other.generic);
  async.join(other.async);
  join_elsewhere(elsewhere, other.elsewhere);
}

void Knowledge::clear() {
  generic.clear();
  async.clear();
  elsewhere.reset();
}

Clock Knowledge::elsewhere_of(std::uint64_t cluster, std::size_t agent) const {
  if (!elsewhere) return 0;
  const auto found = elsewhere->find(cluster);
  return found == elsewhere->end() ? 0 : found->second[agent];
}

void WarpKnowledge::clear() {
  now.clear();
  at_fence.clear();
  observed.clear();
}

}  // namespace tilewise::vgpu
