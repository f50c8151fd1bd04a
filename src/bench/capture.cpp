// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>

#include "kernels/images.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

using model::AccessCounts;
using model::GoldenAccess;

struct KnownProbe {
  std::string_view access;
  int bytes;
  Probe probe;
};

constexpr auto kProbes = std::to_array<KnownProbe>({
    {"ld.shared", 4, {"access_probe", "probe_ld_shared_4"}},
    {"ld.shared", 8, {"access_probe", "probe_ld_shared_8"}},
    {"ld.shared", 16, {"access_probe", "probe_ld_shared_16"}},
    {"st.shared", 4, {"access_probe", "probe_st_shared_4"}},
    {"st.shared", 8, {"access_probe", "probe_st_shared_8"}},
    {"st.shared", 16, {"access_probe", "probe_st_shared_16"}},
    {"ld.global", 4, {"access_probe", "probe_ld_global_4"}},
    {"ld.global", 8, {"access_probe", "probe_ld_global_8"}},
    {"ld.global", 16, {"access_probe", "probe_ld_global_16"}},
    {"st.global", 4, {"access_probe", "probe_st_global_4"}},
    {"st.global", 8, {"access_probe", "probe_st_global_8"}},
    {"st.global", 16, {"access_probe", "probe_st_global_16"}},
    {"ldmatrix.x1", 16, {"matrix_probe", "probe_ldmatrix_x1"}},
    {"ldmatrix.x2", 16, {"matrix_probe", "probe_ldmatrix_x2"}},
    {"ldmatrix.x4", 16, {"matrix_probe", "probe_ldmatrix_x4"}},
    {"stmatrix.x1", 16, {"matrix_probe", "probe_stmatrix_x1"}},
    {"stmatrix.x2", 16, {"matrix_probe", "probe_stmatrix_x2"}},
    {"stmatrix.x4", 16, {"matrix_probe", "probe_stmatrix_x4"}},
    {"cp.async.ca.shared", 4, {"copy_probe", "probe_cp_async_ca_4_shared"}},
    {"cp.async.ca.shared", 8, {"copy_probe", "probe_cp_async_ca_8_shared"}},
    {"cp.async.ca.shared", 16, {"copy_probe", "probe_cp_async_ca_16_shared"}},
    {"cp.async.cg.shared", 16, {"copy_probe", "probe_cp_async_cg_16_shared"}},
    {"cp.async.ca.global", 4, {"copy_probe", "probe_cp_async_ca_4_global"}},
    {"cp.async.ca.global", 8, {"copy_probe", "probe_cp_async_ca_8_global"}},
    {"cp.async.ca.global", 16, {"copy_probe", "probe_cp_async_ca_16_global"}},
    {"cp.async.cg.global", 16, {"copy_probe", "probe_cp_async_cg_16_global"}},
    {"cp.async.ca.both", 4, {"copy_probe", "probe_cp_async_ca_4_both"}},
    {"cp.async.ca.both", 8, {"copy_probe", "probe_cp_async_ca_8_both"}},
    {"cp.async.ca.both", 16, {"copy_probe", "probe_cp_async_ca_16_both"}},
    {"cp.async.cg.both", 16, {"copy_probe", "probe_cp_async_cg_16_both"}},
});

constexpr std::uint64_t kAlignment = 1024;  // of the base that offsets count from
constexpr std::uint64_t kGlobalBytes =
    65536;  // rows recorded before may reach beyond kCaptureBytes

// As the kernels declare it.
struct LaneOffsets {
  std::array<std::uint32_t, 32> bytes{};
};

/// A device with the probes' modules and memory.
class ProbeBench {
 public:
  explicit ProbeBench(device::Device& device)
      : device_(device),
        stream_(device.create_stream()),
        global_(device, kGlobalBytes + kAlignment),
        sink_(device, 32 * sizeof(std::uint32_t)) {
    // Known bits: a load of memory that nothing wrote is a fault to some observers.
    device.fill(global_.address(), 0x5A, global_.bytes(), *stream_);
    stream_->synchronize();
  }

