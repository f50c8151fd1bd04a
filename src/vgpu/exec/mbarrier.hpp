// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// mbarrier objects (PTX ISA 9.0, section 9.7.13.15). All their state is in the eight bytes of shared memory
// they live in, as on hardware, so that a kernel that overwrites one breaks it. The bits are our own:
//   0–19   arrivals that the current phase still waits for
//   20–39  arrivals that each phase waits for
//   40–60  transaction bytes that the current phase still waits for, two's complement
//   61     parity of the current phase
//   62–63  a mark that says: this is an mbarrier
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewise::vgpu {

class Mbarrier {
 public:
  static constexpr std::uint64_t kMostArrivals = (1u << 20) - 1;
  static constexpr std::int64_t kMostBytes = (1 << 20) - 1;

  /// What an operation found wrong; nothing was changed then.
  enum class Trouble {
    kNone,
    kNotInitialized,   ///< the bytes are no mbarrier
    kTooManyArrivals,  ///< more than the phase waits for
    kTooManyBytes,     ///< the transaction count leaves ±(2^20 − 1)
    kBadCount,         ///< an arrival count of 0 or above 2^20 − 1
  };

  /// `at`: eight bytes of shared memory.
  explicit Mbarrier(std::byte* at) : at_(at) {}

  Trouble initialize(std::uint64_t count);
  Trouble invalidate();
  /// `count` arrivals. `token`: the state before them.
  Trouble arrive(std::uint64_t count, std::uint64_t* token);
  /// The same, for this phase and every later one (arrive_drop).
  Trouble arrive_and_drop(std::uint64_t count, std::uint64_t* token);
  /// The current phase waits for one more arrival (cp.async.mbarrier.arrive without .noinc).
  Trouble expect_arrival();
  Trouble expect_bytes(std::int64_t bytes);
  Trouble complete_bytes(std::int64_t bytes);

  bool is_initialized() const;
  /// Whether the phase that `token` was taken in is over.
  bool is_over(std::uint64_t token) const;
  /// Whether the phase of that parity is over: the current one has the other.
  bool is_parity_over(std::uint32_t parity) const;
  std::uint64_t pending_arrivals() const;
  std::int64_t pending_bytes() const;
  std::uint32_t parity() const;

  static std::uint64_t pending_arrivals(std::uint64_t token);

 private:
  std::uint64_t read() const;
  void write(std::uint64_t state);
  Trouble change(std::int64_t arrivals, std::int64_t expected, std::int64_t bytes,
                 std::uint64_t* token);

  std::byte* at_;
};

/// "the bytes there are no mbarrier (mbarrier.init is missing, or was overwritten)"
const char* describe(Mbarrier::Trouble trouble);

}  // namespace tilewise::vgpu
