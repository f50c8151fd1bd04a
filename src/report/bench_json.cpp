// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/gemm_means.hpp"
#include "report/bench.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::ordered_json;

Json peaks_value(const std::vector<std::pair<Dtype, double>>& peaks) {
  Json object = Json::object();
  for (const auto& [dtype, gflops] : peaks) object[std::string(name_of(dtype))] = gflops;
  return object;
}

Json peers_value(const bench::GemmContext& c) {
  Json object = Json::object();
  for (const bench::PeerOrigin& peer : c.peers) {
    object[peer.name] = {{"version", peer.version}, {"file", peer.file}};
  }
  return object;
}

Json troubles_value(const bench::GemmContext& c) {
  Json list = Json::array();
  for (const bench::PeerTrouble& trouble : c.troubles) {
    Json object{{"peer", trouble.name}};
    if (!trouble.shape.empty()) object["shape"] = trouble.shape;
    object["reason"] = trouble.reason;
    list.push_back(std::move(object));
  }
  return list;
}

Json environment_value(const bench::GemmContext& c) {
  Json environment = Json::object();
  for (const auto& [name, value] : c.environment) environment[name] = value;
  return environment;
}

Json gpu_context_value(const bench::GemmContext& c) {
  return {{"tilewise", c.version},
          {"commit", c.commit},
          {"date", c.date},
          {"device", c.device},
          {"processor", c.processor},
          {"gpu", c.gpu},
          {"memory_bandwidth", c.roofs.memory_bandwidth / 1e9},
          {"l2_bytes", c.roofs.l2_bytes},
          {"host", c.host},
          {"own", c.own},
          {"suite", c.suite},
          {"seed", c.seed},
          {"operands", c.operands},
          {"alpha", c.scaling.alpha},
          {"beta", c.scaling.beta},
          {"peers", peers_value(c)},
          {"left_out", troubles_value(c)},
          {"environment", environment_value(c)}};
}

Json context_value(const bench::GemmContext& c) {
  if (c.device != "cpu") return gpu_context_value(c);
  Json object{{"tilewise", c.version},
              {"commit", c.commit},
              {"date", c.date},
              {"device", c.device},
              {"processor", c.processor},
              {"caches", c.caches},
              {"cores", c.machine_cores},
              {"instruction_set", c.instruction_set},
              {"threads", c.threads},
              {"pinned_to", c.cores},
              {"suite", c.suite},
              {"seed", c.seed},
              {"alpha", c.scaling.alpha},
              {"beta", c.scaling.beta},
              {"burst_ms", c.burst_seconds * 1e3},
              {"peak_before", peaks_value(c.peak_before)},
              {"peak_after", peaks_value(c.peak_after)},
              {"peers", peers_value(c)},
              {"left_out", troubles_value(c)}};
  object["environment"] = environment_value(c);
  return object;
}

// JSON has no NaN: null says that there was no number.
Json real_value(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void put_peers(Json& object, const bench::GemmResult& r) {
  Json speeds = Json::object(), spreads = Json::object(), errors = Json::object(),
       samples = Json::object(), largest = Json::object(), plans = Json::object();
  for (const auto& [name, timing] : r.peers) {
    errors[name] = real_value(timing.error);
    if (timing.largest_error) largest[name] = real_value(*timing.largest_error);
    if (!timing.plan.empty()) plans[name] = timing.plan;
    if (timing.samples.empty()) continue;  // it computed, and was not timed
    speeds[name] = timing.gflops;
    spreads[name] = timing.spread;
    samples[name] = timing.samples;
  }
  object["peers"] = std::move(speeds);
  object["peer_spreads"] = std::move(spreads);
  object["peer_errors"] = std::move(errors);
  if (!largest.empty()) object["peer_largest_errors"] = std::move(largest);
  if (!plans.empty()) object["peer_plans"] = std::move(plans);
  object["samples"] = r.ours.samples;
  object["peer_samples"] = std::move(samples);
}

// What ours did; a figure that was not measured is absent.
void put_ours(Json& object, const bench::GemmResult& r) {
  if (!r.no_kernel.empty()) {
    object["no_kernel"] = r.no_kernel;
    return;
  }
  if (!r.ours.samples.empty()) {
    object["gflops"] = r.ours.gflops;
    object["spread"] = r.ours.spread;
  }
  object["error"] = real_value(r.ours.error);
  if (r.ours.largest_error) object["largest_error"] = real_value(*r.ours.largest_error);
  object["verified"] = r.verified;
  if (!r.verified) object["wrong"] = r.wrong;
}

Json result_value(const bench::GemmContext& c, const bench::GemmResult& r) {
  Json object{{"group", r.shape.group},
              {"dtype", name_of(r.dtype)},
              {"mode", r.mode},
              {"trans_a", r.shape.trans_a ? "T" : "N"},
              {"trans_b", r.shape.trans_b ? "T" : "N"},
              {"m", r.shape.m},
              {"n", r.shape.n},
              {"k", r.shape.k}};
  const bool on_gpu = c.device != "cpu";
  if (r.shape.batch != 1) object["batch"] = r.shape.batch;
  if (c.scaling != bench::Scaling{}) {
    object["alpha"] = c.scaling.alpha;
    object["beta"] = c.scaling.beta;
  }
  if (on_gpu) {
    object["c_dtype"] = name_of(r.result_dtype);
  } else {
    object["threads"] = r.threads;
  }
  put_ours(object, r);
  if (!r.path.empty()) object["path"] = r.path;
  if (r.peak > 0) object["peak"] = r.peak;
  if (on_gpu) {
    object["compulsory_bytes"] = r.compulsory_bytes;
    object["host_seconds"] = r.host_seconds;
  } else {
    object["disturbed"] = r.disturbed;
  }
  put_peers(object, r);
  return object;
}

// arithmetic -> group -> peer -> {ratio, lowest, …}
Json means_value(const std::vector<bench::GeometricMean>& means) {
  Json object = Json::object();
  for (const bench::GeometricMean& mean : means) {
    object[mean.arithmetic()][mean.group][mean.peer] = {{"ratio", mean.ratio},
                                                        {"lowest", mean.lowest},
                                                        {"lowest_shape", mean.lowest_shape},
                                                        {"shapes", mean.shapes}};
  }
  return object;
}

// `indent` < 0: one line. Text that is not UTF-8 (file names) must not stop a result from being written.
std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// A line a result: files that people can read and compare.
std::string bench_json(const bench::GemmReport& report) {
  Json context = context_value(report.context);
  if (report.was_stopped) context["interrupted"] = true;
  std::string out = fmt::format("{{\n\"context\": {},\n\"results\": [", text_of(context, 2));
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    out += fmt::format("{}\n{}", i == 0 ? "" : ",",
                       text_of(result_value(report.context, report.results[i]), -1));
  }
  return out + fmt::format("\n],\n\"geometric_means\": {}\n}}\n",
                           text_of(means_value(bench::geometric_means(report.results)), 2));
}

}  // namespace tilewise::report