  /// Launches a row's probe; `counted` through launch_counted().
  std::optional<device::LaunchCount> launch(const GoldenAccess& row, bool counted) {
    LaneOffsets offsets, from;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      offsets.bytes[lane] = static_cast<std::uint32_t>(row.offsets[lane]);
      from.bytes[lane] = static_cast<std::uint32_t>(row.from[lane]);
    }
    const device::Address global = (global_.address() + kAlignment - 1) / kAlignment * kAlignment;
    const device::Address sink = sink_.address();
    const std::array<const void*, 5> arguments{&offsets, &row.active_mask, &global, &sink, &from};
    const std::size_t count = row.access.ends_with(".both") ? 5 : 4;
    const device::Launch launch{{1, 1, 1}, {32, 1, 1}, 0, std::span(arguments).first(count)};
    const Probe probe = probe_for(row);
    device::Kernel& kernel = module(probe.unit).kernel(probe.entry);
    if (counted) return device_.launch_counted(kernel, launch, *stream_);
    device_.launch(kernel, launch, *stream_);
    return std::nullopt;
  }

  void synchronize() { stream_->synchronize(); }

 private:
  device::Module& module(std::string_view unit) {
    std::unique_ptr<device::Module>& module = modules_[unit];
    const model::Gpu& gpu = device_.gpu();
    if (!module) {
      module = device_.load(kernels::find_image(unit, gpu.compute_major, gpu.compute_minor));
    }
    return *module;
  }

  device::Device& device_;
  std::unique_ptr<device::Stream> stream_;
  device::Buffer global_, sink_;
  std::map<std::string_view, std::unique_ptr<device::Module>> modules_;
};

// What the address-exact metrics of an access end in: "ld", "st", "ldsm", "stsm".
std::string metric_suffix(std::string_view access) {
  if (access.starts_with("ldmatrix")) return "ldsm";
  if (access.starts_with("stmatrix")) return "stsm";
  if (access.starts_with("cp.async")) return "ldgsts";
  return std::string(access.substr(0, 2));
}

/// The metrics of one kind of access. An empty name: nothing available stands for it.
struct AccessMetrics {
  std::string wavefronts, conflicts, requests, sectors;
};

std::string first_of(std::initializer_list<std::vector<std::string>> spellings,
                     const std::set<std::string>& available) {
  const MetricChoice choice = choose_metrics("", spellings, available);
  return choice.metrics.empty() ? std::string() : choice.metrics.front();
}

