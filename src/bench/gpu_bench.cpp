// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

#include "bench/gemm_operands.hpp"
#include "bench/gpu_roofs.hpp"
#include "bench/gpu_room.hpp"
#include "bench/lead_in.hpp"
#include "bench/origin.hpp"
#include "core/memory.hpp"
#include "core/thread_pool.hpp"
#include "gemm/gpu/plan.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

/// One library on the current problem.
struct Contender {
  GpuLibrary* library = nullptr;
  std::unique_ptr<GpuProduct> product;
  SampledVerdict verdict;
  std::vector<double> milliseconds;

  GemmTiming timing(double flops) const {
    GemmTiming timing;
    for (const double ms : milliseconds) timing.samples.push_back(rounded(flops / ms / 1e6));
    if (!timing.samples.empty()) {
      timing.gflops = rounded(median(timing.samples));
      timing.spread = rounded(spread_percent(timing.samples));
    }
    timing.error = rounded(verdict.error);
    timing.largest_error = rounded(verdict.largest_error);
    timing.plan = product->plan();
    return timing;
  }
};

class GpuBench {
 public:
  GpuBench(device::Device& device, GpuLibraries& libraries, const GpuRequest& request,
           const GemmListener& listener)
      : device_(device),
        libraries_(libraries),
        request_(request),
        listener_(listener),
        random_(request.seed),
        stream_(device.create_stream()),
        room_(device, *stream_, request.operands, request.seed) {}

  GemmReport run();

 private:
  void describe();
  void measure(const GpuProblem& problem, const std::vector<GpuProblem>& all);
  std::optional<Contender> prepare(GpuLibrary& library, const GpuProblem& problem,
                                   std::string& no_kernel);
  bool compute_first(Contender& contender, const GpuProblem& problem,
                     const BatchReference& reference);
  void choose(Contender& contender);
  void time_all(std::vector<Contender>& contenders);
  EnqueueRun run_of(Contender& contender);
  GemmResult blank(const GpuProblem& problem) const;
  void publish(GemmResult result);
  void leave_out(const std::string& name, const GpuProblem& problem, const std::string& reason) {
    report_.context.troubles.push_back({name, problem.name(), reason});
  }

  device::Device& device_;
  GpuLibraries& libraries_;
  const GpuRequest& request_;
  const GemmListener& listener_;
  std::mt19937_64 random_;
  std::unique_ptr<device::Stream> stream_;
  GemmReport report_;
  GpuRoom room_;
  LeadInWork lead_in_;
  std::chrono::steady_clock::time_point begin_;
};

GemmReport GpuBench::run() {
  describe();
  if (listener_.ready) listener_.ready(report_.context);
  if (!device_.is_virtual()) {
    lead_in_ = [lead = std::make_shared<LeadIn>(device_, *stream_)](double microseconds) {
      lead->enqueue(microseconds);
    };
  }
  const std::vector<GpuProblem> all = problems_of(request_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    report_.was_stopped = listener_.stopped && listener_.stopped();
    if (report_.was_stopped) break;
    if (listener_.next) listener_.next(i, all.size(), all[i].name());
    measure(all[i], all);
  }
  return std::move(report_);
}

void GpuBench::describe() {
  GemmContext& c = report_.context;
  c.version = own_version();
  c.commit = own_commit();
  c.date = utc_now();
  c.device = device_.is_virtual() ? "virtual" : "cuda";
  c.processor = device_.description();
  c.gpu = device_.gpu().key;
  c.host = fmt::format("{}, {} cores", processor_name(), available_cores());
  c.machine_cores = available_cores();
  c.suite = request_.suite;
  c.scaling = request_.scaling;
  c.seed = request_.seed;
  c.operands = name_of(request_.operands);
  c.own = libraries_.own->version();
  c.roofs = {device_.gpu().memory_bandwidth, device_.gpu().l2_bytes};
  c.troubles = libraries_.left_out;
  for (const auto& peer : libraries_.peers) {
    c.peers.push_back({peer->name(), peer->file(), peer->version()});
  }
  for (const char* name :
       {"TILEWISE_PLAN", "TILEWISE_TUNED", "NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG"}) {
    if (const char* value = std::getenv(name)) c.environment.emplace_back(name, value);
  }
}

EnqueueRun GpuBench::run_of(Contender& contender) {
  return [this, product = contender.product.get()](int set) {
    product->enqueue(room_.matrices(set), *stream_);
  };
}

GemmResult GpuBench::blank(const GpuProblem& problem) const {
  GemmResult result;
  result.shape = problem.shape;
  result.dtype = problem.dtype;
  result.result_dtype = problem.result;
  result.mode = gpu::name_of(problem.mode);
  result.peak = rounded(peak_of(device_.gpu(), problem.dtype, problem.mode) / 1e9);
  result.compulsory_bytes = problem.compulsory_bytes();
  return result;
}

