// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

/// Rounds of nothing but waits that time out before it is called a deadlock. A kernel that counts its
/// attempts and then does something else gets that many.
constexpr int kMostTimeouts = 1000;

}  // namespace

std::byte* shared_memory(const BlockState& block, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t rank = address >> kRankShift;
  const std::vector<BlockState*>& blocks = block.cluster->blocks;
  if (rank >= blocks.size()) return nullptr;
  const BlockState& owner = *blocks[rank];
  const std::uint64_t offset = address - static_cast<std::uint64_t>(owner.shared_begin);
  if (offset > owner.shared_bytes || bytes > owner.shared_bytes - offset) return nullptr;
  return owner.shared + address;
}

ClusterRunner::ClusterRunner(const LaunchFacts& facts, Worker& worker)
    : facts_(facts), worker_(worker) {
  state_.size = facts.cluster;
  state_.is_explicit = facts.is_explicit_cluster;
  for (std::uint64_t rank = 0; rank < facts.cluster.count(); ++rank) {
    blocks_.push_back(
        std::make_unique<BlockRunner>(facts, worker, state_, static_cast<std::uint32_t>(rank)));
    state_.blocks.push_back(&blocks_.back()->state());
  }
  if (!facts.checker) return;
  checker_ = std::make_unique<Checker>(*facts.checker, state_);
  for (BlockState* block : state_.blocks) block->checker = checker_.get();
}

void ClusterRunner::start(std::uint64_t index) {
  const Dim3 &g = facts_.grid, &c = facts_.cluster;
  const std::uint64_t columns = g.x / c.x, rows = g.y / c.y;
  const std::uint64_t x = index % columns, y = index / columns % rows, z = index / columns / rows;
  state_.queue.set_order(facts_.async_order, facts_.async_seed + index);
  state_.arrived = 0;
  timeouts_ = 0;
  for (std::uint32_t rank = 0; rank < blocks_.size(); ++rank) {
    const Dim3 place{static_cast<std::uint32_t>(x) * c.x + rank % c.x,
                     static_cast<std::uint32_t>(y) * c.y + rank / c.x % c.y,
                     static_cast<std::uint32_t>(z) * c.z + rank / c.x / c.y};
    blocks_[rank]->start(place);
  }
  if (checker_) checker_->start();
}

ClusterRunner::Outcome ClusterRunner::run(std::uint64_t budget) {
  for (;;) {
    bool progress = false, is_done = true;
    for (const auto& block : blocks_) {
      progress |= block->run_warps(budget);
      is_done &= block->is_done();
    }
    progress |= release_cluster_barrier();
    state_.queue.end_round(progress);
    if (is_done) {
      state_.queue.end_cluster(worker_.last_effects);
      if (checker_) checker_->finish();
      return Outcome::kDone;
    }
    if (!progress && !end_lanes_at_exit() && !state_.queue.complete_oldest()) time_out_waits();
    if (budget == 0) return Outcome::kOutOfTime;
  }
}

bool ClusterRunner::end_lanes_at_exit() {
  bool some = false;
  for (const auto& block : blocks_) some |= block->end_lanes_at_exit();
  return some;
}

void ClusterRunner::time_out_waits() {
  if (state_.events != events_seen_) timeouts_ = 0;
  events_seen_ = state_.events;
  bool some = false;
  if (++timeouts_ <= kMostTimeouts) {
    for (const auto& block : blocks_) some |= block->time_out_waits();
  }
  if (!some) report_deadlock();
}

// Threads that exited are not waited for.
bool ClusterRunner::release_cluster_barrier() {
  if (state_.arrived == 0) return false;
  std::uint64_t live = 0;
  for (const auto& block : blocks_) live += block->live_threads();
  if (state_.arrived < live) return false;
  state_.arrived = 0;
  ++state_.phase;
  ++state_.events;
  if (checker_) checker_->cluster_release();
  return true;
}

void ClusterRunner::report_deadlock() const {
  std::string waiting;
  int listed = 0, total = 0;
  std::uint64_t live = 0;
  for (const auto& block : blocks_) {
    block->describe_waits(waiting, listed, total);
    live += block->live_threads();
  }
  const Dim3& b = blocks_[0]->state().index;
  Finding finding;
  finding.check = "sync";
  finding.kind = "deadlock";
  for (const auto& block : blocks_) block->add_waiting_places(finding.places);
  finding.message = fmt::format(
      "kernel {}: deadlock in {} ({}, {}, {}), {} live threads:{}{}", facts_.program->name,
      blocks_.size() > 1 ? "the cluster of block" : "block", b.x, b.y, b.z, live, waiting,
      total > listed ? fmt::format("; and {} more", total - listed) : "");
  throw KernelError(finding.message, {finding});
}

}  // namespace tilewise::vgpu
