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
#include "bench/lead_in.hpp"
#include "bench/origin.hpp"
#include "bench/sampled_check.hpp"
#include "core/memory.hpp"
#include "core/thread_pool.hpp"
#include "gemm/gpu/plan.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every float
// Of what is free: for operands as for results; the rest is for the libraries' workspaces.
constexpr double kShareOfMemory = 0.4;

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
        stream_(device.create_stream()) {}

  GemmReport run();

 private:
  void describe();
  std::vector<GpuProblem> problems() const;
  void make_room(Dtype dtype, const std::vector<GpuProblem>& problems);
  void measure(const GpuProblem& problem);
  std::optional<Contender> prepare(GpuLibrary& library, const GpuProblem& problem,
                                   std::string& no_kernel);
  SampledVerdict check(Contender& contender, const GpuProblem& problem,
                       const SampledReference& reference);
  bool compute_first(Contender& contender, const GpuProblem& problem,
                     const SampledReference& reference);
  void choose(Contender& contender);
  void time_all(std::vector<Contender>& contenders);
  EnqueueRun run_of(Contender& contender);
  GpuMatrices matrices(int set) const;
  GemmResult blank(const GpuProblem& problem) const;
  void publish(GemmResult result);
  void leave_out(const std::string& name, const GpuProblem& problem, const std::string& reason) {
    report_.context.troubles.push_back({name, problem.name(), reason});
  }
  std::uint64_t memory() const {
    return static_cast<std::uint64_t>(kShareOfMemory * static_cast<double>(device_.free_memory()));
  }
  std::uint64_t cache() const { return device_.is_virtual() ? 0 : device_.gpu().l2_bytes; }

  device::Device& device_;
  GpuLibraries& libraries_;
  const GpuRequest& request_;
  const GemmListener& listener_;
  std::mt19937_64 random_;
  std::unique_ptr<device::Stream> stream_;
  GemmReport report_;
  std::uint64_t room_ = 0;  // bytes of device memory for operands and results
  std::optional<OperandPool> pool_;
  std::optional<device::Buffer> results_;
  std::vector<std::byte> c_;  // as it came back
  Arrangement arrangement_;
  Dtype result_ = Dtype::kF32;
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
  const std::vector<GpuProblem> all = problems();
  std::optional<Dtype> filled;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (listener_.next) listener_.next(i, all.size(), all[i].name());
    if (filled != all[i].dtype) make_room(all[i].dtype, all);
    filled = all[i].dtype;
    measure(all[i]);
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
  c.seed = request_.seed;
  c.operands = name_of(request_.operands);
  c.own = libraries_.own->version();
  c.roofs = {device_.gpu().memory_bandwidth, device_.gpu().l2_bytes};
  c.troubles = libraries_.left_out;
  for (const auto& peer : libraries_.peers) {
    c.peers.push_back({peer->name(), peer->file(), peer->version()});
  }
  for (const char* name : {"TILEWISE_PLAN", "NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG"}) {
    if (const char* value = std::getenv(name)) c.environment.emplace_back(name, value);
  }
}

// Dtype by dtype, so that one pool of operands serves all shapes; then mode by mode.
std::vector<GpuProblem> GpuBench::problems() const {
  std::vector<GpuProblem> all;
  for (const Dtype dtype : request_.dtypes) {
    const Dtype result =
        request_.narrow_result && size_of(dtype) == 2 ? dtype : result_dtype(dtype);
    const std::vector<ComputeMode> modes =
        dtype == Dtype::kF32 ? request_.modes : std::vector{ComputeMode::kIeee};
    for (const ComputeMode mode : modes) {
      for (const GemmShape& shape : request_.shapes) {
        all.push_back(make_problem(shape, dtype, result, mode, request_.gap));
      }
    }
  }
  return all;
}

