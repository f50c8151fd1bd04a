// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace tilewise::report {
namespace {

using Cell = std::function<std::string(const bench::RungResult&)>;

struct Column {
  std::string name;
  Cell cell;
};

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

template <typename T> std::string text(const T& value) { return fmt::format("{}", value); }

template <typename T> std::string text(const std::optional<T>& value) {
  return value ? text(*value) : std::string();
}

// `get` reads one figure off a row; a figure that is absent becomes an empty field.
template <typename Get> Column column(std::string name, Get get) {
  return {std::move(name), [get](const bench::RungResult& rung) { return text(get(rung)); }};
}

void add_description(std::vector<Column>& columns) {
  using bench::RungResult;
  columns.push_back(column("name", [](const RungResult& r) { return r.rung->name; }));
  columns.push_back(column("title", [](const RungResult& r) { return r.rung->title; }));
  columns.push_back(
      column("dtype", [](const RungResult& r) { return kernels::name_of(r.rung->arithmetic); }));
  columns.push_back(column("m", [](const RungResult& r) { return r.m; }));
  columns.push_back(column("n", [](const RungResult& r) { return r.n; }));
  columns.push_back(column("k", [](const RungResult& r) { return r.k; }));
  columns.push_back(column("verified", [](const RungResult& r) { return r.verified; }));
  columns.push_back(column("error", [](const RungResult& r) { return r.error; }));
  columns.push_back(column("largest_error", [](const RungResult& r) { return r.largest_error; }));
  columns.push_back(
      {"checksum", [](const RungResult& r) { return fmt::format("{:016x}", r.checksum); }});
  columns.push_back(column("entry", [](const RungResult& r) { return r.entry; }));
  columns.push_back(column("fidelity", [](const RungResult& r) { return r.fidelity; }));
}

void add_counters(std::vector<Column>& columns) {
  for (const CounterField& field : kCounterFields) {
    columns.push_back({std::string(field.name), [field](const bench::RungResult& rung) {
                         return rung.counters ? text(*rung.counters.*field.member) : std::string();
                       }});
  }
}

void add_hardware_counters(std::vector<Column>& columns) {
  for (const CounterField& field : kCounterFields) {
    columns.push_back({fmt::format("hardware_{}", field.name),
                       [name = field.name](const bench::RungResult& rung) {
                         for (const bench::HardwareCounter& counter : rung.hardware_counters) {
                           if (counter.name == name) return text(counter.value);
                         }
                         return std::string();
                       }});
  }
}

void add_resources(std::vector<Column>& columns) {
  using bench::RungResult;
  columns.push_back(column("registers", [](const RungResult& r) { return r.registers; }));
  columns.push_back(column("shared_bytes", [](const RungResult& r) { return r.shared_bytes; }));
  columns.push_back({"occupancy", [](const RungResult& r) {
                       return r.occupancy ? text(r.occupancy->fraction) : std::string();
                     }});
  columns.push_back(
      {"limit", [](const RungResult& r) { return r.limit ? r.limit->summary : std::string(); }});
}

void add_times(std::vector<Column>& columns) {
  using bench::RungResult;
  columns.push_back(column("time_ms", [](const RungResult& r) { return r.time_ms; }));
  columns.push_back(column("gflops", [](const RungResult& r) { return r.gflops; }));
  columns.push_back(column("cublas_time_ms", [](const RungResult& r) { return r.cublas_time_ms; }));
  columns.push_back(
      column("percent_of_cublas", [](const RungResult& r) { return r.percent_of_cublas; }));
}

// At the end: columns keep their places.
void add_cpu(std::vector<Column>& columns) {
  using bench::RungResult;
  columns.push_back(column("threads", [](const RungResult& r) { return r.threads; }));
  columns.push_back(
      column("percent_of_peak", [](const RungResult& r) { return r.percent_of_peak; }));
  columns.push_back(column("speed_up", [](const RungResult& r) { return r.speed_up; }));
}

std::vector<Column> all_columns() {
  std::vector<Column> columns;
  add_description(columns);
  add_counters(columns);
  add_resources(columns);
  add_times(columns);
  add_hardware_counters(columns);
  add_cpu(columns);
  return columns;
}

void append_line(std::string& out, const std::vector<std::string>& fields) {
  out += fmt::format("{}\r\n", fmt::join(fields, ","));
}

}  // namespace

std::string ladder_csv(const bench::LadderResult& result) {
  const std::vector<Column> columns = all_columns();
  std::string out;
  std::vector<std::string> fields;
  for (const Column& each : columns) fields.push_back(quoted(each.name));
  append_line(out, fields);
  for (const bench::RungResult& rung : result.rungs) {
    fields.clear();
    for (const Column& each : columns) fields.push_back(quoted(each.cell(rung)));
    append_line(out, fields);
  }
  return out;
}

}  // namespace tilewise::report
