// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "faulty_new.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace tilewise::test {
namespace {

std::atomic<bool> counting{false};
std::atomic<Failing> failing{Failing::kNone};
std::atomic<std::int64_t> fails_at{0}, counted{0}, refused{0};

bool grants() noexcept {
  if (!counting) return true;
  const std::int64_t number = ++counted;
  const bool refuses = (failing == Failing::kOne && number == fails_at) ||
                       (failing == Failing::kAllFrom && number >= fails_at);
  if (refuses) ++refused;
  return !refuses;
}

void* allocate(std::size_t size) noexcept {
  return grants() ? std::malloc(std::max<std::size_t>(size, 1)) : nullptr;
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  const auto unit = static_cast<std::size_t>(alignment);
  if (!grants() || size > SIZE_MAX - unit) return nullptr;
  return std::aligned_alloc(unit, std::max<std::size_t>((size + unit - 1) / unit * unit, unit));
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

Allocations::Allocations(Failing which, std::int64_t number) {
  failing = which;
  fails_at = number;
  counted = refused = 0;
  counting = true;
}

void Allocations::stop() { counting = false; }
std::int64_t Allocations::count() const { return counted; }
bool Allocations::failed() const { return refused > 0; }

}  // namespace tilewise::test

using tilewise::test::allocate;
using tilewise::test::or_throw;

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t a) { return or_throw(allocate(size, a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return or_throw(allocate(size, a)); }
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(size, a);
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
