// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "tilewise/error.hpp"
#include "vgpu/memory/written_bytes.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

namespace {
constexpr std::align_val_t kAlignment{256};
}

struct Memory::State {
  mutable std::shared_mutex mutex;
  std::map<std::uint64_t, std::uint64_t> ranges;  // begin -> bytes
  std::map<std::uint64_t, WrittenBytes> written;  // by begin
  std::uint64_t limit = 0, allocated = 0;

  WrittenBytes* find_written(std::uint64_t address) {
    auto after = written.upper_bound(address);
    if (after == written.begin()) return nullptr;
    --after;
    return address < after->second.end() ? &after->second : nullptr;
  }
};

Memory::Memory(std::uint64_t limit) : state_(std::make_unique<State>()) { state_->limit = limit; }

Memory::~Memory() {
  for (const auto& [begin, bytes] : state_->ranges) {
    ::operator delete(reinterpret_cast<void*>(begin), kAlignment);
  }
}

std::uint64_t Memory::allocate(std::uint64_t bytes) {
  const std::unique_lock lock(state_->mutex);
  if (bytes > state_->limit - state_->allocated) {
    throw Error(ErrorCode::kOutOfMemory,
                fmt::format("the virtual GPU cannot allocate {} bytes: {} of {} are in use", bytes,
                            state_->allocated, state_->limit));
  }
  void* memory = ::operator new(bytes == 0 ? 1 : bytes, kAlignment, std::nothrow);
  if (!memory) {
    throw Error(ErrorCode::kOutOfMemory,
                fmt::format("the host has no {} bytes left for the virtual GPU", bytes));
  }
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  state_->ranges[address] = bytes;
  state_->written.emplace(address, WrittenBytes(address, bytes));
  state_->allocated += bytes;
  return address;
}

void Memory::free(std::uint64_t address) {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->ranges.find(address);
  if (found == state_->ranges.end()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("free({:#x}): no allocation begins there", address));
  }
  ::operator delete(reinterpret_cast<void*>(address), kAlignment);
  state_->allocated -= found->second;
  state_->ranges.erase(found);
  state_->written.erase(address);
}

void Memory::mark_written(std::uint64_t address, std::uint64_t bytes) {
  const std::unique_lock lock(state_->mutex);
  WrittenBytes* written = state_->find_written(address);
  if (written) written->mark(address, std::min(bytes, written->end() - address));
}

void Memory::mark_all_written() const {
  const std::unique_lock lock(state_->mutex);
  for (auto& [begin, written] : state_->written) written.mark_all();
}

WrittenBytes* Memory::written(std::uint64_t address) const {
  const std::shared_lock lock(state_->mutex);
  return state_->find_written(address);
}

Memory::Range Memory::find(std::uint64_t address) const {
  const std::shared_lock lock(state_->mutex);
  auto after = state_->ranges.upper_bound(address);
  if (after == state_->ranges.begin()) return {};
  --after;
  if (address >= after->first + after->second) return {};
  return {after->first, after->first + after->second};
}

bool Memory::contains(std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  const Range range = find(address);
  return range.end != 0 && bytes <= range.end - address;
}

std::uint64_t Memory::allocated_bytes() const {
  const std::shared_lock lock(state_->mutex);
  return state_->allocated;
}

}  // namespace tilewise::vgpu
