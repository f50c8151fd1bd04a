// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One kernel on a terminal: what ran, what it costs, where, and what is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "report/emulation.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"

namespace tilewise::report {
namespace {

constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::size_t kMostLines = 8;
constexpr std::size_t kLeastWidth = 60;

struct CounterWords {
  std::uint64_t Counters::*member;
  std::string_view words;
};

// What each counter means, for someone who sees it for the first time.
constexpr std::array<CounterWords, 17> kWords{{
    {&Counters::warp_instructions, "PTX instructions, one a warp"},
    {&Counters::fma_threads, "fused multiply-adds, one a thread"},
    {&Counters::shared_load_instructions, "warp-wide loads from shared memory"},
    {&Counters::shared_load_wavefronts, "passes through the shared-memory pipe for them"},
    {&Counters::shared_load_conflicts, "of these, only because lanes share a bank"},
    {&Counters::shared_store_instructions, "warp-wide stores to shared memory"},
    {&Counters::shared_store_wavefronts, "passes for them"},
    {&Counters::shared_store_conflicts, "of these, only because lanes share a bank"},
    {&Counters::global_load_requests, "warp-wide loads from global memory"},
    {&Counters::global_load_sectors, "32-byte sectors they touch"},
    {&Counters::global_store_requests, "warp-wide stores to global memory"},
    {&Counters::global_store_sectors, "32-byte sectors they touch"},
    {&Counters::async_copy_instructions, "warp-wide asynchronous copies, global to shared"},
    {&Counters::async_copy_sectors, "32-byte sectors they touch"},
    {&Counters::async_copy_wavefronts, "passes through the shared-memory pipe for them"},
    {&Counters::async_copy_conflicts, "of these, only because lanes share a bank"},
    {&Counters::barriers, "barriers, one a warp"},
}};

std::string_view words_for(std::uint64_t Counters::*member) {
  for (const CounterWords& entry : kWords) {
    if (entry.member == member) return entry.words;
  }
  return "";
}

std::string extents_text(Dim3 dim) { return fmt::format("{}×{}×{}", dim.x, dim.y, dim.z); }

/// Lines of source files, read when they are first asked for.
class SourceText {
 public:
  std::string line(const std::string& file, int number) {
    auto known = files_.find(file);
    if (known == files_.end()) known = files_.emplace(file, read(file)).first;
    const std::vector<std::string>& lines = known->second;
    if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return {};
    const std::string& text = lines[static_cast<std::size_t>(number) - 1];
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? std::string() : text.substr(begin);
  }

 private:
  static std::vector<std::string> read(const std::string& file) {
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  std::map<std::string, std::vector<std::string>> files_;
};

class Page {
 public:
  Page(const bench::Emulation& emulation, int columns, bool color)
      : e_(emulation),
        width_(std::max(kLeastWidth, static_cast<std::size_t>(std::max(columns, 0)))),
        color_(color) {}

  std::string text() {
    line(kBold, fmt::format("{}, {} by {}", e_.context.device, e_.context.arch,
                            e_.context.compiler.empty() ? "no compiler" : e_.context.compiler));
    for (const std::string& note : e_.context.notes) paragraph(kYellow, "note: " + note, 0);
    for (const bench::EmulatedKernel& kernel : e_.kernels) add(kernel);
    return std::move(out_);
  }

 private:
  void add(const bench::EmulatedKernel& kernel) {
    line({}, "");
    paragraph(kBold, kernel.name, 0);
    add_launch(kernel);
    add_fidelity(kernel);
    add_counters(kernel.counters);
    add_lines(kernel.lines);
    add_findings(kernel);
  }

  void add_launch(const bench::EmulatedKernel& k) {
    row("grid", fmt::format("{} blocks ({})", extents_text(k.grid), k.grid.count()));
    row("block", fmt::format("{} threads ({})", extents_text(k.block), k.block.count()));
    if (k.cluster.count() > 0) row("cluster", extents_text(k.cluster) + " blocks");
    if (k.registers > 0) row("registers", fmt::format("{} a thread", k.registers));
    if (k.local_bytes > 0) {
      row("local memory", fmt::format("{} a thread: registers did not suffice, or arrays are "
                                      "indexed by variables",
                                      bytes_text(k.local_bytes)));
    }
    row("shared memory", bytes_text(k.shared_bytes) + " a block");
    if (!k.occupancy) return;
    row("occupancy", fmt::format("{:.0f}%: {} warps, {} blocks an SM; more are kept out by {}",
                                 100 * k.occupancy->fraction, k.occupancy->warps_per_sm,
                                 k.occupancy->blocks_per_sm, name_of(k.occupancy->limit)));
  }