// Room for the largest problem of the dtype that the device holds.
void GpuBench::make_room(Dtype dtype, const std::vector<GpuProblem>& problems) {
  pool_.reset(), results_.reset();
  room_ = memory();
  std::int64_t operands = 1;
  std::uint64_t results = 1;
  for (const GpuProblem& problem : problems) {
    if (problem.dtype != dtype) continue;
    try {
      const Arrangement arrangement = arrange(problem, cache(), room_);
      operands = std::max(operands, pool_elements(arrangement));
      results = std::max(results, static_cast<std::uint64_t>(result_elements(arrangement)) *
                                      size_of(problem.result));
    } catch (const Error&) {  // measure() says it of the shape
    }
  }
  pool_.emplace(device_, *stream_, dtype, request_.operands, request_.seed, operands);
  results_.emplace(device_, results);
}

GpuMatrices GpuBench::matrices(int set) const {
  const std::int64_t first = set * arrangement_.ab_stride;
  return {pool_->address(first), pool_->address(first + arrangement_.b_offset),
          results_->address() +
              static_cast<std::uint64_t>(set * arrangement_.c_stride) * size_of(result_)};
}

EnqueueRun GpuBench::run_of(Contender& contender) {
  return [this, product = contender.product.get()](int set) {
    product->enqueue(matrices(set), *stream_);
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

// C of NaN before, all of it back after.
SampledVerdict GpuBench::check(Contender& contender, const GpuProblem& problem,
                               const SampledReference& reference) {
  const GpuMatrices first = matrices(0);
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(problem.shape.m * problem.ldc) * size_of(problem.result);
  device_.fill(first.c, kPoison, bytes, *stream_);
  contender.product->enqueue(first, *stream_);
  if (c_.size() < bytes) c_.resize(bytes);
  device_.copy_to_host(c_.data(), first.c, bytes, *stream_);
  stream_->synchronize();
  return reference.check(std::span(c_).first(bytes));
}

// Finds the fastest way to compute it and checks that; false: left out.
bool GpuBench::compute_first(Contender& contender, const GpuProblem& problem,
                             const SampledReference& reference) {
  const bool own = contender.library == libraries_.own.get();
  try {
    choose(contender);
    contender.verdict = check(contender, problem, reference);
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
    const double ms =
        time_shortly(device_, *stream_, run_of(contender), arrangement_.sets, lead_in_);
    if (i == 0 || ms < best) best = ms, fastest = i;
  }
  contender.product->select(fastest);
}

void GpuBench::time_all(std::vector<Contender>& contenders) {
  std::vector<EnqueueRun> runs;
  for (Contender& contender : contenders) runs.push_back(run_of(contender));
  const std::vector<std::vector<double>> samples =
      time_in_turns(device_, *stream_, runs, arrangement_.sets, request_.limits, lead_in_, random_);
  for (std::size_t i = 0; i < runs.size(); ++i) contenders[i].milliseconds = samples[i];
}

void GpuBench::measure(const GpuProblem& problem) {
  begin_ = std::chrono::steady_clock::now();
  GemmResult result = blank(problem);
  try {
    arrangement_ = arrange(problem, cache(), room_);
  } catch (const Error& error) {
    result.no_kernel = error.what();
    publish(std::move(result));
    return;
  }
  result_ = problem.result;
  pool_->lay_out(problem, arrangement_);
  const auto from = [this](std::int64_t offset) {
    return [this, offset](std::int64_t first, std::int64_t stride, std::int64_t count, double* to) {
      pool_->read(offset + first, stride, count, to);
    };
  };
  const SampledReference reference(problem, from(0), from(arrangement_.b_offset), request_.seed, 24,
                                   [this](std::int64_t j) { return pool_->column_exponent(j); });

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

GemmReport run_gpu_bench(device::Device& device, GpuLibraries libraries, const GpuRequest& request,
                         const GemmListener& listener) {
  return GpuBench(device, libraries, request, listener).run();
}

}  // namespace tilewise::bench
