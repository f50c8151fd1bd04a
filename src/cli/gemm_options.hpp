// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `tilewise gemm`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/gemm_blocks.hpp"

namespace tilewise::cli {

struct GemmCommand {
  std::string a, b, output;  ///< files
  std::string c0;            ///< empty: none
  double alpha = 1;
  std::optional<double> beta;  ///< not given: 1 with c0, else 0
  bool trans_a = false, trans_b = false;
  std::string dtype, out_dtype;  ///< empty: by the files
  std::string device = "auto";
  int threads = 0;  ///< 0: every core that this process may run on
  bool verify = false;
  std::string json;
  std::optional<Blocks> blocks;  ///< hidden: cut the product so, for tests

  double beta_value() const { return beta.value_or(c0.empty() ? 0 : 1); }
};

/// Adds the options to `command`, which fill `options`.
void add_gemm_options(CLI::App& command, GemmCommand& options);

/// Throws Error{kInvalidArgument} for options that contradict each other, Error{kInvalidInput} for files
/// that cannot be written, Error{kUnsupported} for a device that gemm does not run on.
void check_combinations(const GemmCommand& options);

}  // namespace tilewise::cli
