// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one cluster: its thread blocks in turn, on one host thread. A grid without clusters has clusters
// of one block. When no warp can go on, asynchronous operations take effect; when there are none left,
// waits that time out return (mbarrier.try_wait may), and if that leads nowhere it is a deadlock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/exec/async_queue.hpp"
#include "vgpu/exec/block_runner.hpp"

namespace tilewise::vgpu {

/// What the blocks of a cluster share.
struct ClusterState {
  Dim3 size{1, 1, 1};               ///< in blocks
  bool is_explicit = false;         ///< the launch or the kernel names that size
  std::vector<BlockState*> blocks;  ///< by rank
  AsyncQueue queue;
  std::uint64_t events = 0;  ///< changes that a waiting thread may notice
  // barrier.cluster
  std::uint64_t arrived = 0;  ///< threads, in the current phase
  std::uint64_t phase = 0;
};

/// The host's bytes behind a shared address of any block of the cluster; null when [address, address +
/// bytes) is not inside one.
std::byte* shared_memory(const BlockState& block, std::uint64_t address, std::uint64_t bytes);

class ClusterRunner {
 public:
  ClusterRunner(const LaunchFacts& facts, Worker& worker);

  /// Prepares cluster `index` of the grid.
  void start(std::uint64_t index);

  enum class Outcome { kDone, kOutOfTime };
  /// Runs until the cluster is done, or for about `budget` basic blocks. Throws Error{kExecution}.
  Outcome run(std::uint64_t budget);

 private:
  bool release_cluster_barrier();
  bool end_lanes_at_exit();
  void time_out_waits();
  [[noreturn]] void report_deadlock() const;

  const LaunchFacts& facts_;
  Worker& worker_;
  ClusterState state_;
  std::unique_ptr<Checker> checker_;  ///< null without checks
  std::vector<std::unique_ptr<BlockRunner>> blocks_;
  int timeouts_ = 0;  // in a row, with nothing else happening
  std::uint64_t events_seen_ = 0;
};

}  // namespace tilewise::vgpu
