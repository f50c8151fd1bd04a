// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark's page, from the benchmark's JSON: page/bench.html with its {{pieces}} filled in.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/bench.hpp"
#include "report/format.hpp"
#include "report/html.hpp"
#include "tilewise/error.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_at(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<double> number_at(const Json& object, const std::string& key,
                                const std::string& inner) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) return std::nullopt;
  return number_at(*found, inner);
}

/// What the page is made of, with what every part needs to know of it.
struct Figures {
  explicit Figures(const Json& json)
      : context(json.at("context")),
        results(json.at("results")),
        means(json.contains("geometric_means") ? json["geometric_means"] : Json::object()),
        on_gpu(text_at(context, "device") == "cuda" || text_at(context, "device") == "virtual") {
    if (!context.contains("peers") || !context["peers"].is_object()) return;
    for (const auto& [name, peer] : context["peers"].items()) peers.push_back(name);
  }

  double unit() const { return on_gpu ? 1e3 : 1; }  // of GFLOP/s
  std::string unit_name() const { return on_gpu ? "TFLOP/s" : "GFLOP/s"; }

  Json context, results, means;
  bool on_gpu;
  std::vector<std::string> peers;
};

std::string arithmetic_of(const Json& result) {
  const std::string mode = text_at(result, "mode");
  return text_at(result, "dtype") + (mode == "ieee" ? "" : " " + mode);
}

std::string shape_of(const Json& result) {
  const std::optional<double> batch = number_at(result, "batch");
  return fmt::format("{}×{}×{} {}{}{}", result.at("m").dump(), result.at("n").dump(),
                     result.at("k").dump(), text_at(result, "trans_a"), text_at(result, "trans_b"),
                     batch ? fmt::format(", {:.0f} times", *batch) : "");
}

std::optional<double> best_peer(const Figures& f, const Json& result) {
  std::optional<double> best;
  for (const std::string& peer : f.peers) {
    const std::optional<double> gflops = number_at(result, "peers", peer);
    if (gflops) best = std::max(best.value_or(0), *gflops);
  }
  return best;
}

std::optional<double> ratio_of(const Figures& f, const Json& result) {
  const std::optional<double> ours = number_at(result, "gflops"), best = best_peer(f, result);
  if (!ours || !best || *best <= 0) return std::nullopt;
  return *ours / *best;
}

std::string number_cell(const std::optional<double>& value, const std::string& text,
                        std::string_view kind = "") {
  if (!value) return R"(<td class="number quiet" data-value="">–</td>)";
  return fmt::format(R"(<td class="number {}" data-value="{}">{}</td>)", kind, *value, text);
}

std::string speed_cell(const Figures& f, const std::optional<double>& gflops) {
  return number_cell(gflops, gflops_text(gflops.value_or(0) / f.unit()));
}

std::string text_cell(const std::string& text, std::string_view kind = "") {
  return fmt::format(R"(<td class="{}" data-value="{}">{}</td>)", kind, escape_html(text),
                     escape_html(text));
}

std::string ratio_cell(const std::optional<double>& ratio) {
  const double value = ratio.value_or(0);
  return number_cell(ratio, fmt::format("{:.3f}", value),
                     value >= 1 ? "good" : (value >= 0.9 ? "warn" : "bad"));
}

std::string head(const std::vector<std::pair<std::string, bool>>& columns) {
  std::string out = "<table class=\"sortable\"><thead><tr>";
  for (const auto& [name, number] : columns) {
    out += fmt::format(R"(<th scope="col"{}><button>{}</button></th>)",
                       number ? R"( class="number")" : "", escape_html(name));
  }
  return out + "</tr></thead><tbody>\n";
}

std::string error_text(const std::optional<double>& error) {
  return fmt::format("{:.1e}", error.value_or(0));
}

