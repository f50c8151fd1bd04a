// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

// A pair of events around one run.
class TimedRun {
 public:
  TimedRun(device::Device& device, device::Stream& stream)
      : stream_(stream), start_(device.create_event()), stop_(device.create_event()) {}

  void run(const EnqueueRun& enqueue, int set) {
    start_->record(stream_);
    enqueue(set);
    stop_->record(stream_);
  }
  double milliseconds() {
    stop_->synchronize();
    return stop_->milliseconds_since(*start_);
  }

 private:
  device::Stream& stream_;
  std::unique_ptr<device::Event> start_, stop_;
};

// Hands out the sets of operands one after the other, round and round.
class Rotation {
 public:
  explicit Rotation(int sets) : sets_(sets) {}
  int next() { return std::exchange(set_, (set_ + 1) % sets_); }

 private:
  int sets_, set_ = 0;
};

double time_one(device::Device& device, device::Stream& stream, const EnqueueRun& enqueue,
                Rotation& rotation) {
  TimedRun timed(device, stream);
  timed.run(enqueue, rotation.next());
  return timed.milliseconds();
}

using Clock = std::chrono::steady_clock;
constexpr double kFirstLeadUs = 100;  // before it is known how long the host takes

/// Contenders, and the events around their runs.
class Turns {
 public:
  Turns(device::Device& device, device::Stream& stream, const std::vector<EnqueueRun>& contenders,
        int sets, const LeadInWork& lead_in, std::mt19937_64& random)
      : device_(device),
        stream_(stream),
        contenders_(contenders),
        rotation_(sets),
        lead_in_(lead_in),
        random_(random) {}

  std::vector<std::vector<double>> measure(const TurnLimits& limits) {
    rounds(1);  // the first runs load kernels
    const double round_ms = std::max(sum_of_medians(rounds(2)), 1e-3);
    const double budget_ms = limits.seconds * 1e3;
    // Warm-up for a fifth of the time brings the clocks up; long runs have done so by now.
    if (round_ms < budget_ms / 10) rounds(count_for(budget_ms / 5 / round_ms, 1));
    return rounds(limits.repeat > 0 ? limits.repeat : count_for(budget_ms / round_ms, 10));
  }

 private:
  static int count_for(double wanted, int least) {
    return static_cast<int>(std::clamp(wanted, static_cast<double>(least), 200.0));
  }

  static double sum_of_medians(const std::vector<std::vector<double>>& samples) {
    double sum = 0;
    for (const std::vector<double>& each : samples) sum += median(each);
    return sum;
  }

  // Nothing waits within: the device, not the host, sets the pace.
  std::vector<std::vector<double>> rounds(int count) {
    const std::size_t many = contenders_.size();
    while (runs_.size() < many * static_cast<std::size_t>(count)) {
      runs_.emplace_back(device_, stream_);
    }
    std::vector<std::size_t> order(many);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> host_us;
    for (std::size_t round = 0; round < static_cast<std::size_t>(count); ++round) {
      std::ranges::shuffle(order, random_);
      if (lead_in_ && short_rounds_) lead_in_(lead_us_);
      const Clock::time_point begin = Clock::now();
      for (const std::size_t who : order) {
        runs_[round * many + who].run(contenders_[who], rotation_.next());
      }
      host_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    // What the host needed for most rounds, and half as much again.
    if (count > 1) lead_us_ = 10 + 1.5 * median(std::move(host_us));
    std::vector<std::vector<double>> samples(many);
    for (std::size_t i = 0; i < many * static_cast<std::size_t>(count); ++i) {
      samples[i % many].push_back(runs_[i].milliseconds());
    }
    constexpr double kShortMs = 0.2;  // a contender: the host enqueues in less
    short_rounds_ = sum_of_medians(samples) < kShortMs * static_cast<double>(many);
    return samples;
  }

  device::Device& device_;
  device::Stream& stream_;
  const std::vector<EnqueueRun>& contenders_;
  Rotation rotation_;
  const LeadInWork& lead_in_;
  std::mt19937_64& random_;
  std::vector<TimedRun> runs_;
  bool short_rounds_ = true;
  double lead_us_ = kFirstLeadUs;
};

}  // namespace

