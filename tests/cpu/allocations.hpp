// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// operator new of the test program: counts, and fails when told to.
#pragma once

namespace tilewise::test {

/// Calls of operator new by this thread so far.
long allocations() noexcept;

/// While it lives, the call of operator new by this thread that comes after `before` others fails,
/// that one alone: what reports the failure may allocate.
class FailingAllocation {
 public:
  explicit FailingAllocation(long before) noexcept;
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// Whether it has come to that.
  bool happened() const noexcept;
};

}  // namespace tilewise::test
