// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// This program's operator new, which counts and fails on demand, in every thread.
#pragma once

#include <cstdint>

namespace tilewise::test {

/// Which allocations fail.
enum class Failing {
  kNone,
  kOne,      ///< the n-th
  kAllFrom,  ///< the n-th and those after it, as when memory really has run out
};

/// While it lives, allocations are counted from 1 and fail as asked. One at a time.
class Allocations {
 public:
  explicit Allocations(Failing failing = Failing::kNone, std::int64_t number = 0);
  ~Allocations() { stop(); }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  void stop();
  std::int64_t count() const;  ///< since it was made, at most until stop()
  bool failed() const;         ///< whether an allocation was made to fail
};

}  // namespace tilewise::test