// With one warp nothing contends for the pipe, so the l1tex__ counters are exact here. The
// smsp__sass_ wavefronts are not: where merged phases have a bank conflict they report them unmerged
// (tests/golden/README.md). ldmatrix counts as a load, stmatrix as a store.
AccessMetrics metrics_for(std::string_view access, const std::set<std::string>& available) {
  const std::string op = metric_suffix(access);
  AccessMetrics metrics;
  if (op == "ldgsts") {  // l1tex__ counts .ca alone
    metrics.wavefronts =
        first_of({{"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts"}}, available);
    metrics.conflicts = first_of(
        {{"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts"}}, available);
    metrics.requests =
        first_of({{"smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts"}}, available);
    metrics.sectors =
        first_of({{"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts"}}, available);
    return metrics;
  }
  if (access.ends_with(".global")) {
    metrics.requests = first_of({{"l1tex__t_requests_pipe_lsu_mem_global_op_" + op},
                                 {"smsp__inst_executed_op_global_" + op + "_pred_on_any"},
                                 {"smsp__sass_inst_executed_op_global_" + op}},
                                available);
    metrics.sectors = first_of({{"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_" + op},
                                {"l1tex__t_sectors_pipe_lsu_mem_global_op_" + op}},
                               available);
    return metrics;
  }
  const std::string plain = op.substr(0, 2);
  metrics.wavefronts = first_of({{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + plain},
                                 {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" + op}},
                                available);
  metrics.conflicts =
      first_of({{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + plain},
                {"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_" + op}},
               available);
  return metrics;
}

std::optional<int> value_of(const ProfiledLaunch& launch, const std::string& metric) {
  const auto value = launch.values.find(metric);
  if (metric.empty() || value == launch.values.end()) return std::nullopt;
  return static_cast<int>(value->second + 0.5);
}

// The part of a launch's counters that a row is about.
AccessCounts counts_of(const GoldenAccess& row, const Counters& c) {
  const auto as_int = [](std::uint64_t value) { return static_cast<int>(value); };
  if (row.access == "ld.global") {
    return {{}, {}, as_int(c.global_load_requests), as_int(c.global_load_sectors)};
  }
  if (row.access == "st.global") {
    return {{}, {}, as_int(c.global_store_requests), as_int(c.global_store_sectors)};
  }
  if (row.access.starts_with("cp.async")) {
    return {as_int(c.async_copy_wavefronts), as_int(c.async_copy_conflicts),
            as_int(c.async_copy_instructions), as_int(c.async_copy_sectors)};
  }
  if (row.access.starts_with("ld")) {
    return {as_int(c.shared_load_wavefronts), as_int(c.shared_load_conflicts), {}, {}};
  }
  return {as_int(c.shared_store_wavefronts), as_int(c.shared_store_conflicts), {}, {}};
}

[[noreturn]] void fail(const GoldenAccess& row, const std::string& what) {
  throw Error(ErrorCode::kDriver, fmt::format("row {} ({} {} {}): {}", row.id, row.access,
                                              row.bytes_per_lane, row.pattern, what));
}

}  // namespace

Probe probe_for(const GoldenAccess& row) {
  for (const KnownProbe& known : kProbes) {
    if (known.access == row.access && known.bytes == row.bytes_per_lane) return known.probe;
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("row {}: no probe executes {} with {} bytes a lane", row.id, row.access,
                          row.bytes_per_lane));
}

std::vector<GoldenAccess> rows_for(std::vector<GoldenAccess> rows, int compute_major) {
  std::erase_if(rows, [&](const GoldenAccess& row) {
    return compute_major < 9 && row.access.starts_with("stmatrix");
  });
  return rows;
}

void launch_probes(device::Device& device, std::span<const GoldenAccess> rows) {
  ProbeBench bench(device);
  for (const GoldenAccess& row : rows) bench.launch(row, false);
  bench.synchronize();
}

std::vector<AccessCounts> count_probes(device::Device& device, std::span<const GoldenAccess> rows) {
  ProbeBench bench(device);
  std::vector<AccessCounts> counts;
  for (const GoldenAccess& row : rows) {
    const std::optional<device::LaunchCount> count = bench.launch(row, true);
    if (!count) throw Error(ErrorCode::kUnsupported, device.description() + " does not count");
    counts.push_back(counts_of(row, count->report.counters));
  }
  return counts;
}

std::vector<std::string> capture_metrics(const std::set<std::string>& available) {
  std::set<std::string> names;
  for (const KnownProbe& known : kProbes) {
    const AccessMetrics metrics = metrics_for(known.access, available);
    names.insert({metrics.wavefronts, metrics.conflicts, metrics.requests, metrics.sectors});
  }
  names.erase("");
  return {names.begin(), names.end()};
}

void take_counts(std::span<GoldenAccess> rows, std::span<const ProfiledLaunch> launches,
                 const std::set<std::string>& available) {
  if (rows.size() != launches.size()) {
    throw Error(ErrorCode::kDriver,
                fmt::format("ncu profiled {} launches of {} probes", launches.size(), rows.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    GoldenAccess& row = rows[i];
    const std::string_view entry = probe_for(row).entry;
    if (launches[i].kernel != entry) {
      fail(row, fmt::format("ncu profiled '{}' instead of '{}'", launches[i].kernel, entry));
    }
    const AccessMetrics metrics = metrics_for(row.access, available);
    row.expected = {
        value_of(launches[i], metrics.wavefronts), value_of(launches[i], metrics.conflicts),
        value_of(launches[i], metrics.requests), value_of(launches[i], metrics.sectors)};
    if (row.expected.global_requests.value_or(1) != 1) {
      fail(row, fmt::format("the probe made {} requests, not 1", *row.expected.global_requests));
    }
  }
}

}  // namespace tilewise::bench
