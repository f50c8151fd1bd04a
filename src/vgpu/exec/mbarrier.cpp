// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/mbarrier.hpp"

#include <cstring>

namespace tilewise::vgpu {
namespace {

constexpr std::uint64_t kCountMask = (1u << 20) - 1, kBytesMask = (1u << 21) - 1;
constexpr int kExpectedShift = 20, kBytesShift = 40, kParityShift = 61, kMarkShift = 62;
constexpr std::uint64_t kMark = 2;

std::uint64_t pending_of(std::uint64_t state) { return state & kCountMask; }
std::uint64_t expected_of(std::uint64_t state) { return state >> kExpectedShift & kCountMask; }
std::uint64_t parity_of(std::uint64_t state) { return state >> kParityShift & 1; }

std::int64_t bytes_of(std::uint64_t state) {
  const auto bits = static_cast<std::int64_t>(state >> kBytesShift & kBytesMask);
  return bits > Mbarrier::kMostBytes ? bits - (1 << 21) : bits;
}

std::uint64_t make_state(std::uint64_t pending, std::uint64_t expected, std::int64_t bytes,
                         std::uint64_t parity) {
  return pending | expected << kExpectedShift |
         (static_cast<std::uint64_t>(bytes) & kBytesMask) << kBytesShift | parity << kParityShift |
         kMark << kMarkShift;
}

}  // namespace

std::uint64_t Mbarrier::read() const {
  std::uint64_t state = 0;
  std::memcpy(&state, at_, sizeof(state));
  return state;
}

void Mbarrier::write(std::uint64_t state) { std::memcpy(at_, &state, sizeof(state)); }

bool Mbarrier::is_initialized() const { return read() >> kMarkShift == kMark; }

Mbarrier::Trouble Mbarrier::initialize(std::uint64_t count) {
  if (count == 0 || count > kMostArrivals) return Trouble::kBadCount;
  write(make_state(count, count, 0, 0));
  return Trouble::kNone;
}

Mbarrier::Trouble Mbarrier::invalidate() {
  if (!is_initialized()) return Trouble::kNotInitialized;
  write(0);
  return Trouble::kNone;
}

// Every change of the state ends here: the phase is over when neither arrivals nor bytes are awaited.
Mbarrier::Trouble Mbarrier::change(std::int64_t arrivals, std::int64_t expected, std::int64_t bytes,
                                   std::uint64_t* token) {
  if (!is_initialized()) return Trouble::kNotInitialized;
  const std::uint64_t state = read();
  if (token) *token = state;
  const std::int64_t pending = static_cast<std::int64_t>(pending_of(state)) + arrivals;
  const std::int64_t next = static_cast<std::int64_t>(expected_of(state)) + expected;
  const std::int64_t awaited = bytes_of(state) + bytes;
  const auto most = static_cast<std::int64_t>(kMostArrivals);
  if (pending < 0 || pending > most || next < 0) return Trouble::kTooManyArrivals;
  if (awaited > kMostBytes || awaited < -kMostBytes) return Trouble::kTooManyBytes;
  std::uint64_t parity = parity_of(state);
  const bool is_over = pending == 0 && awaited == 0;
  if (is_over) parity ^= 1;
  write(make_state(static_cast<std::uint64_t>(is_over ? next : pending),
                   static_cast<std::uint64_t>(next), awaited, parity));
  return Trouble::kNone;
}

Mbarrier::Trouble Mbarrier::arrive(std::uint64_t count, std::uint64_t* token) {
  if (count == 0 || count > kMostArrivals) return Trouble::kBadCount;
  return change(-static_cast<std::int64_t>(count), 0, 0, token);
}

Mbarrier::Trouble Mbarrier::arrive_and_drop(std::uint64_t count, std::uint64_t* token) {
  if (count == 0 || count > kMostArrivals) return Trouble::kBadCount;
  return change(-static_cast<std::int64_t>(count), -static_cast<std::int64_t>(count), 0, token);
}

Mbarrier::Trouble Mbarrier::expect_arrival() { return change(1, 0, 0, nullptr); }
Mbarrier::Trouble Mbarrier::expect_bytes(std::int64_t bytes) {
  return change(0, 0, bytes, nullptr);
}
Mbarrier::Trouble Mbarrier::complete_bytes(std::int64_t bytes) {
  return change(0, 0, -bytes, nullptr);
}

bool Mbarrier::is_over(std::uint64_t token) const { return parity_of(read()) != parity_of(token); }
bool Mbarrier::is_parity_over(std::uint32_t parity) const {
  return parity_of(read()) != (parity & 1);
}
std::uint64_t Mbarrier::pending_arrivals() const { return pending_of(read()); }
std::int64_t Mbarrier::pending_bytes() const { return bytes_of(read()); }
std::uint32_t Mbarrier::parity() const { return static_cast<std::uint32_t>(parity_of(read())); }

std::uint64_t Mbarrier::pending_arrivals(std::uint64_t token) { return pending_of(token); }

const char* describe(Mbarrier::Trouble trouble) {
  switch (trouble) {
    case Mbarrier::Trouble::kNone: return "nothing";
    case Mbarrier::Trouble::kNotInitialized:
      return "the bytes there are no mbarrier: mbarrier.init is missing, or something overwrote it";
    case Mbarrier::Trouble::kTooManyArrivals: return "more threads arrive than the phase waits for";
    case Mbarrier::Trouble::kTooManyBytes:
      return "its transaction bytes leave the range of -1048575 to 1048575";
    case Mbarrier::Trouble::kBadCount: return "a count must be between 1 and 1048575";
  }
  return "?";
}

}  // namespace tilewise::vgpu