// The speed, or why there is none.
std::string our_cells(const Figures& f, const Json& r) {
  if (const std::string reason = text_at(r, "no_kernel"); !reason.empty()) {
    return fmt::format(R"(<td class="warn" data-value="" title="{}">no kernel</td>)"
                       R"(<td data-value=""></td><td data-value=""></td>)",
                       escape_html(reason));
  }
  const std::optional<double> gflops = number_at(r, "gflops"), peak = number_at(r, "peak");
  const bool has_share = gflops && peak;
  const double share = has_share ? 100 * *gflops / *peak : 0;
  return speed_cell(f, gflops) +
         number_cell(number_at(r, "spread"),
                     fmt::format("{:.1f}", number_at(r, "spread").value_or(0))) +
         number_cell(has_share ? std::optional(share) : std::nullopt, fmt::format("{:.1f}", share));
}

std::string check_cell(const Json& r) {
  const auto found = r.find("verified");
  if (found == r.end()) return text_cell("");
  return found->is_boolean() && found->get<bool>()
             ? text_cell("right", "good")
             : text_cell("WRONG: " + text_at(r, "wrong"), "bad");
}

std::string results_table(const Figures& f) {
  std::vector<std::pair<std::string, bool>> columns{{"group", false},   {"dtype", false},
                                                    {"m×n×k", false},   {f.unit_name(), true},
                                                    {"spread %", true}, {"% of peak", true}};
  for (const std::string& peer : f.peers) columns.emplace_back(peer, true);
  columns.insert(columns.end(), {{"ratio", true}, {"error", true}});
  for (const std::string& peer : f.peers) columns.emplace_back(peer + "'s error", true);
  columns.insert(columns.end(), {{"checked", false}, {"how", false}});
  std::string out = head(columns);
  for (const Json& r : f.results) {
    out += "<tr>" + text_cell(text_at(r, "group")) + text_cell(arithmetic_of(r)) +
           text_cell(shape_of(r), "number") + our_cells(f, r);
    for (const std::string& peer : f.peers) out += speed_cell(f, number_at(r, "peers", peer));
    out += ratio_cell(ratio_of(f, r)) +
           number_cell(number_at(r, "error"), error_text(number_at(r, "error")));
    for (const std::string& peer : f.peers) {
      const std::optional<double> error = number_at(r, "peer_errors", peer);
      out += number_cell(error, error_text(error));
    }
    out += check_cell(r) + text_cell(text_at(r, "path"), "quiet how") + "</tr>\n";
  }
  return out + "</tbody></table>";
}

std::string means_table(const Figures& f) {
  std::vector<std::pair<std::string, bool>> columns{
      {"dtype", false}, {"group", false}, {"shapes", true}};
  for (const std::string& peer : f.peers) columns.emplace_back("against " + peer, true);
  columns.insert(columns.end(), {{"against the best", true}, {"lowest", true}, {"at", false}});
  std::string out = head(columns);
  for (const auto& [arithmetic, groups] : f.means.items()) {
    for (const auto& [group, peers] : groups.items()) {
      const Json best = peers.value("best", Json::object());
      out += "<tr>" + text_cell(arithmetic) + text_cell(group) +
             number_cell(number_at(best, "shapes"),
                         fmt::format("{}", number_at(best, "shapes").value_or(0)));
      for (const std::string& peer : f.peers) out += ratio_cell(number_at(peers, peer, "ratio"));
      out += ratio_cell(number_at(best, "ratio")) + ratio_cell(number_at(best, "lowest")) +
             text_cell(text_at(best, "lowest_shape")) + "</tr>\n";
    }
  }
  return out + "</tbody></table>";
}

