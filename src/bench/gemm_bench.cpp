// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <sstream>

#include "bench/gemm_operands.hpp"
#include "bench/origin.hpp"
#include "bench/timing.hpp"
#include "bench/worker_link.hpp"
#include "core/memory.hpp"
#include "core/thread_pool.hpp"
#include "tilewise/error.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise::bench {
namespace {

constexpr int kLeastRounds = 10, kMostRounds = 100;
constexpr int kLeastLaps = 3;
constexpr double kPeakSeconds = 1e-3;    // a burst beside the others
constexpr double kSlowestFlops = 0.5e9;  // slower than this counts as hanging
constexpr std::int64_t kMostCalls = 1 << 24;
constexpr double kLeastShare = 0.97;  // of the core during a burst that counts
constexpr int kMostTries = 4;

double number(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) {
    throw WorkerFailure(fmt::format("answered '{}', not a number", text.substr(0, 40)));
  }
  return value;
}

/// What a worker measured, and the part of the time that it had the core.
struct Burst {
  double value = 0, share = 1;
  bool disturbed() const { return share < kLeastShare; }
};

Burst burst_of(const std::string& answer) {
  const std::size_t space = std::min(answer.find(' '), answer.size());
  return {number(answer.substr(0, space)),
          number(answer.substr(std::min(space + 1, answer.size())))};
}

/// Measures again, a few times, while someone else had the core meanwhile; counts how often in `again`.
template <class Measure> double undisturbed(const Measure& measure, int& again) {
  Burst burst = measure();
  for (int i = 0; i < kMostTries && burst.disturbed(); ++i) {
    ++again;
    burst = measure();
  }
  return burst.value;
}

double flops_of(const GemmShape& s) {
  return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) *
         static_cast<double>(s.batch);
}

// Five digits: what a clock gives, and short files.
double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// One library in its worker, with what it did on the current shape.
class Contender {
 public:
  Contender(std::string name, WorkerCommand command)
      : name_(std::move(name)), command_(std::move(command)) {}

  const std::string& name() const { return name_; }
  bool alive() const { return link_ && link_->alive(); }
  std::string ask(const std::string& request, double seconds) {
    return link_->ask(request, seconds);
  }

  /// Starts the program; what it says of itself.
  std::string start(double seconds) {
    link_.emplace(command_);
    return ask("hello", seconds);
  }
  void stop() { link_.reset(); }

  /// Makes the operands. False: has no such product.
  bool load(const GemmRequest& request, const GemmShape& s, Dtype dtype) {
    flops_ = flops_of(s);
    patience_ = request.patience_seconds;
    path_ = ask(fmt::format("load {} {:d} {:d} {} {} {} {} {} {} {}", name_of(dtype), s.trans_a,
                            s.trans_b, s.m, s.n, s.k, s.batch, request.seed, request.scaling.alpha,
                            request.scaling.beta),
                patience(4));
    return path_ != "unsupported";
  }

  /// Operands made, one product checked, calls a burst chosen. False: has no such product.
  bool prepare(const GemmRequest& request, const GemmShape& s, Dtype dtype) {
    samples_.clear();
    if (!load(request, s, dtype)) return false;
    std::istringstream words(ask(fmt::format("check {}", request.seed), patience(4)));
    std::string error;
    words >> error >> verified_ >> std::ws;
    std::getline(words, wrong_);
    error_ = error == "nan" || error == "-nan" ? NAN : number(error);
    return true;
  }

  void choose_calls(double burst_seconds) {
    for (calls_ = 1;;) {
      const double seconds = time().value;
      if (seconds >= 0.7 * burst_seconds || calls_ >= kMostCalls) break;
      const double factor = std::clamp(1.05 * burst_seconds / std::max(seconds, 1e-9), 1.5, 64.0);
      calls_ = std::min(kMostCalls,
                        static_cast<std::int64_t>(std::ceil(static_cast<double>(calls_) * factor)));
    }
  }

