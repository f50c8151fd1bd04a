// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/html.hpp"

namespace tilewise::report {
namespace {

constexpr const char* kFidelityHead = "counters";

struct Cell {
  std::string html;   ///< what is shown; empty: not measured
  std::string value;  ///< what sorting compares
  std::string_view style;
};

struct Column {
  std::string head;
  bool number = true;
  std::function<Cell(const bench::RungResult&)> cell;
};

Cell count_cell(std::uint64_t count) { return {count_text(count), std::to_string(count), ""}; }

// A column of counters: empty for a rung that was not counted.
template <typename Figure> Column counter_column(std::string head, Figure figure) {
  return {std::move(head), true, [figure](const bench::RungResult& rung) {
            return rung.counters ? figure(*rung.counters) : Cell{};
          }};
}

Cell error_cell(const bench::RungResult& rung) {
  return {fmt::format("{} {:.1e}", rung.verified ? "✓" : "WRONG", rung.error),
          fmt::format("{}", rung.error), rung.verified ? "good" : "bad"};
}

Cell fidelity_cell(const bench::RungResult& rung) {
  if (!rung.fidelity) return {};
  return {fmt::format("<span class=\"tag\">{}</span>", escape_html(*rung.fidelity)), *rung.fidelity,
          *rung.fidelity == "exact" ? "" : "warn"};
}

std::vector<Column> time_columns() {
  using bench::RungResult;
  const auto figure = [](const std::optional<double>& value, int digits) {
    return value ? Cell{fmt::format("{:.{}f}", *value, digits), fmt::format("{}", *value), ""}
                 : Cell{};
  };
  return {
      {"time", true,
       [](const RungResult& r) {
         return r.time_ms ? Cell{time_text(*r.time_ms), fmt::format("{}", *r.time_ms), ""} : Cell{};
       }},
      {"GFLOP/s", true,
       [](const RungResult& r) {
         return r.gflops ? Cell{gflops_text(*r.gflops), fmt::format("{}", *r.gflops), ""} : Cell{};
       }},
      {"% of cuBLAS", true,
       [figure](const RungResult& r) { return figure(r.percent_of_cublas, 1); }},
      {"% of FMA peak", true,
       [figure](const RungResult& r) { return figure(r.percent_of_peak, 1); }},
      {"times the one before", true,
       [figure](const RungResult& r) { return figure(r.speed_up, 2); }},
      {"threads", true,
       [](const RungResult& r) {
         return r.threads ? count_cell(static_cast<std::uint64_t>(*r.threads)) : Cell{};
       }},
  };
}

std::vector<Column> counter_columns() {
  return {
      counter_column("global sectors",
                     [](const Counters& c) { return count_cell(global_sectors(c)); }),
      counter_column("shared wavefronts",
                     [](const Counters& c) { return count_cell(shared_wavefronts(c)); }),
      counter_column("bank conflicts",
                     [](const Counters& c) {
                       Cell cell = count_cell(shared_conflicts(c));
                       if (shared_conflicts(c)) cell.style = "warn";
                       return cell;
                     }),
      counter_column("FMA per wavefront",
                     [](const Counters& c) {
                       const std::optional<double> ratio = fma_per_wavefront(c);
                       if (!ratio) return Cell{};
                       return Cell{fmt::format("{:.2f}", *ratio), fmt::format("{}", *ratio), ""};
                     }),
  };
}

std::vector<Column> resource_columns() {
  using bench::RungResult;
  return {
      {"registers", true,
       [](const RungResult& r) {
         return r.registers ? count_cell(static_cast<std::uint64_t>(*r.registers)) : Cell{};
       }},
      {"occupancy", true,
       [](const RungResult& r) {
         if (!r.occupancy) return Cell{};
         return Cell{fmt::format("{:.0f} %", 100 * r.occupancy->fraction),
                     fmt::format("{}", r.occupancy->fraction), ""};
       }},
      {kFidelityHead, false, fidelity_cell},
      {"limited by", false,
       [](const RungResult& r) {
         if (!r.limit) return Cell{};
         return Cell{escape_html(limit_text(*r.limit)), r.limit->summary, "limit"};
       }},
  };
}

bool is_time(const Column& column) {
  const std::vector<Column> columns = time_columns();
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& each) { return each.head == column.head; });
}

// Columns that hold something; hardware counters stand in --json and --csv.
std::vector<Column> columns_of(const bench::LadderResult& result) {
  std::vector<Column> columns{
      {"type", false,
       [](const bench::RungResult& r) {
         const std::string name(kernels::name_of(r.rung->arithmetic));
         return Cell{name, name, ""};
       }},
      {"error", true, error_cell},
  };
  for (auto group : {time_columns(), counter_columns(), resource_columns()}) {
    for (Column& column : group) columns.push_back(std::move(column));
  }
  const bool exact = all_exact(result);  // a note below says it once for all
  std::erase_if(columns, [&](const Column& column) {
    if (exact && column.head == kFidelityHead) return true;
    if (result.context.is_virtual && is_time(column)) return true;  // the host's rung only
    return std::all_of(result.rungs.begin(), result.rungs.end(),
                       [&](const auto& rung) { return column.cell(rung).html.empty(); });
  });
  return columns;
}

