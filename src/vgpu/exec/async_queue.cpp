// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/async_queue.hpp"

#include <algorithm>
#include <array>

namespace tilewise::vgpu {

void AsyncQueue::set_order(AsyncOrder order, std::uint64_t seed) {
  order_ = order;
  rounds_ = 0;
  random_.seed(seed);
}

AsyncTicket AsyncQueue::add(std::uint64_t chain, std::function<void()> effect,
                            bool outlives_cluster) {
  const AsyncTicket ticket = next_++;
  if (order_ == AsyncOrder::kEarliest) {
    effect();
    return ticket;
  }
  pending_.push_back({ticket, chain, std::move(effect), outlives_cluster});
  pass_time();
  return ticket;
}

// An effect may add operations, or complete others, so the entry leaves the queue first.
void AsyncQueue::take_effect(std::size_t index) {
  const std::function<void()> effect = std::move(pending_[index].effect);
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
  effect();
}

void AsyncQueue::complete(AsyncTicket ticket) {
  const auto find = [&] {
    return std::lower_bound(pending_.begin(), pending_.end(), ticket,
                            [](const Operation& o, AsyncTicket t) { return o.ticket < t; });
  };
  auto found = find();
  if (found == pending_.end() || found->ticket != ticket) return;
  const std::uint64_t chain = found->chain;
  while (chain != kNoChain) {
    const auto first = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Operation& o) { return o.chain == chain; });
    const bool is_last = first->ticket == ticket;
    take_effect(static_cast<std::size_t>(first - pending_.begin()));
    if (is_last) return;
  }
  take_effect(static_cast<std::size_t>(found - pending_.begin()));
}

bool AsyncQueue::complete_oldest() {
  if (pending_.empty()) return false;
  complete(pending_.front().ticket);
  return true;
}

void AsyncQueue::complete_all() {
  while (complete_oldest()) {
  }
}

// What is left to the end comes behind the operations before it in its chain.
void AsyncQueue::end_cluster(std::vector<std::function<void()>>& to) {
  if (order_ == AsyncOrder::kLatest) {
    for (Operation& operation : pending_) {
      if (operation.outlives_cluster) to.push_back(std::move(operation.effect));
    }
    std::erase_if(pending_, [](const Operation& operation) { return operation.outlives_cluster; });
  }
  complete_all();
}

void AsyncQueue::pass_time() {
  if (order_ != AsyncOrder::kRandom || pending_.empty()) return;
  // One moment in two, one of them, on average: some stay for long, some go at once.
  if (random_() & 1) return;
  complete(pending_[random_() % pending_.size()].ticket);
}

void AsyncQueue::end_round(bool any_ran) {
  if (order_ != AsyncOrder::kSoon) {
    pass_time();
  } else if (!any_ran || ++rounds_ >= kRoundsOfACopy) {
    rounds_ = 0;
    complete_all();
  }
}

void AsyncGroups::add(AsyncTicket ticket, std::uint32_t lanes) { open_.push_back({ticket, lanes}); }

void AsyncGroups::commit(std::uint32_t lanes) {
  Group group;
  group.lanes = lanes;
  for (Member& m : open_) {
    if (m.lanes & lanes) group.members.push_back({m.ticket, m.lanes & lanes});
    m.lanes &= ~lanes;
  }
  std::erase_if(open_, [](const Member& m) { return m.lanes == 0; });
  committed_.push_back(std::move(group));
}

std::vector<AsyncTicket> AsyncGroups::due(std::uint64_t pending, std::uint32_t lanes) {
  std::array<std::uint64_t, 32> younger{};
  std::vector<AsyncTicket> tickets;
  for (auto group = committed_.rbegin(); group != committed_.rend(); ++group) {
    std::uint32_t finished = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if (!(group->lanes & lanes & (1u << lane))) continue;
      if (younger[lane]++ >= pending) finished |= 1u << lane;
    }
    for (const Member& m : group->members) {
      if (m.lanes & finished) tickets.push_back(m.ticket);
    }
    group->lanes &= ~finished;
  }
  std::erase_if(committed_, [](const Group& g) { return g.lanes == 0; });
  std::sort(tickets.begin(), tickets.end());
  return tickets;
}

std::vector<AsyncTicket> AsyncGroups::all(std::uint32_t lanes) const {
  std::vector<AsyncTicket> tickets;
  for (const Group& group : committed_) {
    for (const Member& m : group.members) {
      if (m.lanes & lanes) tickets.push_back(m.ticket);
    }
  }
  for (const Member& m : open_) {
    if (m.lanes & lanes) tickets.push_back(m.ticket);
  }
  return tickets;
}

void AsyncGroups::clear() {
  open_.clear();
  committed_.clear();
}

}  // namespace tilewise::vgpu
