// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/exec/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

#include "core/thread_pool.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/cluster.hpp"
#include "vgpu/observe/checked_ops.hpp"
#include "vgpu/observe/checker.hpp"
#include "vgpu/observe/counting.hpp"

namespace tilewise::vgpu {
namespace {

/// Basic blocks (of PTX) a thread block runs before it shares its host thread with another: blocks may
/// wait for each other through global memory.
constexpr std::uint64_t kBudget = 1u << 20;
/// Thread blocks in flight on one host thread when that happens.
constexpr std::size_t kMostInFlight = 64;

[[noreturn]] void refuse(const Program& p, const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, fmt::format("kernel {}: {}", p.name, what));
}

void check_extent(const Program& p, const char* name, const Dim3& d, const Dim3& most) {
  if (d.x >= 1 && d.y >= 1 && d.z >= 1 && d.x <= most.x && d.y <= most.y && d.z <= most.z) return;
  refuse(p, fmt::format("a {} of {}×{}×{} is not possible, the limits are {}×{}×{}", name, d.x, d.y,
                        d.z, most.x, most.y, most.z));
}

void check(const Program& p, const LaunchRequest& r, std::uint64_t shared_bytes) {
  const model::Gpu& g = *r.gpu;
  check_extent(p, "grid", r.grid, {g.max_grid_x, g.max_grid_y, g.max_grid_z});
  check_extent(p, "block", r.block, {g.max_block_x, g.max_block_y, g.max_block_z});
  const std::uint64_t most = p.max_threads > 0 ? std::min(p.max_threads, g.max_threads_per_block)
                                               : g.max_threads_per_block;
  if (r.block.count() > most) {
    refuse(p, fmt::format("a block of {} threads is more than the {} it can have", r.block.count(),
                          most));
  }
  const std::uint64_t most_shared = std::max(g.shared_per_block_optin, g.shared_per_block);
  if (shared_bytes > most_shared) {
    refuse(p, fmt::format("{} bytes of shared memory are more than the {} a block of {} can have",
                          shared_bytes, most_shared, g.name));
  }
  if (r.arguments.size() != p.parameter_bytes.size()) {
    refuse(p, fmt::format("{} arguments given, {} expected", r.arguments.size(),
                          p.parameter_bytes.size()));
  }
}

// As the launch says, else as the kernel does.
Dim3 cluster_of(const Program& p, const LaunchRequest& r) {
  constexpr std::uint64_t kMostBlocks = 16;
  const bool is_given = r.options.cluster.count() != 0;
  const Dim3 c = is_given ? r.options.cluster : p.cluster;
  if (c.count() == 0) return {1, 1, 1};
  if (c.count() > 1 && r.gpu->compute_major < 9) {
    refuse(p,
           fmt::format("clusters are asked for, which {} does not have: compute capability {}.{}, "
                       "expected 9.0 or newer",
                       r.gpu->name, r.gpu->compute_major, r.gpu->compute_minor));
  }
  const auto name = [](const Dim3& d) { return fmt::format("{}×{}×{}", d.x, d.y, d.z); };
  if (is_given && p.cluster.count() != 0 && p.cluster != c) {
    refuse(p, fmt::format("clusters of {} blocks are asked for, but it is compiled for {}", name(c),
                          name(p.cluster)));
  }
  if (c.count() > kMostBlocks) {
    refuse(p, fmt::format("a cluster of {} blocks is more than {}", name(c), kMostBlocks));
  }
  if (r.grid.x % c.x != 0 || r.grid.y % c.y != 0 || r.grid.z % c.z != 0) {
    refuse(p, fmt::format("a grid of {} blocks is no multiple of clusters of {}", name(r.grid),
                          name(c)));
  }
  return c;
}

class Launch {
 public:
  Launch(const LoadedKernel& kernel, const LaunchRequest& request)
      : kernel_(kernel), request_(request), parameters_(kernel.program.parameter_block_bytes + 16) {
    const Program& p = kernel.program;
    const std::uint64_t shared =
        request.dynamic_shared_bytes > 0
            ? std::uint64_t{p.dynamic_shared_offset} + request.dynamic_shared_bytes
            : p.static_shared_bytes;
    check(p, request, shared);
    cluster_ = cluster_of(p, request);
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
      std::memcpy(parameters_.data() + p.parameter_offsets[i], request.arguments[i],
                  p.parameter_bytes[i]);
    }
    facts_.program = &p;
    facts_.ops = request.options.count ? p.ops.data() : kernel.plain_ops.data();
    facts_.grid = request.grid;
    facts_.block = request.block;
    facts_.shared_bytes = static_cast<std::uint32_t>(shared);
    facts_.dynamic_shared_bytes = request.dynamic_shared_bytes;
    facts_.parameters = parameters_.data();
    facts_.sm_count = std::max(1, request.gpu->sm_count);
    if (request.gpu->compute_major >= 9) {
      facts_.reserved_shared = std::max<std::int64_t>(kHopperReservedShared, p.shared_alignment);
    }
    facts_.cluster = cluster_;
    facts_.is_explicit_cluster = request.options.cluster.count() != 0 || p.cluster.count() != 0;
    facts_.async_order = request.options.async_order;
    facts_.async_seed = request.options.async_seed;
    if (request.options.checks.any()) turn_checks_on();
    else request.memory->mark_all_written();
  }

