// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "bench/compare.hpp"
#include "bench/gpu_room.hpp"
#include "bench/lead_in.hpp"
#include "bench/origin.hpp"
#include "bench/own_gpu_library.hpp"
#include "gemm/gpu/context.hpp"
#include "gemm/gpu/estimate.hpp"
#include "gemm/gpu/fingerprint.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

// Which plans are worth a measurement: estimates are off by less.
constexpr double kWorstEstimate = 4;
constexpr int kMostOfAKernel = 8;  // in clusters of one shape
constexpr std::size_t kMostMeasured = 64;
// Which of these go on into the rounds.
constexpr double kNearTheFastest = 1.15;
constexpr std::size_t kMostFinalists = 5;
constexpr double kLeastNoise = 1;  // percent

class DeviceClock final : public TuneClock {
 public:
  DeviceClock(device::Device& device, device::Stream& stream, const TurnLimits& limits,
              std::uint64_t seed)
      : device_(device), stream_(stream), limits_(limits), random_(seed) {
    lead_in_ = [lead = std::make_shared<LeadIn>(device, stream)](double microseconds) {
      lead->enqueue(microseconds);
    };
  }
  double shortly(const TimedPlan& plan, int sets) override {
    return time_shortly(device_, stream_, plan.run, sets, lead_in_);
  }
  std::vector<std::vector<double>> in_turns(const std::vector<TimedPlan>& plans,
                                            int sets) override {
    std::vector<EnqueueRun> runs;
    for (const TimedPlan& plan : plans) runs.push_back(plan.run);
    return time_in_turns(device_, stream_, runs, sets, limits_, lead_in_, random_);
  }

 private:
  device::Device& device_;
  device::Stream& stream_;
  TurnLimits limits_;
  std::mt19937_64 random_;
  LeadInWork lead_in_;
};

/// A plan that takes part.
struct Contender {
  std::string plan;  // as TILEWISE_PLAN takes it
  double estimate = 0;
  std::unique_ptr<GpuProduct> product;
  double ms = 0;
  bool is_finalist = false;
};

// Those of low estimates, some of every kernel in clusters of every shape, and the planner's choice.
std::vector<gpu::Candidate> shortlist(std::vector<gpu::Candidate> all, const std::string& planner) {
  const auto estimate = [](const gpu::Candidate& c) { return c.estimate.microseconds; };
  std::ranges::stable_sort(all, {}, estimate);
  std::vector<gpu::Candidate> some;
  std::map<std::string, int> of_kernel;
  for (gpu::Candidate& candidate : all) {
    const std::string kernel = gpu::name_in_cluster(*candidate.plan);
    const bool is_worth_it = estimate(candidate) <= kWorstEstimate * estimate(all.front()) &&
                             of_kernel[kernel] < kMostOfAKernel && some.size() < kMostMeasured;
    if (!is_worth_it && gpu::wish_text(*candidate.plan) != planner) continue;
    ++of_kernel[kernel];
    some.push_back(candidate);
  }
  return some;
}

struct Stopped {};

/// One product.
class Tuning {
 public:
  Tuning(GpuContext& context, device::Stream& stream, GpuRoom& room, TuneClock& clock,
         const TuneListener& listener, const GpuProblem& problem)
      : context_(context), stream_(stream), room_(room), clock_(clock), listener_(listener) {
    result_.problem = problem;
  }

  TuneResult run() {
    enter();
    screen();
    const std::size_t fastest = rounds();
    judge(fastest);
    // The shortest of a few runs is no median of rounds, and less: those come last.
    std::ranges::stable_sort(contenders_, {}, [](const Contender& each) {
      return std::pair(!each.is_finalist, each.ms);
    });
    for (const Contender& each : contenders_)
      result_.plans.push_back({each.plan, each.estimate, each.ms * 1e3, each.is_finalist});
    return std::move(result_);
  }