std::string cards(const Figures& f) {
  std::size_t wrong = 0, computed = 0;
  for (const Json& r : f.results) {
    if (!r.contains("verified")) continue;
    ++computed;
    if (r["verified"] != true) ++wrong;
  }
  std::string out = html_card(
      wrong ? "bad" : "good", fmt::format("{} / {}", computed - wrong, computed),
      wrong ? "shapes checked: some results are WRONG" : "shapes checked against higher precision");
  for (const auto& [arithmetic, groups] : f.means.items()) {
    const Json all = groups.value("all", Json::object());
    const std::optional<double> ratio = number_at(all, "best", "ratio");
    if (!ratio) continue;
    out += html_card(*ratio >= 1 ? "good" : "", fmt::format("{:.2f}×", *ratio),
                     fmt::format("the fastest peer's speed in {}, geometric mean of {} shapes",
                                 arithmetic, number_at(all, "best", "shapes").value_or(0)));
  }
  return out;
}

std::string chips(const Figures& f) {
  const Json& c = f.context;
  std::string out =
      html_chip("device", text_at(c, "processor")) + html_chip("suite", text_at(c, "suite"));
  out += html_chip("operands", text_at(c, "operands"));
  if (const bench::Scaling scaling{number_at(c, "alpha").value_or(1),
                                   number_at(c, "beta").value_or(0)};
      scaling != bench::Scaling{})
    out += html_chip("scaling", bench::scaling_name(scaling));
  if (const auto threads = number_at(c, "threads"))
    out += html_chip("threads", fmt::format("{}", *threads));
  for (const std::string& peer : f.peers)
    out += html_chip("peer", text_at(c["peers"][peer], "version"));
  return out + html_chip("date", text_at(c, "date"));
}

std::string notes(const Figures& f) {
  const auto found = f.context.find("left_out");
  if (found == f.context.end() || !found->is_array() || found->empty()) return {};
  std::string out = "<ul class=\"notes\">";
  for (const Json& each : *found) {
    const std::string shape = text_at(each, "shape");
    out += fmt::format("<li>Left out: {}{}: {}</li>", escape_html(text_at(each, "peer")),
                       shape.empty() ? "" : ", " + escape_html(shape),
                       escape_html(text_at(each, "reason")));
  }
  return out + "</ul>";
}

std::string lead(const Figures& f) {
  std::string_view how =
      "Each library in a program of its own on the same cores, in short turns, random data.";
  if (text_at(f.context, "device") == "cuda") {
    how =
        "Every kernel timed by device events, in turns with the vendor's libraries, on random "
        "operands that "
        "are not in the cache.";
  } else if (f.on_gpu) {
    how = "Computed on a virtual GPU: errors, and no times.";
  }
  return fmt::format("Products of matrices, ours and those of other libraries in the same run. {}",
                     how);
}

std::string footer(const Figures& f) {
  std::string made = "Tilewise " + text_at(f.context, "tilewise");
  if (const std::string commit = text_at(f.context, "commit"); !commit.empty())
    made += ", commit " + commit;
  if (const std::string host = text_at(f.context, "host"); !host.empty()) made += ", host: " + host;
  return html_footer(made);
}

std::string page_of(const std::string& json_text) {
  const Json json = Json::parse(json_text);
  const Figures f(json);
  const std::string heading =
      fmt::format("{} products beside {}", f.results.size(),
                  f.peers.empty() ? "nobody" : fmt::format("{}", fmt::join(f.peers, ", ")));
  return fill_page("bench.html", {{"title", escape_html("Tilewise: " + heading)},
                                  {"heading", escape_html(heading)},
                                  {"lead", escape_html(lead(f))},
                                  {"chips", chips(f)},
                                  {"cards", cards(f)},
                                  {"means", means_table(f)},
                                  {"table", results_table(f)},
                                  {"notes", notes(f)},
                                  {"footer", footer(f)},
                                  {"figures", script_json(json)}});
}

}  // namespace

std::string bench_html(const std::string& json_text, const std::string& name) {
  read_bench_json(json_text, name);  // throws for what is no benchmark's file
  try {
    return page_of(json_text);
  } catch (const Json::exception& error) {  // a field that comparing does not look at
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace tilewise::report
