// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu_ladder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "bench/context.hpp"
#include "bench/cpu_climb.hpp"
#include "bench/fma_peak.hpp"
#include "core/thread_pool.hpp"
#include "cpu/ladder/ladder.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

std::vector<kernels::Rung> describe_rungs() {
  std::vector<kernels::Rung> all;
  for (const cpu::ladder::Rung& rung : cpu::ladder::rungs()) {
    all.push_back({.name = rung.name,
                   .title = rung.title,
                   .idea = rung.idea,
                   .on_cpu = true,
                   .unit = rung.unit});
  }
  return all;
}

// The rung of src/cpu/ladder/ that `rung` describes. Throws Error{kInvalidArgument} for others.
const cpu::ladder::Rung& described_by(const kernels::Rung& rung) {
  const auto all = cpu::ladder::rungs();
  const auto found = std::ranges::find(all, rung.name, &cpu::ladder::Rung::name);
  if (found != all.end()) return *found;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("rung '{}' is not on the CPU's ladder", rung.name));
}

/// The FMA peak of each number of threads, looked at again before each rung: other programs take
/// their share of a machine now and then, and the peak is what the cores do when they do not.
class Peaks {
 public:
  explicit Peaks(std::string instruction_set) : set_(std::move(instruction_set)) {}

  void look(int threads) {
    constexpr double kSeconds = 0.005;  // short: what interrupts one look spares another
    double gflops = 0;
    for (int i = 0; i < 4; ++i) {
      gflops = std::max(gflops, measure_fma_peak(set_, Dtype::kF32, threads, kSeconds) / 1e9);
    }
    const auto known = std::ranges::find(peaks_, threads, &FmaPeak::threads);
    if (known != peaks_.end()) {
      known->gflops = std::max(known->gflops, gflops);
    } else if (gflops > 0) {
      peaks_.push_back({threads, gflops});
    }
  }
  std::optional<double> of(int threads) const {
    const auto known = std::ranges::find(peaks_, threads, &FmaPeak::threads);
    return known == peaks_.end() ? std::nullopt : std::optional(known->gflops);
  }
  std::vector<FmaPeak> all() && { return std::move(peaks_); }

 private:
  std::string set_;
  std::vector<FmaPeak> peaks_;
};

// What rows say of one another and of the machine, once all are there.
void relate(std::vector<RungResult>& rows, const Peaks& peaks) {
  const RungResult* before = nullptr;
  for (RungResult& row : rows) {
    if (row.gflops && row.threads) {
      if (const std::optional<double> peak = peaks.of(*row.threads)) {
        row.percent_of_peak = 100 * *row.gflops / *peak;
      }
      if (before && before->gflops) row.speed_up = *row.gflops / *before->gflops;
    }
    before = &row;
  }
}

}  // namespace

std::span<const kernels::Rung> cpu_ladder() {
  static const std::vector<kernels::Rung> all = describe_rungs();
  return all;
}

LadderResult climb_cpu_ladder(const LadderRequest& request, const LadderProgress& progress,
                              const CpuMultiply& multiply) {
  const Sizes sizes = resolve_sizes(request);
  check_cpu_request(request, sizes);
  const int all_threads = available_cores();
  std::vector<int> threads;
  for (const kernels::Rung* rung : request.rungs) {
    threads.push_back(described_by(*rung).on_all_threads ? all_threads : 1);
  }

  LadderResult result;
  result.context = describe_cpu_run(request);
  Peaks peaks(result.context.instruction_set);
  CpuClimb climb(request, sizes, multiply);
  const std::size_t count = request.rungs.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (progress) progress(i, count, request.rungs[i]);
    peaks.look(threads[i]);
    result.rungs.push_back(
        climb.run(*request.rungs[i], threads[i], request.keep_c && i + 1 == count));
  }
  if (progress) progress(count, count, nullptr);
  relate(result.rungs, peaks);
  result.context.fma_peaks = std::move(peaks).all();
  if (request.keep_c && count > 0) result.c = climb.last_result();
  return result;
}

LadderResult run_cpu_ladder(const LadderRequest& request, const LadderProgress& progress) {
  return climb_cpu_ladder(request, progress,
                          [](const kernels::Rung& rung, const cpu::ladder::Product& product) {
                            cpu::ladder::multiply(described_by(rung), product);
                          });
}

}  // namespace tilewise::bench
