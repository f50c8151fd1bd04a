// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that ends directly before a page that nobody may touch: reading one element too far is a
// segmentation fault.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace tilewise::test {

/// `size` elements of a trivial type, at first zeros.
template <class T> class Guarded {
 public:
  explicit Guarded(std::int64_t size) : size_(size) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
    const std::size_t open = (bytes + page - 1) / page * page;
    mapped_ = open + page;
    void* const map =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<std::byte*>(map);
    mprotect(map_ + open, page, PROT_NONE);
    first_ = reinterpret_cast<T*>(map_ + open - bytes);
  }
  ~Guarded() { munmap(map_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* first() const { return first_; }
  std::int64_t size() const { return size_; }

 private:
  std::int64_t size_;
  std::size_t mapped_ = 0;
  std::byte* map_ = nullptr;
  T* first_ = nullptr;
};

}  // namespace tilewise::test