  /// Seconds of one burst. One product first that is not timed, where products are short: it brings back
  /// what others have pushed out of the caches meanwhile.
  Burst time() {
    return burst_of(ask(fmt::format("time {} {}", calls_, calls_ > 1 ? 1 : 0),
                        patience(static_cast<double>(calls_) + 1)));
  }

  void sample(int& again) {
    const double seconds = undisturbed([this] { return time(); }, again);
    samples_.push_back(rounded(static_cast<double>(calls_) * flops_ / seconds / 1e9));
  }

  GemmTiming timing() const {
    return {samples_, rounded(median(samples_)), rounded(spread_percent(samples_)), error_};
  }
  bool verified() const { return verified_; }
  const std::string& wrong() const { return wrong_; }
  const std::string& path() const { return path_; }

 private:
  double patience(double calls) const { return patience_ + calls * flops_ / kSlowestFlops; }

  std::string name_;
  WorkerCommand command_;
  std::optional<WorkerLink> link_;
  double flops_ = 0, patience_ = 0, error_ = 0;
  std::int64_t calls_ = 1;
  bool verified_ = false;
  std::string wrong_, path_;
  std::vector<double> samples_;
};

class Bench {
 public:
  Bench(const GemmRequest& request, const GemmListener& listener)
      : request_(request), listener_(listener), random_(request.seed) {}

  GemmReport run() {
    describe();
    start_own();
    for (const Peer& peer : request_.peers) start_peer(peer);
    measure_peaks(report_.context.peak_before);
    if (listener_.ready) listener_.ready(report_.context);
    const std::size_t count = request_.dtypes.size() * request_.shapes.size();
    std::size_t index = 0;
    for (const Dtype dtype : request_.dtypes) {
      for (const GemmShape& shape : request_.shapes) {
        report_.was_stopped |= listener_.stopped && listener_.stopped();
        if (report_.was_stopped) break;
        const std::string what = fmt::format("{} {}", name_of(dtype), shape_name(shape));
        if (listener_.next) listener_.next(index++, count, what);
        measure(shape, dtype, what);
      }
    }
    measure_peaks(report_.context.peak_after);
    return std::move(report_);
  }

 private:
  void describe();
  void start_own();
  void start_peer(const Peer& peer);
  WorkerCommand command(const std::vector<std::string>& libraries) const;
  void measure_peaks(std::vector<std::pair<Dtype, double>>& peaks);
  void measure(const GemmShape& shape, Dtype dtype, const std::string& what);
  std::vector<Contender*> prepare(const GemmShape& shape, Dtype dtype, const std::string& what);
  void check_memory(const GemmShape& shape, Dtype dtype, const std::string& what) const;
  double own_peak(Dtype dtype, double seconds);
  void drop(Contender& contender, const std::string& what, const std::string& reason);

  /// Calls `step` for each contender; those that fail are left out, ours ends everything.
  template <class Step>
  void each(std::vector<Contender*>& contenders, const std::string& what, Step step);

  const GemmRequest& request_;
  const GemmListener& listener_;
  std::mt19937_64 random_;
  GemmReport report_;
  std::unique_ptr<Contender> own_;
  std::vector<std::unique_ptr<Contender>> peers_;
};

void Bench::describe() {
  GemmContext& c = report_.context;
  c.version = own_version();
  c.commit = own_commit();
  c.date = utc_now();
  c.processor = processor_name();
  c.caches = processor_caches();
  c.instruction_set = cpu_instruction_set();
  c.machine_cores = available_cores();
  c.threads = request_.threads;
  c.cores = request_.cores;
  c.suite = request_.suite;
  c.scaling = request_.scaling;
  c.seed = request_.seed;
  c.burst_seconds = request_.burst_seconds;
  for (const char* name : {"TILEWISE_CPU", "OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE",
                           "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS"}) {
    if (const char* value = std::getenv(name)) c.environment.emplace_back(name, value);
  }
}