 private:
  void enter() {
    const gpu::Problem problem = planned_problem(result_.problem, room_.matrices(0));
    const GpuContext::State& state = context_.state();
    const model::Gpu& gpu = state.device->gpu();
    const gpu::Plan usual = gpu::choose(problem, gpu, state.workspace_limit);
    result_.planner = gpu::wish_text(usual);
    for (const gpu::Candidate& each :
         shortlist(gpu::alternatives(problem, gpu, state.workspace_limit), result_.planner)) {
      contenders_.push_back({gpu::wish_text(*each.plan), each.estimate.microseconds,
                             product_by(*each.plan, context_, result_.problem), 0, false});
    }
    if (planner() < contenders_.size()) return;
    // A number of parts that is rounded to another when it is asked for.
    const gpu::Problem oriented = gpu::oriented_for(*usual.kernel, problem);
    contenders_.push_back({result_.planner, gpu::estimate_of(usual, oriented, gpu).microseconds,
                           product_by(usual, context_, result_.problem), 0, false});
  }

  TimedPlan timed(const Contender& contender) {
    return {contender.plan, [this, product = contender.product.get()](int set) {
              product->enqueue(room_.matrices(set), stream_);
            }};
  }
  void stop_if_asked() const {
    if (listener_.stopped && listener_.stopped()) throw Stopped{};
  }

  // A few runs of each; what there is no memory for is out.
  void screen() {
    std::erase_if(contenders_, [&](Contender& contender) {
      stop_if_asked();
      try {
        contender.ms = clock_.shortly(timed(contender), room_.sets());
        return false;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::kOutOfMemory || contender.plan == result_.planner) throw;
        return true;
      }
    });
    std::ranges::stable_sort(contenders_, {}, &Contender::ms);
    std::size_t finalists = 0;
    for (Contender& each : contenders_) {
      each.is_finalist =
          each.plan == result_.planner ||
          (finalists < kMostFinalists && each.ms <= kNearTheFastest * contenders_.front().ms);
      finalists += each.is_finalist ? 1 : 0;
    }
  }

  // Rounds of the finalists. Returns the fastest.
  std::size_t rounds() {
    std::vector<std::size_t> finalists;
    for (std::size_t i = 0; i < contenders_.size(); ++i)
      if (contenders_[i].is_finalist) finalists.push_back(i);
    const auto samples = times_of(finalists);
    std::size_t fastest = finalists.front();
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      Contender& each = contenders_[finalists[i]];
      each.ms = median(samples[i]);
      if (each.ms < contenders_[fastest].ms) fastest = finalists[i];
    }
    return fastest;
  }

  std::vector<std::vector<double>> times_of(const std::vector<std::size_t>& some) {
    std::vector<TimedPlan> plans;
    for (const std::size_t i : some) plans.push_back(timed(contenders_[i]));
    auto samples = clock_.in_turns(plans, room_.sets());
    stop_if_asked();
    return samples;
  }

  std::size_t planner() const {
    const auto found = std::ranges::find(contenders_, result_.planner, &Contender::plan);
    return static_cast<std::size_t>(found - contenders_.begin());
  }

  // The fastest against the planner's choice, in rounds of their own.
  void judge(std::size_t fastest) {
    const std::size_t usual = planner();
    result_.winner = result_.planner;
    result_.planner_us = result_.winner_us = contenders_[usual].ms * 1e3;
    result_.is_tuned = true;
    if (fastest == usual) return;
    const auto samples = times_of({usual, fastest});
    double square = 0;
    for (const std::vector<double>& each : samples) {
      const double error = median_error(spread_percent(each), each.size());
      square += error * error;
    }
    constexpr double kStandardErrors = 3;
    result_.noise = std::max(kLeastNoise, kStandardErrors * std::sqrt(square));
    result_.planner_us = result_.winner_us = median(samples[0]) * 1e3;
    const double challenger_us = median(samples[1]) * 1e3;
    if (!(result_.planner_us > challenger_us * (1 + result_.noise / 100))) return;
    Contender& challenger = contenders_[fastest];
    const SampledVerdict verdict = room_.check(*challenger.product, room_.reference());
    if (!verdict.verified) {
      result_.trouble = challenger.plan + " is faster but wrong: " + verdict.wrong;
      return;
    }
    result_.winner = challenger.plan;
    result_.winner_us = challenger_us;
  }

  GpuContext& context_;
  device::Stream& stream_;
  GpuRoom& room_;
  TuneClock& clock_;
  const TuneListener& listener_;
  TuneResult result_;
  std::vector<Contender> contenders_;
};

