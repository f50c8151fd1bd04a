// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What happens to the half-written file when a signal ends the program.
#pragma once

#include <memory>
#include <string>

#include "core/npy_map.hpp"

namespace tilewise::cli {

/// While it lives: Ctrl-C, a closed terminal and `kill` take the temporary file away before they end the
/// program as they always do; a mapped file that is cut short or cannot be read (SIGBUS) ends it with a
/// line that names the file, and exit code kBadUsage. One at a time.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// A mapped file, to be named when touching it fails. Before the work begins; at most kMostFiles.
  void watch(const std::string& path, const npy::Pages& pages);
  static constexpr int kMostFiles = 4;

  /// Creates the output with signals held back, so that there is no moment in which the temporary file
  /// exists and is not known here.
  std::unique_ptr<npy::MappedOutput> create(const std::string& path, const npy::Layout& layout);
};

}  // namespace tilewise::cli
