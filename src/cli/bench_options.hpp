// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `tilewise bench`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/gemm_bench.hpp"
#include "cli/outputs.hpp"

namespace tilewise::cli {

struct BenchOptions {
  std::string device = "cpu", suite, groups, trans, dtypes, peers, cores;
  std::optional<std::int64_t> m, n, k, batch;
  int threads = 1;
  int repeat = 0;
  double seconds = 0;  ///< 0: 1 on the CPU, 0.4 on a GPU
  double burst_ms = 3, patience = 60;
  std::uint64_t seed = 1;
  bench::Scaling scaling;
  std::string modes, operands, result, gpu;  ///< of a GPU
  std::int64_t gap = 0;
  std::string json, csv, html;
  std::string color = "auto";

  std::vector<OutputFile> outputs() const;
};

/// Adds the options to `command`, which fill `options`.
void add_bench_options(CLI::App& command, BenchOptions& options);

/// What to measure. Throws Error{kInvalidArgument} for options that contradict each other or name what
/// there is not, Error{kInvalidInput} for a suite that cannot be read.
bench::GemmRequest bench_request(const BenchOptions& options);

/// The parts of a request that the CPU's and the GPU's share. They throw the same.
std::vector<bench::GemmShape> bench_shapes(const BenchOptions& options);
std::string bench_suite_name(const BenchOptions& options);
std::vector<Dtype> parse_dtypes(const std::string& list, std::span<const std::string_view> known);
/// Throws where products of one of these types cannot take what --alpha and --beta say.
void check_scaling(const BenchOptions& options, std::span<const Dtype> dtypes);
/// The words between the commas.
std::vector<std::string> split_list(const std::string& list);

}  // namespace tilewise::cli
