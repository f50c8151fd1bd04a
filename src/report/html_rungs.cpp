// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A rung's facts, and its source with the counters beside the lines they arise on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/assets.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/html.hpp"

namespace tilewise::report {
namespace {

using LineMap = std::map<int, Counters>;

/// What a listing shows of a line. Only figures that some line of the rung has get a column.
struct Figure {
  std::string_view head;
  std::uint64_t (*of)(const Counters&);
};

constexpr Figure kFigures[] = {
    {"warp instructions", [](const Counters& c) { return c.warp_instructions; }},
    {"FMA (threads)", [](const Counters& c) { return c.fma_threads; }},
    {"shared load wavefronts", [](const Counters& c) { return c.shared_load_wavefronts; }},
    {"of these conflicts", [](const Counters& c) { return c.shared_load_conflicts; }},
    {"shared store wavefronts", [](const Counters& c) { return c.shared_store_wavefronts; }},
    {"of these conflicts", [](const Counters& c) { return c.shared_store_conflicts; }},
    {"global load sectors", [](const Counters& c) { return c.global_load_sectors; }},
    {"global store sectors", [](const Counters& c) { return c.global_store_sectors; }},
    {"barriers", [](const Counters& c) { return c.barriers; }},
};

struct Shown {
  Figure figure;
  std::uint64_t largest = 0;  ///< of any line: the deepest shade
};

std::vector<Shown> shown_figures(const std::vector<vgpu::LineCounters>& lines) {
  std::vector<Shown> shown;
  for (const Figure& figure : kFigures) {
    std::uint64_t largest = 0;
    for (const vgpu::LineCounters& line : lines)
      largest = std::max(largest, figure.of(line.counters));
    if (largest > 0) shown.push_back({figure, largest});
  }
  return shown;
}

// The lines of a source file that is embedded under any name that `file` ends in.
std::vector<std::string_view> source_lines(std::string_view file) {
  std::vector<std::string_view> lines;
  for (const Asset& asset : assets()) {
    if (!file.ends_with(asset.name)) continue;
    std::string_view rest = asset.contents;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      lines.push_back(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    break;
  }
  return lines;
}

std::string figure_cell(const Shown& shown, const Counters& counters) {
  const std::uint64_t value = shown.figure.of(counters);
  if (value == 0) return "<td class=\"number\"></td>";
  // A sum over a file may be larger than any line.
  const double share =
      std::min(1.0, static_cast<double>(value) / static_cast<double>(shown.largest));
  return fmt::format(R"(<td class="number" style="--share:{:.2f}" title="{}">{}</td>)",
                     0.45 * share, value, count_text(value));
}

std::string listing_row(int line, std::string_view text, const Counters* counters,
                        const std::vector<Shown>& shown) {
  std::string out = fmt::format(R"(<tr{}><td class="line number">{}</td>)",
                                counters ? "" : " class=\"idle\"", line);
  for (const Shown& figure : shown) {
    out += counters ? figure_cell(figure, *counters) : "<td class=\"number\"></td>";
  }
  return out + fmt::format("<td class=\"code\">{}</td></tr>\n", escape_html(text));
}

// Line numbers to show: those with counters, and what stands within a few lines of one.
std::vector<int> visible_lines(const LineMap& lines, int last_line) {
  constexpr int kAround = 2;
  std::vector<int> visible;
  for (const auto& [line, counters] : lines) {
    for (int each = std::max(1, line - kAround); each <= line + kAround; ++each) {
      const bool exists = each <= last_line || each == line;
      if (exists && (visible.empty() || visible.back() < each)) visible.push_back(each);
    }
  }
  return visible;
}

std::string listing_head(std::string_view file, const std::vector<Shown>& shown) {
  std::string out = fmt::format(
      "<div class=\"listing\"><table><caption>{}</caption><thead><tr>"
      "<th scope=\"col\" class=\"number\">line</th>",
      escape_html(file));
  for (const Shown& each : shown) {
    out += fmt::format(R"(<th scope="col" class="number">{}</th>)", each.figure.head);
  }
  return out + "<th scope=\"col\">source</th></tr></thead><tbody>\n";
}

std::string listing(std::string_view file, const LineMap& lines, const std::vector<Shown>& shown) {
  const std::vector<std::string_view> source = source_lines(file);
  std::string out = listing_head(file, shown);
  int previous = 0;
  for (const int line : visible_lines(lines, static_cast<int>(source.size()))) {
    if (previous && line > previous + 1) {
      out += fmt::format("<tr class=\"gap\"><td colspan=\"{}\">⋯</td></tr>\n", shown.size() + 2);
    }
    const auto counted = lines.find(line);
    const auto index = static_cast<std::size_t>(line - 1);
    out +=
        listing_row(line, line >= 1 && index < source.size() ? source[index] : std::string_view(),
                    counted == lines.end() ? nullptr : &counted->second, shown);
    previous = line;
  }
  return out + "</tbody></table></div>\n";
}

// Files whose text is not at hand (the toolkit's headers, PTX lines that stand for no line of
// source): one row each, with the sum of their counters.
std::string elsewhere(const std::map<std::string, LineMap>& files,
                      const std::vector<Shown>& shown) {
  std::string rows;
  for (const auto& [file, lines] : files) {
    Counters sum;
    for (const auto& [line, counters] : lines) sum += counters;
    rows += "<tr><td></td>";
    for (const Shown& figure : shown) rows += figure_cell(figure, sum);
    const std::string name = file.substr(file.rfind('/') + 1);
    rows += fmt::format("<td class=\"code\">{}, {} {}</td></tr>\n", escape_html(name), lines.size(),
                        lines.size() == 1 ? "line" : "lines");
  }
  if (rows.empty()) return {};
  return listing_head("elsewhere", shown) + rows + "</tbody></table></div>\n";
}

std::string listings(const bench::RungResult& rung) {
  std::map<std::string, LineMap> files, without_source;
  for (const vgpu::LineCounters& line : rung.lines) {
    std::map<std::string, LineMap>& place =
        source_lines(line.file).empty() ? without_source : files;
    place[line.file][line.line] += line.counters;
  }
  const std::vector<Shown> shown = shown_figures(rung.lines);
  std::string out;
  for (const auto& [file, lines] : files) out += listing(file, lines, shown);
  return out + elsewhere(without_source, shown);
}

// The file of a rung of the CPU's ladder, whole: its prologue explains it.
std::string cpu_listing(const kernels::Rung& rung) {
  const std::string file = fmt::format("src/cpu/ladder/{}.cpp", rung.unit);
  const std::vector<std::string_view> source = source_lines(file);
  if (rung.unit.empty() || source.empty()) return {};
  constexpr Counters kNone;
  std::string out = listing_head(file, {});
  for (std::size_t i = 0; i < source.size(); ++i) {
    out += listing_row(static_cast<int>(i + 1), source[i], &kNone, {});
  }
  return out + "</tbody></table></div>\n";
}

std::string fact(std::string_view name, const std::string& value) {
  if (value.empty()) return {};
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, escape_html(value));
}

std::string threads_text(const kernels::Rung& rung) {
  if (rung.on_cpu) return {};
  return fmt::format("{} ({}×{}×{})", rung.block.count(), rung.block.x, rung.block.y, rung.block.z);
}

std::string occupancy_text(const std::optional<model::Occupancy>& occupancy) {
  if (!occupancy) return {};
  return fmt::format("{:.0f} %: {} warps in {} blocks, limited by {}", 100 * occupancy->fraction,
                     occupancy->warps_per_sm, occupancy->blocks_per_sm, name_of(occupancy->limit));
}

std::string tiles_text(const kernels::TileShape& tile) {
  std::string out = tile_text(tile);
  if (tile.wm) out += fmt::format(", warp {}×{}", tile.wm, tile.wn);
  if (tile.tm) out += fmt::format(", thread {}×{}", tile.tm, tile.tn);
  return out;
}

std::string facts(const bench::RungResult& result) {
  const kernels::Rung& rung = *result.rung;
  std::string out = "<dl class=\"facts\">";
  out += fact("type", fmt::format("{}, {}", kernels::name_of(rung.arithmetic),
                                  rung.order == Order::kRowMajor ? "row-major" : "column-major"));
  out += fact("tile (block)", tiles_text(rung.tile));
  out += fact("threads a block", threads_text(rung));
  out += fact("registers a thread", result.registers ? std::to_string(*result.registers) : "");
  out += fact("shared memory a block", result.shared_bytes ? bytes_text(*result.shared_bytes) : "");
  out += fact("occupancy", occupancy_text(result.occupancy));
  out += fact("limit", result.limit ? limit_text(*result.limit) : "");
  out += fact("threads", result.threads ? std::to_string(*result.threads) : "");
  out += fact(rung.on_cpu ? "source" : "kernel", result.entry);
  out += fact("error", fmt::format("{:.2e}, largest of an element {:.2e}", result.error,
                                   result.largest_error));
  out += fact("wrong", result.wrong);
  out += fact("C's checksum", fmt::format("{:016x}", result.checksum));
  return out + "</dl>";
}

std::string summary(const bench::RungResult& rung) {
  return fmt::format(R"(<summary><h3>{}. {}</h3><code class="quiet">{}</code>{}</summary>)",
                     rung_number(*rung.rung), escape_html(rung.rung->title),
                     escape_html(rung.rung->name),
                     rung.verified ? "" : "<span class=\"bad\">WRONG result</span>");
}

}  // namespace

std::string html_rungs(const bench::LadderResult& result) {
  std::string out;
  for (const bench::RungResult& rung : result.rungs) {
    out += fmt::format(
        "<details class=\"rung\" id=\"{}\">{}<div class=\"inside\"><p>{}</p>{}{}"
        "</div></details>\n",
        rung_anchor(rung), summary(rung), escape_html(rung.rung->idea), facts(rung),
        result.context.on_cpu ? cpu_listing(*rung.rung) : listings(rung));
  }
  return out;
}

}  // namespace tilewise::report
