// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The ladder's counters in terms of Nsight Compute's metrics.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/device_operands.hpp"
#include "bench/nsight.hpp"
#include "bench/operands.hpp"
#include "bench/sizes.hpp"
#include "kernels/images.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

template <class T>
void launch_rungs(device::Device& device, const LadderRequest& request, const Sizes& sizes,
                  kernels::Arithmetic arithmetic) {
  const auto wanted = [&](const kernels::Rung* rung) {
    return !rung->on_cpu && rung->arithmetic == arithmetic;
  };
  if (std::none_of(request.rungs.begin(), request.rungs.end(), wanted)) return;
  const std::unique_ptr<device::Stream> stream = device.create_stream();
  const Operands<T> operands = make_operands<T>(request, sizes, arithmetic);
  for (const kernels::Rung* rung : request.rungs) {
    if (!wanted(rung)) continue;
    const model::Gpu& gpu = device.gpu();
    const kernels::KernelImage& image =
        kernels::find_image(rung->unit, gpu.compute_major, gpu.compute_minor);
    LoadedRung loaded(device, *rung, image, operands.sizes);
    DeviceOperands<T> on_device(device, *stream, operands, rung->order);
    on_device.reset_c();
    loaded.launch(on_device, 0, *stream);
    stream->synchronize();
  }
}

}  // namespace

std::string MetricChoice::text() const {
  return fmt::format("{}.sum", fmt::join(metrics, ".sum + "));
}

MetricChoice choose_metrics(std::string_view name,
                            std::initializer_list<std::vector<std::string>> spellings,
                            const std::set<std::string>& available) {
  for (const std::vector<std::string>& metrics : spellings) {
    const bool all = std::all_of(metrics.begin(), metrics.end(),
                                 [&](const std::string& each) { return available.contains(each); });
    if (all) return {std::string(name), metrics};
  }
  return {std::string(name), {}};
}

// The smsp__sass family is computed from addresses, instruction by instruction; what l1tex__ counts
// in the pipe stands in where the first has no such metric. Instructions that no lane executes
// ("pred_off_all") make no access and are left out.
std::vector<MetricChoice> ladder_metrics(const std::set<std::string>& available) {
  std::vector<MetricChoice> choices{
      choose_metrics("fma_threads",
                     {{"smsp__sass_thread_inst_executed_op_ffma_pred_on",
                       "smsp__sass_thread_inst_executed_op_dfma_pred_on"}},
                     available)};
  const auto add = [&](std::string_view name,
                       std::initializer_list<std::vector<std::string>> spellings) {
    choices.push_back(choose_metrics(name, spellings, available));
  };
  for (const std::string op : {"ld", "st"}) {
    const std::string ours = op == "ld" ? "load" : "store";
    // ldmatrix and stmatrix have metrics of their own, and are loads and stores here.
    const std::string executed = "smsp__inst_executed_op_";
    const std::string matrix = op == "ld" ? "ldsm" : "shared_stsm";
    const std::string plain = executed + "shared_" + op + "_pred_on_any";
    add("shared_" + ours + "_instructions", {{plain, executed + matrix + "_pred_on_any"},
                                             {plain},
                                             {"smsp__sass_inst_executed_op_shared_" + op}});
    const std::string exact = "smsp__sass_l1tex_data_";
    const std::string wavefronts = exact + "pipe_lsu_wavefronts_mem_shared_op_" + op;
    add("shared_" + ours + "_wavefronts", {{wavefronts, wavefronts + "sm"}, {wavefronts}});
    const std::string conflicts = exact + "bank_conflicts_pipe_lsu_mem_shared_op_" + op;
    add("shared_" + ours + "_conflicts",
        {{conflicts, conflicts + "sm"},
         {conflicts},
         {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op}});
    add("global_" + ours + "_requests", {{"smsp__inst_executed_op_global_" + op + "_pred_on_any"},
                                         {"l1tex__t_requests_pipe_lsu_mem_global_op_" + op},
                                         {"smsp__sass_inst_executed_op_global_" + op}});
    add("global_" + ours + "_sectors", {{"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_" + op},
                                        {"l1tex__t_sectors_pipe_lsu_mem_global_op_" + op}});
  }
  const std::string copied = "smsp__sass_l1tex_data_";
  add("async_copy_wavefronts", {{copied + "pipe_lsu_wavefronts_mem_shared_op_ldgsts"}});
  add("async_copy_conflicts", {{copied + "bank_conflicts_pipe_lsu_mem_shared_op_ldgsts"}});
  add("async_copy_sectors", {{"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts"}});
  add("barriers", {{"smsp__sass_inst_executed_op_barrier"}, {"smsp__inst_executed_op_barrier"}});
  std::erase_if(choices, [](const MetricChoice& choice) { return choice.metrics.empty(); });
  return choices;
}

std::vector<std::string> metrics_of(const std::vector<MetricChoice>& choices) {
  std::set<std::string> names;
  for (const MetricChoice& choice : choices) {
    names.insert(choice.metrics.begin(), choice.metrics.end());
  }
  return {names.begin(), names.end()};
}

std::vector<HardwareCounter> read_counters(const std::vector<MetricChoice>& choices,
                                           const ProfiledLaunch& launch) {
  std::vector<HardwareCounter> counters;
  for (const MetricChoice& choice : choices) {
    double sum = 0;
    bool complete = true;
    for (const std::string& metric : choice.metrics) {
      const auto value = launch.values.find(metric);
      complete = complete && value != launch.values.end();
      if (complete) sum += value->second;
    }
    if (complete) {
      counters.push_back({choice.name, choice.text(), static_cast<std::uint64_t>(sum + 0.5)});
    }
  }
  return counters;
}

void add_hardware_counters(LadderResult& result, const std::vector<MetricChoice>& choices,
                           const std::vector<ProfiledLaunch>& launches) {
  std::vector<bool> taken(launches.size(), false);
  for (RungResult& rung : result.rungs) {
    if (rung.rung->on_cpu || rung.m == 0 || rung.n == 0) continue;
    bool found = false;
    for (std::size_t i = 0; i < launches.size() && !found; ++i) {
      if (taken[i] || launches[i].kernel != rung.entry) continue;
      rung.hardware_counters = read_counters(choices, launches[i]);
      found = taken[i] = true;
    }
    if (!found) {
      throw Error(ErrorCode::kDriver, fmt::format("ncu did not profile rung {}'s kernel '{}'",
                                                  rung.rung->name, rung.entry));
    }
  }
}

void launch_each_once(device::Device& device, const LadderRequest& request) {
  const Sizes sizes = resolve_sizes(request);
  check_request(device, request, sizes);
  if (sizes.m == 0 || sizes.n == 0) return;
  using enum kernels::Arithmetic;
  for (const kernels::Arithmetic each : {kF32, kTF32, kF16, kBF16}) {
    launch_rungs<float>(device, request, sizes, each);
  }
  launch_rungs<double>(device, request, sizes, kF64);
}

}  // namespace tilewise::bench
