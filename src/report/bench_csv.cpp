// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/bench.hpp"

namespace tilewise::report {
namespace {

// RFC 4180: a field with a comma, a quote or a line end stands in quotes, its quotes doubled.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string line_of(const std::vector<std::string>& fields) {
  std::vector<std::string> all;
  for (const std::string& field : fields) all.push_back(quoted(field));
  return fmt::format("{}\r\n", fmt::join(all, ","));
}

std::vector<std::string> head(const bench::GemmContext& c) {
  std::vector<std::string> names{"group",    "dtype", "mode",    "trans_a", "trans_b", "m",
                                 "n",        "k",     "threads", "gflops",  "spread",  "error",
                                 "verified", "peak",  "path",    "batch",   "alpha",   "beta"};
  const bool on_gpu = c.device != "cpu";
  if (on_gpu) names.insert(names.end(), {"c_dtype", "largest_error", "no_kernel"});
  for (const bench::PeerOrigin& peer : c.peers) {
    names.push_back(peer.name);
    names.push_back(peer.name + "_spread");
    if (!on_gpu) continue;
    names.push_back(peer.name + "_error");
    names.push_back(peer.name + "_largest_error");
    names.push_back(peer.name + "_plan");
  }
  names.emplace_back("ratio_to_best");
  return names;
}

template <class Value> std::string text(const Value& value) { return fmt::format("{}", value); }

// A figure, or nothing where it was not measured.
std::string figure(bool there, double value) { return there ? text(value) : std::string(); }

void add_timing(std::vector<std::string>& fields, const bench::GemmTiming* timing, bool on_gpu) {
  const bool timed = timing && !timing->samples.empty();
  fields.push_back(figure(timed, timed ? timing->gflops : 0));
  fields.push_back(figure(timed, timed ? timing->spread : 0));
  if (!on_gpu) return;
  fields.push_back(figure(timing, timing ? timing->error : 0));
  fields.push_back(
      figure(timing && timing->largest_error, timing ? timing->largest_error.value_or(0) : 0));
  fields.push_back(timing ? timing->plan : std::string());
}

std::vector<std::string> fields_of(const bench::GemmContext& c, const bench::GemmResult& r) {
  const bool on_gpu = c.device != "cpu", computed = r.no_kernel.empty();
  const bool timed = !r.ours.samples.empty();
  std::vector<std::string> fields{r.shape.group,
                                  text(name_of(r.dtype)),
                                  r.mode,
                                  r.shape.trans_a ? "T" : "N",
                                  r.shape.trans_b ? "T" : "N",
                                  text(r.shape.m),
                                  text(r.shape.n),
                                  text(r.shape.k),
                                  on_gpu ? std::string() : text(r.threads),
                                  figure(timed, r.ours.gflops),
                                  figure(timed, r.ours.spread),
                                  figure(computed, r.ours.error),
                                  computed ? text(r.verified) : std::string(),
                                  r.peak > 0 ? text(r.peak) : "",
                                  r.path,
                                  text(r.shape.batch),
                                  text(c.scaling.alpha),
                                  text(c.scaling.beta)};
  if (on_gpu) {
    fields.emplace_back(name_of(r.result_dtype));
    fields.push_back(figure(computed && r.ours.largest_error, r.ours.largest_error.value_or(0)));
    fields.push_back(r.no_kernel);
  }
  for (const bench::PeerOrigin& peer : c.peers) {
    const auto found =
        std::ranges::find_if(r.peers, [&](const auto& p) { return p.first == peer.name; });
    add_timing(fields, found == r.peers.end() ? nullptr : &found->second, on_gpu);
  }
  const std::optional<double> ratio = r.ratio();
  fields.push_back(ratio ? fmt::format("{:.4f}", *ratio) : "");
  return fields;
}

}  // namespace

std::string bench_csv(const bench::GemmReport& report) {
  std::string out = line_of(head(report.context));
  for (const bench::GemmResult& result : report.results) {
    out += line_of(fields_of(report.context, result));
  }
  return out;
}

}  // namespace tilewise::report