double median(std::vector<double> samples) {
  if (samples.empty())
    throw Error(ErrorCode::kInvalidArgument, "samples: none to take a median of");
  std::ranges::sort(samples);
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 != 0 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

int sets_past_cache(std::uint64_t set_bytes, std::uint64_t cache_bytes,
                    std::uint64_t memory_bytes) {
  constexpr std::uint64_t kMostSets = 64;
  const std::uint64_t bytes = std::max<std::uint64_t>(set_bytes, 1);
  const std::uint64_t wanted = (3 * cache_bytes + bytes - 1) / bytes;
  return static_cast<int>(
      std::clamp<std::uint64_t>(std::min(wanted, memory_bytes / bytes), 1, kMostSets));
}

RunCounts choose_counts(double round_ms, int requested) {
  const double round = std::max(round_ms, 1e-3);
  const auto rounds_in = [&](double ms, double least, double most) {
    return static_cast<int>(std::clamp(std::ceil(ms / round), least, most));
  };
  return {rounds_in(100, 1, 2000), requested > 0 ? requested : rounds_in(1000, 10, 200)};
}

Samples time_interleaved(device::Device& device, device::Stream& stream, const EnqueueRun& ours,
                         const EnqueueRun& peer, int sets, int requested, int rest_ms) {
  Rotation rotation(sets);
  double round_ms = time_one(device, stream, ours, rotation);
  if (peer) {
    time_one(device, stream, peer, rotation);  // its first run loads its kernel
    round_ms += time_one(device, stream, peer, rotation);
  }
  const RunCounts counts = choose_counts(round_ms + (peer ? 2 : 1) * rest_ms, requested);
  std::vector<TimedRun> our_runs, peer_runs;  // made before the first run: no allocations between
  for (int i = 0; i < counts.timed; ++i) {
    our_runs.emplace_back(device, stream);
    if (peer) peer_runs.emplace_back(device, stream);
  }
  for (int i = 0; i < counts.warm_up; ++i) {
    ours(rotation.next());
    if (peer) peer(rotation.next());
  }
  const auto time = [&](TimedRun& run, const EnqueueRun& enqueue) {
    if (rest_ms > 0) {
      stream.synchronize();
      std::this_thread::sleep_for(std::chrono::milliseconds(rest_ms));
      enqueue(rotation.next());
    }
    run.run(enqueue, rotation.next());
  };
  for (int i = 0; i < counts.timed; ++i) {
    time(our_runs[i], ours);
    if (peer) time(peer_runs[i], peer);
  }
  Samples samples;
  for (TimedRun& run : our_runs) samples.ours_ms.push_back(run.milliseconds());
  for (TimedRun& run : peer_runs) samples.peer_ms.push_back(run.milliseconds());
  return samples;
}

std::vector<std::vector<double>> time_in_turns(device::Device& device, device::Stream& stream,
                                               const std::vector<EnqueueRun>& contenders, int sets,
                                               const TurnLimits& limits, const LeadInWork& lead_in,
                                               std::mt19937_64& random) {
  return Turns(device, stream, contenders, sets, lead_in, random).measure(limits);
}

double time_shortly(device::Device& device, device::Stream& stream, const EnqueueRun& run, int sets,
                    const LeadInWork& lead_in) {
  constexpr double kLongMs = 20;
  constexpr int kRuns = 4;
  Rotation rotation(sets);
  double best = time_one(device, stream, run, rotation);  // its first run may load its kernel
  for (int i = 0; i < kRuns && best < kLongMs; ++i) {
    if (lead_in) lead_in(kFirstLeadUs);
    best = std::min(best, time_one(device, stream, run, rotation));
  }
  return best;
}

}  // namespace tilewise::bench
