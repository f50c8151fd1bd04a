// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The order that barriers, fences and flags make.
#include "vgpu/observe/checker.hpp"

#include "vgpu/exec/cluster.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::uint32_t kAgents = ClusterShape::kAgentsPerWarp;

}  // namespace

Checker::Checker(LaunchChecker& launch, const ClusterState& cluster)
    : launch_(launch),
      cluster_(cluster),
      warps_per_block_(launch.shape.warps_per_block),
      warps_(cluster.blocks.size() * warps_per_block_),
      clocks_(warps_.size(), 1),
      groups_(warps_.size()),
      barriers_(cluster.blocks.size()),
      held_(warps_.size()),
      register_counts_(warps_.size()),
      published_(warps_.size()) {
  for (const BlockState* block : cluster.blocks)
    shadows_.emplace_back(block->shared_bytes, launch.granule_bytes);
}

void Checker::start() {
  for (SharedShadow& shadow : shadows_) shadow.reset();
  for (auto& groups : groups_) groups.fill({});
  mbarriers_.clear();
  for (auto& held : held_) held.clear();
  for (auto& counts : register_counts_) counts.clear();
  forget_order();
}

void Checker::forget_order() {
  for (auto& barriers : barriers_) barriers.fill({});
  cluster_arrivals_.clear();
  cluster_barrier_.clear();
  flags_.clear();
  for (auto& [address, order] : mbarriers_) {
    order.pending.clear();
    order.completed.clear();
  }
  for (std::uint32_t i = 0; i < warps_.size(); ++i) {
    warps_[i].clear();
    published_[i].reset();
    clocks_[i] = 1;
    warps_[i].now.generic.raise(i * kAgents, 1);
  }
}

std::uint32_t Checker::index_of(const Warp& warp) const {
  return warp.block->rank * warps_per_block_ + static_cast<std::uint32_t>(warp.index);
}

// What the warp does from now on is not what it has handed over.
void Checker::tick(const Warp& warp) {
  const std::uint32_t index = index_of(warp);
  if (++clocks_[index] > SharedShadow::kLastClock) forget();
  warps_[index].now.generic.raise(index * kAgents, clocks_[index]);
}

// Records have few bits for clocks. After 131071 releases of a warp, what happened before is forgotten:
// conflicts across that moment are not found, and none is made up.
void Checker::forget() {
  for (SharedShadow& shadow : shadows_) shadow.forget();
  for (auto& groups : groups_) groups.fill({});
  forget_order();
}

void Checker::fence(Warp& warp) {
  const std::uint32_t index = index_of(warp);
  WarpKnowledge& known = warps_[index];
  known.now.join(known.observed);
  known.observed.clear();
  known.at_fence = known.now;
  published_[index].reset();
  tick(warp);
}

void Checker::proxy_fence(Warp& warp) {
  Knowledge& now = warps_[index_of(warp)].now;
  now.async.join(now.generic);
  tick(warp);
}

void Checker::arrive(Warp& warp, std::uint32_t barrier) {
  barriers_[warp.block->rank][barrier].join(warps_[index_of(warp)].now);
  tick(warp);
}

void Checker::leave(Warp& warp, std::uint32_t barrier) {
  warps_[index_of(warp)].now.join(barriers_[warp.block->rank][barrier]);
}

void Checker::reset_barrier(const Warp& warp, std::uint32_t barrier) {
  barriers_[warp.block->rank][barrier].clear();
}

void Checker::cluster_arrive(Warp& warp, bool releases) {
  const WarpKnowledge& known = warps_[index_of(warp)];
  cluster_arrivals_.join(releases ? known.now : known.at_fence);
  if (releases) tick(warp);
}

void Checker::cluster_release() {
  cluster_barrier_ = std::move(cluster_arrivals_);
  cluster_arrivals_.clear();
}

void Checker::cluster_leave(Warp& warp) { warps_[index_of(warp)].now.join(cluster_barrier_); }

// Where no flag is set and nothing was released, strong accesses pass nothing on.
bool Checker::may_synchronise(const Warp& warp, ptx::Space space, const AccessFacts& facts) const {
  const bool has_flags = space == ptx::Space::kShared ? !flags_.empty() : !launch_.flags.empty();
  if (has_flags && (!facts.is_write || facts.is_atomic)) return true;
  return facts.is_write && (facts.releases || !warps_[index_of(warp)].at_fence.generic.empty());
}

// Atomics and volatile accesses: flags that one side sets and the other looks at.
void Checker::synchronise_shared(Warp& warp, std::uint64_t address, const AccessFacts& facts) {
  WarpKnowledge& known = warps_[index_of(warp)];
  if (!facts.is_write || facts.is_atomic) {
    const auto flag = flags_.find(address);
    if (flag != flags_.end()) (facts.acquires ? known.now : known.observed).join(flag->second);
  }
  if (!facts.is_write) return;
  const Knowledge& given = facts.releases ? known.now : known.at_fence;
  if (given.generic.empty()) return;
  flags_[address].join(given);
  if (facts.releases) tick(warp);
}

void Checker::synchronise_global(Warp& warp, std::uint64_t address, const AccessFacts& facts) {
  const std::uint32_t index = index_of(warp);
  WarpKnowledge& known = warps_[index];
  const Dim3 &g = warp.block->grid, &b = cluster_.blocks[0]->index;
  const std::uint64_t cluster = b.x + std::uint64_t{g.x} * (b.y + std::uint64_t{g.y} * b.z);
  if (!facts.is_write || facts.is_atomic) {
    const auto flag = launch_.flags.find(address);
    if (flag != launch_.flags.end()) {
      Knowledge& learns = facts.acquires ? known.now : known.observed;
      join_elsewhere(learns.elsewhere, flag->second);
      const auto own = flag->second->find(cluster);
      if (own != flag->second->end()) learns.generic.join(own->second);
    }
  }
  if (!facts.is_write) return;
  const Knowledge& given = facts.releases ? known.now : known.at_fence;
  if (given.generic.empty()) return;
  if (facts.releases || !published_[index]) {
    auto all = given.elsewhere ? std::make_shared<Elsewhere>(*given.elsewhere)
                               : std::make_shared<Elsewhere>();
    (*all)[cluster].join(given.generic);
    published_[index] = std::move(all);
  }
  join_elsewhere(launch_.flags[address], published_[index]);
  if (facts.releases) {
    published_[index].reset();
    tick(warp);
  }
}

}  // namespace tilewise::vgpu
