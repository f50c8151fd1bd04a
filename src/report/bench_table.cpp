// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark on a terminal. Rows are printed as they come, so every column's width is fixed.
#include <fmt/format.h>

#include <algorithm>

#include "bench/gemm_means.hpp"
#include "report/bench.hpp"
#include "report/format.hpp"

namespace tilewise::report {
namespace {

constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";

constexpr double kFarBehind = 0.85;  // of the best peer
constexpr std::size_t kWidth = 100, kGroupWidth = 10, kShapeWidth = 22, kPeerWidth = 8;
constexpr std::size_t kMeanNameWidth = 36;
constexpr std::string_view kNothing = "–";

std::string painted(bool color, std::string_view code, const std::string& text) {
  return color && !code.empty() ? fmt::format("{}{}{}", code, text, kReset) : text;
}

// Ends a line without spaces that a terminal does not show but a file keeps.
std::string ended(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string lines_of(const std::string& text) {
  std::string out;
  for (const std::string& line : wrap(text, kWidth)) out += line + "\n";
  return out;
}

// "0.45", "9.87", "143.2"
std::string speed(double gflops) {
  return gflops < 10 ? fmt::format("{:.2f}", gflops) : fmt::format("{:.1f}", gflops);
}

std::string_view color_of(double ratio) {
  return ratio < kFarBehind ? kRed : ratio < 1 ? kYellow : kGreen;
}

// What the colour says, for those who do not see it.
std::string_view mark_of(double ratio) {
  return ratio < kFarBehind ? " <<" : ratio < 1 ? " <" : "";
}

std::string field(std::string_view name, const std::string& value) {
  constexpr std::size_t kNameWidth = 14;
  std::string out;
  for (const std::string& line : wrap(value, kWidth - kNameWidth)) {
    out += fmt::format("{:<{}}{}\n", name, kNameWidth, line);
    name = "";
  }
  return out;
}

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

// A peer's GFLOP/s in its column, the fastest in bold.
std::string peer_cell(const bench::GemmResult& r, const std::string& peer, bool color) {
  const auto found = std::ranges::find_if(r.peers, [&](const auto& p) { return p.first == peer; });
  if (found == r.peers.end()) return fmt::format("{:>{}} ", kNothing, kPeerWidth);
  const double gflops = found->second.gflops;
  return painted(color, gflops == r.best_peer() ? kBold : "",
                 fmt::format("{:>{}}", speed(gflops), kPeerWidth)) +
         " ";
}

/// The means of one dtype: a line a group, a column a peer, the best peer last.
class Means {
 public:
  Means(const std::vector<bench::GeometricMean>& all, Dtype dtype, bool color) : color_(color) {
    std::ranges::copy_if(all, std::back_inserter(means_),
                         [&](const bench::GeometricMean& mean) { return mean.dtype == dtype; });
    for (const bench::GeometricMean& mean : means_) {
      add_once(groups_, mean.group);
      if (mean.peer != "best") add_once(peers_, mean.peer);
    }
    peers_.emplace_back("best");
  }

  std::string text(Dtype dtype) const {
    if (means_.empty()) return {};
    std::string head =
        fmt::format("{:<{}}", fmt::format("{}: ours / peer, mean", name_of(dtype)), kMeanNameWidth);
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
  std::vector<bench::GeometricMean> means_;
  std::vector<std::string> groups_, peers_;
};

}  // namespace

std::string bench_heading(const bench::GemmContext& c, bool color) {
  const std::string machine = fmt::format("{}, {} of {} cores (core {})", c.processor, c.threads,
                                          c.machine_cores, fmt::join(c.cores, ", "));
  std::string out = painted(color, kBold, shorten(machine, kWidth)) + "\n";
  out += field("caches", fmt::format("{}", fmt::join(c.caches, ", ")));
  out += field("ours", c.own);
  for (const bench::PeerOrigin& peer : c.peers) {
    out += field(shorten(peer.name, 13), fmt::format("{} ({})", peer.version, peer.file));
  }
  for (const auto& [name, value] : c.environment) out += field("environment", name + "=" + value);
  if (!c.peak_before.empty()) out += field("peak", peaks_text(c.peak_before));
  return out + "\n" + ended(table_head(c));
}

std::string bench_row(const bench::GemmContext& c, const bench::GemmResult& r, bool color) {
  const std::string shape = fmt::format("{} {}", name_of(r.dtype), bench::shape_name(r.shape));
  const std::string of_peak =
      r.peak > 0 ? fmt::format("{:.1f}", 100 * r.ours.gflops / r.peak) : std::string(kNothing);
  std::string line =
      fmt::format("{:<{}} {:<{}} {:>9} {:>6.1f}% {:>6} ", shorten(r.shape.group, kGroupWidth),
                  kGroupWidth, shape, kShapeWidth, speed(r.ours.gflops), r.ours.spread, of_peak);
  for (const bench::PeerOrigin& peer : c.peers) line += peer_cell(r, peer.name, color);
  if (const std::optional<double> best = r.best_peer()) {
    const double ratio = r.ours.gflops / *best;
    line += painted(color, color_of(ratio), fmt::format("{:>6.3f}{}", ratio, mark_of(ratio)));
  }
  if (!r.verified) line += "  " + painted(color, kRed, "WRONG: " + r.wrong);
  return ended(line);
}

std::string bench_summary(const bench::GemmReport& report, bool color) {
  const std::vector<bench::GeometricMean> means = bench::geometric_means(report.results);
  std::string out = "\n";
  for (const auto dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16, Dtype::kS8}) {
    out += Means(means, dtype, color).text(dtype);
  }
  if (!report.context.peak_after.empty()) {
    out +=
        lines_of(fmt::format("peak before: {}; after: {}", peaks_text(report.context.peak_before),
                             peaks_text(report.context.peak_after)));
  }
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
