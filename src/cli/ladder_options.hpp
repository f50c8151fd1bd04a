// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `tilewise ladder`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/outputs.hpp"

namespace tilewise::cli {

struct LadderOptions {
  std::string device = "auto";
  std::string gpu;  ///< empty: not given
  std::optional<std::int64_t> size, m, n, k;
  std::string a, b;  ///< files; empty: random
  double alpha = 1, beta = 0;
  std::string rungs;   ///< empty: all
  std::string dtypes;  ///< empty: all
  std::optional<int> repeat, rest;
  std::uint64_t seed = 1;
  std::string json, csv, html, save_c;
  std::string color = "auto";
  bool counters = false;
  bool launch_once = false;  ///< hidden: what runs under a profiler

  std::vector<OutputFile> outputs() const;
};

/// Adds the options to `command`, which fill `options`.
void add_ladder_options(CLI::App& command, LadderOptions& options);

/// Throws Error{kInvalidArgument} for options that contradict each other or miss their partner.
void check_combinations(const LadderOptions& options);

}  // namespace tilewise::cli
