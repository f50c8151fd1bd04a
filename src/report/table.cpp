// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The ladder on a terminal: a line of figures a rung, its idea and its limit in dim text below.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/report.hpp"

namespace tilewise::report {
namespace {

constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kCyan = "\033[36m";

struct Cell {
  std::string text;  ///< empty: not measured
  std::string_view color;
};

/// A column is shown when a rung has something in it and the table has room for it.
struct Column {
  std::string head[2];
  bool left = false;
  int priority = 0;  ///< the lowest gives way first where the terminal is narrow
  std::vector<Cell> cells;

  std::size_t width() const {
    std::size_t widest = std::max(text_width(head[0]), text_width(head[1]));
    for (const Cell& cell : cells) widest = std::max(widest, text_width(cell.text));
    return widest;
  }
  bool empty() const {
    return std::all_of(cells.begin(), cells.end(), [](const Cell& c) { return c.text.empty(); });
  }
};

class Table {
 public:
  Table(const bench::LadderResult& result, std::size_t width, bool color)
      : result_(result), width_(width), color_(color) {}

  std::string text();

 private:
  using Figure = std::function<Cell(const bench::RungResult&)>;
  void add(int priority, std::string head, std::string head2, bool left, const Figure& figure);
  void add_check();
  void add_times();
  void add_counters();
  void add_hardware_counters();
  void add_resources();
  void fit();

  std::string painted(std::string_view color, const std::string& text) const;
  std::string padded(const Column& column, const std::string& text, std::string_view color) const;
  void append_heading(std::string& out) const;
  void append_line(std::string& out, std::string line) const;
  void append_head(std::string& out) const;
  void append_rung(std::string& out, std::size_t index) const;
  bool append_to_last_line(std::string& out, const std::string& limit) const;
  void append_note(std::string& out, std::string_view color, const std::string& note) const;
  void append_summary(std::string& out) const;

