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
  std::vector<std::string> names{"group",  "dtype", "mode",     "trans_a", "trans_b",
                                 "m",      "n",     "k",        "threads", "gflops",
                                 "spread", "error", "verified", "peak",    "path"};
  for (const bench::PeerOrigin& peer : c.peers) {
    names.push_back(peer.name);
    names.push_back(peer.name + "_spread");
  }
  names.emplace_back("ratio_to_best");
  return names;
}

std::vector<std::string> fields_of(const bench::GemmContext& c, const bench::GemmResult& r) {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  std::vector<std::string> fields{r.shape.group,
                                  text(name_of(r.dtype)),
                                  r.mode,
                                  r.shape.trans_a ? "T" : "N",
                                  r.shape.trans_b ? "T" : "N",
                                  text(r.shape.m),
                                  text(r.shape.n),
                                  text(r.shape.k),
                                  text(r.threads),
                                  text(r.ours.gflops),
                                  text(r.ours.spread),
                                  text(r.ours.error),
                                  text(r.verified),
                                  r.peak > 0 ? text(r.peak) : "",
                                  r.path};
  for (const bench::PeerOrigin& peer : c.peers) {
    const auto timing =
        std::ranges::find_if(r.peers, [&](const auto& p) { return p.first == peer.name; });
    const bool there = timing != r.peers.end();
    fields.push_back(there ? text(timing->second.gflops) : "");
    fields.push_back(there ? text(timing->second.spread) : "");
  }
  const std::optional<double> best = r.best_peer();
  fields.push_back(best ? fmt::format("{:.4f}", r.ours.gflops / *best) : "");
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
