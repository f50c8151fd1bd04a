// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/workspace.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../core/expect_error.hpp"
#include "allocations.hpp"

namespace tilewise::cpu {
namespace {

using test::expect_error;
constexpr std::size_t kMiB = 1 << 20;

TEST(Buffer, StandsOnTwoMiB) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{4097}, kMiB,
                                  2 * kMiB, 2 * kMiB + 1, 7 * kMiB}) {
    Buffer buffer;
    EXPECT_EQ(buffer.data(), nullptr);
    buffer.reserve(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (2 * kMiB), 0u) << bytes;
    EXPECT_GE(buffer.size(), bytes);
    EXPECT_LT(buffer.size(), bytes + 2 * kMiB);
    std::memset(buffer.data(), 0xff,
                buffer.size());  // the address sanitizer sees whether it is all ours
  }
}

TEST(Buffer, GrowsOnlyWhenItMust) {
  Buffer buffer;
  buffer.reserve(0);
  EXPECT_EQ(buffer.data(), nullptr);
  buffer.reserve(3 * kMiB);
  std::byte* const first = buffer.data();
  const std::size_t size = buffer.size();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 3 * kMiB, size}) {
    buffer.reserve(bytes);
    EXPECT_EQ(buffer.data(), first);
    EXPECT_EQ(buffer.size(), size);
  }
  buffer.reserve(size + 1);
  EXPECT_GT(buffer.size(), size);
}

TEST(Buffer, IsAsBeforeWhenThereIsNoMemory) {
  Buffer buffer;
  buffer.reserve(100);
  buffer.data()[99] = std::byte{42};
  std::byte* const before = buffer.data();
  const std::size_t size = buffer.size();
  expect_error(ErrorCode::kOutOfMemory, {"packing buffer", "4194304 bytes"}, [&] {
    const test::FailingAllocation failure(0);
    buffer.reserve(4 * kMiB);
  });
  EXPECT_EQ(buffer.data(), before);
  EXPECT_EQ(buffer.size(), size);
  EXPECT_EQ(buffer.data()[99], std::byte{42});
}

// Sizes whose rounding up would wrap round.
TEST(Buffer, MoreThanThereIsAddressSpace) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {kMost, kMost - 1, kMost - 2 * kMiB, kMost / 2 + 1}) {
    Buffer buffer;
    expect_error(ErrorCode::kOutOfMemory, {std::to_string(bytes)}, [&] { buffer.reserve(bytes); });
    EXPECT_EQ(buffer.data(), nullptr);
  }
}

TEST(WorkspacePool, LendsWhatItGotBack) {
  WorkspacePool pool;
  std::byte* first = nullptr;
  {
    const WorkspacePool::Lease lease(pool, kMiB);
    first = lease.data();
  }
  const long before = test::allocations();
  for (const std::size_t bytes : {kMiB, std::size_t{1}, kMiB / 2}) {
    const WorkspacePool::Lease lease(pool, bytes);
    EXPECT_EQ(lease.data(), first);
  }
  EXPECT_EQ(test::allocations(), before);
}

/// Leases of these sizes, all at the same time: their addresses in the order of leasing.
std::vector<std::byte*> lease_all(WorkspacePool& pool, const std::vector<std::size_t>& sizes) {
  std::vector<std::unique_ptr<WorkspacePool::Lease>> leases;
  std::vector<std::byte*> places;
  for (const std::size_t size : sizes) {
    leases.push_back(std::make_unique<WorkspacePool::Lease>(pool, size));
    places.push_back(leases.back()->data());
  }
  return places;
}

TEST(WorkspacePool, TheLargestGoesFirst) {
  WorkspacePool pool(4);
  const auto made = lease_all(pool, {4096, 3 * 4096, 2 * 4096, 4 * 4096});
  const auto again = lease_all(pool, {1, 1, 1, 1});
  EXPECT_EQ(again, (std::vector{made[3], made[1], made[2], made[0]}));
}

TEST(WorkspacePool, KeepsTheLargestOfTooMany) {
  WorkspacePool pool(2);
  const auto made = lease_all(pool, {4096, 3 * 4096, 2 * 4096, 4 * 4096});
  const long before = test::allocations();
  {
    const WorkspacePool::Lease one(pool, 1), two(pool, 1);
    EXPECT_EQ(one.data(), made[3]);
    EXPECT_EQ(two.data(), made[1]);
    EXPECT_EQ(test::allocations(), before);
    const WorkspacePool::Lease three(pool, 1);
    EXPECT_GT(test::allocations(), before);
  }
  WorkspacePool none(0);
  lease_all(none, {4096, 4096});
  const long after = test::allocations();
  const WorkspacePool::Lease lease(none, 1);
  EXPECT_EQ(test::allocations(), after + 2);  // the workspace and its buffer
}

TEST(WorkspacePool, IsAsBeforeWhenThereIsNoMemory) {
  WorkspacePool pool;
  std::byte* const kept = lease_all(pool, {4096}).front();
  expect_error(ErrorCode::kOutOfMemory, {"8192"}, [&] {  // one that is too small cannot grow
    const test::FailingAllocation failure(0);
    WorkspacePool::Lease lease(pool, 8192);
  });
  const long allocations = test::allocations();
  const WorkspacePool::Lease first(pool, 4096);
  EXPECT_EQ(first.data(), kept);
  EXPECT_EQ(test::allocations(), allocations);
  for (const long before : {0, 1}) {  // a new one: the workspace, then its buffer
    expect_error(ErrorCode::kOutOfMemory, {"4096"}, [&] {
      const test::FailingAllocation failure(before);
      WorkspacePool::Lease lease(pool, 4096);
    });
  }
  const WorkspacePool::Lease second(pool, 4096);
  EXPECT_NE(second.data(), kept);
}

// Plain memory on purpose: the thread sanitizer sees when two have the same workspace.
TEST(WorkspacePool, NobodySharesAWorkspace) {
  constexpr int kCallers = 4, kLeases = 3000;
  WorkspacePool pool(2);
  std::array<int, kCallers> wrong{};
  std::vector<std::jthread> callers;
  for (std::size_t caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < kLeases; ++i) {
        const std::size_t bytes = 64 + 64 * static_cast<std::size_t>(i % 100);
        const WorkspacePool::Lease lease(pool, bytes);
        std::memset(lease.data(), static_cast<int>(caller), bytes);
        if (i % 64 == 0) std::this_thread::yield();
        for (const std::size_t at : {std::size_t{0}, bytes - 1}) {
          wrong[caller] += lease.data()[at] != static_cast<std::byte>(caller);
        }
      }
    });
  }
  callers.clear();  // joins
  EXPECT_EQ(wrong, (std::array<int, kCallers>{}));
}

}  // namespace
}  // namespace tilewise::cpu