WorkerCommand Bench::command(const std::vector<std::string>& libraries) const {
  WorkerCommand result{request_.worker, thread_environment(request_.threads), request_.cores};
  result.words.insert(result.words.end(), {"--threads", std::to_string(request_.threads)});
  for (const std::string& library : libraries) {
    result.words.insert(result.words.end(), {"--library", library});
  }
  return result;
}

void Bench::start_own() {
  own_ = std::make_unique<Contender>("tilewise", command({}));
  try {
    report_.context.own = own_->start(request_.patience_seconds).substr(1);
  } catch (const WorkerFailure& failure) {
    throw Error(ErrorCode::kExecution, fmt::format("tilewise's own worker {}", failure.what()));
  }
}

void Bench::start_peer(const Peer& peer) {
  auto contender = std::make_unique<Contender>(peer.name, command(peer.libraries));
  try {
    const std::string answer = contender->start(request_.patience_seconds);
    const std::size_t tab = std::min(answer.find('\t'), answer.size());
    report_.context.peers.push_back(
        {peer.name, answer.substr(0, tab), answer.substr(std::min(tab + 1, answer.size()))});
    peers_.push_back(std::move(contender));
  } catch (const WorkerFailure& failure) {
    if (peer.asked_for) {
      throw Error(ErrorCode::kInvalidInput,
                  fmt::format("--peer {}: {}", peer.name, failure.what()));
    }
    report_.context.troubles.push_back({peer.name, "", failure.what()});
  }
}

double Bench::own_peak(Dtype dtype, double seconds) {
  if (dtype != Dtype::kF32 && dtype != Dtype::kF64) return 0;
  try {
    const std::string request =
        fmt::format("peak {} {} {}", report_.context.instruction_set, name_of(dtype), seconds);
    const auto measure = [&] { return burst_of(own_->ask(request, request_.patience_seconds)); };
    int ignored = 0;
    return undisturbed(measure, ignored) / 1e9;
  } catch (const WorkerFailure& failure) {
    throw Error(ErrorCode::kExecution, fmt::format("tilewise's own worker {}", failure.what()));
  }
}

void Bench::measure_peaks(std::vector<std::pair<Dtype, double>>& peaks) {
  for (const Dtype dtype : request_.dtypes) {
    std::vector<double> samples;
    for (int i = 0; i < kLeastRounds; ++i) samples.push_back(own_peak(dtype, kPeakSeconds));
    if (const double peak = rounded(median(samples)); peak > 0) peaks.emplace_back(dtype, peak);
  }
}

void Bench::drop(Contender& contender, const std::string& what, const std::string& reason) {
  if (&contender == own_.get()) {
    throw Error(ErrorCode::kExecution, fmt::format("{}: tilewise's own worker {}", what, reason));
  }
  report_.context.troubles.push_back({contender.name(), what, reason});
}

template <class Step>
void Bench::each(std::vector<Contender*>& contenders, const std::string& what, Step step) {
  std::erase_if(contenders, [&](Contender* contender) {
    try {
      return !step(*contender);
    } catch (const WorkerFailure& failure) {
      drop(*contender, what, failure.what());
      return true;
    }
  });
}

void Bench::check_memory(const GemmShape& shape, Dtype dtype, const std::string& what) const {
  const double needed = operand_bytes(shape, dtype) * static_cast<double>(1 + peers_.size());
  const auto there = static_cast<double>(available_memory());
  if (needed * 1.1 > there) {
    throw Error(ErrorCode::kOutOfMemory,
                fmt::format("{}: the operands of {} workers need {:.0f} MiB, {:.0f} MiB are free",
                            what, 1 + peers_.size(), needed / 0x1p20, there / 0x1p20));
  }
}