class Tuner {
 public:
  Tuner(GpuContext& context, device::Stream& stream, gpu::TunedFile& file,
        const TuneRequest& request, TuneClock& clock, const TuneListener& listener)
      : context_(context),
        stream_(stream),
        file_(file),
        request_(request),
        clock_(clock),
        listener_(listener),
        on_(gpu::tuned_on(device().gpu())),
        room_(device(), stream, request.what.operands, request.what.seed) {}

  TuneReport run();

 private:
  device::Device& device() { return *context_.state().device; }
  void tune(const GpuProblem& problem, const std::vector<GpuProblem>& all);
  bool has_plan(const GpuProblem& problem) const {
    return std::ranges::find(known_, key_of(problem)) != known_.end();
  }
  // Matrices begin on 256 bytes.
  static gpu::TunedKey key_of(const GpuProblem& problem) {
    return gpu::key_of(planned_problem(problem, {256, 256, 256}));
  }
  void store(const TuneResult& result) {
    file_.store({on_,
                 key_of(result.problem),
                 {result.winner, result.winner_us, result.planner, result.planner_us,
                  device().description(), own_version(), utc_now()}});
  }

  GpuContext& context_;
  device::Stream& stream_;
  gpu::TunedFile& file_;
  const TuneRequest& request_;
  TuneClock& clock_;
  const TuneListener& listener_;
  gpu::TunedOn on_;
  GpuRoom room_;
  std::vector<gpu::TunedKey> known_;
  TuneReport report_;
};

TuneReport Tuner::run() {
  report_.context = {own_version(),      own_commit(),        utc_now(), device().description(),
                     device().gpu().key, request_.what.suite, {},        on_.kernels,
                     request_.what.seed};
  std::vector<GpuProblem> all = problems_of(request_.what);
  if (request_.missing_only) {
    for (const gpu::TunedRow& row : file_.rows(on_).rows) known_.push_back(row.key);
    const std::size_t before = all.size();
    std::erase_if(all, [&](const GpuProblem& problem) { return has_plan(problem); });
    report_.left_alone = before - all.size();
  }
  try {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (listener_.stopped && listener_.stopped()) throw Stopped{};
      if (listener_.next) listener_.next(i, all.size(), all[i].name());
      tune(all[i], all);
    }
  } catch (const Stopped&) {
    report_.was_stopped = true;
  }
  return std::move(report_);
}

void Tuner::tune(const GpuProblem& problem, const std::vector<GpuProblem>& all) {
  TuneResult result;
  try {
    room_.enter(problem, all);
    result = Tuning(context_, stream_, room_, clock_, listener_, problem).run();
    store(result);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported && error.code() != ErrorCode::kOutOfMemory) throw;
    result = {};
    result.problem = problem;
    result.trouble = error.what();
  }
  report_.results.push_back(std::move(result));
  if (listener_.done) listener_.done(report_.results.back());
}

}  // namespace

std::unique_ptr<TuneClock> device_clock(device::Device& device, device::Stream& stream,
                                        const TurnLimits& limits, std::uint64_t seed) {
  return std::make_unique<DeviceClock>(device, stream, limits, seed);
}

TuneSummary summary_of(const TuneReport& report) {
  TuneSummary summary;
  double logarithms = 0;
  for (const TuneResult& result : report.results) {
    summary.tuned += result.is_tuned ? 1 : 0;
    summary.failed += result.trouble.empty() ? 0 : 1;
    if (!result.changed()) continue;
    ++summary.changed;
    logarithms += std::log(result.gain());
    if (summary.most == nullptr || result.gain() > summary.most->gain()) summary.most = &result;
  }
  if (summary.changed > 0) {
    summary.mean_gain = std::exp(logarithms / static_cast<double>(summary.changed));
    summary.mean_regret = std::exp(logarithms / static_cast<double>(summary.tuned));
  }
  return summary;
}

TuneReport run_tune(GpuContext& context, device::Stream& stream, gpu::TunedFile& file,
                    const TuneRequest& request, TuneClock& clock, const TuneListener& listener) {
  return Tuner(context, stream, file, request, clock, listener).run();
}

}  // namespace tilewise::bench