std::string head_cell(std::string_view head, bool number) {
  return fmt::format(R"(<th scope="col"{}><button type="button">{}</button></th>)",
                     number ? " class=\"number\"" : "", head);
}

std::string body_cell(const Column& column, const bench::RungResult& rung) {
  const Cell cell = column.cell(rung);
  return fmt::format(R"(<td class="{}{}" data-value="{}">{}</td>)", column.number ? "number " : "",
                     cell.style, escape_html(cell.value),
                     cell.html.empty() ? "<span class=\"quiet\">–</span>" : cell.html);
}

std::string name_cell(const bench::RungResult& rung) {
  return fmt::format(R"(<th scope="row" class="rung-name" data-value="{0}"><a href="#{1}">{0}</a>)"
                     R"(<span class="idea">{2}</span></th>)",
                     escape_html(rung.rung->name), rung_anchor(rung), escape_html(rung.rung->idea));
}

// The columns of the pipes: every pipe that any rung knows, in the order of first appearance.
std::vector<std::string> pipe_names(const bench::LadderResult& result) {
  std::vector<std::string> names;
  for (const bench::RungResult& rung : result.rungs) {
    if (!rung.limit) continue;
    for (const model::PipeTime& pipe : rung.limit->pipes) {
      if (std::find(names.begin(), names.end(), pipe.pipe) == names.end()) {
        names.push_back(pipe.pipe);
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string pipe_cell(const model::Limit& limit, const std::string& name) {
  double longest = 0;
  for (const model::PipeTime& pipe : limit.pipes) longest = std::max(longest, pipe.microseconds);
  for (const model::PipeTime& pipe : limit.pipes) {
    if (pipe.pipe != name) continue;
    const double share = longest > 0 ? pipe.microseconds / longest : 0;
    return fmt::format(R"(<td class="number{}" style="--share:{:.2f}" data-value="{}">{}</td>)",
                       share == 1 ? " longest" : "", 0.45 * share, pipe.microseconds,
                       time_text(pipe.microseconds / 1e3));
  }
  return R"(<td class="number quiet" data-value="">–</td>)";
}

std::string pipe_rows(const bench::LadderResult& result, const std::vector<std::string>& names) {
  std::string out;
  for (const bench::RungResult& rung : result.rungs) {
    if (!rung.limit) continue;
    out += fmt::format(R"(<tr><th scope="row" class="rung-name" data-value="{0}"><a href="#{1}">)"
                       "{0}</a></th>",
                       escape_html(rung.rung->name), rung_anchor(rung));
    for (const std::string& name : names) out += pipe_cell(*rung.limit, name);
    out += fmt::format(R"(<td data-value="{0}">{0}</td></tr>)", escape_html(rung.limit->summary));
  }
  return out;
}

}  // namespace

std::string rung_anchor(const bench::RungResult& rung) {
  return "rung-" + escape_html(rung.rung->name);
}

std::string html_ladder_table(const bench::LadderResult& result) {
  const std::vector<Column> columns = columns_of(result);
  std::string out =
      "<table class=\"sortable\"><thead><tr>" + head_cell("#", true) + head_cell("rung", false);
  for (const Column& column : columns) out += head_cell(column.head, column.number);
  out += "</tr></thead><tbody>\n";
  for (const bench::RungResult& rung : result.rungs) {
    out += fmt::format(R"(<tr><td class="number quiet" data-value="{0}">{0}</td>)",
                       rung_number(*rung.rung));
    out += name_cell(rung);
    for (const Column& column : columns) out += body_cell(column, rung);
    out += "</tr>\n";
  }
  return out + "</tbody></table>";
}

std::string html_pipes(const bench::LadderResult& result) {
  const std::vector<std::string> names = pipe_names(result);
  if (names.empty()) return {};
  const model::Gpu* gpu = gpu_of(result.context);
  std::string out = fmt::format(
      "<section id=\"limits\">\n<h2>What limits each rung</h2>\n<p class=\"hint\">The time that "
      "each pipe would need for its share of the work, were it the only one, at the rates of {} "
      "and "
      "on those of its SMs that have a block. "
      "The longest is what the next rung must relieve. {}</p>\n<div class=\"scroll\"><table "
      "class=\"sortable heat\"><thead><tr>",
      escape_html(gpu ? gpu->name : result.context.gpu), escape_html(small_grid_note(result)));
  out += head_cell("rung", false);
  for (const std::string& name : names) out += head_cell(escape_html(name), true);
  out += head_cell("limit", false) + "</tr></thead><tbody>\n";
  return out + pipe_rows(result, names) + "</tbody></table></div>\n</section>";
}

}  // namespace tilewise::report