  const bench::LadderResult& result_;
  std::size_t width_;
  bool color_;
  std::vector<Column> columns_;
};

// The value `name` that Nsight Compute read, or nothing.
std::optional<std::uint64_t> hardware(const bench::RungResult& rung, std::string_view name) {
  for (const bench::HardwareCounter& counter : rung.hardware_counters) {
    if (counter.name == name) return counter.value;
  }
  return std::nullopt;
}

Cell sum_cell(std::optional<std::uint64_t> first, std::optional<std::uint64_t> second) {
  if (!first || !second) return {};
  return {count_text(*first + *second), {}};
}

Cell conflict_cell(std::uint64_t conflicts) {
  return {count_text(conflicts), conflicts ? kYellow : std::string_view()};
}

void Table::add(int priority, std::string head, std::string head2, bool left,
                const Figure& figure) {
  Column column{{std::move(head), std::move(head2)}, left, priority, {}};
  for (const bench::RungResult& rung : result_.rungs) column.cells.push_back(figure(rung));
  if (!column.empty()) columns_.push_back(std::move(column));
}

void Table::add_check() {
  add(100, "rung", "", true, [](const bench::RungResult& r) {
    return Cell{std::string(r.rung->name), kBold};
  });
  add(60, "type", "", true, [](const bench::RungResult& r) {
    return Cell{std::string(kernels::name_of(r.rung->arithmetic)), {}};
  });
  // Never by colour alone: the word stands there too.
  add(90, "error", "against f64", true, [](const bench::RungResult& r) {
    return Cell{fmt::format("{} {:.1e}", r.verified ? "ok" : "WRONG", r.error),
                r.verified ? kGreen : kRed};
  });
}

// On the virtual GPU only the host's rung has a time, which says nothing about the others.
void Table::add_times() {
  if (result_.context.is_virtual) return;
  add(85, "time", "median", false, [](const bench::RungResult& r) {
    return Cell{r.time_ms ? time_text(*r.time_ms) : std::string(), {}};
  });
  add(88, "GFLOP/s", "", false, [](const bench::RungResult& r) {
    return Cell{r.gflops ? gflops_text(*r.gflops) : std::string(), {}};
  });
  add(87, "% of", "cuBLAS", false, [](const bench::RungResult& r) {
    return Cell{r.percent_of_cublas ? fmt::format("{:.1f}", *r.percent_of_cublas) : std::string(),
                {}};
  });
  add(86, "% of FMA", "peak", false, [](const bench::RungResult& r) {
    return Cell{r.percent_of_peak ? fmt::format("{:.1f}", *r.percent_of_peak) : std::string(), {}};
  });
  add(84, "times the", "one before", false, [](const bench::RungResult& r) {
    return Cell{r.speed_up ? fmt::format("{:.2f}", *r.speed_up) : std::string(), {}};
  });
  add(54, "threads", "", false, [](const bench::RungResult& r) {
    return Cell{r.threads ? std::to_string(*r.threads) : std::string(), {}};
  });
}

void Table::add_counters() {
  const auto counted = [this](int priority, const char* head, const char* head2, auto figure) {
    add(priority, head, head2, false, [figure](const bench::RungResult& rung) {
      return rung.counters ? figure(*rung.counters) : Cell{};
    });
  };
  counted(80, "global", "sectors", [](const Counters& c) {
    return Cell{count_text(global_sectors(c)), {}};
  });
  counted(79, "shared", "wavefronts", [](const Counters& c) {
    return Cell{count_text(shared_wavefronts(c)), {}};
  });
  counted(81, "bank", "conflicts",
          [](const Counters& c) { return conflict_cell(shared_conflicts(c)); });
  counted(52, "FMA per", "wavefront", [](const Counters& c) {
    const std::optional<double> ratio = fma_per_wavefront(c);
    return Cell{ratio ? fmt::format("{:.2f}", *ratio) : std::string(), {}};
  });
}

void Table::add_hardware_counters() {
  add(58, "global", "sectors*", false, [](const bench::RungResult& r) {
    return sum_cell(hardware(r, "global_load_sectors"), hardware(r, "global_store_sectors"));
  });
  add(57, "shared", "wavefr.*", false, [](const bench::RungResult& r) {
    return sum_cell(hardware(r, "shared_load_wavefronts"), hardware(r, "shared_store_wavefronts"));
  });
  add(56, "bank", "confl.*", false, [](const bench::RungResult& r) {
    return sum_cell(hardware(r, "shared_load_conflicts"), hardware(r, "shared_store_conflicts"));
  });
}

void Table::add_resources() {
  add(45, "regis-", "ters", false, [](const bench::RungResult& r) {
    return Cell{r.registers ? std::to_string(*r.registers) : std::string(), {}};
  });
  add(50, "occu-", "pancy", false, [](const bench::RungResult& r) {
    return Cell{r.occupancy ? fmt::format("{:.0f}%", 100 * r.occupancy->fraction) : std::string(),
                {}};
  });
  add(55, "counts", "", true, [](const bench::RungResult& r) {
    const std::string fidelity = r.fidelity.value_or("");
    return Cell{fidelity == "approximate" ? "approx." : fidelity,
                fidelity == "approximate" ? kYellow : std::string_view()};
  });
}

// Drops the columns that matter least until the rest stands side by side, two spaces apart.
void Table::fit() {
  const auto total = [this] {
    std::size_t sum = 0;
    for (const Column& column : columns_) sum += column.width() + 2;
    return sum - 2;
  };
  while (columns_.size() > 1 && total() > width_) {
    columns_.erase(
        std::min_element(columns_.begin(), columns_.end(),
                         [](const Column& a, const Column& b) { return a.priority < b.priority; }));
  }
}

std::string Table::painted(std::string_view color, const std::string& text) const {
  if (!color_ || color.empty() || text.empty()) return text;
  return fmt::format("{}{}{}", color, text, kReset);
}

std::string Table::padded(const Column& column, const std::string& text,
                          std::string_view color) const {
  const std::string fitted = shorten(text, width_);
  const std::string space(column.width() - std::min(column.width(), text_width(fitted)), ' ');
  return column.left ? painted(color, fitted) + space : space + painted(color, fitted);
}

// Ends a line without spaces that a terminal does not show but a file keeps.
void Table::append_line(std::string& out, std::string line) const {
  const std::size_t end = line.find_last_not_of(' ');
  line.resize(end == std::string::npos ? 0 : end + 1);
  out += line + '\n';
}

void Table::append_heading(std::string& out) const {
  const bench::Context& context = result_.context;
  append_line(out, painted(kBold, shorten(context.device, width_)));
  if (result_.rungs.empty()) return;
  const bench::RungResult& first = result_.rungs.front();
  std::string problem =
      fmt::format("{}, m = {}, n = {}, k = {}", formula_text(context), first.m, first.n, first.k);
  if (context.a_file.empty()) {
    problem += fmt::format(", random with seed {}", context.seed);
  } else {
    problem += fmt::format(", A from {}, B from {}", context.a_file, context.b_file);
  }
  if (!context.cublas.empty()) problem += ", beside " + context.cublas;
  for (const std::string& line : wrap(problem, width_)) append_line(out, line);
  for (const std::string& line : wrap(peaks_text(context), width_)) append_line(out, line);
  out += '\n';
}

void Table::append_head(std::string& out) const {
  for (int row = 0; row < 2; ++row) {
    std::string line;
    for (const Column& column : columns_) {
      line += padded(column, column.head[row], {}) + "  ";
    }
    append_line(out, line);
  }
  std::size_t width = 0;
  for (const Column& column : columns_) width += column.width() + 2;
  for (std::size_t i = 2; i < width; ++i) out += "─";
  out += '\n';
}

void Table::append_note(std::string& out, std::string_view color, const std::string& note) const {
  constexpr std::size_t kIndent = 4;
  for (const std::string& line : wrap(note, width_ - kIndent)) {
    out += std::string(kIndent, ' ') + painted(color, line) + '\n';
  }
}

// Puts the limit behind the idea where the line has room for it.
bool Table::append_to_last_line(std::string& out, const std::string& limit) const {
  const std::size_t begin = out.rfind('\n', out.size() - 2) + 1;
  std::size_t used = text_width(std::string_view(out).substr(begin)) - 1;
  if (color_) used -= kDim.size() + kReset.size();
  if (used + 2 + text_width(limit) > width_) return false;
  out.insert(out.size() - 1, "  " + painted(kCyan, limit));
  return true;
}

void Table::append_rung(std::string& out, std::size_t index) const {
  std::string line;
  for (const Column& column : columns_) {
    const Cell& cell = column.cells[index];
    line += padded(column, cell.text.empty() ? "–" : cell.text, cell.color) + "  ";
  }
  append_line(out, line);
  const bench::RungResult& rung = result_.rungs[index];
  if (!rung.wrong.empty()) append_note(out, kRed, rung.wrong);
  append_note(out, kDim, std::string(rung.rung->idea));
  if (!rung.limit) return;
  const std::string limit = fmt::format("Limit: {}.", limit_text(*rung.limit));
  if (append_to_last_line(out, limit)) return;
  append_note(out, kCyan, limit);
}

void Table::append_summary(std::string& out) const {
  const std::vector<std::string_view> wrong = wrong_rungs(result_);
  const std::size_t count = result_.rungs.size();
  out += '\n';
  if (wrong.empty()) {
    const std::string all = fmt::format(
        "{} {}, every result equal to the f64 reference within its "
        "error bound",
        count, count == 1 ? "rung" : "rungs");
    for (const std::string& line : wrap(all, width_)) append_line(out, painted(kGreen, line));
  } else {
    const std::string names =
        fmt::format("WRONG results: {} of {}: {}", wrong.size(), count, fmt::join(wrong, ", "));
    for (const std::string& line : wrap(names, width_)) append_line(out, painted(kRed, line));
  }
  const std::string small_grid = small_grid_note(result_);
  if (!small_grid.empty()) append_note(out, kDim, small_grid);
  for (const std::string& note : fidelity_notes(result_)) {
    append_note(out, kYellow, "approximate: " + note);
  }
  const bool counted =
      std::any_of(result_.rungs.begin(), result_.rungs.end(),
                  [](const auto& rung) { return !rung.hardware_counters.empty(); });
  const auto differs = [](const auto& rung) { return rung.equal_on_virtual_gpu == false; };
  if (std::any_of(result_.rungs.begin(), result_.rungs.end(), differs)) {
    append_note(out, kRed, "The virtual GPU gave other bits for some rungs: see the JSON.");
  }
  if (counted) append_note(out, kDim, "* read by Nsight Compute, one launch a rung");
}

std::string Table::text() {
  add_check();
  add_times();
  add_counters();
  add_hardware_counters();
  add_resources();
  fit();
  std::string out;
  append_heading(out);
  append_head(out);
  for (std::size_t i = 0; i < result_.rungs.size(); ++i) append_rung(out, i);
  append_summary(out);
  return out;
}

}  // namespace

std::string ladder_table(const bench::LadderResult& result, int columns, bool color) {
  // Narrower than this, words would break: let the terminal wrap instead.
  constexpr int kLeast = 40;
  return Table(result, static_cast<std::size_t>(std::max(columns, kLeast)), color).text();
}

}  // namespace tilewise::report