void GpuBench::publish(GemmResult result) {
  result.host_seconds =
      rounded(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count());
  report_.results.push_back(std::move(result));
  if (listener_.done) listener_.done(report_.context, report_.results.back());
}

// Nothing where the library has no kernel: of ours `no_kernel` says so, of a peer the context.
std::optional<Contender> GpuBench::prepare(GpuLibrary& library, const GpuProblem& problem,
                                           std::string& no_kernel) {
  const bool own = &library == libraries_.own.get();
  try {
    return Contender{&library, library.prepare(problem), {}, {}};
  } catch (const Error& error) {
    if (own && error.code() != ErrorCode::kUnsupported) throw;
    if (own) {
      no_kernel = error.what();
    } else {
      leave_out(library.name(), problem, error.what());
    }
    return std::nullopt;
  }
}

// Finds the fastest way to compute it and checks that; false: left out.
bool GpuBench::compute_first(Contender& contender, const GpuProblem& problem,
                             const BatchReference& reference) {
  const bool own = contender.library == libraries_.own.get();
  try {
    choose(contender);
    contender.verdict = room_.check(*contender.product, reference);
  } catch (const Error& error) {
    if (own) throw;
    leave_out(contender.library->name(), problem, error.what());
    return false;
  }
  if (own || contender.verdict.verified) return true;
  leave_out(contender.library->name(), problem, "is wrong: " + contender.verdict.wrong);
  return false;
}

void GpuBench::choose(Contender& contender) {
  int fastest = 0;
  double best = 0;
  const int count = contender.product->candidates();
  for (int i = 0; i < count && count > 1; ++i) {
    contender.product->select(i);
    const double ms = time_shortly(device_, *stream_, run_of(contender), room_.sets(), lead_in_);
    if (i == 0 || ms < best) best = ms, fastest = i;
  }
  contender.product->select(fastest);
}

void GpuBench::time_all(std::vector<Contender>& contenders) {
  std::vector<EnqueueRun> runs;
  for (Contender& contender : contenders) runs.push_back(run_of(contender));
  const std::vector<std::vector<double>> samples =
      time_in_turns(device_, *stream_, runs, room_.sets(), request_.limits, lead_in_, random_);
  for (std::size_t i = 0; i < runs.size(); ++i) contenders[i].milliseconds = samples[i];
}

void GpuBench::measure(const GpuProblem& problem, const std::vector<GpuProblem>& all) {
  begin_ = std::chrono::steady_clock::now();
  GemmResult result = blank(problem);
  try {
    room_.enter(problem, all);
  } catch (const Error& error) {
    result.no_kernel = error.what();
    publish(std::move(result));
    return;
  }
  const BatchReference reference = room_.reference();
  std::vector<Contender> contenders;
  const auto enter = [&](GpuLibrary& library) {
    std::optional<Contender> contender = prepare(library, problem, result.no_kernel);
    if (contender && compute_first(*contender, problem, reference)) {
      contenders.push_back(std::move(*contender));
    }
  };
  enter(*libraries_.own);
  for (const auto& peer : libraries_.peers) enter(*peer);
  if (!device_.is_virtual() && !contenders.empty()) time_all(contenders);

  for (const Contender& contender : contenders) {
    GemmTiming timing = contender.timing(problem.flops());
    if (contender.library != libraries_.own.get()) {
      result.peers.emplace_back(contender.library->name(), std::move(timing));
      continue;
    }
    result.path = timing.plan;
    result.ours = std::move(timing);
    result.verified = contender.verdict.verified;
    result.wrong = contender.verdict.wrong;
  }
  publish(std::move(result));
}

}  // namespace

// Dtype by dtype, so that one pool of operands serves all shapes; then mode by mode.
std::vector<GpuProblem> problems_of(const GpuRequest& request) {
  std::vector<GpuProblem> all;
  for (const Dtype dtype : request.dtypes) {
    const Dtype result = request.narrow_result && size_of(dtype) == 2 ? dtype : result_dtype(dtype);
    const std::vector<ComputeMode> modes =
        dtype == Dtype::kF32 ? request.modes : std::vector{ComputeMode::kIeee};
    for (const ComputeMode mode : modes) {
      for (const GemmShape& shape : request.shapes) {
        all.push_back(make_problem(shape, dtype, result, mode, request.gap, request.scaling));
      }
    }
  }
  return all;
}

GemmReport run_gpu_bench(device::Device& device, GpuLibraries libraries, const GpuRequest& request,
                         const GemmListener& listener) {
  return GpuBench(device, libraries, request, listener).run();
}

}  // namespace tilewise::bench
