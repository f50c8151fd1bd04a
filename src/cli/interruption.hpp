// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tilewise::cli {

/// While it lives, the first Ctrl-C (or `kill`) is only noted, so that the work can end in order; another, later, ends the
/// program as it always does. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool happened() const;
  /// Ends the program as the signal would have, where there was one: whoever waits for it sees which.
  void pass_on();
};

}  // namespace tilewise::cli
