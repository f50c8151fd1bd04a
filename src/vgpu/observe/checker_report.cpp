// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How the checkers say what they found.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "vgpu/exec/cluster.hpp"
#include "vgpu/observe/checker.hpp"

namespace tilewise::vgpu {
namespace {

std::uint32_t mask_of(std::uint8_t lane, std::uint32_t all) {
  return lane < kLanes ? 1u << lane : all;
}

std::string_view race_kind(bool is_write, bool earlier_is_write, bool is_shared) {
  if (is_write && earlier_is_write) {
    return is_shared ? "write-after-write in shared memory" : "write-after-write in global memory";
  }
  if (is_write) {
    return is_shared ? "write-after-read in shared memory" : "write-after-read in global memory";
  }
  return is_shared ? "read-after-write in shared memory" : "read-after-write in global memory";
}

enum AgentKind : std::uint32_t {
  kWarpAgent,
  kCopyAgent,
  kBulkAgent,
  kWgmmaAgent,
  kBulkWriterAgent,
  kMbarrierAgent
};
static_assert(static_cast<std::uint32_t>(kBulkWriterAgent) == ClusterShape::kBulkWriter);

// What to do about an access that is not ordered after `earlier`.
std::string_view advice(AgentKind earlier) {
  switch (earlier) {
    case kWarpAgent:
      return "put a barrier between them (__syncthreads(), or whatever the two sides share)";
    case kCopyAgent:
      return "wait for the copy first (cp.async.wait_group or an mbarrier), then a barrier for the "
             "other warps";
    case kBulkAgent:
      return "wait until the copy has read it (cp.async.bulk.wait_group.read), then a barrier for "
             "the "
             "other warps";
    case kWgmmaAgent:
      return "wait for the products first (wgmma.wait_group), then hand the buffer over";
    case kBulkWriterAgent:
      return "wait until the copy has written it (cp.async.bulk.wait_group without .read), then a "
             "barrier for the other warps";
    case kMbarrierAgent: return "wait for this phase of the copy's mbarrier first";
  }
  return "";
}

/// Conflicts of one access with one instruction of one agent.
template <class Record> struct Group {
  Record first;
  std::uint32_t lanes = 0, earlier_lanes = 0;
};

}  // namespace

std::string Checker::name_of_agent(std::uint32_t agent, std::uint32_t lanes) const {
  constexpr std::uint32_t kAgents = ClusterShape::kAgentsPerWarp;
  const std::uint32_t index = agent / kAgents;
  if (index >= warps_.size()) return "a bulk copy";
  const std::string warp = who_name(cluster_.blocks[index / warps_per_block_]->index,
                                    static_cast<int>(index % warps_per_block_),
                                    agent % kAgents == kWarpAgent ? lanes : 0);
  switch (agent % kAgents) {
    case kCopyAgent: return "a cp.async of " + warp;
    case kBulkAgent: return "a bulk copy of " + warp;
    case kWgmmaAgent: return "a wgmma of " + warp;
    default: return warp;
  }
}

Finding::Place Checker::place_of_warp(std::uint32_t index, int instruction,
                                      std::uint32_t lanes) const {
  const Dim3& block = cluster_.blocks[index / warps_per_block_]->index;
  return place_of(launch_.findings.program(), instruction,
                  who_name(block, static_cast<int>(index % warps_per_block_), lanes));
}

void Checker::report_at(const Finding::Place& place, int instruction, const char* check,
                        const char* kind, const std::string& message) {
  launch_.findings.add({kind, instruction, -1}, [&] {
    Finding finding;
    finding.check = check;
    finding.kind = kind;
    finding.places = {place};
    finding.message = fmt::format("{} ({}) {}", place.who, line_of(place), message);
    return finding;
  });
}

void Checker::report(Warp& warp, int instruction, std::uint32_t lanes, const char* check,
                     const char* kind, const std::string& message) {
  report_at(place_of_warp(index_of(warp), instruction, lanes), instruction, check, kind, message);
}

void Checker::report_shared(Warp& warp, int instruction, std::uint32_t rank, Granules g,
                            const std::vector<Conflict>& conflicts, bool is_write) {
  const Program& program = launch_.findings.program();
  std::vector<Group<Conflict>> groups;
  for (const Conflict& c : conflicts) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group<Conflict>& other) {
      return other.first.kind == c.kind && other.first.earlier.place == c.earlier.place &&
             other.first.earlier.agent == c.earlier.agent;
    });
    if (group == groups.end()) group = groups.insert(group, {c});
    group->lanes |= mask_of(g.lanes ? g.lanes[c.granule - g.begin] : kManyLanes, warp.active);
    group->earlier_lanes |= mask_of(c.lane, ~0u);
  }
  for (const Group<Conflict>& group : groups) {
    const Conflict& c = group.first;
    const std::uint32_t offset = c.granule * launch_.granule_bytes;
    if (c.kind == Conflict::kUnwritten) {
      report(warp, instruction, group.lanes, "uninitialized", "read of shared memory nothing wrote",
             fmt::format("reads shared memory at offset {} that nothing in the block has written; "
                         "write it first, or check the index",
                         offset));
      continue;
    }
    if (!launch_.checks.races) continue;
    const int earlier = launch_.instruction_of(c.earlier.place);
    const std::string_view kind = c.kind == Conflict::kProxy
                                      ? "missing fence.proxy.async"
                                      : race_kind(is_write, c.kind == Conflict::kWrite, true);
    launch_.findings.add({kind, instruction, earlier}, [&] {
      Finding f;
      f.check = "races";
      f.kind = kind;
      const std::string_view who_else = warp.block->rank != rank ? " of another block" : "";
      f.places.push_back(
          place_of(program, instruction, who_name(warp.block->index, warp.index, group.lanes)));
      f.places.push_back(
          place_of(program, earlier, name_of_agent(c.earlier.agent, group.earlier_lanes)));
      const bool is_mbarrier = c.earlier.agent >= warps_.size() * ClusterShape::kAgentsPerWarp;
      const auto agent =
          is_mbarrier ? kMbarrierAgent
                      : static_cast<AgentKind>(c.earlier.agent % ClusterShape::kAgentsPerWarp);
      f.message = fmt::format(
          "{} ({}) {} shared memory{} at offset {}, which {} ({}) {}, and nothing orders the two: "
          "{}",
          f.places[0].who, line_of(f.places[0]), is_write ? "writes" : "reads", who_else, offset,
          f.places[1].who, line_of(f.places[1]), c.kind == Conflict::kRead ? "reads" : "writes",
          c.kind == Conflict::kProxy
              ? "the async proxy sees ordinary writes only after fence.proxy.async by the writer"
              : advice(agent));
      return f;
    });
  }
}

