// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one thread block: its warps in turn, each until it waits at a barrier, ends, or has run long
// enough that others must get a chance (spin-waits make progress).
//
// A warp whose lanes disagree at a branch splits. The parts run one after the other and meet again at
// the branch's reconvergence block, as the hardware's convergence barriers make them do; a part that
// runs long gives way to its siblings, so that lanes may wait for each other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "vgpu/exec/warp.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {

/// What all blocks of a launch have in common.
struct LaunchFacts {
  const Program* program = nullptr;
  const Op* ops = nullptr;  ///< program->ops, or the same without counting
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0, dynamic_shared_bytes = 0;
  const std::byte* parameters = nullptr;
  int sm_count = 1;
  std::int64_t reserved_shared = 0;  ///< bytes in front of a block's shared memory
  Dim3 cluster{1, 1, 1};             ///< blocks
  bool is_explicit_cluster = false;
  AsyncOrder async_order = AsyncOrder::kEarliest;
  std::uint64_t async_seed = 0;
  LaunchChecker* checker = nullptr;  ///< null without checks
};

/// Memory for one block's execution; reused from block to block.
class BlockRunner {
 public:
  /// `rank`: in the cluster.
  BlockRunner(const LaunchFacts& facts, Worker& worker, ClusterState& cluster, std::uint32_t rank);

  /// Prepares the block at `index` of the grid.
  void start(const Dim3& index);
  /// Gives every warp that can run one turn, within a budget of basic blocks. Returns whether any ran.
  /// Throws Error{kExecution}.
  bool run_warps(std::uint64_t& budget);
  bool is_done() const;
  /// When nothing can run: ends lanes that have nothing left to do but wait for others of their warp, to
  /// end with them. Returns whether there were any.
  bool end_lanes_at_exit();
  /// Lets waits for mbarriers that are not over return all the same. Returns whether there were any.
  bool time_out_waits();
  std::uint64_t live_threads() const;
  BlockState& state() { return state_; }
  const BlockState& state() const { return state_; }
  /// Appends what its parts wait for to the text of a message, up to a few.
  void describe_waits(std::string& text, int& listed, int& total) const;
  /// Appends where each of them waits.
  void add_waiting_places(std::vector<Finding::Place>& places) const;

 private:
  struct Meeting {  ///< where parts of a split warp meet again
    int block = -1;
    int parent = -1;
    std::uint32_t expected = 0, arrived = 0;
  };
  enum class State : std::uint8_t {
    kReady,
    kAtBarrier,
    kAtWarpBarrier,
    kAtClusterBarrier,
    kAtMbarrier
  };
  struct Part {
    std::uint32_t mask = 0;
    int block = 0;
    int meeting = -1;
    State state = State::kReady;
    std::uint32_t barrier = 0;  ///< its number, or the lanes waited for
    std::uint32_t done = 0;     ///< operations of the basic block that it is in the middle of
  };
  struct WarpState {
    Warp warp;
    std::vector<Part> parts;
    std::vector<Meeting> meetings;
    std::uint64_t cluster_phase = 0;  ///< of barrier.cluster, when the warp last arrived
  };
  struct Barrier {
    std::uint64_t arrived = 0;   ///< threads
    std::uint64_t expected = 0;  ///< threads; 0: all that live
    std::uint64_t popc = 0;
    bool all = true, any = false;
  };

  bool run_warp(WarpState& w, std::uint64_t& budget);
  bool run_part(WarpState& w, std::size_t index, std::uint64_t& budget);
  void branch(WarpState& w, std::size_t index, std::uint32_t taken, int target, int next);
  void indexed_branch(WarpState& w, std::size_t index, const Terminator& t);
  void end_lanes(WarpState& w, std::size_t index, std::uint32_t lanes);
  bool arrive_at_meetings(WarpState& w, std::size_t& index);
  int new_meeting(WarpState& w, int block, int parent, std::uint32_t expected);
  void forget_lanes(WarpState& w, std::uint32_t lanes);
  void arrive_at_barrier(WarpState& w, std::size_t index, const Terminator& t);
  void release_barriers();
  void arrive_at_warp_barrier(WarpState& w, std::size_t index, const Terminator& t);
  void release_warp_barriers(WarpState& w);
  static void deliver_reduction(WarpState& w, const Part& part, const Terminator& t,
                                const Barrier& barrier);
  void arrive_at_cluster_barrier(WarpState& w, std::size_t index, const Terminator& t);
  bool may_go_on(WarpState& w, Part& part);
  std::uint32_t lanes_past(WarpState& w, const Part& part, const Terminator& t) const;
  void end_wait(WarpState& w, Part& part, std::uint32_t passed);
  std::string what_it_waits_for(const WarpState& w, const Part& part) const;
  void check_arrival(WarpState& w, const Part& part, const Terminator& t);
  void check_release(std::uint32_t id);

  const LaunchFacts& facts_;
  Worker& worker_;
  BlockState state_;
  std::vector<WarpState> warps_;
  struct AlignedFree {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  using AlignedBytes = std::unique_ptr<std::byte[], AlignedFree>;
  static AlignedBytes allocate(std::size_t bytes);
  AlignedBytes registers_, shared_, local_;
  std::vector<std::uint32_t> predicates_;
  std::array<Barrier, 16> barriers_;
  std::size_t turn_ = 0;
};

}  // namespace tilewise::vgpu
