// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `tilewise tune`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "bench/tuning.hpp"
#include "cli/bench_options.hpp"

namespace tilewise::cli {

struct TuneOptions {
  BenchOptions bench;  ///< the products, in the benchmark's words
  bool missing = false, list = false;
  std::string device = "cuda", file, forget, json, color = "auto";
};

/// Adds the options to `command`, which fill `options`.
void add_tune_options(CLI::App& command, TuneOptions& options);

/// Throws Error{kInvalidArgument} for options that contradict each other.
void check_tune_options(const TuneOptions& options);

/// What to tune. Throws as bench_request() does.
bench::TuneRequest tune_request(const TuneOptions& options);

/// Where the plans are kept. Throws Error{kInvalidArgument} where nothing says so.
std::string tune_file(const TuneOptions& options);

}  // namespace tilewise::cli