void Checker::report_global(Warp& warp, int instruction, std::uint64_t begin,
                            const std::uint8_t* lanes, const std::vector<GlobalConflict>& conflicts,
                            bool is_write) {
  const Program& program = launch_.findings.program();
  std::vector<Group<GlobalConflict>> groups;
  for (const GlobalConflict& c : conflicts) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group<GlobalConflict>& other) {
          return other.first.kind == c.kind && other.first.earlier.place == c.earlier.place &&
                 other.first.earlier.block == c.earlier.block;
        });
    if (group == groups.end()) group = groups.insert(group, {c});
    const std::uint64_t at = (c.address - begin) / launch_.granule_bytes;
    group->lanes |= mask_of(lanes ? lanes[at] : kManyLanes, warp.active);
    group->earlier_lanes |= mask_of(c.lane, ~0u);
  }
  for (const Group<GlobalConflict>& group : groups) {
    const GlobalConflict& c = group.first;
    const int earlier = launch_.instruction_of(c.earlier.place);
    const std::string_view kind = race_kind(is_write, c.kind == GlobalConflict::kWrite, false);
    launch_.findings.add({kind, instruction, earlier}, [&] {
      Finding f;
      f.check = "races";
      f.kind = kind;
      f.places.push_back(
          place_of(program, instruction, who_name(warp.block->index, warp.index, group.lanes)));
      const bool is_bulk_write = c.earlier.is_async && c.kind == GlobalConflict::kWrite;
      const std::string earlier_warp =
          who_name(launch_.block_index(c.earlier.block), static_cast<int>(c.earlier.warp),
                   is_bulk_write ? 0 : group.earlier_lanes);
      f.places.push_back(place_of(program, earlier,
                                  is_bulk_write ? "a bulk copy of " + earlier_warp : earlier_warp));
      const bool other_block = launch_.block_index(c.earlier.block) != warp.block->index;
      f.message = fmt::format(
          "{} ({}) {} global memory at {:#x}, which {} ({}) {}, and nothing orders the two: {}",
          f.places[0].who, line_of(f.places[0]), is_write ? "writes" : "reads", c.address,
          f.places[1].who, line_of(f.places[1]),
          c.kind == GlobalConflict::kRead ? "reads" : "writes",
          is_bulk_write ? advice(kBulkWriterAgent)
          : other_block
              ? "use atomics, or a flag with __threadfence() on both sides, or two launches"
              : "put a barrier between them (__syncthreads())");
      return f;
    });
  }
}

}  // namespace tilewise::vgpu
