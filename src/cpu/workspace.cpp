// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/workspace.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <limits>
#include <new>
#include <string>
#include <utility>

#include "core/thread_pool.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cpu {
namespace {

constexpr std::size_t kPage = 4 << 10, kHugePage = 2 << 20;

/// From here on a buffer takes huge pages: small pages lie anywhere in memory, so that some sets of the
/// second-level cache get more of them than they have ways, and the panels that were to stay there do not.
constexpr std::size_t kWorthHugePages = 128 << 10;

/// `bytes` and what rounding to whole pages adds, so that small differences between products do not
/// make buffers grow.
std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = bytes < kWorthHugePages ? kPage : kHugePage;
  if (bytes > std::numeric_limits<std::size_t>::max() - page) return bytes;
  return (bytes + page - 1) / page * page;
}

[[noreturn]] void throw_no_memory(std::size_t bytes) {
  throw Error(ErrorCode::kOutOfMemory,
              "packing buffer: no memory for " + std::to_string(bytes) + " bytes");
}

/// A wish, so its failure is none.
void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace

void Buffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  const std::size_t size = whole_pages(bytes);
  void* const memory = ::operator new(size, std::align_val_t(kHugePage), std::nothrow);
  if (memory == nullptr) throw_no_memory(bytes);
  ask_for_huge_pages(memory, size);
  data_.reset(static_cast<std::byte*>(memory));
  size_ = size;
}

void Buffer::Free::operator()(std::byte* data) const noexcept {
  ::operator delete(data, std::align_val_t(kHugePage));
}

WorkspacePool::WorkspacePool(int most_kept)
    : most_kept_(most_kept >= 0 ? most_kept : 2 * available_cores()) {}

WorkspacePool::~WorkspacePool() {
  while (free_ != nullptr) delete std::exchange(free_, free_->next);
}

/// A list that another thread was changing when fork() came is left alone for ever.
void WorkspacePool::lock() noexcept {
  if (lock_.lock() != ForkLock::Outcome::kTakenOver) return;
  free_ = nullptr;
  kept_ = 0;
}

std::unique_ptr<Workspace> WorkspacePool::take() {
  lock();
  std::unique_ptr<Workspace> largest(free_);
  if (largest != nullptr) {
    free_ = largest->next;
    --kept_;
  }
  lock_.unlock();
  return largest;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) noexcept {
  lock();
  const std::unique_ptr<Workspace> superfluous = keep_largest(std::move(workspace));
  lock_.unlock();
}

/// Puts `workspace` into the list and returns what then is too much. Called under the lock.
std::unique_ptr<Workspace> WorkspacePool::keep_largest(
    std::unique_ptr<Workspace> workspace) noexcept {
  Workspace** place = &free_;
  while (*place != nullptr && (*place)->buffer.size() > workspace->buffer.size()) {
    place = &(*place)->next;
  }
  workspace->next = *place;
  *place = workspace.release();
  if (++kept_ <= most_kept_) return nullptr;
  --kept_;
  Workspace** last = &free_;
  while ((*last)->next != nullptr) last = &(*last)->next;
  return std::unique_ptr<Workspace>(std::exchange(*last, nullptr));
}

WorkspacePool::Lease::Lease(WorkspacePool& pool, std::size_t bytes)
    : pool_(pool), workspace_(pool.take()) {
  if (workspace_ == nullptr) workspace_.reset(new (std::nothrow) Workspace);
  if (workspace_ == nullptr) throw_no_memory(bytes);
  try {
    workspace_->buffer.reserve(bytes);
  } catch (...) {
    pool_.give_back(std::move(workspace_));
    throw;
  }
}

WorkspacePool::Lease::~Lease() { pool_.give_back(std::move(workspace_)); }

}  // namespace tilewise::cpu
