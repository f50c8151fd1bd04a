// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The HTML page: page/page.html with its {{pieces}} filled in.
#include "report/html.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/assets.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/json.hpp"
#include "report/report.hpp"
#include "tilewise/error.hpp"

namespace tilewise::report {
namespace {

std::string shape_text(const bench::LadderResult& result) {
  if (result.rungs.empty()) return "nothing";
  const bench::RungResult& first = result.rungs.front();
  return fmt::format("{} × {} × {}", first.m, first.n, first.k);
}

std::string heading(const bench::LadderResult& result) {
  const std::size_t count = result.rungs.size();
  return fmt::format("{} {} of matrix multiplication, {}", count, count == 1 ? "rung" : "rungs",
                     shape_text(result));
}

std::string lead(const bench::LadderResult& result) {
  std::string_view how = "Every kernel ran on the GPU, timed in turns with the vendor's library.";
  if (result.context.on_cpu) {
    how = "All ran on the processor, held against the most that its FMA units were measured to do.";
  } else if (result.context.is_virtual) {
    how = "The compiled kernels ran on a virtual GPU, which counts what a profiler would count.";
  }
  return fmt::format(
      "Each rung adds one idea to the one before. {} Every result was checked "
      "against a product in 64-bit floating point.",
      how);
}

std::string chips(const bench::LadderResult& result) {
  const bench::Context& context = result.context;
  std::string out = html_chip("device", context.device);
  out += html_chip("problem", formula_text(context));
  out += html_chip("m × n × k", shape_text(result));
  if (context.a_file.empty()) {
    out += html_chip("A, B", fmt::format("random, seed {}", context.seed));
  } else {
    out += html_chip("A", context.a_file) + html_chip("B", context.b_file);
  }
  out += html_chip("peak", peaks_text(context));
  return out + html_chip("peer", context.cublas) + html_chip("date", context.date);
}

// The first and the best rung of f32 by a figure, to say how far the ladder leads.
struct Climb {
  const bench::RungResult* first = nullptr;
  const bench::RungResult* best = nullptr;
  double from = 0, to = 0;
};

template <typename Figure>
Climb climb(const bench::LadderResult& result, const Figure& figure, bool lower_is_better) {
  Climb found;
  for (const bench::RungResult& rung : result.rungs) {
    const std::optional<double> value = figure(rung);
    const bool beside_gpu = rung.rung->on_cpu && !result.context.on_cpu;
    if (rung.rung->arithmetic != kernels::Arithmetic::kF32 || beside_gpu || !value) continue;
    if (!found.first) {
      found = {&rung, &rung, *value, *value};
    } else if (lower_is_better ? *value < found.to : *value > found.to) {
      found.best = &rung;
      found.to = *value;
    }
  }
  return found;
}

std::optional<double> sectors_figure(const bench::RungResult& rung) {
  if (!rung.counters || global_sectors(*rung.counters) == 0) return std::nullopt;
  return static_cast<double>(global_sectors(*rung.counters));
}

std::optional<double> reuse_figure(const bench::RungResult& rung) {
  return rung.counters ? fma_per_wavefront(*rung.counters) : std::nullopt;
}

std::string verified_card(const bench::LadderResult& result) {
  const std::size_t wrong = wrong_rungs(result).size();
  const std::size_t count = result.rungs.size();
  return html_card(wrong ? "bad" : "good", fmt::format("{} / {}", count - wrong, count),
                   wrong ? "rungs verified: some results are WRONG" : "rungs verified against f64");
}

std::string cards(const bench::LadderResult& result) {
  std::string out = verified_card(result);
  const Climb speed = climb(
      result, [](const auto& rung) { return rung.gflops; }, false);
  if (speed.first) {
    out += html_card("", fmt::format("{} GFLOP/s", gflops_text(speed.to)),
                     fmt::format("fastest f32 rung: {}", speed.best->rung->name));
    if (speed.best->percent_of_cublas) {
      out += html_card("", fmt::format("{:.1f} %", *speed.best->percent_of_cublas),
                       "of cuBLAS in the same run");
    }
    if (speed.best->percent_of_peak) {
      out += html_card("", fmt::format("{:.1f} %", *speed.best->percent_of_peak),
                       "of the measured FMA peak");
    }
    out += html_card("", fmt::format("{:.1f}×", speed.to / speed.from),
                     fmt::format("faster than {}", speed.first->rung->name));
  }
  const Climb sectors = climb(result, sectors_figure, true);
  if (sectors.first && sectors.to < sectors.from) {
    out += html_card("", fmt::format("{:.1f}×", sectors.from / sectors.to),
                     fmt::format("fewer global sectors: {} against {}", sectors.best->rung->name,
                                 sectors.first->rung->name));
  }
  const Climb reuse = climb(result, reuse_figure, false);
  if (reuse.first && reuse.to > reuse.from) {
    out += html_card("", fmt::format("{:.1f}×", reuse.to / reuse.from),
                     fmt::format("more FMAs for each shared-memory wavefront: {} against {}",
                                 reuse.best->rung->name, reuse.first->rung->name));
  }
  return out;
}

std::string notes(const bench::LadderResult& result) {
  const std::vector<std::string> lines = fidelity_notes(result);
  if (all_exact(result)) {
    return "<p class=\"notes\">The counters of every rung are exact: the width of each access is "
           "that of the compiled machine code.</p>";
  }
  if (lines.empty()) return {};
  std::string out = "<ul class=\"notes\">";
  for (const std::string& line : lines) {
    out += fmt::format("<li>Approximate: {}</li>", escape_html(line));
  }
  return out + "</ul>";
}

// The figures of the charts: the results as in --json, and what the charts derive from them.
std::string figures_json(const bench::LadderResult& result) {
  nlohmann::ordered_json value = ladder_value(result, false);
  for (std::size_t i = 0; i < result.rungs.size(); ++i) {
    const bench::RungResult& rung = result.rungs[i];
    value["rungs"][i]["number"] = rung_number(*rung.rung);
    value["rungs"][i]["compulsory_bytes"] = compulsory_bytes(rung, result.context.beta);
  }
  if (const model::Gpu* gpu = gpu_of(result.context)) {
    value["gpu"] = {{"name", gpu->name},
                    {"peak_f32", gpu->peak_f32()},
                    {"peak_f64", gpu->peak_f64()},
                    {"memory_bandwidth", gpu->memory_bandwidth}};
  }
  return script_json(value);
}

std::string footer(const bench::LadderResult& result) {
  const bench::Context& context = result.context;
  std::string made = "Tilewise " + context.tilewise_version;
  if (!context.commit.empty()) made += ", commit " + context.commit;
  if (!context.host.empty()) made += ", host: " + context.host;
  return html_footer(made);
}

std::string_view table_hint(const bench::LadderResult& result) {
  return result.context.is_virtual || result.context.on_cpu
             ? "Sort by any column; a rung's name leads to its source, with its counters where "
               "there are any."
             : "Sort by any column; a rung's name leads to its facts.";
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string fill_page(std::string_view page_name, const Pieces& pieces) {
  std::string_view page = find_asset(page_name);
  std::string out;
  while (true) {
    const std::size_t open = page.find("{{");
    out += page.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    const auto piece = pieces.find(name);
    const std::string_view contents =
        piece != pieces.end() ? std::string_view(piece->second) : find_asset(name);
    if (piece == pieces.end() && contents.empty()) {
      throw Error(ErrorCode::kInternal,
                  fmt::format("{} names an unknown piece: {}", page_name, name));
    }
    out += contents;
    page.remove_prefix(close + 2);
  }
}

std::string html_chip(std::string_view name, const std::string& value) {
  if (value.empty()) return {};
  return fmt::format("<li><b>{}</b>{}</li>", name, escape_html(value));
}

std::string html_card(std::string_view kind, const std::string& figure, const std::string& label) {
  return fmt::format(
      R"(<div class="card {}"><span class="figure">{}</span><span class="label">{}</span></div>)",
      kind, escape_html(figure), escape_html(label));
}

std::string script_json(const nlohmann::ordered_json& value) {
  const std::string text =
      value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;  // "<" could end the script element, or start another
  for (const char c : text) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

std::string html_footer(const std::string& made) {
  return fmt::format(
      "<p>Made by {}.</p><p>Charts drawn by Chart.js (MIT licence), embedded: this "
      "page needs no network.</p>",
      escape_html(made));
}

std::string ladder_html(const bench::LadderResult& result) {
  const Pieces pieces{
      {"title", escape_html("Tilewise: " + heading(result))},
      {"heading", escape_html(heading(result))},
      {"lead", escape_html(lead(result))},
      {"chips", chips(result)},
      {"cards", cards(result)},
      {"table_hint", std::string(table_hint(result))},
      {"table", html_ladder_table(result)},
      {"notes", notes(result)},
      {"pipes", html_pipes(result)},
      {"rungs", html_rungs(result)},
      {"words", std::string(find_asset("words.html"))},
      {"footer", footer(result)},
      {"figures", figures_json(result)},
  };
  return fill_page("page.html", pieces);
}

}  // namespace tilewise::report