  void add_fidelity(const bench::EmulatedKernel& k) {
    if (k.fidelity == vgpu::Fidelity::kExact) {
      row("counts", "exact: machine code has these memory accesses", kGreen);
      return;
    }
    row("counts", "approximate, because of:", kYellow);
    for (const std::string& note : k.fidelity_notes) paragraph(kYellow, note, 4);
  }

  // What was not counted at all is left out: the less there is to read, the better.
  void add_counters(const Counters& counters) {
    line({}, "");
    for (const CounterField& field : kCounterFields) {
      const std::uint64_t value = counters.*field.member;
      if (value == 0) continue;
      const bool conflicts = field.name.ends_with("conflicts") && value > 0;
      line(conflicts ? kYellow : std::string_view(),
           fmt::format("  {:<25}{:>15}  {}", field.name, value,
                       shorten(std::string(words_for(field.member)), width_ - 44)));
    }
  }

  static std::uint64_t cost(const Counters& c) { return shared_wavefronts(c) + global_sectors(c); }

  void add_lines(std::vector<vgpu::LineCounters> lines) {
    std::erase_if(lines, [](const auto& each) { return cost(each.counters) == 0; });
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
      return cost(a.counters) > cost(b.counters);
    });
    if (lines.empty()) return;
    line({}, "");
    line(kBold, fmt::format("  {:>10}  {:>10}  {:>10}  {}", "wavefronts", "conflicts", "sectors",
                            "the lines with the most of them"));
    SourceText source;
    for (std::size_t i = 0; i < std::min(kMostLines, lines.size()); ++i) {
      const vgpu::LineCounters& l = lines[i];
      const std::string name = l.file.substr(l.file.rfind('/') + 1);
      line({}, shorten(fmt::format("  {:>10}  {:>10}  {:>10}  {}:{}  {}",
                                   count_text(shared_wavefronts(l.counters)),
                                   count_text(shared_conflicts(l.counters)),
                                   count_text(global_sectors(l.counters)), name, l.line,
                                   source.line(l.file, l.line)),
                       width_));
    }
  }

  void add_findings(const bench::EmulatedKernel& k) {
    line({}, "");
    if (e_.context.checks.empty()) {
      line(kDim, "  mistakes were not looked for: --check all does");
    } else if (k.findings.empty()) {
      line(kGreen,
           fmt::format("  no mistakes found; looked for: {}", fmt::join(e_.context.checks, ", ")));
    } else {
      line(kRed, fmt::format("  {} found:", k.findings.size() == 1
                                                ? "1 mistake"
                                                : fmt::format("{} mistakes", k.findings.size())));
    }
    for (const vgpu::Finding& finding : k.findings) add_finding(finding);
  }

  void add_finding(const vgpu::Finding& f) {
    paragraph(kRed,
              fmt::format("{}: {}{}", f.check, f.message,
                          f.count > 1 ? fmt::format(" ({} times)", f.count) : ""),
              2);
    for (const vgpu::Finding::Place& place : f.places) {
      std::string line = fmt::format("at {}:{}", place.file, place.line);
      for (const auto& call : place.calls) {
        line += fmt::format(", called at {}:{}", call.file, call.line);
      }
      paragraph({}, line + " " + place.who, 6);
    }
  }

  void row(std::string_view name, const std::string& value, std::string_view color = {}) {
    line(color, fmt::format("  {:<15}{}", name, value));
  }

  void paragraph(std::string_view color, const std::string& text, std::size_t indent) {
    for (const std::string& part : wrap(text, width_ - indent)) {
      line(color, std::string(indent, ' ') + part);
    }
  }

  // Without spaces at its end, which a terminal does not show but a file keeps.
  void line(std::string_view color, std::string text) {
    const std::size_t end = text.find_last_not_of(' ');
    text.resize(end == std::string::npos ? 0 : end + 1);
    if (color_ && !color.empty()) out_ += fmt::format("{}{}{}\n", color, text, kReset);
    else out_ += text + '\n';
  }

  const bench::Emulation& e_;
  std::size_t width_;
  bool color_;
  std::string out_;
};

}  // namespace

std::string emulation_text(const bench::Emulation& emulation, int columns, bool color) {
  return Page(emulation, columns, color).text();
}

}  // namespace tilewise::report
