// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of a GPU's benchmark: speeds in TFLOP/s, and errors beside them.
#include <fmt/format.h>

#include <algorithm>

#include "report/bench_text.hpp"
#include "report/format.hpp"

namespace tilewise::report {
namespace {

constexpr double kTera = 1000;  // GFLOP/s
constexpr std::size_t kGroupWidth = 12, kModeWidth = 8, kShapeWidth = 27;

// "f32", "bf16", and for f32 that is multiplied otherwise "accurate" or "tf32".
std::string arithmetic_text(const bench::GemmResult& r) {
  return r.mode == "ieee" ? std::string(name_of(r.dtype)) : r.mode;
}

std::string table_head(const bench::GemmContext& c) {
  std::string line =
      fmt::format("{:<{}} {:<{}} {:<{}} {:>7} {:>6} {:>6} ", "group", kGroupWidth, "dtype",
                  kModeWidth, "shape", kShapeWidth, "TFLOP/s", "spread", "% peak");
  for (const bench::PeerOrigin& peer : c.peers) {
    line += fmt::format("{:>{}} ", shorten(peer.name, kPeerWidth), kPeerWidth);
  }
  if (!c.peers.empty()) line += fmt::format("{:>6}   ", "ratio");
  return line + "error";
}

// The smallest error of a peer, to hold ours against.
std::optional<double> peer_error(const bench::GemmResult& r) {
  std::optional<double> least;
  for (const auto& [name, timing] : r.peers) {
    least = std::min(least.value_or(timing.error), timing.error);
  }
  return least;
}

std::string error_cell(const bench::GemmResult& r, bool color) {
  // What is asked of them: accurate no worse than ieee, every other mode within a tenth.
  const double allowed = r.mode == "accurate" ? 1.0 : 1.1;
  std::string text = fmt::format("{:.1e}", r.ours.error);
  const std::optional<double> peer = peer_error(r);
  if (!peer || r.ours.error <= allowed * *peer) return text;
  return painted(color, kYellow, text + fmt::format(" > {:.1e}", *peer));
}

}  // namespace

std::string gpu_heading(const bench::GemmContext& c, bool color) {
  std::string out = painted(color, kBold, shorten(c.processor, kWidth)) + "\n";
  out += field("host", c.host);
  out += field("ours", c.own);
  if (c.scaling != bench::Scaling{}) out += field("scaling", bench::scaling_name(c.scaling));
  for (const bench::PeerOrigin& peer : c.peers) {
    out +=
        field(shorten(peer.name, 13),
              peer.file.empty() ? peer.version : fmt::format("{} ({})", peer.version, peer.file));
  }
  out +=
      field("operands", c.operands + (c.device == "virtual" ? "; a virtual GPU has no times" : ""));
  for (const auto& [name, value] : c.environment) out += field("environment", name + "=" + value);
  return out + "\n" + ended(table_head(c));
}

std::string gpu_row(const bench::GemmContext& c, const bench::GemmResult& r, bool color) {
  const bool timed = !r.ours.samples.empty();
  const auto cell = [&](bool there, const std::string& text) {
    return there ? text : std::string(kNothing);
  };
  std::string line = fmt::format(
      "{:<{}} {:<{}} {:<{}} {:>7} {:>6} {:>6} ", shorten(r.shape.group, kGroupWidth), kGroupWidth,
      arithmetic_text(r), kModeWidth, bench::shape_name(r.shape), kShapeWidth,
      cell(timed, speed(r.ours.gflops / kTera)), cell(timed, fmt::format("{:.1f}%", r.ours.spread)),
      cell(timed && r.peak > 0, fmt::format("{:.1f}", 100 * r.ours.gflops / r.peak)));
  for (const bench::PeerOrigin& peer : c.peers) line += peer_cell(r, peer.name, kTera, color);
  if (const std::optional<double> ratio = r.ratio()) {
    line += painted(color, color_of(*ratio), fmt::format("{:>6.3f}{:<3}", *ratio, mark_of(*ratio)));
  } else if (!c.peers.empty()) {
    line += fmt::format("{:>6}   ", kNothing);
  }
  if (!r.no_kernel.empty()) return ended(line + "no kernel: " + r.no_kernel);
  line += error_cell(r, color);
  if (!r.verified) line += "  " + painted(color, kRed, "WRONG: " + r.wrong);
  return ended(line);
}

}  // namespace tilewise::report
