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

Json context_value(const bench::GemmContext& c) {
  Json object{{"tilewise", c.version},
              {"commit", c.commit},
              {"date", c.date},
              {"device", "cpu"},
              {"processor", c.processor},
              {"caches", c.caches},
              {"cores", c.machine_cores},
              {"instruction_set", c.instruction_set},
              {"threads", c.threads},
              {"pinned_to", c.cores},
              {"suite", c.suite},
              {"seed", c.seed},
              {"burst_ms", c.burst_seconds * 1e3},
              {"peak_before", peaks_value(c.peak_before)},
              {"peak_after", peaks_value(c.peak_after)},
              {"peers", peers_value(c)},
              {"left_out", troubles_value(c)}};
  Json environment = Json::object();
  for (const auto& [name, value] : c.environment) environment[name] = value;
  object["environment"] = std::move(environment);
  return object;
}

// JSON has no NaN: null says that there was no number.
Json real_value(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void put_peers(Json& object, const bench::GemmResult& r) {
  Json speeds = Json::object(), spreads = Json::object(), errors = Json::object(),
       samples = Json::object();
  for (const auto& [name, timing] : r.peers) {
    speeds[name] = timing.gflops;
    spreads[name] = timing.spread;
    errors[name] = real_value(timing.error);
    samples[name] = timing.samples;
  }
  object["peers"] = std::move(speeds);
  object["peer_spreads"] = std::move(spreads);
  object["peer_errors"] = std::move(errors);
  object["samples"] = r.ours.samples;
  object["peer_samples"] = std::move(samples);
}

Json result_value(const bench::GemmResult& r) {
  Json object{{"group", r.shape.group},
              {"dtype", name_of(r.dtype)},
              {"mode", r.mode},
              {"trans_a", r.shape.trans_a ? "T" : "N"},
              {"trans_b", r.shape.trans_b ? "T" : "N"},
              {"m", r.shape.m},
              {"n", r.shape.n},
              {"k", r.shape.k},
              {"threads", r.threads},
              {"gflops", r.ours.gflops},
              {"spread", r.ours.spread},
              {"error", real_value(r.ours.error)},
              {"verified", r.verified}};
  if (!r.verified) object["wrong"] = r.wrong;
  if (!r.path.empty()) object["path"] = r.path;
  if (r.peak > 0) object["peak"] = r.peak;
  object["disturbed"] = r.disturbed;
  put_peers(object, r);
  return object;
}

// dtype -> group -> peer -> {ratio, lowest, …}
Json means_value(const std::vector<bench::GeometricMean>& means) {
  Json object = Json::object();
  for (const bench::GeometricMean& mean : means) {
    object[std::string(name_of(mean.dtype))][mean.group][mean.peer] = {
        {"ratio", mean.ratio},
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
  std::string out = fmt::format("{{\n\"context\": {},\n\"results\": [",
                                text_of(context_value(report.context), 2));
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    out += fmt::format("{}\n{}", i == 0 ? "" : ",", text_of(result_value(report.results[i]), -1));
  }
  return out + fmt::format("\n],\n\"geometric_means\": {}\n}}\n",
                           text_of(means_value(bench::geometric_means(report.results)), 2));
}

}  // namespace tilewise::report
