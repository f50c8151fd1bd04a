// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Nsight Compute's command line, `ncu`: runs a program under it and reads what it counted. Metrics
// come and go with its versions and with GPUs, so their names are asked for, not assumed.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/ladder.hpp"

namespace tilewise::bench {

/// One kernel launch and the metrics counted in it. A metric that ncu could not read is absent.
struct ProfiledLaunch {
  std::string kernel;  ///< its name in the image
  std::map<std::string, double> values;
};

class Nsight {
 public:
  /// Looks for ncu: what the environment variable TILEWISE_NCU names, on PATH, in the usual folders.
  /// Throws Error{kUnsupported} that says what to install.
  Nsight();

  const std::filesystem::path& program() const { return program_; }

  /// The names of all metrics that ncu knows for this machine's GPUs, without ".sum" and the like.
  /// Throws Error{kDriver} when ncu fails.
  std::set<std::string> query_metrics() const;

  /// Runs `command` under ncu and returns its kernel launches in order, each with the sum over the GPU
  /// of `metrics` (names without ".sum"). Throws Error{kDriver} with ncu's reason, or the program's
  /// exit code, when that fails.
  std::vector<ProfiledLaunch> profile(const std::vector<std::string>& command,
                                      const std::vector<std::string>& metrics) const;

 private:
  std::filesystem::path program_;
};

/// A counter of ours and the metrics of Nsight Compute whose sum it is.
struct MetricChoice {
  std::string name;
  std::vector<std::string> metrics;

  /// "a.sum + b.sum"
  std::string text() const;
};

/// Several spellings of one counter: the first whose metrics are all in `available`, or none at all.
MetricChoice choose_metrics(std::string_view name,
                            std::initializer_list<std::vector<std::string>> spellings,
                            const std::set<std::string>& available);

/// How each counter of the ladder is read. A counter that nothing in `available` stands for is left
/// out: barriers on most versions, and warp_instructions, which counts PTX where hardware counts SASS.
std::vector<MetricChoice> ladder_metrics(const std::set<std::string>& available);

/// Every metric of `choices`, each once.
std::vector<std::string> metrics_of(const std::vector<MetricChoice>& choices);

/// The counters of one launch. A choice with a metric that was not read is left out.
std::vector<HardwareCounter> read_counters(const std::vector<MetricChoice>& choices,
                                           const ProfiledLaunch& launch);

/// Gives every rung that has a launch its hardware counters: the launches stand in the order of the
/// rungs, one each. Throws Error{kDriver} when a rung's kernel is not among them.
void add_hardware_counters(LadderResult& result, const std::vector<MetricChoice>& choices,
                           const std::vector<ProfiledLaunch>& launches);

/// Launches each GPU rung of the request exactly once, for a profiler: no checks, no timing.
void launch_each_once(device::Device& device, const LadderRequest& request);

/// What ncu prints for --query-metrics: the names in it.
std::set<std::string> parse_metric_names(std::string_view text);

/// What ncu writes for --csv --page raw. Throws Error{kDriver} with ncu's own error line, or when
/// there is no table. `wanted` are names without ".sum".
std::vector<ProfiledLaunch> parse_launches(std::string_view text,
                                           const std::vector<std::string>& wanted);

}  // namespace tilewise::bench
