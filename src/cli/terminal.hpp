// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program is talking to.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace tilewise::cli {

/// Columns for tables on stdout: the terminal's, at most 100; 100 where there is no terminal.
int table_columns();

/// Whether stdout gets colours. `choice` is "always", "never" or "auto": then when it is a terminal and
/// NO_COLOR (https://no-color.org) is not set.
bool wants_color(std::string_view choice);

/// A line on stderr that says how far a long run is; nothing when stderr is no terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Step `index` of `count` begins, called `name`. The time left is judged by the steps so far.
  void step(std::size_t index, std::size_t count, std::string_view name);
  /// Takes the line away.
  void clear();

 private:
  bool shown_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace tilewise::cli
