// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `tilewise bench`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/gemm_bench.hpp"
#include "cli/outputs.hpp"

namespace tilewise::cli {

struct BenchOptions {
  std::string device = "cpu", suite, groups, trans, dtypes = "f32,f64", peers, cores;
  std::optional<std::int64_t> m, n, k;
  int threads = 1;
  int repeat = 0;
  double seconds = 1, burst_ms = 3, patience = 60;
  std::uint64_t seed = 1;
  std::string json, csv;
  std::string color = "auto";

  std::vector<OutputFile> outputs() const;
};

/// Adds the options to `command`, which fill `options`.
void add_bench_options(CLI::App& command, BenchOptions& options);

/// What to measure. Throws Error{kInvalidArgument} for options that contradict each other or name what
/// there is not, Error{kInvalidInput} for a suite that cannot be read.
bench::GemmRequest bench_request(const BenchOptions& options);

}  // namespace tilewise::cli
