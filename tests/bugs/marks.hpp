// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The marks in a kernel's source that say what must be found there:
//   // BUG: races            a finding of this check must name this line
//   // BUG: races, bounds    a finding of one of these checks must
//   // BUG: numerics         nothing is found; the result is wrong
//   // or: sync              where the timing is such that the BUG lines are not reached, a finding of
//                            this check must name this line instead
//   // also: sync            findings of this check may name this line too (who waits in a deadlock, say)
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewise::bugs {

struct Marks {
  using Lines = std::map<int, std::set<std::string>>;  ///< checks, by line
  Lines required, instead, allowed;
  bool only_numerics = false;

  bool allows(int line, const std::string& check) const;
  /// Whether findings that name these lines are enough.
  bool are_met(const std::set<int>& named) const;
};

/// Throws std::runtime_error when the file has no mark.
Marks read_marks(const std::string& path);

/// By line of the PTX (from 1): the line of the source file whose name ends in `file` that its code stands
/// for, by the .loc lines; 0 when nothing says so. Inlined functions stand for the line that calls them.
std::vector<int> source_lines(const std::string& ptx, const std::string& file);

}  // namespace tilewise::bugs
