// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Packing buffers: reused from product to product, so that only the first one pays for the pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/fork_lock.hpp"

namespace tilewise::cpu {

/// Uninitialised memory on a 2 MiB boundary, in huge pages where the system gives them.
class Buffer {
 public:
  /// At least `bytes`; keeps what it has when that is enough, else what was in it is lost. Throws
  /// Error{kOutOfMemory}; the buffer then is as before.
  void reserve(std::size_t bytes);
  std::byte* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

/// The buffer of one product at a time.
struct Workspace {
  Buffer buffer;
  Workspace* next = nullptr;
};

/// Lends a workspace to each product that packs. Concurrent callers get one each, the largest there
/// is; they stay for later. fork() does no harm: the child keeps those that were not lent, at least
/// (none when the fork came in the middle of lending).
class WorkspacePool {
 public:
  /// Keeps `most_kept` workspaces for later, of those given back the largest. Negative: two a core.
  explicit WorkspacePool(int most_kept = -1);
  /// All leases must have ended.
  ~WorkspacePool();
  WorkspacePool(const WorkspacePool&) = delete;
  WorkspacePool& operator=(const WorkspacePool&) = delete;

  /// A workspace with at least `bytes`, given back when the lease ends. Throws Error{kOutOfMemory}.
  class Lease {
   public:
    Lease(WorkspacePool& pool, std::size_t bytes);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    std::byte* data() const noexcept { return workspace_->buffer.data(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
  };

 private:
  void lock() noexcept;
  std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace) noexcept;
  std::unique_ptr<Workspace> keep_largest(std::unique_ptr<Workspace> workspace) noexcept;

  const int most_kept_;
  ForkLock lock_;
  Workspace* free_ = nullptr;  ///< a list, the largest first
  int kept_ = 0;               ///< its length
};

}  // namespace tilewise::cpu
