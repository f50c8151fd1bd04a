// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark on a terminal. Rows are printed as they come, so every column's width is fixed.
#include <fmt/format.h>

#include <algorithm>

#include "bench/gemm_means.hpp"
#include "report/bench.hpp"
#include "report/bench_text.hpp"
#include "report/format.hpp"

namespace tilewise::report {
namespace {

constexpr std::size_t kGroupWidth = 10, kShapeWidth = 31, kMeanNameWidth = 36;

std::string peaks_text(const std::vector<std::pair<Dtype, double>>& peaks) {
  std::vector<std::string> parts;
  for (const auto& [dtype, gflops] : peaks) {
    parts.push_back(fmt::format("{} {:.1f} GFLOP/s", name_of(dtype), gflops));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string table_head(const bench::GemmContext& c) {
  std::string line = fmt::format("{:<{}} {:<{}} {:>9} {:>7} {:>6} ", "group", kGroupWidth, "shape",
                                 kShapeWidth, "GFLOP/s", "spread", "% peak");
  for (const bench::PeerOrigin& peer : c.peers) {
    line += fmt::format("{:>{}} ", shorten(peer.name, kPeerWidth), kPeerWidth);
  }
  return line + (c.peers.empty() ? "" : fmt::format("{:>6}", "ratio"));
}

/// The means of one arithmetic ("f32 accurate"): a line a group, a column a peer, the best peer last.
class Means {
 public:
  Means(const std::vector<bench::GeometricMean>& all, const std::string& arithmetic, bool color)
      : color_(color), arithmetic_(arithmetic) {
    std::ranges::copy_if(all, std::back_inserter(means_), [&](const bench::GeometricMean& mean) {
      return mean.arithmetic() == arithmetic;
    });
    for (const bench::GeometricMean& mean : means_) {
      add_once(groups_, mean.group);
      if (mean.peer != "best") add_once(peers_, mean.peer);
    }
    peers_.emplace_back("best");
  }

  std::string text() const {
    std::string head = fmt::format("{:<{}}", arithmetic_ + ": ours / peer, mean", kMeanNameWidth);
    for (const std::string& peer : peers_) {
      head += fmt::format("{:>{}} ", shorten(peer, kPeerWidth), kPeerWidth);
    }
    std::string out = painted(color_, kBold, head + "  lowest against best") + "\n";
    for (const std::string& group : groups_) out += line(group);
    return out + "\n";
  }

 private:
  static void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }

  std::string line(const std::string& group) const {
    std::string out = fmt::format("{:<{}}", shorten(group, kMeanNameWidth), kMeanNameWidth), lowest;
    for (const std::string& peer : peers_) {
      const auto mean = std::ranges::find_if(means_, [&](const bench::GeometricMean& m) {
        return m.group == group && m.peer == peer;
      });
      if (mean == means_.end()) {
        out += fmt::format("{:>{}} ", kNothing, kPeerWidth);
        continue;
      }
      const std::string ratio = fmt::format("{:>{}.3f}", mean->ratio, kPeerWidth);
      out += painted(color_, color_of(mean->ratio), ratio) + " ";
      lowest = fmt::format("  {:.3f} {}", mean->lowest, mean->lowest_shape);  // of best, the last
    }
    return ended(out + lowest);
  }

  bool color_;
  std::string arithmetic_;
  std::vector<bench::GeometricMean> means_;
  std::vector<std::string> groups_, peers_;
};

}  // namespace

std::string bench_heading(const bench::GemmContext& c, bool color) {
  if (c.device != "cpu") return gpu_heading(c, color);
  const std::string machine = fmt::format("{}, {} of {} cores (core {})", c.processor, c.threads,
                                          c.machine_cores, fmt::join(c.cores, ", "));
  std::string out = painted(color, kBold, shorten(machine, kWidth)) + "\n";
  out += field("caches", fmt::format("{}", fmt::join(c.caches, ", ")));
  out += field("ours", c.own);
  if (c.scaling != bench::Scaling{}) out += field("scaling", bench::scaling_name(c.scaling));
  for (const bench::PeerOrigin& peer : c.peers) {
    out += field(shorten(peer.name, 13), fmt::format("{} ({})", peer.version, peer.file));
  }
  for (const auto& [name, value] : c.environment) out += field("environment", name + "=" + value);
  if (!c.peak_before.empty()) out += field("peak", peaks_text(c.peak_before));
  return out + "\n" + ended(table_head(c));
}

std::string bench_row(const bench::GemmContext& c, const bench::GemmResult& r, bool color) {
  if (c.device != "cpu") return gpu_row(c, r, color);
  const std::string shape = fmt::format("{} {}", name_of(r.dtype), bench::shape_name(r.shape));
  const std::string of_peak =
      r.peak > 0 ? fmt::format("{:.1f}", 100 * r.ours.gflops / r.peak) : std::string(kNothing);
  std::string line =
      fmt::format("{:<{}} {:<{}} {:>9} {:>6.1f}% {:>6} ", shorten(r.shape.group, kGroupWidth),
                  kGroupWidth, shape, kShapeWidth, speed(r.ours.gflops), r.ours.spread, of_peak);
  for (const bench::PeerOrigin& peer : c.peers) line += peer_cell(r, peer.name, 1, color);
  if (const std::optional<double> ratio = r.ratio()) {
    line += painted(color, color_of(*ratio), fmt::format("{:>6.3f}{}", *ratio, mark_of(*ratio)));
  }
  if (!r.verified) line += "  " + painted(color, kRed, "WRONG: " + r.wrong);
  return ended(line);
}

std::string bench_summary(const bench::GemmReport& report, bool color) {
  const std::vector<bench::GeometricMean> means = bench::geometric_means(report.results);
  std::string out = "\n";
  std::vector<std::string> arithmetics;
  for (const bench::GeometricMean& mean : means) {
    const std::string name = mean.arithmetic();
    if (std::ranges::find(arithmetics, name) != arithmetics.end()) continue;
    arithmetics.push_back(name);
    out += Means(means, name, color).text();
  }
  if (!report.context.peak_after.empty()) {
    out +=
        lines_of(fmt::format("peak before: {}; after: {}", peaks_text(report.context.peak_before),
                             peaks_text(report.context.peak_after)));
  }
  if (report.was_stopped) out += "Interrupted: only what is listed above was measured\n";
  int disturbed = 0;
  for (const bench::GemmResult& result : report.results) disturbed += result.disturbed;
  if (disturbed > 0) {
    out += fmt::format("{} turns were measured again: the core was not ours alone\n", disturbed);
  }
  for (const bench::PeerTrouble& trouble : report.context.troubles) {
    out += lines_of(fmt::format("left out: {}{}: {}", trouble.name,
                                trouble.shape.empty() ? "" : ", " + trouble.shape, trouble.reason));
  }
  return out;
}

}  // namespace tilewise::report