// Those that have the product and compute it right; ours stays, right or wrong.
std::vector<Contender*> Bench::prepare(const GemmShape& shape, Dtype dtype,
                                       const std::string& what) {
  check_memory(shape, dtype, what);
  std::vector<Contender*> contenders{own_.get()};
  for (const auto& peer : peers_) {
    if (peer->alive()) contenders.push_back(peer.get());
  }
  each(contenders, what, [&](Contender& c) {
    if (!c.prepare(request_, shape, dtype)) return false;
    if (!c.verified() && &c != own_.get()) throw WorkerFailure("is wrong: " + c.wrong());
    c.choose_calls(request_.burst_seconds);
    return true;
  });
  return contenders;
}

// Which pages of memory a program happens to have, for operands and buffers, is worth up to a tenth, and it has them as
// long as it runs. So the rounds are run in laps, for each of which all programs are started anew, another one first.
void Bench::measure(const GemmShape& shape, Dtype dtype, const std::string& what) {
  std::vector<Contender*> contenders = prepare(shape, dtype, what);
  double round_seconds = 0;  // of a round that warms up, and is not counted
  each(contenders, what, [&](Contender& c) { return round_seconds += c.time().value, true; });
  const int rounds =
      request_.repeat > 0
          ? request_.repeat
          : static_cast<int>(std::clamp<double>(request_.seconds / std::max(round_seconds, 1e-6),
                                                kLeastRounds, kMostRounds));
  const int laps = std::min(rounds, std::max(kLeastLaps, static_cast<int>(contenders.size())));
  std::vector<double> peaks;
  int again = 0;
  for (int lap = 0, round = 0; lap < laps; ++lap) {
    if (lap > 0) {
      std::ranges::rotate(contenders, contenders.begin() + 1);
      for (Contender* contender : contenders) contender->stop();
      each(contenders, what, [&](Contender& c) {
        c.start(request_.patience_seconds);
        return c.load(request_, shape, dtype);
      });
      each(contenders, what, [](Contender& c) { return c.time(), true; });
    }
    std::vector<Contender*> order = contenders;
    for (; round < rounds * (lap + 1) / laps; ++round) {
      std::ranges::shuffle(order, random_);
      peaks.push_back(own_peak(dtype, kPeakSeconds));
      each(order, what, [&](Contender& c) { return c.sample(again), true; });
    }
    std::erase_if(contenders,
                  [&](Contender* c) { return std::ranges::find(order, c) == order.end(); });
  }
  GemmResult result;
  result.shape = shape;
  result.dtype = dtype;
  result.threads = request_.threads;
  result.ours = own_->timing();
  result.verified = own_->verified();
  result.wrong = own_->wrong();
  result.path = own_->path();
  result.peak = rounded(median(peaks));
  result.disturbed = again;
  for (const auto& peer : peers_) {
    if (std::ranges::find(contenders, peer.get()) != contenders.end()) {
      result.peers.emplace_back(peer->name(), peer->timing());
    }
  }
  report_.results.push_back(std::move(result));
  if (listener_.done) listener_.done(report_.context, report_.results.back());
}

}  // namespace

std::optional<double> GemmResult::best_peer() const {
  std::optional<double> best;
  for (const auto& [name, timing] : peers) {
    if (timing.gflops > 0) best = std::max(best.value_or(0), timing.gflops);
  }
  return best;
}

std::optional<double> GemmResult::ratio() const {
  const std::optional<double> best = best_peer();
  if (!best || *best <= 0 || ours.gflops <= 0) return std::nullopt;
  return ours.gflops / *best;
}

double spread_percent(std::vector<double> samples) {
  const double middle = median(samples);  // throws for none
  std::ranges::sort(samples);
  return 100 * (quantile(samples, 0.75) - quantile(samples, 0.25)) / middle;
}

GemmReport run_gemm_bench(const GemmRequest& request, const GemmListener& listener) {
  return Bench(request, listener).run();
}

}  // namespace tilewise::bench