  LaunchReport run() {
    if (!checker_) return run_grid();
    try {
      LaunchReport report = run_grid();
      report.findings = checker_->findings.take();
      return report;
    } catch (const KernelError& error) {
      std::vector<Finding> findings = checker_->findings.take();
      findings.insert(findings.end(), error.findings().begin(), error.findings().end());
      throw KernelError(error.what(), std::move(findings));
    }
  }

 private:
  // What is found must not depend on the machine, so one host thread runs all blocks.
  void turn_checks_on() {
    const std::uint64_t blocks = request_.grid.count();
    if (blocks > GlobalShadow::kMostBlocks) {
      refuse(kernel_.program, fmt::format("a grid of {} blocks cannot be checked, the most is {}",
                                          blocks, GlobalShadow::kMostBlocks));
    }
    ClusterShape shape;
    shape.grid = request_.grid;
    shape.cluster_size = cluster_;
    shape.warps_per_block =
        static_cast<std::uint32_t>((request_.block.count() + kLanes - 1) / kLanes);
    checker_ = std::make_unique<LaunchChecker>(kernel_.program, request_.options.checks,
                                               *request_.memory, *request_.module_memory, shape);
    if (!request_.options.checks.uninitialized) request_.memory->mark_all_written();
    unchecked_ops_ = facts_.ops;
    checked_ops_ = checked_ops(*checker_, unchecked_ops_);
    facts_.ops = checked_ops_.data();
    facts_.checker = checker_.get();
  }

  LaunchReport run_grid() {
    const std::uint64_t blocks = clusters();
    int threads = request_.options.threads > 0 ? request_.options.threads : available_cores();
    if (checker_) threads = 1;
    threads =
        static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), blocks));
    workers_.resize(static_cast<std::size_t>(threads));
    for (Worker& w : workers_) prepare(w);
    parallel_for(static_cast<std::uint64_t>(threads), threads,
                 [&](int, std::uint64_t index) { work(workers_[index]); });
    for (const Worker& w : workers_) {
      for (const std::function<void()>& effect : w.last_effects) effect();
    }
    return make_report(kernel_.program, workers_, request_.options.count);
  }

  std::uint64_t clusters() const { return request_.grid.count() / cluster_.count(); }

  // Workers print in turn.
  void print(std::string_view text) {
    const std::lock_guard lock(printing_);
    request_.options.print(text);
  }

  void prepare(Worker& w) const {
    const Program& p = kernel_.program;
    w.program = &p;
    w.checked_ops = checked_ops_.data();
    w.unchecked_ops = unchecked_ops_;
    w.memory = request_.memory;
    w.module_memory = request_.module_memory;
    if (request_.options.print) w.print = &print_;
    const auto parameters = reinterpret_cast<std::uint64_t>(parameters_.data());
    w.parameters = {parameters, parameters + p.parameter_block_bytes};
    w.sites.resize(p.sites.size());
    w.site_data = w.sites.data();
    w.block_runs.assign(p.blocks.size(), 0);
    w.block_lanes.assign(p.blocks.size(), 0);
    w.guarded_fmas.assign(p.instructions.size(), 0);
    w.matrix_runs.assign(p.matrix_ops.size(), 0);
    w.numerics = request_.options.numerics;
    w.bulk_bytes.assign(p.bulk_copies.size(), 0);
  }

  void work(Worker& worker) {
    try {
      run_blocks(worker);
    } catch (...) {
      stop_ = true;
      throw;
    }
  }

  // One block at a time, unless it runs out of its budget: then others join it, in turn.
  void run_blocks(Worker& worker) {
    std::deque<std::unique_ptr<ClusterRunner>> in_flight, idle;
    while (!stop_) {
      if (in_flight.empty() && !start_another(worker, in_flight, idle)) return;
      std::unique_ptr<ClusterRunner> runner = std::move(in_flight.front());
      in_flight.pop_front();
      if (runner->run(kBudget) == ClusterRunner::Outcome::kDone) {
        idle.push_back(std::move(runner));
        continue;
      }
      in_flight.push_back(std::move(runner));
      if (in_flight.size() < kMostInFlight) start_another(worker, in_flight, idle);
    }
  }

  bool start_another(Worker& worker, std::deque<std::unique_ptr<ClusterRunner>>& in_flight,
                     std::deque<std::unique_ptr<ClusterRunner>>& idle) {
    const std::uint64_t index = next_++;
    if (index >= clusters()) return false;
    if (idle.empty()) idle.push_back(std::make_unique<ClusterRunner>(facts_, worker));
    idle.back()->start(index);
    in_flight.push_front(std::move(idle.back()));
    idle.pop_back();
    return true;
  }

  const LoadedKernel& kernel_;
  const LaunchRequest& request_;
  std::vector<std::byte> parameters_;
  Dim3 cluster_{1, 1, 1};
  LaunchFacts facts_;
  std::unique_ptr<LaunchChecker> checker_;
  std::vector<Op> checked_ops_;
  const Op* unchecked_ops_ = nullptr;
  std::vector<Worker> workers_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex printing_;
  const std::function<void(std::string_view)> print_ = [this](std::string_view text) {
    print(text);
  };
  std::atomic<bool> stop_{false};
};

}  // namespace

LaunchReport run_launch(const LoadedKernel& kernel, const LaunchRequest& request) {
  return Launch(kernel, request).run();
}

}  // namespace tilewise::vgpu
