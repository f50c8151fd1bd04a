// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which plan of a product is fastest on the GPU at hand? All that are promising are measured, those that come near the
// fastest in turn, and the fastest once more against the planner's choice alone, so that luck is not chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu_bench.hpp"
#include "gemm/gpu/tuned_file.hpp"
#include "tilewise/gpu.hpp"

namespace tilewise::bench {

/// A plan by its name, and how to run it.
struct TimedPlan {
  std::string name;
  EnqueueRun run;
};

/// Takes times, in milliseconds.
class TuneClock {
 public:
  virtual ~TuneClock() = default;
  /// The fastest of a few runs.
  virtual double shortly(const TimedPlan& plan, int sets) = 0;
  /// One list of times for each plan: round by round, all plans in every round.
  virtual std::vector<std::vector<double>> in_turns(const std::vector<TimedPlan>& plans,
                                                    int sets) = 0;
};
/// The clock of a device (bench/timing.hpp). Both must outlive it.
std::unique_ptr<TuneClock> device_clock(device::Device& device, device::Stream& stream,
                                        const TurnLimits& limits, std::uint64_t seed);

struct TuneRequest {
  GpuRequest what;
  bool missing_only = false;  ///< leaves products alone that have a tuned plan already
};

/// A plan of a product. Times in microseconds.
struct MeasuredPlan {
  std::string plan;
  double estimate = 0;
  double microseconds =
      0;  ///< the median of the rounds it took part in, or the fastest of a few runs
  bool is_finalist = false;  ///< took part in rounds
};

/// What became of a product.
struct TuneResult {
  GpuProblem problem;
  std::vector<MeasuredPlan> plans;  ///< the fastest first
  std::string planner, winner;
  double planner_us = 0, winner_us = 0;  ///< medians, of the same rounds
  double noise = 0;                      ///< percent by which they may differ by chance
  std::string
      trouble;  ///< why there is no tuned plan, or why the fastest did not win; empty: nothing to say
  bool is_tuned = false;  ///< and stored

  bool changed() const { return is_tuned && winner != planner; }
  /// How much longer the planner's choice takes: 1.05 for 5 %.
  double gain() const { return changed() ? planner_us / winner_us : 1; }
};

struct TuneContext {
  std::string version, commit, date, device, gpu, suite, file, kernels;
  std::uint64_t seed = 1;
};

struct TuneReport {
  TuneContext context;
  std::vector<TuneResult> results;
  std::size_t left_alone = 0;  ///< products that had a tuned plan, with missing_only
  bool was_stopped = false;
};

/// Over the products that were tuned.
struct TuneSummary {
  std::size_t tuned = 0, changed = 0, failed = 0;
  double mean_gain = 1;              ///< geometric mean over the changed ones
  double mean_regret = 1;            ///< the same over all
  const TuneResult* most = nullptr;  ///< of the changed ones
};
TuneSummary summary_of(const TuneReport& report);

struct TuneListener {
  std::function<void(std::size_t index, std::size_t count, const std::string& what)> next;
  std::function<void(const TuneResult&)> done;
  /// Asked after every measurement; what is not finished then is dropped.
  std::function<bool()> stopped;
};

/// Tunes one product after the other and stores each winner at once. The planner's choice stays unless another plan
/// is faster by more than the noise: 1 %, or three standard errors. A winner's result is held against the reference
/// first. Throws Error for failures of the device, and of the file.
TuneReport run_tune(GpuContext& context, device::Stream& stream, gpu::TunedFile& file,
                    const TuneRequest& request, TuneClock& clock, const TuneListener& listener);

}  // namespace tilewise::bench
