// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Gathers what the checkers find: one entry for each kind of mistake at each pair of instructions, with
// a count, and in the end one for each pair of source lines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "vgpu/exec/program.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

/// The place of an instruction: source line, or PTX line without line information.
Finding::Place place_of(const Program& program, int instruction, std::string who);
/// "kernel.cu:12", or "wrapper.cuh:3, called at kernel.cu:12" in code that the compiler inlined
std::string line_of(const Finding::Place& place);
/// "lane 5", "lanes 0-31", "lanes 0-3,8"
std::string lanes_name(std::uint32_t mask);
/// "block (0, 0, 0) warp 1 lanes 0-31"; without lanes when `mask` is 0.
std::string who_name(const Dim3& block, int warp, std::uint32_t mask);

class Findings {
 public:
  explicit Findings(const Program& program) : program_(program) {}

  struct Side {
    int instruction = -1;
    std::string who;
  };
  /// Mistakes of one kind at one pair of instructions (there: -1 if there is only one).
  struct Key {
    std::string_view kind;  ///< a literal
    int here = -1, there = -1;
    auto operator<=>(const Key&) const = default;
  };
  /// Counts one more. `describe` is asked for the whole finding when it is the first.
  void add(const Key& key, const std::function<Finding()>& describe);

  /// All findings, one for each pair of source lines, by place.
  std::vector<Finding> take() const;

  const Program& program() const { return program_; }

 private:
  const Program& program_;
  std::map<Key, Finding> found_;
  std::map<Key, std::uint64_t> order_;  ///< of the first occurrence
};

}  // namespace tilewise::vgpu
